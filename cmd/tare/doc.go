// Command tare is an LLM inference load generator that measures its own bias.
//
//	tare run        drive a server, or the simulator of its own, and report
//	tare profile    raise the load until the server saturates
//	tare analyze    make the report again from a run directory
//	tare reproduce  run the experiments of the paper and judge their claims
//	tare audit      judge another load generator by what the simulator saw of it
//	tare plan       size a client from what an event costs
//	tare sim        run the simulator by itself
//
// One verb a file. The program is the function run(ctx, env, args); main maps
// its error to an exit code and does nothing else. The hidden verb worker is
// what the supervisor starts: it comes before any flag is parsed.
package main
