// Package tools knows the load generators of others: how each is called, what
// it writes, and by which conventions it measures.
//
//	Params ──► Tool.Recipe ──► Recipe: command line, environment, files
//	                               │ run by whoever asked
//	                               ▼
//	audit.Reported ◄── Tool.Read ◄── the report that the tool wrote
//
//	any other tool's JSON ──► Mapping.Read ──► audit.Reported
//
// A recipe is a description: nothing here starts a process, opens a file or a
// connection. Readers fill in what a report says and leave absent what it does
// not say; a figure that has another meaning than its name says, such as
// guidellm's TPOT, is put under the metric whose definition it follows, and the
// tool's own name for it is kept beside it.
package tools
