// Package audit judges a load generator by what the server saw of it.
//
//	tool ── requests ──► simulator ── truth log ──► ReadLog ─┐
//	 │                                                       │
//	 ├── its own report ──► Reported (package tools) ────────┤
//	 ├── CPU, exit status ──► Client ────────────────────────┤
//	 └── the same against a server that answers at once ─────┤ Light
//	                                                         ▼
//	           what was asked of it (Asked) ──────────────► Audit ──► Result
//
// What the server saw needs no word of the tool:
//
//	log ─► Window ─► Traffic   rate, arrival law, connections, in flight
//	              ├► Truth     latencies from the kernel stamp of the arrival
//	              └► Waiting   do arrivals wait for answers?
//
// What the tool said is split where its metric is computed in another way than
// here:
//
//	truth          convention          reported
//	  ├── Explained ──┼────── Own ────────┤        Bias = Explained + Own
//	  │  (the way of  │ (what the client  │
//	  │   computing)  │       adds)       │
//
// Each convention is computed from the server's log, and one is named only
// where it lies clearly nearer than the plain one. Conventions that give the
// same at this server cannot be told apart, which the Bias says; a server with
// a late first token after the role event, and a late trailer, tells more.
//
// The log has the first and the last token of a request and not those between:
// ITL is known by the mean of each request's gaps.
//
// All limits stand in thresholds.go, each with its reason.
package audit
