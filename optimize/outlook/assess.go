package outlook

import (
	"cmp"
	"context"
	"math"
	"slices"

	"jtune/internal/sorted"
	"jtune/internal/stats"
	"jtune/learn"
	"jtune/optimize/advice"
	"jtune/tegra"
)

// Assessment describes a model, from its own samples: the workload's behaviour and the model's accuracy.
type Assessment struct {
	Left    []learn.LeftOut                  // each sample, predicted without it; nil if TooSlow gives a reason
	Effects [tegra.NumKnobs]learn.KnobEffect // of each knob alone, the others at their largest
	Decides string                           // what limits the time there, from package advice
	Err     error
	Model   *learn.Model // assessed model
}

// CurveSizes are the numbers of modes of a learning curve; with fewer than the first, errors are meaningless.
var CurveSizes = []int{6, 8, 10, 12, 15, 20, 25, 30, 40, 60, 100, 200}

// TooSlow returns why assessing a model would keep the user waiting too long; "" if it does not.
func TooSlow(m *learn.Model) string {
	if m.Method == learn.NN || m.Method == learn.PowerTrain {
		return "networks take minutes for this: jtune lab evaluate compares methods"
	}
	return ""
}

// Assess computes an assessment; it takes about as long as a cross-validation.
func Assess(ctx context.Context, m *learn.Model) Assessment {
	top := m.Space.Max()
	a := Assessment{
		Model:   m,
		Effects: learn.Importance(m, m.Space, top, math.Inf(1)),
		Decides: advice.Decides(m, top),
	}
	if TooSlow(m) == "" {
		a.Left, a.Err = m.LeaveOut(ctx)
	}
	return a
}

// Held counts the left-out samples within their 95 % bands of time and of power.
func (a *Assessment) Held() (time, power int) {
	for _, l := range a.Left {
		if p, m := l.Prediction, l.Measured; p.TimeLoMS <= m.TimeMS && m.TimeMS <= p.TimeHiMS {
			time++
		}
		if p, m := l.Prediction, l.Measured; p.PowerLoW <= m.PowerW && m.PowerW <= p.PowerHiW {
			power++
		}
	}
	return time, power
}

// Region is a part of the measured modes by one knob, with its errors.
type Region struct {
	Knob              tegra.Knob
	Lo, Hi            float64 // range of the knob
	Modes             int
	TimePct, PowerPct float64
}

// Regions divides the left-out samples into quarters by the values of each knob, knob by knob; equal values stay
// together, and a region has at least learn.LeastJudged samples. It returns none if the samples do not suffice for two.
func (a Assessment) Regions() []Region {
	var out []Region
	if len(a.Left) < 2*learn.LeastJudged {
		return nil
	}
	size := max(learn.LeastJudged, (len(a.Left)+3)/4)
	for k := range tegra.NumKnobs {
		knob := tegra.Knob(k)
		value := func(l learn.LeftOut) float64 { return l.Measured.Mode.Value(knob) }
		left := slices.Clone(a.Left)
		sorted.Stable(left, func(x, y learn.LeftOut) int { return cmp.Compare(value(x), value(y)) })
		for i := 0; i < len(left); {
			end := min(len(left), i+size)
			for end < len(left) && value(left[end]) == value(left[end-1]) {
				end++
			}
			if len(left)-end < learn.LeastJudged {
				end = len(left)
			}
			r := Region{Knob: knob, Lo: value(left[i]), Hi: value(left[end-1]), Modes: end - i}
			r.TimePct, r.PowerPct = errorsOf(left[i:end])
			out = append(out, r)
			i = end
		}
	}
	return out
}

// errorsOf returns the mean absolute percentage errors of time and power.
func errorsOf(left []learn.LeftOut) (timePct, powerPct float64) {
	var tp, to, pp, po []float64
	for _, l := range left {
		tp, to = append(tp, l.Prediction.TimeMS), append(to, l.Measured.TimeMS)
		pp, po = append(pp, l.Prediction.PowerW), append(po, l.Measured.PowerW)
	}
	return learn.MAPE(tp, to), learn.MAPE(pp, po)
}

// Weakest returns the region with by far the largest error; false if errors are similar everywhere.
func (a Assessment) Weakest() (Region, bool) {
	var worst Region
	var all []float64
	for _, r := range a.Regions() {
		all = append(all, r.TimePct)
		if r.TimePct > worst.TimePct && !math.IsInf(r.TimePct, 0) {
			worst = r
		}
	}
	usual := stats.Median(all)
	return worst, worst.TimePct >= 2*usual && worst.TimePct >= 5
}
