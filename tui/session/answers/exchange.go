package answers

import (
	"math"
	"strconv"

	"jtune/internal/report"
	"jtune/learn"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/tegra/metric"
)

// Exchange is what a little more of a limit would give.
type Exchange struct {
	Limit            metric.Goal
	learn.Prediction      // of the best mode within Limit; its reading if Read
	Read             bool // it was measured
}

const (
	// moreLimit is the factor by which the limit grows.
	moreLimit = 1.1
	// steep is by how many per cent a goal must gain for each per cent of the limit to be worth saying.
	steep = 2
)

// ExchangeAt returns what a tenth more of the answer's one limit would give by an outlook; nil where that is not steep.
func ExchangeAt(o *outlook.Outlook, a Answer) *Exchange {
	if a.Limit.Limits.Len() != 1 || !a.Feasible {
		return nil
	}
	more := a.Limit
	for b := range a.Limit.Limits.Each() {
		if b.Value = rounded(moreLimit * b.Value); b.Least {
			return nil
		}
		more.Limits = more.Limits.With(b)
		at, err := o.Choose(more)
		if err != nil {
			return nil
		}
		found := o.Known[at]
		q := a.optimizes()
		mine, _ := q.of(a.Best(), Errors{})
		its, _ := q.of(found.Measured, Errors{})
		gain := math.Log(mine / its)
		if q == Throughput {
			gain = -gain
		}
		if gain > steep*math.Log(b.Value/a.Limit.Of(b.Metric)) {
			return &Exchange{Limit: more, Prediction: found, Read: o.At(at).Measured()}
		}
	}
	return nil
}

// rounded rounds up to two digits.
func rounded(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	v, _ = strconv.ParseFloat(strconv.FormatFloat(math.Ceil(v/unit-1e-9)*unit, 'g', 3, 64), 64)
	return v
}

// object returns null without an exchange.
func (e *Exchange) object() any {
	if e == nil {
		return nil
	}
	return append(report.Object{{"limit", Limits(e.Limit, mix.Ask{})}, {"mode", e.Mode}, {"time_ms", e.TimeMS},
		{"power_w", e.PowerW}, {"measured", e.Read}}, size(e.Measured)...)
}
