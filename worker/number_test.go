package worker

import (
	"bytes"
	"testing"

	"tare/worker/workload"
)

// The same arrival of two steps asks in other words; a plain run, which is
// step 0, makes its requests from the arrivals' own numbers.
func TestStepsDoNotRepeatPrompts(t *testing.T) {
	prompts := workload.NewPrompts(1)
	seen := map[string]int64{}
	for step := range int64(20) {
		e := &engine{step: step}
		for index := range int64(50) {
			if step == 0 && e.number(index) != index {
				t.Fatalf("arrival %d is number %d in a plain run", index, e.number(index))
			}
			prompt := string(bytes.TrimSpace(prompts.Append(nil, e.number(index), 3)))
			if before, there := seen[prompt]; there {
				t.Fatalf("arrival %d of step %d asks %q again, as arrival %d did", index, step, prompt, before)
			}
			seen[prompt] = index
		}
	}
}
