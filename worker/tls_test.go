package worker

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tare/ipc"
)

// A server that wants a client certificate gets ours; one that is not trusted
// is refused as a failed connection, unless --insecure says not to look.
func TestCertificates(t *testing.T) {
	cert, ca := selfSigned(t)
	certFile, keyFile := clientFiles(t, cert)
	for _, c := range []struct {
		why    string
		target ipc.Target
		class  ipc.Class
	}{
		{"ours is shown and theirs trusted", ipc.Target{CA: ca, Cert: certFile, Key: keyFile}, ipc.OK},
		{"none is shown", ipc.Target{CA: ca}, ipc.Connection},
		{"theirs is not trusted", ipc.Target{Cert: certFile, Key: keyFile}, ipc.Connection},
		{"theirs is not looked at", ipc.Target{Insecure: true, Cert: certFile, Key: keyFile}, ipc.OK},
	} {
		t.Run(c.why, func(t *testing.T) {
			ln := tls.NewListener(listen(t), &tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequireAnyClientCert})
			go answerAll(ln)
			c.target.URL, c.target.Endpoint, c.target.Stream = "https://"+ln.Addr().String(), "completions", true
			c.target.Timeout, c.target.IdleTimeout = 10*time.Second, 10*time.Second
			r, err := Probe(context.Background(), ipc.Settings{Target: c.target, Shape: ipc.Shape{InputTokens: "1", OutputTokens: "1"}}, nil, "")
			if err != nil {
				t.Fatal(err)
			}
			if r.Class != c.class {
				t.Errorf("class %v (%s: %s), want %v", r.Class, r.Sub, r.Message, c.class)
			}
		})
	}
}

// clientFiles writes a certificate and its key as PEM.
func clientFiles(t *testing.T, cert tls.Certificate) (certFile, keyFile string) {
	t.Helper()
	key, err := x509.MarshalECPrivateKey(cert.PrivateKey.(*ecdsa.PrivateKey))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", cert.Certificate[0]), write("key.pem", "EC PRIVATE KEY", key)
}

// answerAll answers every request with one token, until the listener closes.
func answerAll(ln net.Listener) {
	const answer = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" +
		`data: {"choices":[{"index":0,"text":"a","finish_reason":"length"}]}` + "\n\ndata: [DONE]\n\n"
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		if req, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			_, _ = io.Copy(io.Discard, req.Body)
			_, _ = io.WriteString(conn, answer) // a client that has left shows in its own record
		}
		_ = conn.Close()
	}
}

// An address of the IPv6 loopback is spoken to like any other, and a name with
// several addresses goes to one that answers.
func TestAddresses(t *testing.T) {
	for _, c := range []struct{ why, listen, host string }{
		{"IPv6", "[::1]:0", "[::1]"},
		{"a name, where only its IPv4 address answers", "127.0.0.1:0", "localhost"},
	} {
		t.Run(c.why, func(t *testing.T) {
			ln, err := net.Listen("tcp", c.listen)
			if err != nil {
				t.Skipf("this host cannot: %v", err)
			}
			defer ln.Close()
			go answerAll(ln)
			_, port, err := net.SplitHostPort(ln.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			r, err := Probe(context.Background(), ipc.Settings{
				Target: ipc.Target{URL: "http://" + c.host + ":" + port, Endpoint: "completions", Stream: true, Timeout: 10 * time.Second, IdleTimeout: 10 * time.Second},
				Shape:  ipc.Shape{InputTokens: "1", OutputTokens: "1"},
			}, nil, "")
			if err != nil || r.Class != ipc.OK {
				t.Errorf("class %v (%s: %s), %v", r.Class, r.Sub, r.Message, err)
			}
		})
	}
}
