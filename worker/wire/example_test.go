package wire_test

import (
	"fmt"

	"tare/worker/wire"
)

// printer shows events as they are completed.
type printer struct{}

func (printer) Header(status int) { fmt.Println("header", status) }

func (printer) Event(kind wire.Kind, choices bool, tokens int) {
	fmt.Println("event", kind, choices, tokens)
}

// The bytes may come in any pieces: here a piece ends within an event.
func ExampleReader() {
	var r wire.Reader
	r.Reset(wire.Options{API: wire.Completions, Stream: true, SaveText: true}, printer{})
	for _, piece := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 59\r\n\r\n",
		`data: {"choices":[{"text":"Hi",`,
		"\"index\":0}]}\n\n",
		"data: [DONE]\n\n",
	} {
		fmt.Println(r.Push([]byte(piece)))
	}
	res := r.Result()
	fmt.Printf("class %q, text %q, reusable %v\n", res.Class, res.Text, res.Reusable)
	// Output:
	// header 200
	// {false false}
	// {false false}
	// event 1 true 1
	// {false false}
	// event 0 false 0
	// {true true}
	// class "", text "Hi", reusable true
}
