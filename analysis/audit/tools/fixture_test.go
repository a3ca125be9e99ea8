package tools

import (
	"os"
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tare/analysis/audit"
)

// of is a pointer to v, for a figure that a tool reported.
func of[T any](v T) *T { return &v }

// sum is a summary of the five figures.
func sum(mean, p50, p90, p95, p99 float64) audit.Summary {
	return audit.Summary{Mean: &mean, P50: &p50, P90: &p90, P95: &p95, P99: &p99}
}

// The files are what the tools of Conventions.Version wrote when their recipes
// were run for 40 requests at 10 requests/s against a simulator with 20 ms to
// the first of 10 tokens and 5 ms between tokens, so that TTFT is 20 ms, TPOT
// and ITL 5 ms, E2E 65 ms and NTPOT 6.5 ms; arrays are cut, and figures to nine
// digits. Those of k6, and wrk2-errors.txt, are written by hand in the form of
// the tools' documentation and code.
func TestReadsWhatToolsWrite(t *testing.T) {
	lengthy := map[audit.Metric]string{
		audit.TTFT: "time_to_first_token", audit.TPOT: "time_per_output_token", audit.ITL: "inter_token_latency",
		audit.NTPOT: "normalized_time_per_output_token", audit.E2E: "request_latency",
	}
	for _, test := range []struct {
		tool, file, why string
		want            audit.Reported
	}{
		{"vllm", "vllm.json", "milliseconds by name; the ITL of the finish event, some 0 ms, pulls the mean below 5", audit.Reported{
			OK: of(int64(40)), Failed: of(int64(0)), Asked: of(10.0), Rate: of(9.83192257), Duration: of(4.06838029),
			Latency: map[audit.Metric]audit.Summary{
				audit.TTFT: sum(22.1213602, 21.795481, 22.997045, 24.2494164, 25.1106689),
				audit.TPOT: sum(4.98653973, 4.98850789, 5.01089068, 5.01738818, 5.05170135),
				audit.ITL:  sum(4.48788576, 4.980502, 5.103697, 5.16557660, 5.79957725),
				audit.E2E:  sum(67.0002178, 66.6854400, 67.9289336, 69.0093367, 70.2722666),
			},
			Names: map[audit.Metric]string{audit.E2E: "e2el"},
		}},
		{"inferencex", "inferencex.json", "as vLLM, without a count of failures: num_prompts − completed", audit.Reported{
			OK: of(int64(40)), Failed: of(int64(0)), Asked: of(10.0), Rate: of(9.63701898), Duration: of(4.15066112),
			Latency: map[audit.Metric]audit.Summary{
				audit.TTFT: sum(22.4305218, 22.33961, 23.3355344, 23.8652047, 24.0871752),
				audit.TPOT: sum(4.99273055, 4.99916178, 5.01774408, 5.02150409, 5.02553021),
				audit.ITL:  sum(4.4934815, 4.9846080, 5.16298020, 5.22045265, 5.64197774),
				audit.E2E:  sum(67.3650968, 67.332066, 67.9354527, 68.5089023, 68.9485259),
			},
			Names: map[audit.Metric]string{audit.E2E: "e2el"},
		}},
		{"sglang", "sglang.jsonl", "a line a run, and no failures", audit.Reported{
			OK: of(int64(40)), Asked: of(10.0), Rate: of(9.64051807), Duration: of(4.14915461),
			Latency: map[audit.Metric]audit.Summary{
				audit.TTFT: sum(21.2156658, 21.1396485, 21.6789095, 21.9317145, 22.0450878),
				audit.TPOT: sum(4.99302775, 4.9944525, 5.00812216, 5.01568773, 5.02478776),
				audit.ITL:  sum(4.98990721, 4.993882, 5.1092358, 5.15645605, 5.3005375),
				audit.E2E:  sum(66.1529155, 66.0871065, 66.5179358, 66.7888714, 66.8961013),
			},
			Names: map[audit.Metric]string{audit.E2E: "e2e_latency"},
		}},
		{"inference-perf", "inference-perf", "a folder: seconds from the summary, the rate asked for from its only stage", audit.Reported{
			OK: of(int64(40)), Failed: of(int64(0)), Asked: of(10.0), Rate: of(10.7520535), Duration: of(3.72021959),
			Latency: map[audit.Metric]audit.Summary{
				audit.TTFT:  sum(21.1278232, 20.8352365, 21.4109512, 23.6452797, 25.0212316),
				audit.TPOT:  sum(4.98127266, 4.98730028, 5.00421298, 5.00562071, 5.09264495),
				audit.ITL:   sum(4.98127266, 5.0016685, 5.11776650, 5.18139279, 5.95587512),
				audit.NTPOT: sum(6.65979371, 6.6301868, 6.69261945, 6.93880138, 7.03937248),
				audit.E2E:   sum(66.5979371, 66.301868, 66.9261945, 69.3880138, 70.3937248),
			},
			Names: lengthy,
		}},
		{"guidellm", "guidellm.json", "its TPOT has the first token's time in it, and its ITL is a mean for each request", audit.Reported{
			Version: "0.8.1", OK: of(int64(40)), Failed: of(int64(0)), Asked: of(10.0), Rate: of(10.4920874), Duration: of(3.81239676),
			Latency: map[audit.Metric]audit.Summary{
				audit.TTFT:  sum(21.6474712, 21.5382576, 22.0415592, 22.5870609, 24.7995853),
				audit.NTPOT: sum(6.58623457, 6.57992363, 6.61482811, 6.64455891, 6.77196980),
				audit.TPOT:  sum(4.91276383, 4.92035018, 4.9463643, 4.9551328, 4.98286883),
				audit.E2E:   sum(66.4466441, 66.3270950, 66.9841766, 67.0518875, 68.2303905),
			},
			Names: map[audit.Metric]string{
				audit.TTFT: "time_to_first_token_ms", audit.NTPOT: "time_per_output_token_ms",
				audit.TPOT: "inter_token_latency_ms", audit.E2E: "request_latency",
			},
		}},
		{"aiperf", "aiperf.json", "its ITL is our TPOT, its inter-chunk latency our ITL", audit.Reported{
			Version: "0.13.0", OK: of(int64(40)), Failed: of(int64(0)), Asked: of(10.0), Rate: of(11.7464030), Duration: of(3.24444442),
			Latency: map[audit.Metric]audit.Summary{
				audit.TTFT: sum(21.1969380, 20.9512690, 21.7054937, 22.216007, 24.6624431),
				audit.TPOT: sum(4.98325513, 4.97312311, 5.03779282, 5.07496678, 5.30762568),
				audit.ITL:  sum(4.98325513, 4.9944925, 5.219275, 5.67139685, 8.7315623),
				audit.E2E:  sum(66.0462342, 65.7613435, 67.0302023, 67.3191072, 69.5769911),
			},
			Names: map[audit.Metric]string{
				audit.TTFT: "time_to_first_token", audit.TPOT: "inter_token_latency",
				audit.ITL: "inter_chunk_latency", audit.E2E: "request_latency",
			},
		}},
		{"k6", "k6-summary-export.json", "what passes http_req_failed has failed; no duration in this form", audit.Reported{
			OK: of(int64(38)), Failed: of(int64(2)), Rate: of(9.87),
			Latency: map[audit.Metric]audit.Summary{audit.E2E: sum(66.4, 65.9, 67.1, 68, 70.2)},
			Names:   map[audit.Metric]string{audit.E2E: "http_req_duration"},
		}},
		{"k6", "k6-handle-summary.json", "the same figures a level deeper, with the duration", audit.Reported{
			OK: of(int64(38)), Failed: of(int64(2)), Rate: of(9.87), Duration: of(4.0525),
			Latency: map[audit.Metric]audit.Summary{audit.E2E: sum(66.4, 65.9, 67.1, 68, 70.2)},
			Names:   map[audit.Metric]string{audit.E2E: "http_req_duration"},
		}},
		{"vegeta", "vegeta.json", "nanoseconds; the throughput, over the attack and the wait for the last answer", audit.Reported{
			OK: of(int64(40)), Failed: of(int64(0)), Rate: of(10.0874903), Duration: of(3.965307399),
			Latency: map[audit.Metric]audit.Summary{audit.E2E: sum(65.411357, 65.368661, 65.571517, 65.728092, 66.067497)},
			Names:   map[audit.Metric]string{audit.E2E: "latencies"},
		}},
		{"wrk2", "wrk2.txt", "text; each of 16 connections sends its first at once, hence 48", audit.Reported{
			OK: of(int64(48)), Failed: of(int64(0)), Rate: of(11.76), Duration: of(4.08),
			Latency: map[audit.Metric]audit.Summary{audit.E2E: {Mean: of(65.71), P50: of(65.92), P90: of(66.11), P99: of(66.82)}},
			Names:   map[audit.Metric]string{audit.E2E: "latency"},
		}},
		{"wrk2", "wrk2-errors.txt", "all its units; 20 of 500 answers refused, 10 without one; the uncorrected times are not read", audit.Reported{
			OK: of(int64(480)), Failed: of(int64(30)), Rate: of(100.0), Duration: of(5.0),
			Latency: map[audit.Metric]audit.Summary{audit.E2E: {Mean: of(1200.0), P50: of(0.95), P90: of(1500.0), P99: of(120000.0)}},
			Names:   map[audit.Metric]string{audit.E2E: "latency"},
		}},
		{"tare", "tare.json", "the wire column", audit.Reported{
			OK: of(int64(40)), Failed: of(int64(0)), Asked: of(10.0), Rate: of(12.7998133),
			Latency: map[audit.Metric]audit.Summary{
				audit.TTFT:  sum(20.078155, 20.074934, 20.113877, 20.118859, 20.132194),
				audit.TPOT:  sum(5.00007725, 5.000245, 5.00437011, 5.00461256, 5.00935078),
				audit.ITL:   sum(4.99936373, 4.999625, 5.016611, 5.031653, 5.075427),
				audit.NTPOT: sum(6.50788503, 6.5072507, 6.5112697, 6.512645700, 6.51507230),
				audit.E2E:   sum(65.0788503, 65.072507, 65.112697, 65.126457, 65.150723),
			},
			Names: map[audit.Metric]string{
				audit.TTFT: "ttft.wire", audit.TPOT: "tpot.wire", audit.ITL: "itl.wire",
				audit.NTPOT: "ntpot.wire", audit.E2E: "e2e.wire",
			},
		}},
	} {
		t.Run(path.Base(test.file), func(t *testing.T) {
			tool, _ := Find(test.tool)
			got, err := tool.Read(os.DirFS("testdata"), test.file)
			test.want.Tool = test.tool
			if diff := cmp.Diff(test.want, got, cmpopts.EquateApprox(1e-6, 0)); diff != "" || err != nil {
				t.Errorf("%s: -want +got\n%s%v", test.why, diff, err)
			}
		})
	}
}
