package optimize

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"jtune/learn"
	"jtune/tegra"
)

// field is what methods are compared on: a measured sweep by index of its
// places, and the limits with the best possible time for each.
type field struct {
	places  learn.Places
	powered bool // power was measured; without, there are no limits to pick for
	all     []learn.Setting
	truth   []tegra.Measured // by index; without a time where the sweep lacks one
	rows    []int            // indexes that the sweep has
	limits  []Limit          // those that some mode meets
	optimum []float64        // ms per limit: of a minibatch, or of a sample where minibatches have several sizes
	dropped int              // limits that no mode meets
	clean   []float64        // optimum among the readings that are borne out (clean.go), NaN where none meets the limit; nil: not told
	lucky   int              // readings that are not borne out
	// sets are given samples by size, as indexes of the space, where samples
	// are not drawn; firstSeed is the seed that means the first of a size.
	sets      map[int][][]int
	firstSeed uint64
}

func newField(o *EvaluateOptions) (*field, error) {
	at := map[learn.Setting]tegra.Measured{}
	modes := make([]tegra.Mode, len(o.Truth))
	var sizes []int
	for i, m := range o.Truth {
		if !usable(m.TimeMS, m.PowerW) && (m.HasPower() || !usable(m.TimeMS, 1)) {
			return nil, fmt.Errorf("mode %v of the sweep has %g ms and %g W, both must be positive", m.Mode, m.TimeMS, m.PowerW)
		}
		if i > 0 && m.HasPower() != o.Truth[0].HasPower() {
			return nil, errors.New("power was measured in some modes of the sweep and not in others: leave one kind out")
		}
		modes[i], at[learn.SettingOf(m)] = m.Mode, m
		if m.Batch > 0 {
			sizes = append(sizes, m.Batch)
		}
	}
	space, err := tegra.NewSubspace(modes)
	if err != nil {
		return nil, err
	}
	f := &field{places: learn.Places{Space: space, Batches: slices.Compact(slices.Sorted(slices.Values(sizes)))}, powered: o.Truth[0].HasPower()}
	f.all = f.places.All()
	for i, a := range f.all {
		f.truth = append(f.truth, at[a])
		if at[a].TimeMS > 0 {
			f.rows = append(f.rows, i)
		}
	}
	if f.powered {
		if err = f.solve(o); err == nil {
			err = f.solveClean()
		}
	}
	if err == nil && len(o.Authors) > 0 {
		err = f.take(o)
	}
	return f, err
}

// solve finds the limits that some mode meets and the best time for each.
func (f *field) solve(o *EvaluateOptions) error {
	measured := f.measured(f.rows)
	for _, l := range o.limits(f.places.Batches != nil) {
		c, err := Choose(measured, l)
		switch {
		case errors.Is(err, ErrInfeasible):
			f.dropped++
		case err != nil:
			return err
		default:
			f.limits, f.optimum = append(f.limits, l), append(f.optimum, PredictedPoint(c.Prediction).SampleMS())
		}
	}
	if len(f.limits) == 0 {
		least := slices.MinFunc(measured, func(a, b learn.Prediction) int { return cmp.Compare(a.PowerW, b.PowerW) })
		return fmt.Errorf("no mode of the sweep meets a budget of %g W: least is %.2f W", o.BudgetTo, least.PowerW)
	}
	return nil
}

// limits are the tasks: each power limit, with each limit on the latency where
// minibatches have several sizes.
func (o *EvaluateOptions) limits(sized bool) []Limit {
	latencies := []float64{0}
	if sized {
		latencies = o.LatenciesMS
	}
	var out []Limit
	for k := 0; ; k++ {
		w := o.BudgetFrom + float64(k)*o.BudgetStep
		if w > o.BudgetTo*(1+1e-12) {
			return out
		}
		for _, ms := range latencies {
			out = append(out, Limit{PowerW: w, TimeMS: ms, Throughput: sized})
		}
	}
}

// once lists values of the limits, ascending.
func (f *field) once(value func(Limit) float64) []float64 {
	var out []float64
	for _, l := range f.limits {
		out = append(out, value(l))
	}
	slices.Sort(out)
	return slices.Compact(out)
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
				if set[i], ok = f.places.Index(learn.Setting{Mode: m}); !ok {
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
	hot                 []bool  // by search: a probe drew more than hotOver times the power limit
	lineal              *lineal // of linear4 alone
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
	return f.draw(size, seed)
}

// draw gives random ones.
func (f *field) draw(size int, seed uint64) (index []int, rows []tegra.Measured) {
	draw := size
	if len(f.rows) < len(f.all) {
		draw = len(f.all) // some of them are not there
	}
	for _, a := range f.places.Sample(draw, seed) {
		if i, _ := f.places.Index(a); f.truth[i].TimeMS > 0 && len(index) < size {
			index, rows = append(index, i), append(rows, f.truth[i])
		}
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
	for _, i := range f.rows {
		p := preds[i]
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

// pickAll takes, per limit, the fastest of the candidates that is predicted to
// keep it with so many deviations of margin. Where there is none it takes the
// one that is nearest, and counts that. index are the candidates'.
func (f *field) pickAll(o *outcome, candidates []learn.Prediction, index []int, margin float64) error {
	for _, l := range f.limits {
		l.Margin = margin
		c, err := Choose(candidates, l)
		var none *InfeasibleError
		if errors.As(err, &none) {
			o.unsure++
			c.Index = none.index
		} else if err != nil {
			return err
		}
		o.picks = append(o.picks, index[c.Index])
	}
	return nil
}

// pickPredicted is pickAll among all that the sweep has, as predicted; what was
// measured counts as measured.
func (f *field) pickPredicted(o *outcome, preds []learn.Prediction, measured []tegra.Measured, margin float64) error {
	preds = Known(preds, measured)
	candidates := make([]learn.Prediction, len(f.rows))
	for k, i := range f.rows {
		candidates[k] = preds[i]
	}
	return f.pickAll(o, candidates, f.rows, margin)
}

// measured gives the truth of some indexes as predictions without doubt.
func (f *field) measured(index []int) []learn.Prediction {
	out := make([]learn.Prediction, len(index))
	for k, i := range index {
		out[k] = MeasuredPrediction(f.truth[i])
	}
	return out
}
