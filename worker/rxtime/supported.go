package rxtime

import (
	"net"

	"tare/ipc/clock"
)

// Supported tells whether this kernel stamps what a loopback connection
// receives.
func Supported() bool {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return false
	}
	defer ln.Close()
	there, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		return false
	}
	defer there.Close()
	here, err := ln.Accept()
	if err != nil {
		return false
	}
	defer here.Close()
	c, err := Wrap(here.(*net.TCPConn), clock.NewWall())
	if err != nil {
		return false
	}
	if _, err := there.Write([]byte{0}); err != nil {
		return false
	}
	_, err = c.Read(make([]byte, 1))
	return err == nil && c.Last().Kernel
}
