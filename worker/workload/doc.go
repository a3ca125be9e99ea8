// Package workload makes the requests' content: what is asked, how long the
// prompt is and how many tokens are wanted.
//
// Request i of a run is a function of (seed, i) alone. So it is the same for
// every number of workers and for both shardings, and no two requests of a run
// begin with the same words: a prefix cache finds nothing it was not meant to.
package workload
