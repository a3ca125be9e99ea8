package worker

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"tare/ipc"
	"tare/ipc/clock"
	"tare/worker/rxtime"
)

// dialTimeout bounds one attempt to connect, TLS handshake included.
const dialTimeout = 10 * time.Second

// target is where requests go.
type target struct {
	url       *url.URL
	addresses []string // host:port of every address of the name, in resolver order
	tls       *tls.Config
	wall      *clock.Wall
}

// newTarget resolves the target's name and loads its certificates.
func newTarget(ctx context.Context, t ipc.Target, wall *clock.Wall) (*target, error) {
	u, err := url.Parse(t.URL)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	if port == "" || u.Hostname() == "" {
		return nil, fmt.Errorf("target %q: want http://HOST[:PORT] or https://HOST[:PORT]", t.URL)
	}
	hosts, err := net.DefaultResolver.LookupHost(ctx, u.Hostname())
	if err != nil {
		return nil, fmt.Errorf("resolve target: %w", err)
	}
	d := &target{url: u, wall: wall}
	for _, h := range hosts {
		d.addresses = append(d.addresses, net.JoinHostPort(h, port))
	}
	if u.Scheme == "https" {
		d.tls, err = tlsConfig(t, u.Hostname())
	}
	return d, err
}

func tlsConfig(t ipc.Target, host string) (*tls.Config, error) {
	c := &tls.Config{
		ServerName:         host,
		MinVersion:         tls.VersionTLS12,
		NextProtos:         []string{"http/1.1"}, // HTTP/2 would put many streams on one connection and so under one stamp
		InsecureSkipVerify: t.Insecure,           // asked for by name, and said in the manifest
	}
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, fmt.Errorf("read CA: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("CA file %s holds no certificate in PEM form", t.CA)
		}
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("load client certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// link is one open connection: conn is what is written and read, stamped is
// the TCP connection beneath it.
type link struct {
	conn    net.Conn
	stamped *rxtime.Conn
	address int // index into target.addresses
}

// dial opens a connection to the first address that answers.
func (t *target) dial(ctx context.Context) (link, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	var failures []error
	for i, a := range t.addresses {
		l, err := t.dialOne(ctx, a)
		if err == nil {
			l.address = i
			return l, nil
		}
		failures = append(failures, err)
	}
	return link{}, errors.Join(failures...)
}

func (t *target) dialOne(ctx context.Context, address string) (link, error) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return link{}, err
	}
	stamped, err := rxtime.Wrap(c.(*net.TCPConn), t.wall)
	if err != nil {
		return link{}, errors.Join(err, c.Close())
	}
	if t.tls == nil {
		return link{conn: stamped, stamped: stamped}, nil
	}
	secure := tls.Client(stamped, t.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		return link{}, errors.Join(fmt.Errorf("TLS handshake with %s: %w", address, err), c.Close())
	}
	return link{conn: secure, stamped: stamped}, nil
}

// alive tells whether an idle connection can be used: nothing has come on it,
// no end and no answer that nobody asked for. Session tickets may lie unread
// on a TLS connection.
func (l link) alive() bool {
	n, err := l.stamped.Peek()
	return err == nil && (n == 0 || l.conn != net.Conn(l.stamped))
}

// paths are the endpoints' paths after the API's version.
var paths = map[string]string{
	"completions": "/completions",
	"chat":        "/chat/completions",
	"messages":    "/messages",
}

// path is the request path: the URL's own prefix, /v1 and the endpoint, of
// which the URL may already hold the last parts.
func path(prefix, endpoint string) string {
	prefix = strings.TrimRight(prefix, "/")
	switch tail := paths[endpoint]; {
	case strings.HasSuffix(prefix, "/v1"+tail):
		return prefix
	case strings.HasSuffix(prefix, "/v1"):
		return prefix + tail
	default:
		return prefix + "/v1" + tail
	}
}
