package capacity

import "fmt"

// Figures from which a law or a plan is in doubt.
const (
	disturbedMax = 0.2  // share of rows
	offModel     = 0.25 // between the waits predicted and measured
	littleLoad   = 0.4  // of a CPU: much of the CPU time is wake-ups
	farLambda    = 1.25 // times the measured rate of events
	farEvents    = 1.5  // times the measured number of events, either way
	sharedReads  = 1.02 // events a read
)

func (p *Plan) doubt(format string, args ...any) {
	p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...))
}

// warn says what the figures mean less than they seem.
func (p *Plan) warn(n Node) {
	p.warnLaw()
	l := &p.Law
	if p.Worker.Lambda > farLambda*l.Lambda {
		p.doubt("extrapolation: the law was measured at %.0f events/s of a worker, the plan has %.0f", l.Lambda, p.Worker.Lambda)
	}
	if r := p.Events / l.Events; r > farEvents || r < 1/farEvents {
		p.doubt("extrapolation: the law was measured with %.3g events a request, the plan has %.3g, and part of a request's cost is in E[S]",
			l.Events, p.Events)
	}
	if n.Name != "" && l.Host != n.Name {
		p.doubt("the law is of host %s, the nodes are taken to be like %s", l.Host, n.Name)
	}
	if b := p.Node.Batch; b != nil && *b > p.Worker.Wait {
		p.doubt("waits are for events that come independently of each other. One server that decodes all its streams in step sends "+
			"their events at once: up to %.0f of a worker, which then wait %s µs in the mean, and not %s", *p.Worker.Flight, figure(*b), figure(p.Worker.Wait))
	}
}

// warnLaw says what the law is worth.
func (p *Plan) warnLaw() {
	l := &p.Law
	if float64(l.Disturbed) > disturbedMax*float64(l.Rows) {
		p.doubt("in %d of %d rows of 250 ms something disturbed the worker (E[S²] above %d times that of quiet rows, which make the law)",
			l.Disturbed, l.Rows, disturbance)
	}
	if l.WaitPredicted == nil {
		p.doubt("the run that the law comes from was overloaded: the model has no mean wait for it")
	} else if w, m := *l.WaitPredicted, l.WaitMeasured; l.WaitFactor > 1+offModel {
		p.doubt("in the run that the law comes from waits were longer than predicted, %s µs in the mean where the model has %s: "+
			"those of the plan are multiplied by %.2f", figure(m), figure(w), l.WaitFactor)
	} else if w > (1+offModel)*m {
		p.doubt("the model is too high for the run that the law comes from: mean wait %s µs, measured %s µs", figure(w), figure(m))
	}
	if l.CPUShare < littleLoad {
		p.doubt("the run used %.0f %% of a worker's CPU: most of it may be wake-ups, and C, the cost of a request beside its events, is not well known",
			100*l.CPUShare)
	}
	if l.EventsPerRead > sharedReads {
		p.doubt("%.2f events shared a read: E[S] is too low for streams whose events come one by one", l.EventsPerRead)
	}
}

// figure writes a number with three significant digits, without an exponent in
// the range where times are read.
func figure(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}
