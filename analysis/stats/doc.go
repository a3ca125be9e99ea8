// Package stats says how much a figure of a run is worth.
//
// Latencies of an open loop are correlated: one full queue delays all who come
// while it lasts. Intervals that take them as independent are far too narrow
// (a stated 95 % covers 20 % at ρ = 0.8). Here the series is cut, in the order
// of time, into blocks long enough to be nearly independent, and the spread of
// the blocks gives the interval:
//
//	x₁ x₂ … ────► autocorrelation time τ ──► 10 to 30 blocks of some 10 τ
//	                                           │
//	   mean: Student t on block means, corrected for skew ◄─┤
//	   percentile: order statistics at the ranks of ◄───────┤ effective size n/τ
//	   ratio, any function: paired blocks, jackknife ◄──────┘
//
// A series too short for its correlation gives an Interval with a warning, or
// with a bound missing; never a number that is not one.
//
//	Percentile, Mean, Variance          exact, of all the data
//	MeanInterval, PercentileInterval    with an interval
//	RatioInterval, Jackknife            of sums, and of anything else
//	MinCount, MaxOver                   how many requests a percentile needs
//	MSER5, Trend, Independence          warm-up, drift, correlation
//	Regress                             robust linear regression
package stats
