package audit

import "time"

// Thresholds of the audit. Each is a size that changes what one would conclude
// from a benchmark, and is applied only beyond what chance allows at the number
// of requests at hand.
const (
	// shortShare: the delivered rate may be 2 % off. Knees and capacities are
	// hardly ever known better.
	shortShare = 0.02
	// misleadingShare: at 10 % off the server was under another load than the
	// one that the results are filed under.
	misleadingShare = 0.10
	// rateErrors is how many standard errors a rate must be off; a normal
	// variable is that far off once in 16,000 runs.
	rateErrors = 4.0

	// A bias of a latency is suspect above both of the first two, misleading
	// above both of the others: the limits that this program holds its own
	// lags to (analysis/verdict).
	suspectBias, suspectBiasMS       = 0.10, 1.0
	misleadingBias, misleadingBiasMS = 0.50, 10.0

	// busyCPU: with a thread at 90 % of a CPU a queue of ten events stands
	// before it (ρ/(1−ρ)), and the rate is the CPU's. spareCPU: below 70 % it
	// is near two, and the CPU is not what limits. Between them nothing is said.
	busyCPU  = 0.9
	spareCPU = 0.7

	// serverLag: the server is its own limit where it is on average later than
	// it should be by 1 ms and by a tenth of its own time to the first token.
	serverLagMS    = 1.0
	serverLagShare = 0.1

	// pauseGaps and leadShare find warm-up requests: see leading. 12 mean gaps
	// without an arrival have probability e⁻¹² under a Poisson law, divided by
	// the number of gaps looked at.
	pauseGaps = 12.0
	leadShare = 0.05
	leadCount = 20
	// leastPause: a probe stands well before the load; a pause that is shorter
	// than 0.1 s may be a hiccup of the load itself.
	leastPause = 100 * time.Millisecond
)

// Limits of single findings.
const (
	// claimedShare: rates are taken over slightly different times.
	claimedShare = 0.05

	// connShare: nine connections for ten requests; connRequests are needed.
	connShare    = 0.9
	connRequests = 20

	// A drift: the shortest gaps (5 % of constant ones, whose jitter spreads
	// them; 1 % of random ones) are too long by a quarter of what the mean is.
	// A Poisson law would have that by chance at driftErrors standard errors.
	driftLow    = 0.05
	driftLowest = 0.01
	driftPart   = 0.25
	driftErrors = 5.0

	// A catch-up: a pause of 10 mean gaps and 5 ms (below that it is a slice
	// of the scheduler), and at least half of what it held up within a tenth
	// of it. Poisson arrivals do so once in 10⁷. Three times, for 1 % of all.
	catchPause  = 10.0
	catchLeast  = 5e6
	catchWithin = 0.1
	catchPart   = 0.5
	catchEvents = 3
	catchShare  = 0.01

	// equalLimit is three times what chance gives; two workers give 0.52.
	equalLimit = 0.15

	// randomCV and regularCV, the latter times the law's own, are where gaps
	// are nearer to another law than to theirs.
	randomCV  = 0.5
	regularCV = 0.5

	// Retries: half of the failed bodies, and at least 3, come again within
	// 30 s (longer than the usual backoff), and of the answered ones, as where
	// prompts are few, at most a tenth of that share. A tool that counts nine
	// failures in ten does not hide them.
	retryLeast   = 3
	retryShare   = 0.5
	retryControl = 0.1
	retryWithin  = 30e9
	retryKnown   = 0.9

	// hiddenShare: a tenth may be counted otherwise, as those of warm-up.
	hiddenShare = 0.1
)
