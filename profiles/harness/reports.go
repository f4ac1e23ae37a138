package harness

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"jtune/internal/lazyregexp"
	"jtune/tegra"
)

// vllmBench reads the block at the end of "vllm bench serve" (vllm/benchmarks/serve.py).
type vllmBench struct {
	values map[string]float64
	end    time.Duration
}

var vllmLine = lazyregexp.New(`^((?:Output token throughput|Total generated tokens|Successful requests|` +
	`Benchmark duration|(?:Median|P99) (?:TTFT|TPOT|E2EL))(?: \([a-z/]+\))?):\s+([\d.]+)$`)

func (v *vllmBench) read(text []byte, now time.Duration, whole bool) ([]Event, bool) {
	m := vllmLine.FindStringSubmatch(plainLine(text))
	if m == nil || !whole {
		return nil, false
	}
	if v.values == nil {
		v.values, v.end = map[string]float64{}, now
	}
	if n := positive(m[2]); n.OK {
		v.values[m[1]] = n.V
	}
	return nil, true
}

func (v *vllmBench) summary() *Event {
	of := func(name string) tegra.Val[float64] {
		n, ok := v.values[name]
		return tegra.Val[float64]{V: n, OK: ok}
	}
	perS, span := of("Output token throughput (tok/s)"), of("Benchmark duration (s)")
	if !perS.OK || !span.OK {
		return nil
	}
	s := Summary{TimeMS: of("Median TPOT (ms)").Or(1000 / perS.V), P50: of("Median E2EL (ms)"),
		P99:    of("P99 E2EL (ms)"),
		TTFTMS: of("Median TTFT (ms)"), TPOTMS: of("Median TPOT (ms)"), Requests: int(of("Successful requests").V)}
	return summed(v.end, seconds(span.V), perS.V*span.V, s)
}

// edgeLLM reads the benchmark of TensorRT-Edge-LLM. It prints no span, so its last second is used.
type edgeLLM struct {
	part string // of the headings
	end  time.Duration
	perS tegra.Val[float64]
	s    Summary
}

var (
	edgeHead  = lazyregexp.New(`^=== LLM (Generation|Prefill)`)
	edgeRate  = lazyregexp.New(`^Tokens/Second: ([\d.]+)$`)
	edgeToken = lazyregexp.New(`^Average Time per Token: ([\d.]+) ms$`)
	edgeRun   = lazyregexp.New(`^Average Time per Run: ([\d.]+) ms$`)
)

func (g *edgeLLM) read(text []byte, now time.Duration, whole bool) ([]Event, bool) {
	if !whole {
		return nil, false
	}
	line := plainLine(text)
	if m := edgeHead.FindStringSubmatch(line); m != nil {
		if g.part = m[1]; g.end == 0 {
			g.end = now
		}
		return nil, true
	}
	switch {
	case g.part == "Generation" && edgeRate.MatchString(line):
		g.perS = find(edgeRate, line)
	case g.part == "Generation" && edgeToken.MatchString(line):
		g.s.TPOTMS = find(edgeToken, line)
		g.s.TimeMS = g.s.TPOTMS.V
	case g.part == "Prefill" && edgeRun.MatchString(line):
		g.s.TTFTMS = find(edgeRun, line)
	default:
		return nil, false
	}
	return nil, true
}

func (g *edgeLLM) summary() *Event {
	if !g.perS.OK || g.s.TimeMS <= 0 {
		return nil
	}
	e := summed(g.end, time.Second, max(1, g.perS.V), g.s)
	if e != nil {
		e.Phase = "decode"
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
	type metric struct {
		Unit               string
		Avg, P50, P95, P99 *float64
	}
	var o struct {
		Latency  metric `json:"request_latency"`
		First    metric `json:"time_to_first_token"`
		Between  metric `json:"inter_token_latency"`
		Output   metric `json:"output_token_throughput"`
		Requests metric `json:"request_count"`
		Duration metric `json:"benchmark_duration"`
	}
	if json.Unmarshal(a.text, &o) != nil || o.Output.Avg == nil {
		return nil
	}
	ms := func(m metric, v *float64) tegra.Val[float64] {
		scale, known := map[string]float64{"ms": 1, "s": 1000, "sec": 1000, "us": 0.001}[m.Unit]
		if v == nil || !known || !(*v > 0) || *v > maxTimeMS {
			return tegra.Val[float64]{}
		}
		return tegra.Some(*v * scale)
	}
	perS := positive(fmt.Sprint(*o.Output.Avg))
	span := ms(o.Duration, o.Duration.Avg)
	if !perS.OK {
		return nil
	}
	s := Summary{TimeMS: ms(o.Between, o.Between.P50).Or(1000 / perS.V), P50: ms(o.Latency, o.Latency.P50),
		P95: ms(o.Latency, o.Latency.P95), P99: ms(o.Latency, o.Latency.P99), TTFTMS: ms(o.First, o.First.P50),
		TPOTMS: ms(o.Between, o.Between.P50)}
	if n := o.Requests.Avg; n != nil && *n >= 1 && *n < maxCount {
		s.Requests = int(*n)
	}
	took := span.Or(1000) // ms
	return summed(a.end, time.Duration(took*float64(time.Millisecond)), max(1, perS.V*took/1000), s)
}
