package answers

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"jtune/internal/arrivals"
	"jtune/internal/document"
	"jtune/internal/text"
	"jtune/optimize/mix"
	"jtune/optimize/serving"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// followShare is the least share of the rate that a server must serve to keep up.
const followShare = 0.95

// TrialOf judges what a row shows of a setting under a load.
func TrialOf(row record.Row, at tegra.Setting, a mix.Ask, w workload.Workload) Trial {
	t := Trial{Setting: at, N: 1, Users: w.Live()}
	if !row.Answered() {
		t.Why = cmp.Or(row.Why, "nothing was measured")
		return t
	}
	t.Serving, t.MeanW = *row.Serving, tegra.Finite(row.PowerW)
	t.judge(a, w)
	return t
}

// And averages two trials of a setting and judges the mean; if they cannot be averaged, the second counts.
func (t Trial) And(o Trial, a mix.Ask, w workload.Workload) Trial {
	if t.Serving.Requests == 0 || !o.LatencyMS.OK {
		return o
	}
	x, y, v := t.Serving.Latency, o.Serving.Latency, o.Serving
	v.Latency = record.Latency{P50: (x.P50 + y.P50) / 2, P95: (x.P95 + y.P95) / 2, P99: (x.P99 + y.P99) / 2}
	v.Latency.N = x.N + y.N
	v.Requests, v.Units = t.Serving.Requests+v.Requests, t.Serving.Units+v.Units
	half := func(to *tegra.Val[float64], other tegra.Val[float64]) {
		if to.OK && other.OK {
			to.V = (to.V + other.V) / 2
		}
	}
	half(&v.ServedPerS, t.Serving.ServedPerS)
	half(&v.UnitJ, t.Serving.UnitJ)
	o.N, o.Serving, o.Why, o.Unsure = t.N+o.N, v, "", ""
	half(&o.MeanW, t.MeanW)
	w.Load.Rate = a.Load.RatePerS
	o.judge(a, w)
	return o
}

// judge compares the measurements with the limits.
func (s *Trial) judge(a mix.Ask, w workload.Workload) {
	v := s.Serving
	at := v.Latency.At(a.Quantile)
	s.LatencyMS = at.MS
	served, least := requestRate(v, w), followShare*w.Load.Rate
	if a.Load.Pattern == arrivals.Poisson { // fewer may have arrived by chance
		least *= 1 - 3/math.Sqrt(float64(max(1, v.Requests)))
	}
	watts, limited := a.Goal.Limits.On(metric.Power)
	switch l := s.LatencyMS; {
	case served < least:
		s.Why = fmt.Sprintf("%.4g of %.4g requests per second are served", served, w.Load.Rate)
	case l.V > a.MostMS():
		s.Why = fmt.Sprintf("%v is %.4g ms, over %.4g", at, l.V, a.LatencyMS)
	case limited && s.MeanW.V > watts.Value: // the limit applies to the mean; the peak is higher
		s.Why = fmt.Sprintf("mean power %.4g W, over %.4g", s.MeanW.V, watts.Value)
	case !l.OK && !math.IsInf(a.MostMS(), 1):
		s.Unsure = fmt.Sprintf("%d requests are too few to tell whether p%.4g is within %.4g ms", v.Requests,
			100*a.Quantile, a.LatencyMS)
	}
}

// requestRate returns how many requests per second were answered.
func requestRate(v record.Served, w workload.Workload) float64 {
	switch {
	case !v.ServedPerS.OK || v.Units == 0:
		return 0
	case !w.Serves(): // each sample of a batch is a request
		return v.ServedPerS.V
	}
	return v.ServedPerS.V * float64(v.Requests) / float64(v.Units)
}

// UnderLoad says what the answer does under its load: as calculated, then with requests, if any were sent.
func (a *Answer) UnderLoad() (list document.Facts) {
	if a.Served != nil {
		list = append(list, [2]string{"under the load", serving.Says(a.Ask, *a.Served)})
	}
	if t := a.Trial; t != nil {
		with := map[bool]string{true: "its users", false: "real requests"}
		list = append(list, [2]string{"with " + with[t.Users], t.says(a.Ask)})
	}
	return list
}

// says describes what was measured, most important first.
func (t *Trial) says(a mix.Ask) string {
	parts := []string{fmt.Sprintf("p%.4g unknown", 100*a.Quantile)}
	if t.LatencyMS.OK {
		parts[0] = fmt.Sprintf("%v %s ms", t.Serving.Latency.At(a.Quantile), text.Of(t.LatencyMS.V))
	}
	if t.MeanW.OK {
		parts = append(parts, text.Of(t.MeanW.V)+" W mean")
	}
	if u := t.Serving.UnitJ; u.OK {
		parts = append(parts, fmt.Sprintf("%.4g J per %s", u.V, t.Serving.Unit))
	}
	sent := text.Thousands(t.Serving.Requests) + " requests"
	if a.Load.Open() {
		sent += " at " + a.Load.String()
	}
	return strings.Join(text.Said(strings.Join(parts, ", "), t.Remark(), sent), "; ")
}
