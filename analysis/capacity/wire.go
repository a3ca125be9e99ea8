package capacity

// Wire is the size of what goes over the network, in bytes, without the headers
// of segments.
type Wire struct {
	Request float64 `json:"request_bytes"`
	Event   float64 `json:"event_bytes"`  // one output event
	Answer  float64 `json:"answer_bytes"` // header and events without output
}

// segment is what Ethernet, IPv4 and TCP with its time stamps put before a
// segment, in bytes.
const segment = 14 + 20 + 32

// traffic is what a node takes in and sends out at rate requests/s, in bytes/s.
// Every output event is a segment of its own, the rest of an answer two, and
// every segment is acknowledged by one: a bound, since the kernel may delay an
// acknowledgement until a second segment comes.
func (w Wire) traffic(rate, events float64) (in, out float64) {
	segments := events + 2
	in = rate * (w.Answer + events*w.Event + segments*segment + segment) // and one for the request
	out = rate * (w.Request + segment + segments*segment)
	return in, out
}
