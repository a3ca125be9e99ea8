package metrics

// A Meter sums weights of instants within the steady window while records are
// still being read, when the window's end is not known yet: what lies before
// an instant that is surely in the window is summed at once, the rest waits.
// The zero value has a window that begins at the epoch.
type Meter struct {
	from    int64 // the window's begin, ns after the epoch
	sure    int64 // an instant that the window's end will not precede
	sum     float64
	waiting []weighted
	tidy    int // length of waiting at which it is worth looking through
}

type weighted struct {
	at     int64
	weight float64
}

// tidyLen is the least number of waiting instants that are looked through.
const tidyLen = 1 << 12

// NewMeter returns a meter for a window that begins at from.
func NewMeter(from int64) *Meter { return &Meter{from: from, sure: from, tidy: tidyLen} }

// Extend says that the window reaches at least to the instant at.
func (m *Meter) Extend(at int64) { m.sure = max(m.sure, at) }

// Add books a weight at an instant.
func (m *Meter) Add(at int64, weight float64) {
	switch {
	case at < m.from:
	case at <= m.sure:
		m.sum += weight
	default:
		m.waiting = append(m.waiting, weighted{at, weight})
		if len(m.waiting) >= m.tidy {
			m.settle(m.sure)
			m.tidy = max(tidyLen, 2*len(m.waiting))
		}
	}
}

// Sum returns the weight from the begin of the window to its end, inclusive.
func (m *Meter) Sum(end int64) float64 {
	m.settle(end)
	return m.sum
}

// settle sums what lies up to an instant and keeps the rest waiting.
func (m *Meter) settle(end int64) {
	rest := m.waiting[:0]
	for _, w := range m.waiting {
		if w.at <= end {
			m.sum += w.weight
		} else {
			rest = append(rest, w)
		}
	}
	m.waiting = rest
}
