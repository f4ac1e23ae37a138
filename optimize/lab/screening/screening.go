// Package screening chooses the settings that the energy study of inference measures: which clocks answer a request
// with the least energy? The slides on the energy impact of device parameters ask this for all pairs of CPU and GPU
// clocks at maximum cores and memory. Measuring all of them takes days, so the model screens them:
//
//	24 pairs, evenly spread ──► model ──► 9 pairs of least energy ──► fewer cores and slower memory at the best pairs
//	                            ▲─── each reading ───┘                          └──► the best of all again
//
// Each first reading depends only on the first readings before it, so an interrupted study continues unchanged. An
// outlier is never the answer: the model's outlier rule decides (docs/method.md, Outliers), and only two consistent
// readings override it.
package screening

import (
	"cmp"
	"math"
	"slices"

	"jtune/internal/sorted"
	"jtune/learn"
	"jtune/optimize/energy"
	"jtune/tegra"
)

// Settings of the study.
const (
	latticeCPU, latticeGPU = 4, 6 // clocks of the first pairs
	finalists              = 9    // pairs of least energy to read, and at whose clocks cores and memory vary
	mostBeyondPairs        = 16   // settings with other numbers of cores and memory clocks: the remainder of
	mostSettings           = 40
)

// Study chooses what to measure. Readings have one batch size.
type Study struct {
	space  *tegra.Space
	pairs  []tegra.Mode
	repeat int
	beyond bool
	model  *learn.Model // of the newest first readings
}

// NewStudy returns a study of a board. It reads each setting that may be the answer repeat times. beyond also varies
// cores and memory clocks.
func NewStudy(space *tegra.Space, repeat int, beyond bool) *Study {
	return &Study{space: space, pairs: energy.Pairs(space), repeat: max(1, repeat), beyond: beyond}
}

// Pairs returns all pairs of CPU and GPU clocks at maximum cores and memory.
func (s *Study) Pairs() []tegra.Mode { return s.pairs }

// Len returns the approximate number of readings.
func (s *Study) Len() int {
	n := min(latticeCPU*latticeGPU+finalists, len(s.pairs))
	if s.beyond {
		n = min(mostSettings, n+mostBeyondPairs)
	}
	return n + (s.repeat-1)*finalists
}

// Next returns the mode to read next, given the readings in order and the modes that failed; false at the end.
func (s *Study) Next(readings []tegra.Measured, failed []tegra.Mode) (tegra.Mode, bool) {
	first := s.firsts(readings)
	out, pairs := map[tegra.Mode]bool{}, 0
	for _, m := range append(tegra.ModesOf(tegra.SettingsOf(first)), failed...) {
		if !out[m] && energy.IsPair(s.space, m) {
			pairs++
		}
		out[m] = true
	}
	lattice := s.lattice()
	for _, m := range lattice {
		if !out[m] {
			return m, true
		}
	}
	model := s.fit(first)
	if model == nil {
		return tegra.Mode{}, false
	}
	open := s.pairs
	if pairs >= len(lattice)+finalists {
		open = nil
	}
	unread := func(m tegra.Mode) bool { return !out[m] }
	if !slices.ContainsFunc(open, unread) && s.beyond && len(out)-pairs < mostBeyondPairs && len(first) < mostSettings {
		open = s.beside(model)
	}
	if open = slices.DeleteFunc(slices.Clone(open), func(m tegra.Mode) bool { return out[m] }); len(open) > 0 {
		return ascending(model, open)[0], true
	}
	return s.again(readings, first, model)
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
	if s.model == nil || !slices.Equal(s.model.Samples, first) {
		s.model = energy.Fit(s.space, first)
	}
	return s.model
}

// ascending sorts modes by energy: measured if the reading is trusted, else predicted.
func ascending(model *learn.Model, modes []tegra.Mode) []tegra.Mode {
	known := map[tegra.Mode]float64{}
	for _, p := range model.Predict(modes) {
		known[p.Mode] = p.EnergyJ()
	}
	for _, m := range model.Trusted() {
		known[m.Mode] = m.EnergyJ()
	}
	out := slices.Clone(modes)
	sorted.Stable(out, func(a, b tegra.Mode) int { return cmp.Compare(known[a], known[b]) })
	return out
}

// trusted returns the modes of trusted readings, pairs and others, each by ascending energy.
func (s *Study) trusted(model *learn.Model) (pairs, others []tegra.Mode) {
	for _, m := range ascending(model, tegra.ModesOf(tegra.SettingsOf(model.Trusted()))) {
		if energy.IsPair(s.space, m) {
			pairs = append(pairs, m)
		} else {
			others = append(others, m)
		}
	}
	return pairs[:min(finalists, len(pairs))], others[:min(1, len(others))]
}

// beside returns the settings with other cores or memory clocks at the clocks of the best pairs.
func (s *Study) beside(model *learn.Model) (modes []tegra.Mode) {
	best, _ := s.trusted(model)
	for _, p := range best {
		for _, p.Cores = range s.space.Cores {
			for _, p.EMC = range s.space.EMC {
				if !energy.IsPair(s.space, p) && s.space.Contains(p) {
					modes = append(modes, p)
				}
			}
		}
	}
	return modes
}

// again returns the next mode to repeat, among those that are or could be the answer if their reading is confirmed. It
// proceeds in rounds, so that drift of the board affects the readings of each.
func (s *Study) again(readings, first []tegra.Measured, model *learn.Model) (tegra.Mode, bool) {
	best, other := s.trusted(model)
	list, least := append(best, other...), math.Inf(1)
	for _, m := range model.Trusted() {
		least = min(least, m.EnergyJ())
	}
	for _, m := range first {
		if slices.Contains(model.Suspicious, m.Setting) && m.EnergyJ() < least {
			list = append(list, m.Mode)
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
