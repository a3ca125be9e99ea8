package audit

import (
	"slices"
	"testing"
)

// The findings that are no fault of a schedule or a convention, each with a
// twin that just lacks it.
func TestOtherFindings(t *testing.T) {
	late := func(m *model) { // every tenth request 8 ms late, and in order
		due := m.due()
		for i := 0; i < len(due); i += 10 {
			due[i] += 8 * mS
		}
		m.send(due)
	}
	bursty := func(m *model) { // gaps are short or long, independent of one another
		due, t := make([]int64, m.n), int64(1e9)
		for i := range due {
			t += m.exp(int64([]float64{0.2e9, 0.2e9, 0.2e9, 3.4e9}[m.IntN(4)] / m.rate))
			due[i] = t
		}
		m.send(due)
	}
	status := func(code int, timedOut bool) func(*Input) {
		return func(in *Input) { in.Client.Exit, in.Client.TimedOut = &code, timedOut }
	}
	rate := func(x float64) func(*Input) { return func(in *Input) { in.Asked.Rate = x } }
	claims := func(x float64) func(*Input) { return func(in *Input) { in.Reported = &Reported{Rate: &x} } }
	readLate := func(x int64) func(*Input) {
		return func(in *Input) {
			in.Log = slices.Clone(in.Log)
			for i := range in.Log {
				in.Log[i].Read += x
			}
		}
	}
	tests := []struct {
		name         string
		law          Law
		run          func(m *model)
		want         Kind
		change, twin func(*Input)
	}{
		{"10 % short", Constant, (*model).open, RateShort, rate(220), rate(201)},
		{"10 % over", Constant, (*model).open, RateOver, rate(180), rate(199)},
		{"claims 10 % more", Constant, (*model).open, RateClaimed, claims(220), claims(202)},
		{"a server 5 ms late", Poisson, (*model).open, ServerLate, readLate(5 * mS), readLate(mS)},
		{"it ended with 1", Poisson, (*model).open, ClientFailed, status(1, false), status(0, false)},
		{"it did not end", Poisson, (*model).open, ClientFailed, status(0, true), status(0, false)},
		{"sends 8 ms late", Constant, late, LateSends, nil, func(in *Input) {
			m := newModel(1, Constant, 200, 3000)
			m.open()
			in.Log = m.log
		}},
		{"gaps of a wider law", Poisson, bursty, LawOff, nil, func(in *Input) { in.Asked = Asked{Law: Closed} }},
		{"gaps that run together", Poisson, func(m *model) { // each gap is the mean of two draws, one of them the last gap's
			due, t, x := make([]int64, m.n), int64(1e9), int64(0)
			for i := range due {
				y := m.exp(int64(1e9 / m.rate))
				t += (x + y) * 7 / 10
				due[i], x = t, y
			}
			m.send(due)
		}, Correlated, nil, func(in *Input) { in.Asked = Asked{Law: Closed} }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newModel(1, tt.law, 200, 3000)
			tt.run(m)
			if got := kinds(m.audited(t, tt.change)); !slices.Contains(got, tt.want) {
				t.Errorf("findings %v, want %s", got, tt.want)
			}
			if got := kinds(m.audited(t, tt.twin)); slices.Contains(got, tt.want) {
				t.Errorf("findings of the twin %v, want no %s", got, tt.want)
			}
		})
	}
}

// The verdict is that of the worst finding, for its reasons.
func TestVerdict(t *testing.T) {
	note, suspect, bad := Finding{Severity: Note, Text: "n"}, Finding{Severity: Suspect, Text: "s"}, Finding{Severity: Misleading, Text: "m"}
	for _, tt := range []struct {
		findings []Finding
		want     Status
		reasons  []string
	}{
		{nil, StatusFaithful, []string{}},
		{[]Finding{note}, StatusFaithful, []string{}},
		{[]Finding{note, suspect, suspect}, StatusSuspect, []string{"s", "s"}},
		{[]Finding{suspect, bad, note, suspect}, StatusMisleading, []string{"m"}},
	} {
		if got := verdictOf(tt.findings); got.Status != tt.want || !slices.Equal(got.Reasons, tt.reasons) {
			t.Errorf("%v: %+v, want %s for %v", tt.findings, got, tt.want, tt.reasons)
		}
	}
}

// A drifting schedule whose gap happens to be a little longer than the service
// looks like a closed loop of one, but for the service's own small variation.
func TestDriftInStepWithService(t *testing.T) {
	taken, found, n := 0, 0, seeds(20)
	for seed := range n {
		m := newModel(uint64(seed), Constant, 50, 4000)
		m.slow(1)
		m.drifting(int64(0.04 * 1e9 / m.rate))
		got := kinds(m.audited(t, nil))
		if slices.Contains(got, Drift) {
			found++
		}
		if slices.Contains(got, ClosedLoop) || slices.Contains(got, Omission) {
			taken++
		}
	}
	if taken > 0 || found < n {
		t.Errorf("found %d times in %d, taken for a closed loop %d times", found, n, taken)
	}
}

// The same with services that are short, on a host whose stops make services and
// gaps longer alike.
func TestDriftOnABusyHost(t *testing.T) {
	for seed := range seeds(20) {
		m := newModel(uint64(seed), Constant, 200, 1000)
		m.ttft, m.itl = 100*us, 10*us
		m.drifting(2 * mS)
		stop := int64(0)
		for i := range m.log {
			r := &m.log[i]
			r.Arrival, r.Read, r.Scheduled, r.First = r.Arrival+stop, r.Read+stop, r.Scheduled+stop, r.First+stop
			stop += m.exp(200 * us)
			r.Last, r.End = r.Last+stop, r.End+stop
		}
		if got := kinds(m.audited(t, nil)); !slices.Contains(got, Drift) || slices.Contains(got, Omission) {
			t.Errorf("seed %d: findings %v, want %s and no %s", seed, got, Drift, Omission)
		}
	}
}

// A faithful client whose gap is a divisor of the service: answers and arrivals
// coincide, and nothing is wrong.
func TestFaithfulInStepWithService(t *testing.T) {
	for seed := range seeds(20) {
		m := newModel(uint64(seed), Constant, 3/29.3e-3, 1500)
		m.open()
		if got := kinds(m.audited(t, nil)); len(got) > 0 {
			t.Errorf("seed %d: findings %v, want none", seed, got)
		}
	}
}

// A constant schedule that is kept on a host which stops now and then: what is
// late with its arrival has been served the sooner, as if the next waited for
// it. Nobody waits.
func TestKeptScheduleOnABusyHost(t *testing.T) {
	for seed := range seeds(20) {
		m := newModel(uint64(seed), Constant, 1000, 3000)
		m.ttft, m.itl = 37_600*us, 0     // an answer ends just before a request is due
		begin, end := int64(0), int64(0) // of the next stop
		after := func(at int64) int64 {
			for at >= end {
				begin = end + m.exp(2*mS)
				end = begin + m.exp(700*us)
			}
			if at >= begin {
				return end
			}
			return at
		}
		for _, due := range m.due() {
			at := after(due)
			r := m.serve(at, m.Uint32())
			r.First, r.Last, r.End = r.First+due-at, r.Last+due-at, r.End+due-at
		}
		if got := kinds(m.audited(t, nil)); slices.Contains(got, Omission) || slices.Contains(got, ClosedLoop) {
			t.Errorf("seed %d: findings %v, want none that it waits", seed, got)
		}
	}
}
