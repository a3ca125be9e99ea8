package sim

import (
	"math/rand/v2"
	"sync/atomic"

	"tare/analysis/dist"
)

// laws are the service laws; all times in nanoseconds.
type laws struct {
	ttft, itl, prefill dist.Dist
	tail               dist.Dist // from the last token to what ends the answer
	openEarly          bool      // the event before the first token is written at the start of the service
	faults             []Fault
	seed               uint64

	perActive int64         // ns between two tokens for each request in service
	active    *atomic.Int64 // requests in service now
}

// slowed is what the requests in service add to the time between two tokens,
// as a batching engine's step takes longer the more streams it has.
func (l *laws) slowed() int64 {
	if l.perActive == 0 {
		return 0
	}
	return l.perActive * l.active.Load()
}

// The draws of a request, each with a stream of random numbers of its own, so
// that a change of one law leaves what the others draw as it was.
const (
	drawTTFT = iota
	drawITL
	drawPrefill
	drawsFault
	drawTail
	draws
)

// service is the timetable of one request. Its draws depend on the seed, the
// request's number and nothing else.
//
//	start            + first()          + gap()        + gap()   + tail()
//	  │ prefill · I + ttft │      itl      │      itl     │   tail   │
//	  └─ in the slot ──────1───────────────2── … ─────────N──────────┘ slot free
//
// Every instant is the one before plus a draw, never "now" plus a draw: a
// late timer shifts nothing.
type service struct {
	laws *laws
	pcg  [draws]rand.PCG
	rand [draws]*rand.Rand
}

// begin sets the draws back to the beginning of the request with that number.
func (s *service) begin(l *laws, number uint64) {
	s.laws = l
	for i := range s.pcg {
		s.pcg[i].Seed(mix(l.seed+uint64(i)), mix(number))
		if s.rand[i] == nil {
			s.rand[i] = rand.New(&s.pcg[i])
		}
	}
}

// fault draws the request's fault.
func (s *service) fault() FaultKind {
	if len(s.laws.faults) == 0 {
		return ""
	}
	return drawFault(s.laws.faults, s.rand[drawsFault].Float64())
}

// first draws the time from the start of the service to the first token, ns,
// for a prompt of that many tokens.
func (s *service) first(input int) int64 {
	ttft := int64(s.laws.ttft.Duration(s.rand[drawTTFT]))
	if input == 0 {
		return ttft
	}
	return ttft + int64(input)*int64(s.laws.prefill.Duration(s.rand[drawPrefill]))
}

// gap draws the time between two tokens, ns.
func (s *service) gap() int64 {
	return int64(s.laws.itl.Duration(s.rand[drawITL])) + s.laws.slowed()
}

// tail draws the time from the last token to what ends the answer, ns.
func (s *service) tail() int64 { return int64(s.laws.tail.Duration(s.rand[drawTail])) }

// total draws the whole time of an answer with n tokens, ns.
func (s *service) total(input, n int) int64 {
	t := s.first(input)
	for range n - 1 {
		t += s.gap()
	}
	return t
}

// mix is the output function of SplitMix64 (Steele, Lea and Flood 2014): it
// makes neighbouring numbers unlike one another.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
