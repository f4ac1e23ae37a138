package bench

import (
	"math"
	"slices"

	"jtune/internal/stats"
	"jtune/optimize/lab/score"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// row combines the runs of one method at one size.
func (f *truth) row(trials []*trial) score.Row {
	j := trials[0]
	r := score.Row{Method: j.name, Seeds: len(trials), Size: tegra.Val[int]{V: j.size, OK: j.sized}}
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
			r.Regions = append(r.Regions, score.Region{Part: region.Part, Accuracy: joined(inRegion[k])})
		}
	}
	r.TimeMAPEAllPct, r.PowerMAPEAllPct = quartiles(timeAll), quartiles(powerAll)
	return r
}

// excess is by how much picks are slower than the optimum and exceed the budgets (docs/method.md, Scores).
type excess struct {
	penalty      []float64 // of time, %
	clean        []float64 // of time against the clean optimum, if there is one
	watts        float64   // above the budgets, summed
	over, over1W float64   // number of picks above them
	latencies    int       // number of picks with a latency limit
	late         float64   // number above it
}

func (e *excess) add(f *truth, picks []int) {
	for k, i := range picks {
		got, l := f.truth[i], f.limits[k]
		took := got.SampleMS()
		e.penalty = append(e.penalty, 100*(took-f.optimum[k])/f.optimum[k])
		if f.clean != nil && !math.IsNaN(f.clean[k]) {
			e.clean = append(e.clean, 100*(took-f.clean[k])/f.clean[k])
		}
		if most, timed := l.Limits.On(metric.Time); timed {
			e.latencies++
			if got.TimeMS > most.Value {
				e.late++
			}
		}
		over := got.PowerW - l.Of(metric.Power)
		e.watts += max(0, over)
		if over > 0 {
			e.over++
		}
		if over > 1 {
			e.over1W++
		}
	}
}

// spread summarises penalties; absent if there are none.
func (e *excess) spread(v []float64) tegra.Val[score.Penalty] {
	if len(v) == 0 {
		return tegra.Val[score.Penalty]{}
	}
	p := score.Penalty{Median: stats.Median(v), P90: stats.Quantile(v, 0.9)}
	if e.latencies > 0 {
		p.P75, p.Worst = tegra.Some(stats.Quantile(v, 0.75)), tegra.Some(slices.Max(v))
	}
	return tegra.Some(p)
}

func quartiles(v []float64) tegra.Val[score.Quartiles] {
	if len(v) == 0 || slices.ContainsFunc(v, func(x float64) bool { return x != x }) {
		return tegra.Val[score.Quartiles]{}
	}
	return tegra.Some(score.Quartiles{
		Q1:     stats.Quantile(v, 0.25),
		Median: stats.Median(v),
		Q3:     stats.Quantile(v, 0.75),
	})
}

// duels compares the runs of one method at one size with every file of published runs.
func duels(list []Authors, trials []*trial) []score.Duel {
	var out []score.Duel
	for _, a := range list {
		theirs := a.Of(trials[0].size)
		n := min(len(theirs), len(trials))
		if n == 0 || !trials[0].out.predicts {
			continue
		}
		d := score.Duel{Method: trials[0].name, Size: trials[0].size, Against: a.Name, Runs: n}
		var ourTime, ourPower, time, power []float64
		for i, r := range theirs[:n] {
			o := &trials[i].out
			ourTime, ourPower = append(ourTime, o.timeAll), append(ourPower, o.powerAll)
			time, power = append(time, r.TimeMAPEPct), append(power, r.PowerMAPEPct)
			if o.timeAll < r.TimeMAPEPct {
				d.TimeWon++
			}
			if o.powerAll < r.PowerMAPEPct {
				d.PowerWon++
			}
		}
		d.TimePct, d.PowerPct = stats.Median(ourTime), stats.Median(ourPower)
		d.TheirTime, d.TheirPow = stats.Median(time), stats.Median(power)
		out = append(out, d)
	}
	return out
}
