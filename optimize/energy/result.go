// Package energy has the results of an energy study of inference: which clocks answer a request with the least energy.
//
//	readings of pairs of CPU and GPU clocks, at maximum cores and memory ──► Sum ──► Result: the least, the grid
//
// An outlier is never the answer: the model's outlier rule decides (docs/method.md, Outliers).
package energy

import (
	"context"
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
	OthersJ        float64            // energy of a batch by the other readings, where it is one
}

// Result is the result of an energy study.
type Result struct {
	Points []Point // every pair, then other measured settings
	Least  tegra.Val[Point]
	// Beyond is the measured setting of least energy with fewer cores or slower memory; absent if none beats the best
	// pair.
	Beyond tegra.Val[Point]

	space *tegra.Space
}

// Pairs returns all pairs of CPU and GPU clocks at maximum cores and memory.
func Pairs(space *tegra.Space) (out []tegra.Mode) {
	for _, m := range space.All() {
		if IsPair(space, m) {
			out = append(out, m)
		}
	}
	return out
}

// IsPair reports whether a mode has all cores and the maximum memory clock.
func IsPair(space *tegra.Space, m tegra.Mode) bool {
	top := space.Max()
	return m.Cores == top.Cores && m.EMC == top.EMC
}

// Fit fits readings, including repeats of a mode; nil if there are none.
func Fit(space *tegra.Space, readings []tegra.Measured) *learn.Model {
	m, err := learn.Fit(context.Background(), readings, learn.Options{Space: space, SkipCV: true})
	if err != nil {
		return nil
	}
	return m
}

// Sum evaluates the readings. It ignores modes that the board lacks.
func Sum(space *tegra.Space, readings []tegra.Measured) Result {
	r := Result{space: space}
	known, modes := map[tegra.Mode][]tegra.Measured{}, Pairs(space)
	var clean []tegra.Measured
	for _, m := range readings {
		if m.Batch = 0; space.Contains(m.Mode) {
			if known[m.Mode] == nil && !IsPair(space, m.Mode) {
				modes = append(modes, m.Mode)
			}
			known[m.Mode] = append(known[m.Mode], m)
			clean = append(clean, m)
		}
	}
	model := Fit(space, clean)
	if model == nil {
		return r
	}
	for _, of := range model.Predict(modes) {
		p := Point{Measured: of.Measured}
		if list := known[p.Mode]; len(list) > 0 {
			p = pointOf(list)
			if p.Doubted = slices.Contains(model.Suspicious, p.Setting); p.Doubted {
				p.OthersJ = of.EnergyJ()
			}
		}
		r.Points = append(r.Points, p)
		best := &r.Least
		if !IsPair(space, p.Mode) {
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
		if p.N > 0 && !p.Doubted && IsPair(r.space, p.Mode) {
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

// Grid returns the results of the pairs by clock.
func (r *Result) Grid() Grid {
	g := NewGrid(r.space.CPU, r.space.GPU)
	for _, p := range r.Points {
		if IsPair(r.space, p.Mode) && !p.Doubted {
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
