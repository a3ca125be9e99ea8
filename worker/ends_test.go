package worker

import (
	"io"
	"net"
	"testing"
	"time"

	"tare/ipc"
)

// The end of a connection may come together with its last bytes, in one
// wake-up. It must be seen then and there, not at the idle deadline, however
// the answer was to end.
func TestEndTogetherWithTheLastBytes(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	const event = `data: {"choices":[{"index":0,"text":"a","finish_reason":null}]}` + "\n\n"
	for _, c := range []struct {
		why    string
		answer string
		after  string
		class  ipc.Class
	}{
		{"a chunked body cut by a reset", head + "Transfer-Encoding: chunked\r\n\r\n80\r\n" + event, "rst", ipc.Truncated},
		{"a chunked body cut by a close", head + "Transfer-Encoding: chunked\r\n\r\n80\r\n" + event, "close", ipc.Truncated},
		{"a body whose end is the close", head + "Connection: close\r\n\r\n" + event + "data: [DONE]\n\n", "close", ipc.OK},
		{"no answer at all", "", "close", ipc.Connection},
	} {
		t.Run(c.why, func(t *testing.T) {
			ln := listen(t)
			done := make(chan struct{})
			go func() {
				defer close(done)
				atOnce(t, ln, c.answer, c.after == "rst")
			}()
			begin := time.Now()
			r := askFor(t, ln, wireCase{API: "completions"}, "")
			<-done
			if r.Class != c.class && !(c.after == "rst" && r.Class == ipc.Connection) {
				t.Errorf("class %v (%s: %s), want %v", r.Class, r.Sub, r.Message, c.class)
			}
			if took := time.Since(begin); took > patience(wireCase{})/4 {
				t.Errorf("the end was seen after %v", took)
			}
		})
	}
}

// atOnce reads one request, answers with one write and closes without delay.
func atOnce(t *testing.T, ln net.Listener, answer string, reset bool) {
	conn, err := ln.Accept()
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	if _, err := conn.Read(make([]byte, 4096)); err != nil {
		t.Error(err)
	}
	if _, err := io.WriteString(conn, answer); err != nil {
		t.Error(err)
	}
	if reset {
		_ = conn.(*net.TCPConn).SetLinger(0)
	}
}
