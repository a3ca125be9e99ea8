package tools

// Conventions are how a tool takes its times, as read in its code: what an
// audit can hold its figures' differences against. A sentence that is empty
// does not apply.
type Conventions struct {
	Version    string `json:"version"`     // in which it was read; a later one may differ
	Start      string `json:"start"`       // where the clock of a request starts
	Connect    bool   `json:"connect"`     // a connect for each request is in TTFT and E2E
	FirstToken string `json:"first_token"` // what ends TTFT
	EmptyFirst bool   `json:"empty_first"` // an event without text, as that of the role, ends TTFT
	End        string `json:"end"`         // what ends E2E
	Trailer    bool   `json:"trailer"`     // what follows the last token (finish, usage, [DONE]) is in E2E
	TPOT       string `json:"tpot"`        // what its time per output token is
	ITL        string `json:"itl"`         // what its inter-token latency is
	Tokens     string `json:"tokens"`      // where its count of output tokens comes from
	Pacing     string `json:"pacing"`      // how it keeps its schedule
	Slides     bool   `json:"slides"`      // each sleep starts when the one before it ended: lateness adds up
	Scheduled  bool   `json:"scheduled"`   // its latency starts at the instant that was due: no coordinated omission
	Note       string `json:"note"`        // what else a reader of its figures should know
}
