package evidence

import (
	"math"
	"slices"
)

// Verdict is the result of comparing a simulation with a figure.
type Verdict string

// Verdicts. Near is up to half a tolerance outside; TooGood is outside on the side that the paper aims for.
const (
	Within    Verdict = "within"
	TooGood   Verdict = "too good"
	Near      Verdict = "near"
	Outside   Verdict = "OUTSIDE"
	AsSet     Verdict = "setting"
	AsStated  Verdict = "stated"
	Contra    Verdict = "contradictory"
	NoVerdict Verdict = "not simulated"
)

// farthest caps the printed Off: a missed exact figure has no scale.
const farthest = 999

// excess returns by how many tolerances a value exceeds a bound or deviates; negative inside a bound.
func (f *Figure) excess(value float64) float64 {
	switch f.Relation {
	case "lt", "le":
		return (value - f.Value) / f.Slack(f.Value)
	case "gt", "ge":
		return (f.Value - value) / f.Slack(f.Value)
	case "range":
		return max((f.Value-value)/f.Slack(f.Value), (value-f.Most)/f.Slack(f.Most))
	}
	return math.Abs(value-f.Value) / f.Slack(f.Value)
}

// Off returns how many tolerances a value deviates from the figure: up to 1 is within. A strict bound has none: a value
// at it, or beyond, is more than 1 off.
func (f *Figure) Off(value float64) float64 {
	over := f.excess(value)
	if strict := f.Relation == "lt" || f.Relation == "gt"; strict && over >= 0 {
		over = max(over, math.Nextafter(1, 2))
	}
	return min(max(0, over), farthest)
}

// Blind reports whether the tolerance is as large as the value, so that no effect at all would pass too.
func (f *Figure) Blind() bool {
	return (f.Kind == Simulated || f.Kind == Proxy) && (f.Relation == "eq" || f.Relation == "approx") && f.Value != 0 &&
		f.Off(0) <= 1
}

// Slack returns one tolerance at a value, in the figure's unit.
func (f *Figure) Slack(value float64) float64 {
	if f.Relative {
		return max(1e-9, f.Tolerance*math.Abs(value))
	}
	return max(1e-9, f.Tolerance)
}

// Judge returns how many tolerances the worst value deviates, NaN without values, and the verdict.
func (f *Figure) Judge(values []float64) (off float64, v Verdict) {
	if len(values) == 0 {
		return math.NaN(), f.verdict(math.NaN())
	}
	worse := 0.0 // without the values that are better than published
	for _, v := range values {
		off = max(off, f.Off(v))
		if !f.better(v) {
			worse = max(worse, f.Off(v))
		}
	}
	if f.Kind == Simulated && off > 1 && worse <= 1 {
		return off, TooGood
	}
	return off, f.verdict(worse)
}

func (f *Figure) verdict(off float64) Verdict {
	switch {
	case f.Kind == Stated:
		return AsStated
	case f.Kind == NotSimulated:
		return NoVerdict
	case f.Kind == Contradictory:
		return Contra
	case off <= 1 && f.Kind == Setting:
		return AsSet
	case off <= 1:
		return Within
	case off <= 1.5:
		return Near
	}
	return Outside
}

// Metrics of methods for which one side is better in any case. All others should only be close to the published value.
var (
	lessIsBetter = []string{"time_mape", "power_mape", "energy_mape", "time_penalty", "power_ape", "prediction_error",
		"share_over_limit", "share_over_limit_plus_1W", "power_over_budget", "nn_training_time"}
	moreIsBetter = []string{"cases", "workloads", "predictions"}
)

// better reports whether a value is better than the published one.
func (f *Figure) better(own float64) bool {
	return slices.Contains(lessIsBetter, f.Metric) && own < f.Value ||
		slices.Contains(moreIsBetter, f.Metric) && own > f.Most
}

// Side says whether a missed figure is "better" or "worse" than published; "" if neither applies.
func (r *Result) Side() string {
	switch {
	case r.Verdict == TooGood:
		return "better"
	case r.Verdict != Near && r.Verdict != Outside:
		return ""
	case slices.Contains(lessIsBetter, r.Metric), slices.Contains(moreIsBetter, r.Metric):
		return "worse"
	}
	return ""
}

// Said returns the verdict, with the word "worse" if the value is worse than published.
func (r *Result) Said() string {
	if r.Side() == "worse" {
		return string(r.Verdict) + ", worse"
	}
	return string(r.Verdict)
}

// Holds reports whether a verdict supports the simulation or states a fact.
func (v Verdict) Holds() bool { return v == Within || v == AsSet || v == AsStated }
