package bench

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/design"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// truth is the data for comparing methods: a measured sweep by index of its places, and the limits with the best
// possible time for each.
type truth struct {
	places  tegra.Places
	powered bool // power was measured; otherwise there are no limits to pick for
	all     []tegra.Setting
	truth   []tegra.Measured // by index; no time if the sweep lacks it
	rows    []int            // indices present in the sweep
	limits  []metric.Goal    // limits that some mode meets
	optimum []float64        // ms per limit, per minibatch, or per sample if the batch size is an input
	dropped int              // number of limits that no mode meets
	// clean is the optimum among readings confirmed by a fit (optimum.go), NaN if none meets the limit; nil: unknown.
	clean []float64
	lucky int // number of unconfirmed readings
	// regions are the parts of the space with separate errors.
	regions []region
	// sets are given samples by size, as indices of the space, if samples are not drawn; firstSeed is the seed of the
	// first of a size.
	sets      map[int][][]int
	firstSeed uint64
}

func newTruth(o *Options) (*truth, error) {
	at := map[tegra.Setting]tegra.Measured{}
	modes := make([]tegra.Mode, len(o.Truth))
	for i, m := range o.Truth {
		if !stats.Positive(m.TimeMS, m.PowerW) && (m.HasPower() || !stats.Positive(m.TimeMS, 1)) {
			return nil, fmt.Errorf("mode %v of the sweep has %g ms and %g W, both must be positive",
				m.Mode, m.TimeMS, m.PowerW)
		}
		if i > 0 && m.HasPower() != o.Truth[0].HasPower() {
			return nil, errors.New(
				"power was measured in some modes of the sweep and not in others: leave one kind out",
			)
		}
		modes[i], at[m.Setting] = m.Mode, m
	}
	space, err := tegra.NewSubspace(modes)
	if err != nil {
		return nil, err
	}
	f := &truth{
		places:  tegra.PlacesOf(space, tegra.BatchSizes(tegra.SettingsOf(o.Truth))),
		powered: o.Truth[0].HasPower(),
	}
	f.all = f.places.All()
	for i, a := range f.all {
		f.truth = append(f.truth, at[a])
		if at[a].TimeMS > 0 {
			f.rows = append(f.rows, i)
		}
	}
	f.regions = regionsOf(f.places.Space)
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
func (f *truth) solve(o *Options) error {
	measured := f.measured(f.rows)
	for _, l := range o.limits(f.places.Batches) {
		i, err := optimize.Choose(measured, l)
		switch {
		case errors.Is(err, optimize.ErrInfeasible):
			f.dropped++
		case err != nil:
			return err
		default:
			f.limits = append(f.limits, l)
			f.optimum = append(f.optimum, measured[i].SampleMS())
		}
	}
	if len(f.limits) == 0 {
		least := slices.MinFunc(measured, func(a, b learn.Prediction) int { return cmp.Compare(a.PowerW, b.PowerW) })
		return fmt.Errorf("no mode of the sweep meets a budget of %g W: least is %.2f W", o.BudgetTo, least.PowerW)
	}
	return nil
}

// limits returns the tasks: each power limit, combined with each latency limit over several batch sizes.
func (o *Options) limits(sizes []int) []metric.Goal {
	latencies := []float64{0}
	if len(sizes) > 1 {
		latencies = o.LatenciesMS
	}
	var out []metric.Goal
	for k := 0; ; k++ {
		w := o.BudgetFrom + float64(k)*o.BudgetStep
		if w > o.BudgetTo*(1+1e-12) {
			return out
		}
		w = math.Round(1e6*w) / 1e6 // 16.4, not 16.400000000000002
		for _, ms := range latencies {
			l := metric.Within(metric.Power.Max(w).And(metric.Time.Max(ms)))
			out = append(out, l.Over(sizes))
		}
	}
}

// once lists the distinct values of those limits that have one, ascending.
func (f *truth) once(value func(metric.Goal) float64) []float64 {
	var out []float64
	for _, l := range f.limits {
		if v := value(l); v > 0 {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// take uses the samples of the authors' runs.
func (f *truth) take(o *Options) error {
	if !f.powered {
		return errors.New("published runs hold errors of time and power, this sweep has no power")
	}
	f.sets, f.firstSeed = map[int][][]int{}, o.Seed
	for _, n := range o.Sizes {
		runs := o.Authors[0].Of(n)
		if len(runs) == 0 {
			return fmt.Errorf("%s has no run of %d modes, only of %v", o.Authors[0].Name, n, o.Authors[0].Sizes())
		}
		for k, r := range runs {
			set := make([]int, n)
			for i, m := range r.Modes {
				var ok bool
				if set[i], ok = f.places.Index(tegra.Setting{Mode: m}); !ok {
					return fmt.Errorf("%s, run %d of %d modes: mode %v is not in the sweep",
						o.Authors[0].Name, k+1, n, m)
				}
			}
			f.sets[n] = append(f.sets[n], set)
		}
	}
	return nil
}

// drawn returns the number of given samples of a size; 0: samples are drawn.
func (f *truth) drawn(size int) int { return len(f.sets[size]) }

// outcome is the result of one run of a method.
type outcome struct {
	predicts            bool
	unseen              accuracy   // on unseen modes
	regions             []accuracy // likewise by truth.regions
	timeAll, powerAll   float64    // MAPE on all modes, as in the paper
	picks               []int      // mode per budget
	unsure              int        // number of budgets for which the method knew no mode and took the lowest power
	probes, profilingMn []float64
	hot                 []bool     // by search: a probe drew more than MaxOvershoot times the power limit
	fourModes           *fourModes // only of linear4
}

// sample returns the training modes of a run: given ones, or drawn.
func (f *truth) sample(size int, seed uint64) (index []int, rows []tegra.Measured) {
	if f.drawn(size) > 0 {
		index = slices.Clone(f.sets[size][seed-f.firstSeed])
		for _, i := range index {
			rows = append(rows, f.truth[i])
		}
		return index, rows
	}
	return f.draw(size, seed)
}

// draw returns random modes.
func (f *truth) draw(size int, seed uint64) (index []int, rows []tegra.Measured) {
	draw := size
	if len(f.rows) < len(f.all) {
		draw = len(f.all) // some of them are absent
	}
	for _, a := range f.places.Sample(draw, seed) {
		if i, _ := f.places.Index(a); f.truth[i].TimeMS > 0 && len(index) < size {
			index, rows = append(index, i), append(rows, f.truth[i])
		}
	}
	return index, rows
}

// minutes returns the time to measure these modes.
func (f *truth) minutes(index []int) float64 {
	sum := 0.0
	for _, i := range index {
		sum += design.ProfilingS(f.truth[i].TimeMS) / 60
	}
	return sum
}

// pickAll picks one candidate for each limit. index holds the candidates' indices.
func (f *truth) pickAll(o *outcome, candidates []learn.Prediction, index []int,
	margin metric.Margin) error {
	for _, l := range f.limits {
		l.Margin = margin
		k, known, err := pick(candidates, l)
		if err != nil {
			return err
		}
		if !known {
			o.unsure++
		}
		o.picks = append(o.picks, index[k])
	}
	return nil
}

// pick returns the fastest candidate predicted to keep a limit with its margin, or the nearest if there is none.
func pick(candidates []learn.Prediction, l metric.Goal) (k int, known bool, err error) {
	k, err = optimize.Choose(candidates, l)
	if errors.Is(err, optimize.ErrInfeasible) {
		return k, false, nil
	}
	return k, true, err
}

// measured returns the truth at some indices as predictions without uncertainty.
func (f *truth) measured(index []int) []learn.Prediction {
	out := make([]learn.Prediction, len(index))
	for k, i := range index {
		out[k] = optimize.MeasuredPrediction(f.truth[i])
	}
	return out
}
