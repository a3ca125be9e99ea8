package audit

// A convention is one way to compute a metric from the instants of a request.
type convention struct {
	name string
	text string // what is measured
	of   value
	// gaps is how many gaps a request of n tokens gives; nil where a request
	// counts once in the mean.
	gaps func(n int64) int64
}

// value is a metric of a request in ms; false where it is undefined.
type value func(r *Request) (float64, bool)

// plain names the conventions of this program, which come first.
const plain = "plain"

// conventions of each metric. The plain ones are those of package metrics, the
// others are what load generators do; their sources say so.
var conventions = map[Metric][]convention{
	TTFT: {
		{plain, "to the first token", stream(arrived, first, one), nil},
		{"opening", "to the first event, which bears no token (role or message start)", stream(arrived, opening, one), nil},
		{"connect", "to the first token, connecting included", stream(begun, first, one), nil},
		{"opening+connect", "to the first event, which bears no token, connecting included", stream(begun, opening, one), nil},
	},
	E2E: {
		{plain, "to the last token", answer(arrived, last, one), nil},
		{"trailer", "to the end of the stream (finish, usage, [DONE])", answer(arrived, trailer, one), nil},
		{"connect", "to the last token, connecting included", answer(begun, last, one), nil},
		{"trailer+connect", "to the end of the stream, connecting included", answer(begun, trailer, one), nil},
	},
	TPOT: {
		{plain, "(last − first)/(n − 1)", stream(first, last, less), nil},
		{"trailer", "(end of the stream − first)/(n − 1)", stream(first, trailer, less), nil},
		{"opening", "(last − first event without a token)/(n − 1)", stream(opening, last, less), nil},
		{"opening+trailer", "(end of the stream − first event without a token)/(n − 1)", stream(opening, trailer, less), nil},
		{"over-n", "(last − first)/n", stream(first, last, all), nil},
		{"prefill", "(last − start)/n, which is NTPOT", stream(arrived, last, all), nil},
		{"prefill+trailer", "(end of the stream − start)/n", stream(arrived, trailer, all), nil},
	},
	ITL: {
		{plain, "gaps between tokens, each counted once", stream(first, last, less), less},
		{"per-request", "the mean gap of each request, each request counted once", stream(first, last, less), nil},
		{"trailer", "gaps to the end of the stream, shared out over n − 1", stream(first, trailer, less), nil},
		{"trailer-gap", "the gap to the end of the stream counted as one", stream(first, trailer, all), all},
		{"opening-gap", "the gap from the first event, which bears no token, counted as one", stream(opening, last, all), all},
	},
	NTPOT: {
		{plain, "(last − start)/n", answer(arrived, last, all), nil},
		{"trailer", "(end of the stream − start)/n", answer(arrived, trailer, all), nil},
		{"connect", "(last − start)/n, connecting included", answer(begun, last, all), nil},
		{"trailer+connect", "(end of the stream − start)/n, connecting included", answer(begun, trailer, all), nil},
		{"decode", "(last − first)/(n − 1), which is TPOT", stream(first, last, less), nil},
	},
}

// The instants of a request that a convention may start or end with.
func arrived(r *Request) int64 { return r.Arrival }
func first(r *Request) int64   { return r.First }
func last(r *Request) int64    { return r.Last }

// begun is when the connection of a request was accepted, if the request is
// the first on it, as firstOnly leaves it; else its arrival.
func begun(r *Request) int64 {
	if r.Accepted > 0 && r.Accepted < r.Arrival {
		return r.Accepted
	}
	return r.Arrival
}

// opening is the first event of a stream, whether it bears a token or not.
func opening(r *Request) int64 {
	if r.Opening > 0 {
		return r.Opening
	}
	return r.First
}

// trailer is the end of the stream; the last token where none is logged.
func trailer(r *Request) int64 { return max(r.End, r.Last) }

// What a time is divided by, for n tokens.
func one(int64) int64    { return 1 }
func all(n int64) int64  { return n }
func less(n int64) int64 { return n - 1 }

// answer is the time between two instants over a count of n tokens.
func answer(from, to func(*Request) int64, count func(n int64) int64) value {
	return func(r *Request) (float64, bool) {
		a, b, n := from(r), to(r), count(r.Tokens)
		if a <= 0 || b <= 0 || n <= 0 {
			return 0, false
		}
		return float64(b-a) / 1e6 / float64(n), true
	}
}

// stream is answer for what only answers in events have: of a request with one
// token no time between tokens is known, whatever it is divided by.
func stream(from, to func(*Request) int64, count func(n int64) int64) value {
	plain := answer(from, to, count)
	return func(r *Request) (float64, bool) {
		if !r.streamed() || count(2) != one(2) && r.Tokens < 2 {
			return 0, false
		}
		return plain(r)
	}
}

// firstOnly takes Accepted off the requests of a sorted log that are not the
// first on their connection: only the first can have paid for it.
func firstOnly(log []Request) {
	seen := map[uint64]bool{}
	for i := range log {
		if seen[log[i].Conn] {
			log[i].Accepted = 0
		}
		seen[log[i].Conn] = true
	}
}

// dist is the distribution of a metric under a convention. The log has only
// the mean gap of each request, not single gaps: percentiles are of the means.
func (c convention) dist(log []Request) Dist {
	values := make([]float64, 0, len(log))
	var sum, weight float64
	for i := range log {
		x, ok := c.of(&log[i])
		if !ok {
			continue
		}
		values = append(values, x)
		if c.gaps != nil {
			w := float64(c.gaps(log[i].Tokens))
			sum, weight = sum+w*x, weight+w
		}
	}
	d := distOf(values)
	if weight > 0 {
		d.Mean = new(sum / weight)
	}
	return d
}
