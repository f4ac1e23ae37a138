package profiles

import (
	"jtune/internal/stats"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tegra"
)

// serving adds up what an inference job answers.
type serving struct {
	units    int
	phase    string
	batches  []float64        // ms of service, of the newest ones
	requests []float64        // ms of latency, of the newest ones
	ttft     []float64        // ms
	tpot     []float64        // ms
	summary  *harness.Summary // the program's own numbers, in place of those counted here
}

// keptLatencies bounds the number of latencies from which the quantiles are taken.
const keptLatencies = 10000

func keep(list *[]float64, v float64) {
	if *list = append(*list, v); len(*list) >= 2*keptLatencies {
		*list = append((*list)[:0], (*list)[keptLatencies:]...)
	}
}

// batch adds a batch. Version 1 of the protocol reports an inference job's as minibatches, whose compute time is the
// latency.
func (s *serving) batch(e harness.Event) {
	if e.Summary != nil {
		s.summary = e.Summary
	}
	s.units, s.phase = s.units+max(1, e.N), e.Phase
	switch {
	case e.Kind == harness.Infer:
		keep(&s.batches, e.TimeMS)
	case e.ComputeMS.OK:
		keep(&s.batches, e.ComputeMS.V)
	}
}

// request adds an answered request.
func (s *serving) request(e harness.Event) {
	keep(&s.requests, e.Latency())
	keep(&s.ttft, float64(e.First-e.Arrive)/1e6)
	if e.Out > 1 {
		keep(&s.tpot, float64(e.T-e.First)/1e6/float64(e.Out-1))
	}
}

func (s *serving) result(unit string, all record.Part) *record.Serving {
	out := &record.Serving{Unit: unit, Phase: s.phase, Units: s.units}
	list := s.requests
	if len(list) == 0 {
		list = s.batches
	}
	if out.Latency = record.LatencyOf(list); out.Latency.N == 0 {
		out.Latency = record.Latency{}
	}
	out.Requests = out.Latency.N
	perBatch := float64(s.units) / float64(all.Minibatches)
	if all.TimeMS > 0 {
		out.PerS = tegra.Some(1000 * perBatch / all.TimeMS)
	}
	if s := all.Span.Seconds(); s > 0 {
		out.ServedPerS = tegra.Some(perBatch * float64(all.Minibatches) / s)
	}
	if all.EnergyJ.OK && perBatch > 0 {
		out.UnitJ = tegra.Some(all.EnergyJ.V / perBatch)
	}
	if own := s.summary; own != nil {
		out.Latency = record.Latency{P50: own.P50.Or(own.TimeMS), P95: own.P95.V, P99: own.P99.V, N: own.Requests}
		out.Requests, out.TTFTMS, out.TPOTMS = own.Requests, own.TTFTMS, own.TPOTMS
		return out
	}
	out.TTFTMS, out.TPOTMS = tegra.Finite(stats.Median(s.ttft)), tegra.Finite(stats.Median(s.tpot))
	return out
}
