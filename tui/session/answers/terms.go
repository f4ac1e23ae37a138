package answers

import (
	"math"

	"jtune/learn"
	"jtune/optimize/mix"
	"jtune/optimize/standing"
	"jtune/tegra"
)

// terms are what an answer's goal asks of a mode: of its steps one after another, or under a load.
type terms interface {
	asked() string // the limits in words
	limited() bool
	within(p learn.Prediction) tegra.Val[bool] // absent without a limit, or where a value is unknown
	over(p learn.Prediction) float64           // the chance that a prediction exceeds a limit; NaN if it is unknown
	// aim is what the goal makes least, or most, and its value in a mode; NaN if it is unknown.
	aim(p learn.Prediction) (Quantity, float64)
	keeps() string                  // the limited values, with what is known of them
	chanceOver() tegra.Val[float64] // by the answer's readings; absent where they do not show it
	slow() (ms, quantile float64)   // the time of a step, or the latency at a quantile
}

// terms returns those of the answer's goal.
func (a *Answer) terms() terms {
	if a.Served == nil {
		return &steps{a}
	}
	return &requests{a}
}

// steps are the terms of steps one after another.
type steps struct{ *Answer }

func (s *steps) asked() string { return s.Limit.Brief() }
func (s *steps) limited() bool { return s.Limit.Limited() }

func (s *steps) within(p learn.Prediction) tegra.Val[bool] { return Fits(s.Limit, p.Measured) }

func (s *steps) over(p learn.Prediction) float64 {
	return standing.Stand(s.Limit, p, 0).ChanceOver.Or(math.NaN())
}

// aim of a setting that is only the nearest is what exceeds its limit, because a comparison of speed means nothing
// there.
func (s *steps) aim(p learn.Prediction) (Quantity, float64) {
	q := s.optimizes()
	if b, over := s.Limit.Broken(s.Best()); over && !s.Feasible {
		q = Quantity(b.Key)
	}
	value, _ := q.of(p.Measured, Errors{})
	return q, value
}

func (s *steps) chanceOver() tegra.Val[float64] {
	if s.Chance.OK {
		return standing.RoundedUp(1 - s.Chance.V)
	}
	return standing.RoundedUp(s.Limit.ChanceOver(s.readings()))
}

func (s *steps) slow() (ms, quantile float64) { return s.Best().TimeMS, 0 }

// requests are the terms under a load.
type requests struct{ *Answer }

func (r *requests) asked() string                            { return r.Ask.String() }
func (r *requests) limited() bool                            { return true }
func (r *requests) keeps() string                            { return "" }
func (r *requests) chanceOver() (unknown tegra.Val[float64]) { return unknown }
func (r *requests) slow() (ms, quantile float64)             { return r.Served.LatencyMS, r.Ask.Quantile }

// under returns what a mode does under the load, by its reading or prediction.
func (r *requests) under(p learn.Prediction) (mix.Outcome, bool) {
	if p.Mode == r.Mode {
		return *r.Served, true
	}
	p.Setting = tegra.Setting{Mode: p.Mode, Batch: r.Served.Batch}
	return r.Ask.Evaluate(p.Setting, mix.NewPhase([]learn.Prediction{p}), mix.Phase{})
}

func (r *requests) within(p learn.Prediction) tegra.Val[bool] {
	o, known := r.under(p)
	return tegra.Val[bool]{V: o.Meets, OK: known}
}

func (r *requests) over(p learn.Prediction) float64 { return r.Ask.ChanceOver(p, r.Served.Batch) }

func (r *requests) aim(p learn.Prediction) (Quantity, float64) {
	o, _ := r.under(p)
	switch r.Ask.Wants() {
	case mix.LeastEnergy:
		if math.IsNaN(o.JPerUnit) {
			return Energy, o.BusyJPerUnit
		}
		return Energy, o.JPerUnit
	case mix.MostRequests:
		return Throughput, o.ServedPerS
	case mix.LeastTime:
		return Time, o.TimeMS
	}
	if r.Ask.PowerAs == mix.Mean {
		return Power, o.MeanW
	}
	return Power, o.PeakW
}
