// Package sim is a server under test whose truth is known: it speaks the
// OpenAI streaming API (and Anthropic's Messages), serves by laws that are
// given, and logs what it did on the clock that the load generator reads.
//
//	         kernel stamp                     first token            last token
//	request ──► arrival ──► [wait for a slot] ──► start + prefill·I + ttft ──► + itl ──► …
//	              │                                     │ one write(2) an event        │
//	              └──────────── truth log, a line per request ─────────────────────────┘
//
// Who does what:
//
//	conn       one goroutine a connection reads requests (its own HTTP/1.1) and
//	           writes the answer as far as it is due at once
//	scheduler  one goroutine with one timer writes everything that is due later
//	slots      how many are served at once, and the queue before them
//	answer     the bytes of a response, laid out once per request
//	dialect    the JSON of the three endpoints
//
// With a prefix cache the prefill is paid only for the blocks of 16 input tokens
// that no prompt before began with.
//
// HTTP is read and written here and not by net/http, because the law is about
// single writes and the kernel's stamp of single reads, and because it is
// cheaper by a quarter.
//
// The number of input tokens is the number of words (separated by white
// space) of the prompt, of all messages and of the system prompt, or the
// number of token ids. An answer has exactly as many tokens as max_tokens (or
// max_completion_tokens) asks for, each the word "token" in an event of its
// own, and finish reason "length". The id in an answer ends in the request's
// number, which the truth log bears too. Any model name is served.
package sim
