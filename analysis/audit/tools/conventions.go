package tools

// Conventions are how a tool takes its times, as read in its code: what an
// audit can hold its figures' differences against. A sentence that is empty
// does not apply.
type Conventions struct {
	Version    string // in which it was read; a later one may differ
	Start      string // where the clock of a request starts
	Connect    bool   // a connect for each request is in TTFT and E2E
	FirstToken string // what ends TTFT
	EmptyFirst bool   // an event without text, as that of the role, ends TTFT
	End        string // what ends E2E
	Trailer    bool   // what follows the last token (finish, usage, [DONE]) is in E2E
	TPOT       string // what its time per output token is
	ITL        string // what its inter-token latency is
	Tokens     string // where its count of output tokens comes from
	Pacing     string // how it keeps its schedule
	Slides     bool   // each sleep starts when the one before it ended: lateness adds up
	Scheduled  bool   // its latency starts at the instant that was due: no coordinated omission
	Note       string // what else a reader of its figures should know
}
