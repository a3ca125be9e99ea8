// Package wire reads the answers of LLM servers from raw HTTP/1.1 bytes.
//
// A Reader is pushed the bytes of one connection in whatever pieces they come;
// it keeps no goroutine, clock or socket, so that its caller can stamp the read
// that completed each event:
//
//	Push ──► framing ──► (gunzip) ──► lines ──► event ──► payload ──► Sink, Result
//	         RFC 9112                 WHATWG    blank     scan, or
//	         header, chunked,         LF CR     line      else decode
//	         length, close            CRLF
//
// Each stage acts on the very byte that completes its unit: an event is told at
// the first byte of the line end that closes it, whatever chunk framing or line
// feed may follow. The reading does not depend on the cuts.
//
// The payload of an event is first scanned: one pass that checks all of the
// JSON but builds nothing, and picks out what is needed. Where the scan meets
// anything that it does not fully understand, the event is decoded with
// encoding/json, so that the scan is only ever faster, never different.
//
// What makes an answer good is decided once (State.Settled): by [DONE],
// message_stop, an error or an event that cannot be read, else by how the body
// ended. Framing after that only decides whether the connection can be reused.
package wire
