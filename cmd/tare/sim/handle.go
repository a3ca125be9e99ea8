package sim

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"net/http"
	"time"

	"tare/worker/rxtime"
)

// handle answers the request just read, or begins to, and tells if another
// may follow. stamp tells of the read that brought the request's last byte.
func (s *Server) handle(c *conn, stamp rxtime.Stamp) bool {
	q := &c.req
	path, _, _ := bytes.Cut(q.target, []byte{'?'})
	e, generates := endpointOf(path)
	allowed := http.MethodGet
	if generates {
		allowed = http.MethodPost
	}
	status, body := http.StatusOK, []byte(nil)
	switch {
	case !generates && string(path) != "/v1/models" && string(path) != "/health":
		status, body = http.StatusNotFound, problem(http.StatusNotFound, fmt.Sprintf("there is no %s here", path))
	case string(q.method) != allowed:
		status, body = http.StatusMethodNotAllowed, problem(http.StatusMethodNotAllowed, "the method must be "+allowed)
	case generates:
		return s.generate(c, e, stamp)
	case string(path) == "/v1/models":
		body = s.models()
	}
	c.reply(status, body, q.close)
	return !q.close
}

// generate begins the answer of an endpoint.
func (s *Server) generate(c *conn, e endpoint, stamp rxtime.Stamp) bool {
	st := &c.stream
	st.arrival, st.read = min(stamp.Arrival, stamp.Read), stamp.Read
	if s.truth != nil {
		st.body = crc32.Checksum(c.req.body, castagnoli)
	}
	asked, err := e.parse(c.req.body, s.cfg.DefaultTokens)
	st.ask = ask{
		params: asked, endpoint: e, number: s.requests.Add(1) - 1,
		created: time.Now().Unix(), close: c.req.close,
	}
	if err != nil {
		d := st.ask.dialect(s.model)
		c.reply(http.StatusBadRequest, d.problem(nil, http.StatusBadRequest, err.Error()), c.req.close)
		e := st.seen()
		e.status = http.StatusBadRequest
		s.truth.add(&e)
		return !c.req.close
	}
	if s.cfg.MaxTokens > 0 {
		st.ask.tokens = min(st.ask.tokens, s.cfg.MaxTokens)
	}
	if s.prefix != nil {
		st.ask.cached = s.prefix.cached(e.tokens(c.req.body))
	}
	st.service.begin(&s.laws, st.ask.number)
	st.ask.fault = st.fault()
	st.begin(s.model)
	s.sched.start(st)
	return true
}

// seen is the line of the truth log as far as the request alone fills it.
func (s *stream) seen() entry {
	return entry{
		request: s.ask.number, conn: s.conn.id, accepted: s.conn.accepted,
		arrival: s.arrival, read: s.read, body: s.body, stream: s.ask.stream,
	}
}

// castagnoli is the polynomial that processors have an instruction for.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ended books a stream at its end and closes its connection if need be.
func (s *Server) ended(st *stream) {
	e := st.seen()
	e.scheduled, e.opening, e.first, e.last, e.end = st.scheduled, st.opening, st.firstWrite, st.lastWrite, st.end
	e.tokens, e.inputTokens, e.cachedTokens = st.done*st.answer.perStep, st.ask.input, st.ask.cached
	e.fault, e.cut = st.ask.fault, st.cut()
	if st.ended || st.done > 0 {
		e.status = st.answer.status
	}
	s.truth.add(&e)
	s.tokens.Add(uint64(e.tokens))
	if e.fault != "" {
		s.faults.Add(1)
	}
	if e.cut {
		s.cuts.Add(1)
	}
	if e.cut || st.answer.after != keep {
		st.conn.hangUp(st.answer.after)
	}
}

// problem is an error object for requests that no endpoint has answered.
func problem(status int, text string) []byte {
	d := dialect{}
	return d.problem(nil, status, text)
}

// models lists the one model.
func (s *Server) models() []byte {
	return fmt.Appendf(nil, `{"object":"list","data":[{"id":%s,"object":"model","created":%d,"owned_by":"tare"}]}`,
		s.model, s.started)
}
