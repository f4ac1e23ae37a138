package energy

import (
	"math"
	"slices"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/tegra"
)

// Point is a study's result for one setting: the mean of its readings, else a prediction.
type Point struct {
	tegra.Measured                    // per batch
	N              int                // number of readings; 0: predicted
	CVPct          tegra.Val[float64] // standard deviation of their energies in percent of the mean
	Doubted        bool               // its reading is an outlier: it is never the answer
}

// Result is the result of an energy study.
type Result struct {
	Points []Point // every pair, then other measured settings
	Least  tegra.Val[Point]
	// Beyond is the measured setting of least energy with fewer cores or slower memory; absent if none beats the best
	// pair.
	Beyond tegra.Val[Point]

	space *tegra.Space
	model *learn.Model
}

// Sum evaluates the readings. It ignores modes that the board lacks.
func (s *Study) Sum(readings []tegra.Measured) Result {
	r := Result{space: s.space}
	known := map[tegra.Mode][]tegra.Measured{}
	var clean []tegra.Measured
	for _, m := range readings {
		if m.Batch = 0; s.space.Contains(m.Mode) {
			known[m.Mode] = append(known[m.Mode], m)
			clean = append(clean, m)
		}
	}
	modes := slices.Clone(s.pairs)
	for _, m := range clean {
		if !slices.Contains(modes, m.Mode) {
			modes = append(modes, m.Mode)
		}
	}
	if len(clean) == 0 {
		return r
	}
	if r.model = s.model(clean); r.model == nil {
		return r
	}
	predicted := r.model.Predict(modes)
	for i, mode := range modes {
		p := Point{Measured: predicted[i].Measured}
		if list := known[mode]; len(list) > 0 {
			p = pointOf(list)
			p.Doubted = slices.Contains(r.model.Suspicious, p.Setting)
		}
		r.Points = append(r.Points, p)
		best := &r.Least
		if !s.isPair(mode) {
			best = &r.Beyond
		}
		if p.N > 0 && !p.Doubted && (!best.OK || p.EnergyJ() < best.V.EnergyJ()) {
			*best = tegra.Some(p)
		}
	}
	if r.Beyond.OK && r.Least.OK && r.Beyond.V.EnergyJ() >= r.Least.V.EnergyJ() {
		r.Beyond = tegra.Val[Point]{}
	}
	return r
}

// pointOf averages the readings of one setting.
func pointOf(list []tegra.Measured) Point {
	p := Point{N: len(list)}
	var ms, joules []float64
	for _, m := range list {
		ms, joules = append(ms, m.TimeMS), append(joules, m.EnergyJ())
	}
	p.Setting, p.TimeMS = list[0].Setting, stats.Mean(ms)
	p.PowerW = 1000 * stats.Mean(joules) / p.TimeMS
	p.CVPct = tegra.Finite(stats.VariationPct(joules))
	return p
}

// Baseline returns the mean of the readings of one kind of baseline, and the largest difference of their energies in
// percent.
func Baseline(readings []tegra.Measured) (p Point, driftPct float64) {
	if len(readings) == 0 {
		return p, 0
	}
	least, most := math.Inf(1), 0.0
	for _, m := range readings {
		least, most = min(least, m.EnergyJ()), max(most, m.EnergyJ())
	}
	return pointOf(readings), 100 * (most/least - 1)
}

// Trusts reports whether the readings of a setting agree with the study's model. A baseline with locked clocks is one
// of the pairs, and an outlier there would fake a saving.
func (r *Result) Trusts(m tegra.Mode) bool {
	i := slices.IndexFunc(r.Points, func(p Point) bool { return p.Mode == m })
	return i < 0 || !r.Points[i].Doubted
}

// Doubted returns the settings whose readings are outliers.
func (r *Result) Doubted() (out []Point) {
	for _, p := range r.Points {
		if p.Doubted {
			out = append(out, p)
		}
	}
	return out
}

// Measured returns the number of measured settings of all kinds.
func (r *Result) Measured() (n int) {
	for _, p := range r.Points {
		if p.N > 0 {
			n++
		}
	}
	return n
}

// pairs returns the measured pairs that agree with the others.
func (r *Result) pairs() (out []Point) {
	for _, p := range r.Points {
		if p.N > 0 && !p.Doubted && r.isPair(p.Mode) {
			out = append(out, p)
		}
	}
	return out
}

// Within returns the measured pair of least energy whose time is at most ms; absent if there is none.
func (r *Result) Within(ms float64) (best tegra.Val[Point]) {
	for _, p := range r.pairs() {
		if p.TimeMS <= ms && (!best.OK || p.EnergyJ() < best.V.EnergyJ()) {
			best = tegra.Some(p)
		}
	}
	return best
}

// QuickestMS returns the time of the quickest measured pair; NaN without one.
func (r *Result) QuickestMS() float64 {
	ms := math.Inf(1)
	for _, p := range r.pairs() {
		ms = min(ms, p.TimeMS)
	}
	return tegra.Finite(ms).Or(math.NaN())
}

func (r *Result) isPair(m tegra.Mode) bool {
	top := r.space.Max()
	return m.Cores == top.Cores && m.EMC == top.EMC
}

// Grid returns the results of the pairs by clock.
func (r *Result) Grid() Grid {
	g := NewGrid(r.space.CPU, r.space.GPU)
	for _, p := range r.Points {
		if r.isPair(p.Mode) && !p.Doubted {
			g.Set(p.Measured)
		}
	}
	return g
}

// Grid holds time and energy per batch over CPU and GPU clocks, both ascending; NaN if unknown.
type Grid struct {
	CPU, GPU []tegra.Freq
	MS, J    [][]float64 // by CPU clock, then GPU clock
}

// NewGrid returns a grid of unknown values.
func NewGrid(cpu, gpu []tegra.Freq) Grid {
	g := Grid{CPU: cpu, GPU: gpu}
	for range cpu {
		g.MS = append(g.MS, slices.Repeat([]float64{math.NaN()}, len(gpu)))
		g.J = append(g.J, slices.Repeat([]float64{math.NaN()}, len(gpu)))
	}
	return g
}

// Set stores a mode's values.
func (g *Grid) Set(m tegra.Measured) {
	c, k := slices.Index(g.CPU, m.Mode.CPU), slices.Index(g.GPU, m.Mode.GPU)
	if c >= 0 && k >= 0 {
		g.MS[c][k], g.J[c][k] = m.TimeMS, m.EnergyJ()
	}
}

// LatencyFalls reports whether no step up of the CPU or GPU clock makes a batch slower by more than the relative slack.
func (g Grid) LatencyFalls(slack float64) bool {
	for c := range g.CPU {
		for k := range g.GPU {
			if c > 0 && g.MS[c][k] > g.MS[c-1][k]*(1+slack) || k > 0 && g.MS[c][k] > g.MS[c][k-1]*(1+slack) {
				return false
			}
		}
	}
	return true
}

// InnerMinimum reports whether energy at the highest CPU clock is lowest between the lowest and the highest GPU clock.
func (g Grid) InnerMinimum() bool {
	row := g.J[len(g.J)-1]
	at := -1
	for k, j := range row {
		if !math.IsNaN(j) && (at < 0 || j < row[at]) {
			at = k
		}
	}
	return at > 0 && at < len(row)-1
}
