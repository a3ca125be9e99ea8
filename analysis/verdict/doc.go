// Package verdict says whether a measurement is valid, and if not, why.
//
//	valid    the client's own delays are small against what was measured
//	suspect  look at the reasons before believing a figure
//	biased   the figures are the client's, or part of the load is missing
//
// Every limit stands in [Default]; those of the arrival self-test are the
// effects of package arrival.
package verdict
