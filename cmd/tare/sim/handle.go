package sim

import (
	"bytes"
	"fmt"
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
	asked, err := e.parse(c.req.body, s.cfg.DefaultTokens)
	st.ask = ask{
		params: asked, endpoint: e, number: s.requests.Add(1) - 1,
		created: time.Now().Unix(), close: c.req.close,
	}
	if err != nil {
		d := st.ask.dialect(s.model)
		c.reply(http.StatusBadRequest, d.problem(nil, http.StatusBadRequest, err.Error()), c.req.close)
		s.truth.add(&entry{request: st.ask.number, conn: c.id, arrival: st.arrival, read: st.read, status: http.StatusBadRequest})
		return !c.req.close
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

// ended books a stream at its end and closes its connection if need be.
func (s *Server) ended(st *stream) {
	e := entry{
		request: st.ask.number, conn: st.conn.id, arrival: st.arrival, read: st.read,
		scheduled: st.scheduled, first: st.firstWrite, last: st.lastWrite,
		tokens: st.done * st.answer.perStep, inputTokens: st.ask.input, cachedTokens: st.ask.cached, fault: st.ask.fault, cut: st.cut(),
	}
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
