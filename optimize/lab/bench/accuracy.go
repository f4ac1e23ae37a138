package bench

// How well a method predicts unseen modes: errors and calibration of its bands, over the whole space and by halves of
// it (docs/method.md, Scores).

import (
	"math"
	"slices"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/optimize/lab/score"
	"jtune/tegra"
)

// bandShares are the shares of score.Coverage.
var bandShares = [...]float64{0.5, 0.8, 0.95}

// region is a part of the space and the test for its modes.
type region struct {
	score.Part
	knob tegra.Knob
	per  float64 // of Mode.Value in the unit
}

func (r region) holds(m tegra.Mode) bool {
	v := m.Value(r.knob) / r.per
	return r.From <= v && v <= r.To
}

// regionsOf returns the halves of each knob that has several values.
func regionsOf(s *tegra.Space) (list []region) {
	units := [tegra.NumKnobs]struct {
		key string
		per float64
	}{{"cores", 1}, {"cpu_khz", 1000}, {"gpu_hz", 1}, {"mem_hz", 1}}
	for k, u := range units {
		knob := tegra.Knob(k)
		values := s.Values(knob)
		if n := len(values); n > 1 {
			half := func(name string, from, to float64) region {
				return region{score.Part{Knob: u.key, Half: name, From: from / u.per, To: to / u.per}, knob, u.per}
			}
			list = append(list, half("lower", values[0], values[n/2-1]), half("upper", values[n/2], values[n-1]))
		}
	}
	return list
}

// accuracy is the accuracy of one run; NaN for what was not predicted, not measured, or has no bands.
type accuracy struct {
	timePct, powerPct float64 // MAPE
	inTime, inPower   [len(bandShares)]float64
}

// bandWidth holds the half widths of the bands of time and power for a share, in standard deviations.
type bandWidth struct{ time, power float64 }

// bandWidths returns the widths of a model's bands, by bandShares.
func bandWidths(model *learn.Surrogate) []bandWidth {
	p := model.PosteriorAt([]int{0})
	var out []bandWidth
	for _, share := range bandShares {
		time, power := p.BandWidths(share)
		out = append(out, bandWidth{time, power})
	}
	return out
}

// score stores the errors of predictions for all modes.
func (f *truth) score(o *outcome, preds []learn.Prediction, learned []int, widths []bandWidth) {
	seen := make([]bool, len(preds))
	for _, i := range learned {
		seen[i] = true
	}
	unseen := slices.DeleteFunc(slices.Clone(f.rows), func(i int) bool { return seen[i] })
	all := f.accuracy(preds, f.rows, nil)
	o.predicts, o.timeAll, o.powerAll = true, all.timePct, all.powerPct
	o.unseen = f.accuracy(preds, unseen, widths)
	for _, r := range f.regions {
		elsewhere := func(i int) bool { return !r.holds(f.all[i].Mode) }
		o.regions = append(o.regions, f.accuracy(preds, slices.DeleteFunc(slices.Clone(unseen), elsewhere), widths))
	}
}

// accuracy returns the accuracy of the predictions at some indices.
func (f *truth) accuracy(preds []learn.Prediction, index []int, widths []bandWidth) accuracy {
	var timeP, timeO, powerP, powerO []float64
	var a accuracy
	inTime, inPower := make([]int, len(widths)), make([]int, len(widths))
	for _, i := range index {
		p, got := preds[i], f.truth[i]
		timeP, timeO = append(timeP, p.TimeMS), append(timeO, got.TimeMS)
		powerP, powerO = append(powerP, p.PowerW), append(powerO, got.PowerW)
		for k, wide := range widths {
			if math.Abs(math.Log(got.TimeMS/p.TimeMS)) <= wide.time*p.LnTimeSD {
				inTime[k]++
			}
			if math.Abs(math.Log(got.PowerW/p.PowerW)) <= wide.power*p.LnPowerSD {
				inPower[k]++
			}
		}
	}
	a.timePct, a.powerPct = learn.MAPE(timeP, timeO), learn.MAPE(powerP, powerO)
	for k := range bandShares {
		a.inTime[k], a.inPower[k] = math.NaN(), math.NaN()
		if widths != nil {
			a.inTime[k] = 100 * float64(inTime[k]) / float64(len(index))
		}
		if widths != nil && f.powered {
			a.inPower[k] = 100 * float64(inPower[k]) / float64(len(index))
		}
	}
	return a
}

// joined combines runs.
func joined(runs []accuracy) score.Accuracy {
	var time, power []float64
	var inTime, inPower [len(bandShares)][]float64
	for _, a := range runs {
		time, power = append(time, a.timePct), append(power, a.powerPct)
		for k := range bandShares {
			inTime[k], inPower[k] = append(inTime[k], a.inTime[k]), append(inPower[k], a.inPower[k])
		}
	}
	return score.Accuracy{
		TimeMAPEPct:     quartiles(time),
		PowerMAPEPct:    quartiles(power),
		TimeInBandsPct:  coverage(inTime),
		PowerInBandsPct: coverage(inPower),
	}
}

// coverage returns the mean over runs; absent if a run has none.
func coverage(in [len(bandShares)][]float64) tegra.Val[score.Coverage] {
	c := score.Coverage{In50: stats.Mean(in[0]), In80: stats.Mean(in[1]), In95: stats.Mean(in[2])}
	if len(in[0]) == 0 || math.IsNaN(c.In50) {
		return tegra.Val[score.Coverage]{}
	}
	return tegra.Some(c)
}
