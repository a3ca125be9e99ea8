package sim

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// FaultKind names a way to fail. The zero value is none.
type FaultKind string

// The kinds. A fault inside a stream comes after half of its tokens.
const (
	FaultReset      FaultKind = "reset"       // RST in place of an answer
	FaultCut        FaultKind = "cut"         // close in the middle of a chunk
	FaultStall      FaultKind = "stall"       // silence after the first event, until the client leaves
	FaultErrorEvent FaultKind = "error-event" // an error object under status 200
	FaultGarbage    FaultKind = "garbage"     // an event that is not JSON
	FaultSlowHeader FaultKind = "slow-header" // the whole answer SlowHeader late
	FaultClose      FaultKind = "close"       // a good answer, then close
	FaultBadChunk   FaultKind = "bad-chunk"   // a chunk size that is no number, then close
)

// SlowHeader is how much longer a slow-header fault makes the time to the
// first token; the request holds its slot meanwhile.
const SlowHeader = time.Second

// statuses of the kinds status-N (with an error object) and status-N-empty.
var statuses = []int{http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable}

// FaultKinds lists every kind.
func FaultKinds() []FaultKind {
	var kinds []FaultKind
	for _, status := range statuses {
		kind := FaultKind("status-" + strconv.Itoa(status))
		kinds = append(kinds, kind, kind+"-empty")
	}
	return append(kinds, FaultReset, FaultCut, FaultStall, FaultErrorEvent, FaultGarbage,
		FaultSlowHeader, FaultClose, FaultBadChunk)
}

// status tells of an error status in place of an answer.
func (k FaultKind) status() (status int, empty, ok bool) {
	digits, ok := strings.CutPrefix(string(k), "status-")
	if !ok {
		return 0, false, false
	}
	digits, empty = strings.CutSuffix(digits, "-empty")
	status, err := strconv.Atoi(digits)
	return status, empty, err == nil
}

// atDoor tells if the request fails before it asks for a slot.
func (k FaultKind) atDoor() bool {
	_, _, refused := k.status()
	return refused || k == FaultReset
}

// steps is how many of a stream's token events are written. led: an event
// comes before the first token.
func (k FaultKind) steps(tokens int, led bool) int {
	switch k {
	case FaultCut, FaultErrorEvent, FaultGarbage, FaultBadChunk:
		return tokens / 2
	case FaultStall:
		if led {
			return 0
		}
		return min(tokens, 1)
	default:
		return tokens
	}
}

// Fault is a kind and the share of requests, from 0 to 1, that fail so.
type Fault struct {
	Kind  FaultKind
	Share float64
}

// ParseFault reads KIND=SHARE, as in "reset=0.02".
func ParseFault(s string) (Fault, error) {
	kind, share, ok := strings.Cut(s, "=")
	if !ok {
		return Fault{}, fmt.Errorf("fault %q: write it as KIND=SHARE, as in reset=0.02", s)
	}
	x, err := strconv.ParseFloat(share, 64)
	if err != nil {
		return Fault{}, fmt.Errorf("fault %q: the share %q is no number", s, share)
	}
	f := Fault{Kind: FaultKind(kind), Share: x}
	return f, f.validate()
}

// validate refuses unknown kinds and shares outside [0,1], NaN included.
func (f Fault) validate() error {
	switch {
	case !slices.Contains(FaultKinds(), f.Kind):
		return fmt.Errorf("fault %q is not known; choose from %v", f.Kind, FaultKinds())
	case math.IsNaN(f.Share) || f.Share < 0 || f.Share > 1:
		return fmt.Errorf("fault %s: the share is %v; it must be from 0 to 1", f.Kind, f.Share)
	}
	return nil
}

// drawFault picks the fault of a request from one uniform number in [0,1).
func drawFault(faults []Fault, u float64) FaultKind {
	for _, f := range faults {
		if u < f.Share {
			return f.Kind
		}
		u -= f.Share
	}
	return ""
}
