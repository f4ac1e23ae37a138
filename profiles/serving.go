package profiles

import (
	"cmp"
	"fmt"
	"time"

	"jtune/internal/stats"
	"jtune/profiles/harness"
	"jtune/profiles/load"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
)

// serving adds up what an inference job answers.
type serving struct {
	units    int
	phase    string
	batches  []float64 // ms of service, of the newest ones
	requests []float64 // ms of latency, of the newest ones
	ttft     []float64 // ms
	tpot     []float64 // ms
	late     adder     // ms by which requests were sent too late
	prefill  phase
	decode   phase
	answered stats.Histogram  // latencies in s of a watched server
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
	if e.Answered != nil {
		s.answered = s.answered.Plus(*e.Answered)
	}
	if e.PrefillMS.OK && e.DecodeMS.OK {
		s.prefill.add(e.In, e.PrefillMS.V)
		s.decode.add(e.Decoded, e.DecodeMS.V)
	}
	switch {
	case e.Kind == harness.Infer:
		keep(&s.batches, e.TimeMS)
	case e.ComputeMS.OK:
		keep(&s.batches, e.ComputeMS.V)
	}
}

// power adds a sample taken while a batch ran.
func (s *serving) power(e harness.Event, at time.Duration, watts tegra.Val[float64]) {
	if !e.PrefillMS.OK || !e.DecodeMS.OK || at < e.Began() {
		return
	}
	if at < e.T-time.Duration(e.DecodeMS.V*float64(time.Millisecond)) {
		s.prefill.watts.add(watts)
	} else {
		s.decode.watts.add(watts)
	}
}

// phase adds up the prefill or the decode of requests.
type phase struct {
	units int
	ms    float64
	watts adder
}

func (p *phase) add(units int, ms float64) { p.units, p.ms = p.units+units, p.ms+ms }

func (p *phase) result(name string) record.PhaseOfServing {
	out := record.PhaseOfServing{Phase: name, PowerW: p.watts.mean(1)}
	if p.ms > 0 && p.units > 0 {
		out.PerS = tegra.Some(1000 * float64(p.units) / p.ms)
		out.UnitJ = tegra.Val[float64]{V: out.PowerW.V / out.PerS.V, OK: out.PowerW.OK}
	}
	return out
}

// request adds an answered request.
func (s *serving) request(e harness.Event) {
	keep(&s.requests, e.Latency())
	s.late.add(tegra.Some(e.LateMS))
	keep(&s.ttft, float64(e.First-e.Arrive)/1e6)
	if n := cmp.Or(e.Decoded, e.Out-1); n > 0 && e.Out > 1 {
		keep(&s.tpot, float64(e.T-e.First)/1e6/float64(n))
	}
}

// answers counts the requests that were answered.
func (s *serving) answers() int { return max(s.late.n, s.answered.N()) }

// latency describes requests, or batches if the job reports none. The events of a watched server are means, so only its
// latency histogram, if any, gives quantiles.
func (s *serving) latency(watched bool) record.Latency {
	if watched {
		if l, known := record.LatencyCounted(s.answered); known {
			return l
		}
		return record.Latency{}
	}
	list := s.requests
	if len(list) == 0 {
		list = s.batches
	}
	if len(list) == 0 {
		return record.Latency{}
	}
	return record.LatencyOf(list)
}

// result sums up. The energy of live requests, or of requests at a rate, includes the waiting between them.
func (s *serving) result(w workload.Workload, all record.Part) *record.Served {
	out := &record.Served{Unit: w.UnitName(), Phase: s.phase, Units: s.units, Latency: s.latency(w.Live())}
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
	if rate := w.Load.Rate; rate > 0 && s.late.n > 0 {
		out.RatePerS = tegra.Some(rate)
	}
	if (w.Live() || out.RatePerS.OK) && all.PowerW.OK && s.units > 0 {
		out.UnitJ = tegra.Some(all.PowerW.V * all.Span.Seconds() / float64(s.units))
	}
	if s.decode.ms > 0 {
		out.Phases = []record.PhaseOfServing{s.prefill.result(record.Prefill), s.decode.result(record.Decode)}
	}
	if own := s.summary; own != nil {
		out.Latency = record.Latency{P50: own.P50.Or(own.TimeMS), P95: own.P95.V, P99: own.P99.V, N: own.Requests}
		out.Requests, out.TTFTMS, out.TPOTMS = own.Requests, own.TTFTMS, own.TPOTMS
		return out
	}
	out.TTFTMS, out.TPOTMS = tegra.Finite(stats.Median(s.ttft)), tegra.Finite(stats.Median(s.tpot))
	return out
}

// lateNote says that requests were sent so late that their latencies are partly the sender's own; "" where they were
// not.
func (w *Monitor) lateNote() string {
	rate, late := w.workload.Load.Rate, w.serving.late.mean(1)
	if rate == 0 || !late.OK || !load.Late(late.V, rate) {
		return ""
	}
	return fmt.Sprintf("note: requests were sent %.3g ms late in the mean, of %.4g ms between two: this machine is "+
		"busy, and latencies are partly its own", late.V, 1000/rate)
}
