package optimize

import (
	"errors"
	"fmt"
	"slices"

	"jtune/learn"
	"jtune/tegra"
)

// field is what methods are compared on: a measured sweep by index of its
// space, and the power limits with the best possible time for each.
type field struct {
	space   *tegra.Space
	powered bool // power was measured; without, there are no limits to pick for
	modes   []tegra.Mode
	truth   []tegra.Measured
	budgets []float64 // watts, those that some mode meets
	optimum []float64 // ms, per budget
	dropped int       // budgets that no mode meets
	// sets are given samples by size, as indexes of the space, where samples
	// are not drawn; firstSeed is the seed that means the first of a size.
	sets      map[int][][]int
	firstSeed uint64
}

func newField(o *EvaluateOptions) (*field, error) {
	at := map[tegra.Mode]tegra.Measured{}
	modes := make([]tegra.Mode, len(o.Truth))
	for i, m := range o.Truth {
		if !usable(m.TimeMS, m.PowerW) && (m.HasPower() || !usable(m.TimeMS, 1)) {
			return nil, fmt.Errorf("mode %v of the sweep has %g ms and %g W, both must be positive", m.Mode, m.TimeMS, m.PowerW)
		}
		if i > 0 && m.HasPower() != o.Truth[0].HasPower() {
			return nil, errors.New("power was measured in some modes of the sweep and not in others: leave one kind out")
		}
		modes[i], at[m.Mode] = m.Mode, m
	}
	space, err := tegra.NewSubspace(modes)
	if err != nil {
		return nil, err
	}
	f := &field{space: space, modes: space.Modes(), powered: o.Truth[0].HasPower()}
	for _, m := range f.modes {
		f.truth = append(f.truth, at[m])
	}
	if f.powered {
		err = f.limits(o)
	}
	if err == nil && len(o.Authors) > 0 {
		err = f.take(o)
	}
	return f, err
}

// limits finds the budgets that some mode meets and the best time for each.
func (f *field) limits(o *EvaluateOptions) error {
	points := make([]Point, len(f.truth))
	for i, m := range f.truth {
		points[i] = MeasuredPoint(m)
	}
	front := Front(points, Power)
	for k := 0; ; k++ {
		b := o.BudgetFrom + float64(k)*o.BudgetStep
		if b > o.BudgetTo*(1+1e-12) {
			break
		}
		i := underBudget(points, front, b)
		if i < 0 {
			f.dropped++
			continue
		}
		f.budgets, f.optimum = append(f.budgets, b), append(f.optimum, points[i].TimeMS)
	}
	if len(f.budgets) == 0 {
		return fmt.Errorf("no mode of the sweep meets a budget of %g W: least is %.2f W", o.BudgetTo, points[front[0]].PowerW)
	}
	return nil
}

// take lets samples be those of the authors' runs.
func (f *field) take(o *EvaluateOptions) error {
	if !f.powered {
		return errors.New("published runs tell errors of time and power, this sweep has no power")
	}
	f.sets, f.firstSeed = map[int][][]int{}, o.Seed
	for _, n := range o.Sizes {
		runs := o.Authors[0].of(n)
		if len(runs) == 0 {
			return fmt.Errorf("%s has no run of %d modes, only of %v", o.Authors[0].Name, n, o.Authors[0].sizes())
		}
		for k, r := range runs {
			set := make([]int, n)
			for i, m := range r.Modes {
				var ok bool
				if set[i], ok = f.space.Index(m); !ok {
					return fmt.Errorf("%s, run %d of %d modes: mode %v is not in the sweep", o.Authors[0].Name, k+1, n, m)
				}
			}
			f.sets[n] = append(f.sets[n], set)
		}
	}
	return nil
}

// drawn is how many given samples of a size there are; 0: samples are drawn.
func (f *field) drawn(size int) int { return len(f.sets[size]) }

// outcome is what one run of a method came to.
type outcome struct {
	predicts            bool
	timePct, powerPct   float64 // MAPE on the modes not learned from
	timeAll, powerAll   float64 // MAPE on all modes, the paper's way
	picks               []int   // mode by budget
	unsure              int     // budgets for which the method knew no mode and took the lowest power
	probes, profilingMn []float64
}

// sample gives the modes that a run learns from: drawn, unless they are given.
func (f *field) sample(size int, seed uint64) (index []int, rows []tegra.Measured) {
	if f.drawn(size) > 0 {
		index = slices.Clone(f.sets[size][seed-f.firstSeed])
		for _, i := range index {
			rows = append(rows, f.truth[i])
		}
		return index, rows
	}
	for _, m := range f.space.Sample(size, seed) {
		i, _ := f.space.Index(m)
		index, rows = append(index, i), append(rows, f.truth[i])
	}
	return index, rows
}

// minutes is what measuring these modes takes.
func (f *field) minutes(index []int) float64 {
	sum := 0.0
	for _, i := range index {
		sum += costS(f.truth[i].TimeMS) / 60
	}
	return sum
}

// score fills in the errors of predictions for all modes.
func (f *field) score(o *outcome, preds []learn.Prediction, learned []int) {
	o.predicts = true
	seen := make([]bool, len(preds))
	for _, i := range learned {
		seen[i] = true
	}
	var timeP, timeO, powerP, powerO [2][]float64 // all, not learned from
	for i, p := range preds {
		for k := range 2 {
			if k == 1 && seen[i] {
				continue
			}
			timeP[k], timeO[k] = append(timeP[k], p.TimeMS), append(timeO[k], f.truth[i].TimeMS)
			powerP[k], powerO[k] = append(powerP[k], p.PowerW), append(powerO[k], f.truth[i].PowerW)
		}
	}
	o.timeAll, o.powerAll = learn.MAPE(timeP[0], timeO[0]), learn.MAPE(powerP[0], powerO[0])
	o.timePct, o.powerPct = learn.MAPE(timeP[1], timeO[1]), learn.MAPE(powerP[1], powerO[1])
}

// pickAll takes, per budget, the fastest of the points within it. Where there
// is none it takes the point of least power, and counts that.
func (f *field) pickAll(o *outcome, points []Point, index func(i int) int) {
	if !f.powered {
		return
	}
	front := Front(points, Power)
	for _, b := range f.budgets {
		i := underBudget(points, front, b)
		if i < 0 {
			i = front[0]
			o.unsure++
		}
		o.picks = append(o.picks, index(i))
	}
}

// same is the index function of points that stand by index of the space.
func same(i int) int { return i }

func (f *field) measuredPoints(index []int) []Point {
	points := make([]Point, len(index))
	for k, i := range index {
		points[k] = MeasuredPoint(f.truth[i])
	}
	return points
}
