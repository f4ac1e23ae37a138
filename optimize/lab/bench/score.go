package bench

import (
	"math"
	"slices"

	"jtune/internal/stats"
	"jtune/tegra"
)

// Quartiles of a sample, by linear interpolation.
type Quartiles struct {
	Q1     float64 `json:"q1"`
	Median float64 `json:"median"`
	Q3     float64 `json:"q3"`
}

// Penalty is how much slower than an optimum the picks are, in percent, over
// all budgets and samples; negative where a pick breaks its budget, or is a
// lucky reading and the optimum is none.
type Penalty struct {
	Median float64 `json:"median"`
	P90    float64 `json:"p90"`
	// Where the batch size is an input, a search is judged by what lies beyond the 90th
	// percentile too.
	P75   tegra.Val[float64] `json:"p75,omitzero"`
	Worst tegra.Val[float64] `json:"worst,omitzero"`
}

// Row is one method at one size, over its samples and all budgets.
type Row struct {
	Method string         `json:"method"`
	Size   tegra.Val[int] `json:"size"` // modes learned from; absent for methods without
	Seeds  int            `json:"seeds"`
	Accuracy
	Regions []Region `json:"regions"` // the same by part of the space; none for methods that predict none
	// The paper's way: over all modes.
	TimeMAPEAllPct  tegra.Val[Quartiles] `json:"time_mape_all_pct"`
	PowerMAPEAllPct tegra.Val[Quartiles] `json:"power_mape_all_pct"`
	Minutes         float64              `json:"minutes"` // of profiling, median
	// Of the picks for the budgets; absent where power was not measured.
	PenaltyPct tegra.Val[Penalty] `json:"penalty_pct"`
	// The same against the best reading that a fit confirms (optimum.go); absent where
	// the sweep is too small for one, or no such reading meets a limit.
	CleanPenaltyPct tegra.Val[Penalty] `json:"clean_penalty_pct"`
	AreaW           tegra.Val[float64] `json:"area_w"`     // mean excess over the budget
	OverPct         tegra.Val[float64] `json:"over_pct"`   // of picks above the budget
	Over1WPct       tegra.Val[float64] `json:"over1w_pct"` // of picks above it by more than a watt
	// LatePct is the share of picks above the latency limit; absent without one.
	LatePct tegra.Val[float64] `json:"over_time_pct,omitzero"`
	Probes  float64            `json:"probes"` // measured modes, median
	// SearchesHotPct is the share of searches with a probe more than 10 % over
	// the power limit; absent for methods that do not search.
	SearchesHotPct tegra.Val[float64] `json:"searches_over10_pct"`
	Unsure         int                `json:"unsure"` // picks where the method knew no mode within the budget
	Published      []Published        `json:"published,omitempty"`
}

// row joins the runs of one method at one size.
func (f *truth) row(trials []*trial) Row {
	j := trials[0]
	r := Row{Method: j.name, Seeds: len(trials), Size: tegra.Val[int]{V: j.size, OK: j.sized}}
	var timeAll, powerAll, minutes, probes []float64
	var unseen []accuracy
	inRegion := make([][]accuracy, len(f.regions))
	var e excess
	searches, hot := 0, 0
	for _, j := range trials {
		o := &j.out
		if o.predicts {
			unseen = append(unseen, o.unseen)
			for k, a := range o.regions {
				inRegion[k] = append(inRegion[k], a)
			}
			timeAll, powerAll = append(timeAll, o.timeAll), append(powerAll, o.powerAll)
		}
		minutes, probes = append(minutes, o.profilingMn...), append(probes, o.probes...)
		r.Unsure += o.unsure
		e.add(f, o.picks)
		for _, h := range o.hot {
			if searches++; h {
				hot++
			}
		}
	}
	if searches > 0 {
		r.SearchesHotPct = tegra.Some(100 * float64(hot) / float64(searches))
	}
	if n := float64(len(e.penalty)); n > 0 {
		r.AreaW, r.OverPct, r.Over1WPct = tegra.Some(e.watts/n), tegra.Some(100*e.over/n), tegra.Some(100*e.over1W/n)
		r.PenaltyPct, r.CleanPenaltyPct = e.spread(e.penalty), e.spread(e.clean)
		if e.latencies > 0 {
			r.LatePct = tegra.Some(100 * e.late / n)
		}
	}
	r.Minutes, r.Probes = stats.OrZero(stats.Median(minutes)), stats.OrZero(stats.Median(probes))
	r.Accuracy = joined(unseen)
	for k, region := range f.regions {
		if len(inRegion[k]) > 0 {
			r.Regions = append(r.Regions, Region{region, joined(inRegion[k])})
		}
	}
	r.TimeMAPEAllPct, r.PowerMAPEAllPct = quartiles(timeAll), quartiles(powerAll)
	return r
}

// excess is what picks cost against the optimum and draw above the budgets
// (docs/method.md, Scores).
type excess struct {
	penalty      []float64 // of time, %
	clean        []float64 // of time against the clean optimum, where there is one
	watts        float64   // above the budgets, summed
	over, over1W float64   // picks above them
	latencies    int       // picks that had a limit on the latency
	late         float64   // those above it
}

func (e *excess) add(f *truth, picks []int) {
	for k, i := range picks {
		got, l := f.truth[i], f.limits[k]
		took := got.SampleMS()
		e.penalty = append(e.penalty, 100*(took-f.optimum[k])/f.optimum[k])
		if f.clean != nil && !math.IsNaN(f.clean[k]) {
			e.clean = append(e.clean, 100*(took-f.clean[k])/f.clean[k])
		}
		if l.TimeMS > 0 {
			e.latencies++
			if got.TimeMS > l.TimeMS {
				e.late++
			}
		}
		over := got.PowerW - l.PowerW
		e.watts += max(0, over)
		if over > 0 {
			e.over++
		}
		if over > 1 {
			e.over1W++
		}
	}
}

// spread sums up penalties; absent where there are none.
func (e *excess) spread(v []float64) tegra.Val[Penalty] {
	if len(v) == 0 {
		return tegra.Val[Penalty]{}
	}
	p := Penalty{Median: stats.Median(v), P90: stats.Quantile(v, 0.9)}
	if e.latencies > 0 {
		p.P75, p.Worst = tegra.Some(stats.Quantile(v, 0.75)), tegra.Some(slices.Max(v))
	}
	return tegra.Some(p)
}

func quartiles(v []float64) tegra.Val[Quartiles] {
	if len(v) == 0 || slices.ContainsFunc(v, func(x float64) bool { return x != x }) {
		return tegra.Val[Quartiles]{}
	}
	return tegra.Some(Quartiles{stats.Quantile(v, 0.25), stats.Median(v), stats.Quantile(v, 0.75)})
}
