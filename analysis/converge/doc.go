// Package converge decides when a run has told enough: whether a figure, such as
// the p99 of TTFT, is known to a relative width with 95 % confidence, as Lancet
// does (Kogias, Mallon and Bugnion, USENIX ATC 2019).
//
//	values in the order of time
//	   │
//	   ├─ MSER-5 ──────► warm-up, cut off      not settled: go on
//	   ├─ trend ───────► stationary?           it drifts: go on, and never reached
//	   ├─ correlation ─► how many independent values they are worth
//	   └─ interval ────► narrow enough?        twice in a row: reached
//
// A drift that is small against the width so far cannot be told from chance, as
// one of a tenth of it in a short run; it is seen when it has grown to matter.
//
// At the bound of the run, what is not reached cannot be, and the reason says
// what was missing. All is a pure function of the values.
//
// Who looks at an interval again and again and stops when it is narrow stops at
// intervals that are narrow by chance. Looks therefore come when the series has
// grown by half ([Next]), and a narrow interval counts if that of the look before
// was narrow, too. In simulations of AR(1) and M/M/1 series the interval at the
// stop then held the truth in 92 to 96 % of runs; at the first narrow one of
// looks a quarter apart it did so in 78 to 95 %.
package converge
