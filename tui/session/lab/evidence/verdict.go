package evidence

import (
	"math"
	"slices"
)

// Verdict is how a simulation stands to a figure.
type Verdict string

// Verdicts. Near is up to half a tolerance outside; Better is outside on the side that the paper would have wanted.
const (
	Within    Verdict = "within"
	Better    Verdict = "better"
	Near      Verdict = "near"
	Outside   Verdict = "OUTSIDE"
	AsSet     Verdict = "setting"
	AsStated  Verdict = "stated"
	Contra    Verdict = "contradictory"
	NoVerdict Verdict = "not simulated"
)

// farthest is the largest Off that is printed: an exact figure that is missed has no scale.
const farthest = 999

// Off is how many tolerances a value lies off the figure: up to 1 is within.
func (f *Figure) Off(value float64) float64 {
	var off float64
	switch f.Relation {
	case "lt", "le":
		off = max(0, value-f.Value) / f.Slack(f.Value)
	case "gt", "ge":
		off = max(0, f.Value-value) / f.Slack(f.Value)
	case "range":
		off = max(0, (f.Value-value)/f.Slack(f.Value), (value-f.Most)/f.Slack(f.Most))
	default:
		off = math.Abs(value-f.Value) / f.Slack(f.Value)
	}
	return min(off, farthest)
}

// Blind reports whether the tolerance is as large as the value: no effect at all would pass too.
func (f *Figure) Blind() bool {
	return (f.Kind == Simulated || f.Kind == Proxy) && (f.Relation == "eq" || f.Relation == "approx") && f.Value != 0 &&
		f.Off(0) <= 1
}

// Slack is one tolerance at a value, in the figure's unit.
func (f *Figure) Slack(value float64) float64 {
	if f.Relative {
		return max(1e-9, f.Tolerance*math.Abs(value))
	}
	return max(1e-9, f.Tolerance)
}

// Judge is how many tolerances the worst of the values is off the figure, NaN without any, and what that comes to.
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
		return off, Better
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

// Metrics of methods that have a good side, whatever a paper had. All others can only be near to what was published.
var (
	lessIsBetter = []string{"time_mape", "power_mape", "energy_mape", "time_penalty", "power_ape", "prediction_error",
		"share_over_limit", "share_over_limit_plus_1W", "power_over_budget", "nn_training_time"}
	moreIsBetter = []string{"cases", "workloads", "predictions"}
)

// better reports whether a value is better than what was published.
func (f *Figure) better(own float64) bool {
	return slices.Contains(lessIsBetter, f.Metric) && own < f.Value ||
		slices.Contains(moreIsBetter, f.Metric) && own > f.Most
}

// Side says of a figure that is missed whether what was worked out is "better" or "worse"; "" where neither can be
// said.
func (r *Result) Side() string {
	switch {
	case r.Verdict == Better:
		return "better"
	case r.Verdict != Near && r.Verdict != Outside:
		return ""
	case slices.Contains(lessIsBetter, r.Metric), slices.Contains(moreIsBetter, r.Metric):
		return "worse"
	}
	return ""
}

// Said is the verdict, of what is worse than published with that word.
func (r *Result) Said() string {
	if r.Side() == "worse" {
		return string(r.Verdict) + ", worse"
	}
	return string(r.Verdict)
}

// Holds reports whether a verdict counts for the simulation, or states a fact.
func (v Verdict) Holds() bool { return v == Within || v == AsSet || v == AsStated }
