package audit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contract lists the keys of a result that stay stable. SUMMARY stands for the
// figures of a latency.
const contract = `
verdict.status verdict.reasons
asked.law asked.rate asked.requests asked.duration_s asked.server.ttft
traffic.window.trimmed traffic.window.from_ns traffic.window.to_ns traffic.window.length_s
traffic.requests traffic.ok traffic.failed.503 traffic.cut
traffic.delivered_rate traffic.delivered_share traffic.delivered_share_se traffic.ok_rate
traffic.per_second traffic.rate_cv traffic.rate_drift
traffic.arrival.n traffic.arrival.cv traffic.arrival.acf1 traffic.arrival.idc_10ms traffic.arrival.idc_50ms
traffic.arrival.idc_200ms traffic.arrival.ks_d traffic.arrival_findings traffic.schedule_lag
traffic.connections.opened traffic.connections.requests_per_connection traffic.connections.reused_share
traffic.connections.opened_while_idle
traffic.in_flight.mean traffic.in_flight.max traffic.in_flight.dispersion
truth.ttft.SUMMARY truth.ttft.n truth.tpot.SUMMARY truth.tpot.n truth.itl.SUMMARY truth.itl.n
truth.ntpot.SUMMARY truth.ntpot.n truth.e2e.SUMMARY truth.e2e.n
client.cpu_s client.wall_s client.busiest_thread client.cpus client.exit client.timed_out
reported.tool reported.version reported.ok reported.failed reported.asked_rate reported.rate reported.duration_s
bias.ttft.name bias.ttft.reported.SUMMARY bias.ttft.truth.SUMMARY bias.ttft.bias.SUMMARY
bias.ttft.factor.mean bias.ttft.factor.p50 bias.ttft.factor.p90 bias.ttft.factor.p95 bias.ttft.factor.p99
bias.ttft.status bias.ttft.convention bias.ttft.text bias.ttft.like bias.ttft.explained.SUMMARY bias.ttft.own.SUMMARY
bias.ttft.candidates.plain.SUMMARY bias.ttft.candidates.opening.SUMMARY
waiting.level waiting.due waiting.arrived waiting.share waiting.slope waiting.follow waiting.waits waiting.constant
shortfall.cause shortfall.text shortfall.client_cpu shortfall.server_lag_ms
light.requests light.delivered_rate light.delivered_share light.client.busiest_thread
findings.0.kind findings.0.severity findings.0.text findings.0.value findings.0.limit
`

// Every key is there, with null where nothing is known.
func TestContract(t *testing.T) {
	m := newModel(1, Poisson, 1000, 3000)
	m.failing = 0.05
	m.drifting(mS)
	r := m.audited(t, func(in *Input) {
		in.Light, in.Reported = m.log, m.said(0.1, nil)
		in.Asked.Requests, in.Asked.Duration, in.Asked.Server = 3000, 3, map[string]string{"ttft": "20ms"}
	})
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	keys("", value, have)
	var missing []string
	for want := range strings.FieldsSeq(contract) {
		for _, figure := range []string{"mean_ms", "p50_ms", "p90_ms", "p95_ms", "p99_ms"} {
			if key := strings.Replace(want, "SUMMARY", figure, 1); !have[key] && !slices.Contains(missing, key) {
				missing = append(missing, key)
			}
		}
	}
	if diff := cmp.Diff([]string(nil), missing); diff != "" {
		t.Errorf("keys are missing: %s", diff)
	}
}

// keys collects the paths of all members.
func keys(path string, value any, have map[string]bool) {
	have[strings.TrimPrefix(path, ".")] = true
	switch v := value.(type) {
	case map[string]any:
		for k, x := range v {
			keys(path+"."+k, x, have)
		}
	case []any:
		for i, x := range v {
			keys(fmt.Sprintf("%s.%d", path, i), x, have)
		}
	}
}
