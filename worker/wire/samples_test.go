package wire

// payloads are data of events, each a shape that some server sends.
var payloads = []string{
	`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"The \"q\" \u00e9"},"logprobs":null,"finish_reason":null}]}`,
	`{"id":"cmpl-1","object":"text_completion","choices":[{"index":0,"text":" lake","logprobs":{"tokens":["a"],"token_logprobs":[-0.5e-3]},"finish_reason":"stop","stop_reason":null}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`,
	`{"choices":[{"delta":{"role":null,"content":"","reasoning_content":null,"reasoning":"hm","refusal":"no"},"finish_reason":"length","index":0}],"usage":null,"error":null}`,
	`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]}}]}`,
	`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":""}}],"function_call":{"name":"g"}}}]}`,
	`{"choices":[{"index":1,"delta":{"content":"b"}},{"index":0,"delta":{"content":"a"}}]}`,
	`{"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":5.0,"total_tokens":16,"prompt_tokens_details":null}}`,
	`{"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]},{"type":"text","text":"x"}]}}]}`,
	`{"cho\u0069ces":[{"text":"x"}],"choices":[{"text":"y"}],"choices":null}`,
	`{"error":{"message":"lost","type":"InternalServerError","code":500}}`,
	`{"object":"error","message":"too long","code":400}`,
	` { "choices" : [ { "text" : "a" , "index" : 0 } ] } `,
	`[1,-0.5e+3,true,false,null,"x",{}]`,
	`{"type":"message_start","message":{"id":"m","content":[],"usage":{"input_tokens":16,"output_tokens":1}}}`,
	`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Quiet"}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
	`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a"}}`,
	`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":6}}`,
	`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
}

// responses are short ones around the corners of the framing.
var responses = []string{
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1",
	"HTTP/1.1 200\nContent-Length: 02\nContent-Length: 2\n\nhi",
	"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi",
	"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi",
	"HTTP/1.1 200 OK\r\nConnection: foo, Close\r\n\r\nto the end",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n3;a=\"b\"\r\nabc\r\n0A\r\n0123456789\r\n0\r\nX: y\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
	"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n",
	"HTTP/1.1 503 Busy\r\nContent-Type: text/html\r\nX-Folded: a\r\n b\r\n\tc\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbusy\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 77\r\n\r\n" +
		`{"choices":[{"message":{"content":"hi","tool_calls":[]},"finish_reason":"x"}]}`,
}
