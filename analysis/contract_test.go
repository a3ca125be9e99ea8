package analysis

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tare/ipc"
)

// contract lists the keys of summary.json that stay stable. DIST stands for a
// distribution, COLUMNS for its four columns, BOUNDS for what these are worth.
const contract = `
verdict.status verdict.reasons verdict.summary
load.requested_rate load.achieved_rate load.delivered_rate
load.planned load.sent load.dropped load.ok load.failed load.lost
load.errors.connection load.errors.timeout load.errors.http_status load.errors.stream_error load.errors.truncated
load.errors.parse load.errors.empty load.errors.not_stream load.errors.cancelled
load.empty_answers
load.arrival_test.cv load.arrival_test.acf1 load.arrival_test.idc_10ms load.arrival_test.idc_50ms
load.arrival_test.idc_200ms load.arrival_test.ks_d
latency.ttft.COLUMNS latency.ttft_content.COLUMNS latency.e2e.COLUMNS
latency.tpot.COLUMNS latency.tpot.undefined latency.itl.COLUMNS latency.ntpot.COLUMNS latency.ntpot.undefined
latency.send_lag.DIST latency.client_lag.DIST latency.connect.DIST
tokens.input tokens.output tokens.source.usage tokens.source.events tokens.source.requested tokens.output_rate
client.sharding client.stamps client.shared_reads
client.workers.0.id client.workers.0.cpus client.workers.0.lambda client.workers.0.service_mean_us
client.workers.0.service_scv client.workers.0.setup_mean_us client.workers.0.rho client.workers.0.wq_measured_us
client.workers.0.wq_pk_us client.workers.0.wq_setup_us client.workers.0.wq_batch_us client.workers.0.wq_ratio
client.workers.0.wq_ratio_lo client.workers.0.wq_ratio_hi
client.workers.0.cpu_s client.workers.0.cpu_us_per_request client.workers.0.cpu_us_per_event
client.workers.0.arrival_scv client.workers.0.batch_mean client.workers.0.service_second_us2 client.workers.0.wq_gg1_us
client.workers.0.wq_mgm_us client.workers.0.wq_workload_us client.workers.0.events_per_read client.workers.0.shared_reads
client.workers.0.client_lag_p50_us client.workers.0.client_lag_p99_us client.workers.0.client_lag_p999_us
client.emulation client.total.lambda client.total.rho client.total.wq_measured_us client.total.wq_setup_us client.total.wq_mgm_us
latency.ttft.BOUNDS latency.e2e.BOUNDS latency.tpot.BOUNDS latency.itl.BOUNDS latency.ntpot.BOUNDS
ntpot_parts
slo.goodput slo.attained
`

var (
	distKeys   = []string{"mean_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "max_ms", "n"}
	columnKeys = []string{"wire", "observed", "scheduled", "bias"}
	boundKeys  = strings.Fields(`mean_lo_ms mean_hi_ms p50_lo_ms p50_hi_ms p50_upper_ms p90_lo_ms p90_hi_ms p90_upper_ms
		p95_lo_ms p95_hi_ms p95_upper_ms p99_lo_ms p99_hi_ms p99_upper_ms p999_lo_ms p999_hi_ms p999_upper_ms n_effective n_sample`)
)

// contractKeys writes out the placeholders.
func contractKeys() []string {
	var keys []string
	for _, key := range strings.Fields(contract) {
		base, columns := strings.CutSuffix(key, "COLUMNS")
		base, bounds := strings.CutSuffix(base, "BOUNDS")
		base, dist := strings.CutSuffix(base, "DIST")
		figures := distKeys
		if bounds {
			figures = boundKeys
		}
		switch {
		case columns, bounds:
			for _, c := range columnKeys {
				for _, d := range figures {
					keys = append(keys, base+c+"."+d)
				}
			}
		case dist:
			for _, d := range distKeys {
				keys = append(keys, base+d)
			}
		default:
			keys = append(keys, key)
		}
	}
	return keys
}

// flatten lists all paths of a JSON value, those to objects and lists, too.
func flatten(path string, v any, paths map[string]any) {
	paths[path] = v
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			flatten(strings.TrimPrefix(path+"."+k, "."), x, paths)
		}
	case []any:
		for i, x := range v {
			flatten(fmt.Sprintf("%s.%d", path, i), x, paths)
		}
	}
}

func TestEveryKeyOfTheContractIsThere(t *testing.T) {
	empty := begin(t, openLoop())
	files := map[string]string{
		"a good run":             steady(t, settingsOf(openLoop()), asItIs),
		"a run without a record": empty.End(ipc.End{At: second}),
	}
	for name, dir := range files {
		b, err := json.Marshal(mustSummarize(t, dir))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var v any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		paths := map[string]any{}
		flatten("", v, paths)
		for _, key := range contractKeys() {
			if _, ok := paths[key]; !ok {
				t.Errorf("%s: no key %s", name, key)
			}
		}
		for _, list := range []string{"verdict.reasons", "client.workers", "client.workers.0.cpus", "warnings"} {
			if _, ok := paths[list].([]any); !ok {
				t.Errorf("%s: %s is %v, want a list", name, list, paths[list])
			}
		}
	}
	if n := len(contractKeys()); n < 200 || slices.Contains(contractKeys(), "") {
		t.Errorf("the contract has %d keys", n)
	}
}
