package harness

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"jtune/internal/lazyregexp"
	"jtune/profiles/harness/detect"
	"jtune/tegra"
)

// report is the form of the numbers that a tool prints at its end. The groups of its expressions: rate, units a second,
// or qps, batches a second; s or ms, the span of the result; n, requests; p50, p95 and p99 of their latency; ttft and
// tpot. A heading, part, is put before the lines below it.
type report struct {
	unit   string
	time   string        // the group with the time of a unit; "": the rate gives it
	exact  bool          // there is no result without that; else the rate gives it
	per    float64       // units of its times in a ms
	span   float64       // ms, where neither a line nor the command gives it; 0: there is no result then
	option []string      // of the command that gives it, in units of
	unitOf time.Duration // the option
	phase  string
	lines  []*lazyregexp.Regexp
}

// reports are read in addition to all other lines of a program whose lines count steps.
var reports = map[string]*report{
	// samples/common/sampleReporting.cpp; with explicit batch a query is a whole batch
	"trtexec": {unit: detect.Inference, time: "p50", exact: true, per: 1, option: []string{"--duration"},
		unitOf: time.Second, lines: lazyregexp.All(
			`^Throughput: (?P<qps>[\d.eE+]+) qps$`,
			`^Timing trace has (?P<n>\d+) queries over (?P<s>[\d.]+) s$`,
			`^Latency: .*median = (?P<p50>[\d.]+) ms(?:.* percentile\(95%\) = (?P<p95>[\d.]+) ms)?`+
				`(?:.* percentile\(99%\) = (?P<p99>[\d.]+) ms)?$`)},
	// its last concurrency or rate, which counts the batch already; requests overlap, so their latency is not its time
	"perf_analyzer": {unit: detect.Inference, per: 1000, span: 5000, unitOf: time.Millisecond,
		option: []string{"--measurement-interval", "-p"}, lines: lazyregexp.All(
			`^Measurement window: (?P<ms>\d+) msec$`, `^Request count: (?P<n>\d+)$`,
			`^(?:Concurrency|Request Rate): [\d.]+, throughput: (?P<rate>[\d.]+) infer/sec, latency \d+ usec$`,
			`^p50 latency: (?P<p50>\d+) usec$`, `^p95 latency: (?P<p95>\d+) usec$`,
			`^p99 latency: (?P<p99>\d+) usec$`)},
	// vllm/benchmarks/serve.py
	"vllm": {unit: detect.Token, time: "tpot", per: 1, lines: lazyregexp.All(
		`^Output token throughput \(tok/s\):\s+(?P<rate>[\d.]+)$`, `^Successful requests:\s+(?P<n>\d+)$`,
		`^Benchmark duration \(s\):\s+(?P<s>[\d.]+)$`, `^Median TTFT \(ms\):\s+(?P<ttft>[\d.]+)$`,
		`^Median TPOT \(ms\):\s+(?P<tpot>[\d.]+)$`, `^Median E2EL \(ms\):\s+(?P<p50>[\d.]+)$`,
		`^P99 E2EL \(ms\):\s+(?P<p99>[\d.]+)$`)},
	// TensorRT-Edge-LLM prints no span, so its last second is used
	"edge-llm": {unit: detect.Token, time: "tpot", exact: true, per: 1, span: 1000, phase: "decode",
		lines: lazyregexp.All(`^(?:\w+: )?=== LLM (?P<part>Generation|Prefill)`,
			`^Generation: Tokens/Second: (?P<rate>[\d.]+)$`,
			`^Generation: Average Time per Token: (?P<tpot>[\d.]+) ms$`,
			`^Prefill: Average Time per Run: (?P<ttft>[\d.]+) ms$`)},
}

// reporting reads a report.
type reporting struct {
	*report
	batch  float64
	part   string
	values map[string]float64
	end    time.Duration // when its last number arrived
}

func newReporting(of *report, command []string) *reporting {
	r := &reporting{report: of, batch: 1, values: map[string]float64{}}
	_, shape, _ := strings.Cut(argument(command, "--shapes"), ":")
	first, _, _ := strings.Cut(shape, "x")
	if n := positive(first); n.OK && n.V <= maxUnits {
		r.batch = n.V
	}
	if span := positive(argument(command, of.option...)); span.OK {
		r.values["ms"] = span.V * millis(of.unitOf)
	}
	return r
}

// logged is what loggers put before a line.
var logged = lazyregexp.New(`^(?:\[[^\]]*\] )?(?:\[[A-Z]\] )?`)

func (r *reporting) read(text []byte, now time.Duration, whole bool) (_ []Event, ok bool) {
	if !whole {
		return nil, false
	}
	line := plainLine(text)
	if line = line[len(logged.FindString(line)):]; r.part != "" {
		line = r.part + ": " + line
	}
	for _, re := range r.lines {
		m := re.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for _, name := range []string{"rate", "qps", "s", "ms", "n", "p50", "p95", "p99", "ttft", "tpot"} {
			if i := re.SubexpIndex(name); i >= 0 && positive(m[i]).OK {
				r.values[name] = positive(m[i]).V
			}
		}
		if i := re.SubexpIndex("part"); i >= 0 {
			r.part = m[i]
		}
		r.end, ok = now, true
	}
	return nil, ok
}

func (r *reporting) summary() *Event {
	v, ms := r.values, func(name string) tegra.Val[float64] {
		return tegra.Val[float64]{V: r.values[name] / r.per, OK: r.values[name] > 0}
	}
	rate, span := cmp.Or(v["rate"], v["qps"]*r.batch), cmp.Or(v["s"]*1000, v["ms"])
	if span == 0 && r.span > 0 {
		span = max(r.span, 1000/rate) // of a unit at least
	}
	s := Summary{TimeMS: ms(r.time).V, P50: ms("p50"), P95: ms("p95"), P99: ms("p99"), TTFTMS: ms("ttft"),
		TPOTMS: ms("tpot"), Requests: int(cmp.Or(v["n"], v["qps"]*span/1000))}
	if !(rate > 0) || r.exact && s.TimeMS == 0 || s.Requests > maxCount {
		return nil
	}
	s.TimeMS = cmp.Or(s.TimeMS, 1000/rate)
	e := summed(r.end, time.Duration(span*float64(time.Millisecond)), rate*span/1000, s)
	if e != nil {
		e.Phase = r.phase
	}
	return e
}

// aiperf reads the JSON that AIPerf exports (profile_export_aiperf.json), which the command prints at its end.
type aiperf struct {
	text []byte
	end  time.Duration
}

// mostExport is how much of the export is kept.
const mostExport = 4 << 20

func (a *aiperf) read(text []byte, now time.Duration, whole bool) ([]Event, bool) {
	if !whole {
		return nil, false
	}
	line := plainLine(text)
	if len(a.text) == 0 && !strings.HasPrefix(line, "{") || len(a.text)+len(line) > mostExport {
		return nil, false
	}
	if a.end == 0 {
		a.end = now
	}
	a.text = append(append(a.text, line...), '\n')
	return nil, true
}

func (a *aiperf) summary() *Event {
	var all map[string]json.RawMessage
	if json.Unmarshal(a.text, &all) != nil {
		return nil
	}
	r := newReporting(&report{time: "tpot", per: 1, span: 1000}, nil)
	r.end = a.end
	for _, m := range []struct{ name, metric, value string }{
		{"p50", "request_latency", "p50"}, {"p95", "request_latency", "p95"}, {"p99", "request_latency", "p99"},
		{"ttft", "time_to_first_token", "p50"}, {"tpot", "inter_token_latency", "p50"},
		{"ms", "benchmark_duration", "avg"}, {"rate", "output_token_throughput", "avg"}, {"n", "request_count", "avg"},
	} {
		var of map[string]any
		json.Unmarshal(all[m.metric], &of)
		v, _ := of[m.value].(float64)
		unit, _ := of["unit"].(string)
		scale := map[string]float64{"ms": 1, "s": 1000, "sec": 1000, "us": 0.001}[unit]
		if slices.Contains([]string{"rate", "n"}, m.name) {
			scale = 1
		}
		if v > 0 && v <= maxTimeMS && scale > 0 {
			r.values[m.name] = v * scale
		}
	}
	return r.summary()
}
