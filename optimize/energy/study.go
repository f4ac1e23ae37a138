// Package energy is the energy study of inference: which clocks answer a request with the least energy. The slides on
// the energy impact of device parameters ask this for all pairs of CPU and GPU clocks at maximum cores and memory.
// Measuring all of them takes days, so the model screens them:
//
//	24 pairs, evenly spread ──► model ──► 5 pairs of least energy ──► neighbours of the best ──► the best of all again
//	                                            └──► fewer cores and slower memory at the best pairs
//
// Each first reading depends only on the first readings before it, so an interrupted study continues unchanged. An
// outlier is never the answer: the model's outlier rule decides (docs/method.md, Outliers), and only two consistent
// readings override it.
package energy

import (
	"cmp"
	"context"
	"math"
	"slices"

	"jtune/internal/sorted"
	"jtune/learn"
	"jtune/tegra"
)

// Settings of the study.
const (
	latticeCPU, latticeGPU = 4, 6 // clocks of the first pairs
	finalists              = 5    // pairs of least energy to read, and around which cores and memory vary
	beyondPairs            = 6    // fewest settings with other numbers of cores and memory clocks
	mostBeyondPairs        = 16   // most of these: the remainder of
	mostSettings           = 40
)

// Study chooses what to measure, and evaluates it. Readings have one batch size.
type Study struct {
	space  *tegra.Space
	pairs  []tegra.Mode
	repeat int
	beyond bool
	fits   map[int]*learn.Model // by number of first readings
}

// NewStudy returns a study of a board. It reads each setting that may be the answer repeat times. beyond also varies
// cores and memory clocks.
func NewStudy(space *tegra.Space, repeat int, beyond bool) *Study {
	s := &Study{space: space, repeat: max(1, repeat), beyond: beyond, fits: map[int]*learn.Model{}}
	top := space.Max()
	for _, m := range space.All() {
		if m.Cores == top.Cores && m.EMC == top.EMC {
			s.pairs = append(s.pairs, m)
		}
	}
	return s
}

// Pairs returns all pairs of CPU and GPU clocks at maximum cores and memory.
func (s *Study) Pairs() []tegra.Mode { return s.pairs }

// Len returns the approximate number of readings.
func (s *Study) Len() int {
	repeated := finalists + len(steps)
	n := min(latticeCPU*latticeGPU+repeated, len(s.pairs))
	if s.beyond {
		n = min(mostSettings, n+mostBeyondPairs)
	}
	return n + (s.repeat-1)*repeated
}

// Next returns the mode to read next, given the readings in order and the modes that failed; false at the end.
func (s *Study) Next(readings []tegra.Measured, failed []tegra.Mode) (tegra.Mode, bool) {
	first := s.firsts(readings)
	out := map[tegra.Mode]bool{}
	for _, m := range failed {
		out[m] = true
	}
	for _, m := range first {
		out[m.Mode] = true
	}
	open := func(list []tegra.Mode) (tegra.Mode, bool) {
		for _, m := range list {
			if !out[m] {
				return m, true
			}
		}
		return tegra.Mode{}, false
	}
	lattice := s.lattice()
	if m, ok := open(lattice); ok {
		return m, true
	}
	if len(first) < mostSettings-beyondPairs {
		if m, ok := open(s.chosen(first, len(lattice))); ok {
			return m, true
		}
		for _, best := range s.wouldBeBest(first) {
			if m, ok := open(s.neighbours(best)); ok {
				return m, true
			}
		}
	}
	if s.beyond && len(first) < mostSettings {
		if m, ok := s.otherwise(first, out); ok {
			return m, true
		}
	}
	return s.again(readings, first)
}

// firsts returns the first reading of each mode, in order.
func (s *Study) firsts(readings []tegra.Measured) (out []tegra.Measured) {
	seen := map[tegra.Mode]bool{}
	for _, m := range readings {
		if m.Batch = 0; !seen[m.Mode] && s.space.Contains(m.Mode) {
			seen[m.Mode] = true
			out = append(out, m)
		}
	}
	return out
}

// lattice returns the first pairs: a few clocks of each kind, evenly spread from the highest to the lowest.
func (s *Study) lattice() (out []tegra.Mode) {
	if len(s.pairs) <= latticeCPU*latticeGPU {
		out = slices.Clone(s.pairs)
		slices.Reverse(out)
		return out
	}
	top := s.space.Max()
	for _, cpu := range spread(s.space.CPU, latticeCPU) {
		for _, gpu := range spread(s.space.GPU, latticeGPU) {
			if m := (tegra.Mode{Cores: top.Cores, CPU: cpu, GPU: gpu, EMC: top.EMC}); s.space.Contains(m) {
				out = append(out, m)
			}
		}
	}
	return out
}

// spread returns n values of an ascending list, evenly from the highest to the lowest.
func spread(list []tegra.Freq, n int) (out []tegra.Freq) {
	n = min(n, len(list))
	for i := range n {
		out = append(out, list[int(math.Round(float64((n-1-i)*(len(list)-1))/float64(max(1, n-1))))])
	}
	return out
}

// fit returns the model of first readings; nil if there are none.
func (s *Study) fit(first []tegra.Measured) *learn.Model {
	if m, ok := s.fits[len(first)]; ok && slices.Equal(m.Samples, first) {
		return m
	}
	m := s.model(first)
	if m != nil {
		s.fits[len(first)] = m
	}
	return m
}

// model fits readings, including repeats of a mode.
func (s *Study) model(readings []tegra.Measured) *learn.Model {
	m, err := learn.Fit(context.Background(), readings, learn.Options{Space: s.space, SkipCV: true})
	if err != nil {
		return nil
	}
	return m
}

// chosen returns the pairs of least energy, one after another, each by the model of the readings before it.
func (s *Study) chosen(first []tegra.Measured, lattice int) (out []tegra.Mode) {
	n := min(lattice, len(first))
	for range finalists {
		model := s.fit(first[:n])
		if model == nil {
			return out
		}
		list := s.ascending(model, s.pairs)
		i := slices.IndexFunc(list, func(m tegra.Mode) bool { return !slices.Contains(out, m) })
		if i < 0 {
			return out
		}
		out = append(out, list[i])
		if !slices.ContainsFunc(first[:n], func(m tegra.Measured) bool { return m.Mode == list[i] }) {
			if n == len(first) || first[n].Mode != list[i] { // it is next, or has failed
				continue
			}
			n++
		}
	}
	return out
}

// ascending sorts modes by energy: measured if the reading is trusted, else predicted.
func (s *Study) ascending(model *learn.Model, modes []tegra.Mode) []tegra.Mode {
	known := s.known(model, modes)
	out := slices.Clone(modes)
	sorted.Stable(out, func(a, b tegra.Mode) int { return cmp.Compare(known[a].EnergyJ(), known[b].EnergyJ()) })
	return out
}

// known returns predictions of modes, replaced by trusted readings.
func (s *Study) known(model *learn.Model, modes []tegra.Mode) map[tegra.Mode]tegra.Measured {
	out := make(map[tegra.Mode]tegra.Measured, len(modes))
	for _, p := range model.Predict(modes) {
		out[p.Mode] = p.Measured
	}
	for _, m := range model.Trusted() {
		if _, asked := out[m.Mode]; asked {
			out[m.Mode] = m
		}
	}
	return out
}

// best returns the trusted reading of least energy among modes accepted by of.
func (s *Study) best(first []tegra.Measured, of func(tegra.Mode) bool) (best tegra.Measured, ok bool) {
	model := s.fit(first)
	if model == nil {
		return best, false
	}
	for _, m := range model.Trusted() {
		if of(m.Mode) && (!ok || m.EnergyJ() < best.EnergyJ()) {
			best, ok = m, true
		}
	}
	return best, ok
}

// wouldBeBest returns the pairs of least energy by trusted readings and by all readings, since readings around an
// outlier confirm or refute it.
func (s *Study) wouldBeBest(first []tegra.Measured) (out []tegra.Mode) {
	var least tegra.Measured
	for _, m := range first {
		if s.isPair(m.Mode) && (least.TimeMS == 0 || m.EnergyJ() < least.EnergyJ()) {
			least = m
		}
	}
	if best, ok := s.best(first, s.isPair); ok {
		out = append(out, best.Mode)
	}
	if least.TimeMS > 0 && !slices.Contains(out, least.Mode) {
		out = append(out, least.Mode)
	}
	return out
}

func (s *Study) isPair(m tegra.Mode) bool {
	top := s.space.Max()
	return m.Cores == top.Cores && m.EMC == top.EMC
}

// steps lead from a pair to its neighbours.
var steps = [...]struct{ cpu, gpu int }{{0, -1}, {0, 1}, {-1, 0}, {1, 0}}

// neighbours returns the pairs one clock step away.
func (s *Study) neighbours(m tegra.Mode) (out []tegra.Mode) {
	c, g := slices.Index(s.space.CPU, m.CPU), slices.Index(s.space.GPU, m.GPU)
	for _, d := range steps {
		i, k := c+d.cpu, g+d.gpu
		if i < 0 || k < 0 || i >= len(s.space.CPU) || k >= len(s.space.GPU) {
			continue
		}
		next := m
		next.CPU, next.GPU = s.space.CPU[i], s.space.GPU[k]
		if s.space.Contains(next) {
			out = append(out, next)
		}
	}
	return out
}

// otherwise returns the next setting with other cores or memory clocks, at the clocks of the best pairs.
func (s *Study) otherwise(first []tegra.Measured, out map[tegra.Mode]bool) (tegra.Mode, bool) {
	model, tried := s.fit(first), 0
	for m := range out {
		if !s.isPair(m) {
			tried++
		}
	}
	if model == nil || tried >= mostBeyondPairs {
		return tegra.Mode{}, false
	}
	var pairs, modes []tegra.Mode
	for _, m := range model.Trusted() {
		if s.isPair(m.Mode) {
			pairs = append(pairs, m.Mode)
		}
	}
	pairs = s.ascending(model, pairs)
	for _, p := range pairs[:min(finalists, len(pairs))] {
		for _, cores := range s.space.Cores {
			for _, emc := range s.space.EMC {
				m := tegra.Mode{Cores: cores, CPU: p.CPU, GPU: p.GPU, EMC: emc}
				if !s.isPair(m) && !out[m] && s.space.Contains(m) {
					modes = append(modes, m)
				}
			}
		}
	}
	if len(modes) == 0 {
		return tegra.Mode{}, false
	}
	return s.ascending(model, modes)[0], true
}

// again returns the next mode to repeat, among those that are or could be the answer if their reading is confirmed. It
// proceeds in rounds, so that drift of the board affects the readings of each.
func (s *Study) again(readings, first []tegra.Measured) (tegra.Mode, bool) {
	model := s.fit(first)
	if model == nil {
		return tegra.Mode{}, false
	}
	var pairs, others []tegra.Mode
	for _, m := range model.Trusted() {
		if s.isPair(m.Mode) {
			pairs = append(pairs, m.Mode)
		} else {
			others = append(others, m.Mode)
		}
	}
	list := s.ascending(model, pairs)
	list = slices.Clone(list[:min(finalists+len(steps), len(list))])
	if others = s.ascending(model, others); len(others) > 0 {
		list = append(list, others[0])
	}
	if best, ok := s.best(first, func(tegra.Mode) bool { return true }); ok {
		for _, m := range first {
			if slices.Contains(model.Suspicious, m.Setting) && m.EnergyJ() < best.EnergyJ() {
				list = append(list, m.Mode)
			}
		}
	}
	count := map[tegra.Mode]int{}
	for _, m := range readings {
		count[m.Mode]++
	}
	for round := 2; round <= s.repeat; round++ {
		for _, m := range list {
			if count[m] < round {
				return m, true
			}
		}
	}
	return tegra.Mode{}, false
}
