package main

import (
	"time"

	"tare/analysis/arrival"
)

// targetFlags say what is driven and how it is spoken to.
type targetFlags struct {
	URL         string               `help:"Server to drive, like http://127.0.0.1:8000; a path prefix is kept. Without it a simulator is started." group:"target"`
	Endpoint    string               `help:"completions, chat or messages." default:"completions" group:"target"`
	Model       string               `help:"Model name. Default: the first that the server lists." group:"target"`
	APIKey      string               `help:"Bearer key. Better: environment OPENAI_API_KEY." group:"target"`
	Header      []string             `help:"Header to send, NAME=VALUE; may be repeated." placeholder:"NAME=VALUE" sep:"none" group:"target"`
	ExtraBody   string               `help:"JSON object merged into every request's body." placeholder:"JSON" group:"target"`
	IgnoreEOS   bool                 `help:"Ask for exactly the wanted number of tokens." name:"ignore-eos" group:"target"`
	Stream      bool                 `help:"Ask for a stream; --no-stream: whole answers, only E2E is measured." default:"true" negatable:"" group:"target"`
	Insecure    bool                 `help:"Do not check the server's certificate." group:"target"`
	CA          string               `help:"File of certificates to trust, PEM." name:"ca" placeholder:"FILE" group:"target"`
	Cert        string               `help:"Client certificate, PEM." placeholder:"FILE" group:"target"`
	Key         string               `help:"Key of the client certificate, PEM." placeholder:"FILE" group:"target"`
	Timeout     later[time.Duration] `help:"Deadline of a whole request." default:"5m" placeholder:"D" group:"target"`
	IdleTimeout later[time.Duration] `help:"Longest silence within a request." default:"60s" placeholder:"D" group:"target"`
	SkipProbe   bool                 `help:"Send no request ahead of the load to see whether the server answers." group:"target"`
}

// loadFlags say how much load there is and when.
type loadFlags struct {
	Rate        later[arrival.Rate]  `help:"Requests a second, in an open loop. Default without --url: 1000." placeholder:"R" group:"load"`
	Concurrency later[int64]         `help:"Requests in flight, in a closed loop." placeholder:"C" group:"load"`
	Duration    later[time.Duration] `help:"Time that all arrivals span, warm-up included. Default 10s." placeholder:"D" group:"load"`
	Requests    later[int64]         `help:"Number of requests, in place of a duration." placeholder:"N" group:"load"`
	Warmup      later[time.Duration] `help:"Left out of the figures. Default: a tenth of the duration, at most 10s; 0 with --requests." placeholder:"D" group:"load"`
	Drain       later[time.Duration] `help:"Time for what is in flight when the load ends; the rest is cancelled. Default: until the requests' own deadlines." placeholder:"D" group:"load"`
	arrivalFlags
}

// arrivalFlags say by which law requests are sent, however many they are.
type arrivalFlags struct {
	Arrival     string         `help:"poisson, constant or gamma." default:"poisson" group:"load"`
	Burstiness  later[float64] `help:"Shape of the gamma law; 1 is Poisson, less is burstier." placeholder:"X" group:"load"`
	MaxInFlight later[int64]   `help:"Arrivals beyond so many in flight are dropped and counted." default:"10000" placeholder:"N" group:"load"`
	Seed        later[uint64]  `help:"Seed of arrivals, lengths and prompts." default:"1" placeholder:"N" group:"load"`
}

// shapeFlags say what requests look like.
type shapeFlags struct {
	InputTokens  string `help:"Law of prompt lengths, like 128 or lognormal(512,1.5)." default:"32" placeholder:"DIST" group:"shape"`
	OutputTokens string `help:"Law of answer lengths." default:"16" placeholder:"DIST" group:"shape"`
	ServiceTime  string `help:"Emulation of a slow client: time added to each output event." placeholder:"DIST" group:"shape"`
	ServiceMode  string `help:"busy: the CPU spins; held: the worker's loop is held on a timer." default:"busy" group:"shape"`
	SaveText     bool   `help:"Keep text and reasoning in the records." group:"shape"`
}

// shardingFlags say how the client is spread over CPUs.
type shardingFlags struct {
	Workers  later[int64] `help:"Worker processes. Default: one for each allowed CPU but one." placeholder:"M" group:"sharding"`
	Sharding string       `help:"process, or goroutine: one process with M processors." default:"process" group:"sharding"`
	CPUs     later[[]int] `help:"CPUs of the workers, like 1,3-5." name:"cpus" placeholder:"LIST" group:"sharding"`
}

// outputFlags say what is made of the results.
type outputFlags struct {
	Out    string `help:"Run directory. Default: runs/TIME-NAME." placeholder:"DIR" group:"output"`
	Name   string `help:"Name of the run." default:"run" group:"output"`
	Format string `help:"table, or json: summary.json on stdout and nothing else." default:"table" group:"output"`
	SLO    string `help:"Limits a good request meets, like ttft=200ms,tpot=50ms,ntpot=60ms,e2e=5s, or a preset of MLPerf, like mlperf:llama2-70b-interactive." name:"slo" placeholder:"LIST" group:"output"`
	Strict bool   `help:"Exit with code 3 unless the measurement is valid." group:"output"`
	Quiet  bool   `help:"No progress on stderr." group:"output"`
	Config string `help:"YAML file with the names of these flags; flags win." placeholder:"FILE" group:"output"`
}

// simFlags are the simulator's laws.
type simFlags struct {
	TTFT         string               `help:"Time to the first token. Default: 0s." name:"ttft" placeholder:"DIST"`
	ITL          string               `help:"Time between tokens. Default: 0s." name:"itl" placeholder:"DIST"`
	Prefill      string               `help:"Time per input token, before the first token. Default: 0s." placeholder:"DIST"`
	Tail         string               `help:"Time from the last token to what ends a stream: finish, usage, [DONE]. Default: 0s." placeholder:"DIST"`
	OpenEarly    bool                 `help:"Send the event before the first token (chat: the role) at the start of the service."`
	ITLPerActive later[time.Duration] `help:"Added to the time between tokens for each stream in service: the server slows with its load, as a batching engine does." name:"itl-per-active" placeholder:"D"`
	Slots        later[int64]         `help:"Streams served at once; the rest wait in a queue. Default: no limit." placeholder:"N"`
	MaxTokens    later[int64]         `help:"Tokens of an answer at most, whatever a request asks for. Default: no limit." placeholder:"N"`
	PrefixCache  bool                 `help:"Prefill is paid only for blocks of 16 tokens that no prompt before began with."`
	Spin         later[time.Duration] `help:"Wake so much before each event and spin, up to 1ms: events are on time to the microsecond, for CPU time." placeholder:"D"`
	Truth        string               `help:"Log of what the server saw and did, a JSON object a line." placeholder:"FILE"`
	Fault        []string             `help:"Share of requests that fail in one way, KIND=SHARE; may be repeated." placeholder:"KIND=SHARE"`
	Seed         later[uint64]        `help:"Seed of the laws." default:"1" placeholder:"N"`
}
