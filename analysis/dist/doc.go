// Package dist holds the laws of lengths and durations, written in one grammar
// and used by schedules, the simulator and queueing theory alike, so that what
// is sampled and what is computed can never be two different laws.
//
//	text ──Parse──► Dist ──► Mean, Variance, SCV, SecondMoment, ThirdMoment   (theory)
//	  ▲              │  └──► Sample, Int, Duration                            (load, simulator)
//	  └────String────┘
//
// The grammar gives a law by its mean and its squared coefficient of variation
// (SCV = variance / mean²), because those two decide the mean wait in a queue:
//
//	128                   every draw is 128
//	uniform(LOW,HIGH)     uniform between the two
//	normal(MEAN,SD)       normal; a negative draw counts as 0
//	exp(MEAN)             exponential, SCV 1
//	gamma(MEAN,SCV)       gamma of shape 1/SCV
//	lognormal(MEAN,SCV)   lognormal
//	hyperexp(MEAN,SCV)    two exponential phases with balanced means, SCV ≥ 1
//	file:PATH             the values in a file, one a line, each equally likely
//
// A law of counts has plain numbers. A law of durations has a unit on every
// number but the SCV (ns, us, ms, s, m, h) and is held in nanoseconds.
//
// Samples use nothing of math/rand/v2 but its uniform numbers, whose sequence
// for a given source is specified: a seed means the same draws with every
// version of Go.
package dist
