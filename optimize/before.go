package optimize

// Baselines are measured too: first the board's current mode, which is safe because the job already runs there, and
// last NVIDIA's best preset for the same goal. Neither affects when a search stops; both count towards the cap of
// probes.

import (
	"math"

	"jtune/tegra"
	"jtune/tegra/metric"
)

// Reasons for baseline probes.
const (
	Before Why = "before" // the board's current mode
	Vendor Why = "preset" // NVIDIA's best preset for the goal
)

// isBaseline reports whether a probe measured a baseline rather than a candidate.
func (w Why) isBaseline() bool { return w == Before || w == Vendor }

// Baselines are the settings with which the answer is compared.
type Baselines struct {
	// Present is the board's current setting, always measured first; absent: it is not measured.
	Present tegra.Val[tegra.Setting]
	// Presets are NVIDIA's modes, of which the best for the goal is measured last; nil: none is.
	Presets []tegra.Preset
	// Warm are recent readings; a baseline among them is not measured again.
	Warm []tegra.Measured
}

// comparing measures the baselines of a search.
type comparing struct {
	search *search
	asked  bool                       // the current mode was measured, or cannot be
	best   []tegra.Val[tegra.Setting] // best preset for each limit; absent: none, or no preset was measured
	preset tegra.Val[tegra.Setting]   // the one of best that was chosen to be measured
}

// Smallest caps of probes at which the baselines are measured.
const (
	CapForPresent = 3 // for the current mode
	capForPreset  = 4 // for NVIDIA's best preset
)

// warm returns the mean of the Warm readings of a setting; N is 0 without any.
func (b Baselines) warm(at tegra.Setting) (out tegra.Mean) {
	for _, m := range b.Warm {
		if m.Setting == at {
			out = out.And(tegra.Mean{Measured: m, N: 1})
		}
	}
	return out
}

// Probes returns the largest number of baseline measurements.
func (b Baselines) Probes() (n int) {
	if b.Present.OK && b.warm(b.Present.V).N == 0 {
		n++
	}
	if b.Presets != nil {
		n++
	}
	return n
}

// forPreset returns the number of probes reserved for a preset.
func (c *comparing) forPreset() int {
	s := c.search
	if s.o.Baselines.Presets == nil || c.preset.OK || s.cap < capForPreset {
		return 0
	}
	return 1
}

// measurePresent measures the current mode once; false if the search is over.
func (c *comparing) measurePresent() bool {
	s := c.search
	at := s.o.Baselines.Present
	if !at.OK || c.asked {
		return true
	}
	c.asked = true
	i, ok := s.places.Index(at.V)
	if !ok || s.absent[i] || s.o.Baselines.warm(at.V).N > 0 || s.cap < CapForPresent {
		return true
	}
	return s.probe(i, Before)
}

// measurePreset measures the preset that is the best for the most limits, unless it was already measured, and reports
// whether it did.
func (c *comparing) measurePreset(limits []metric.Goal) bool {
	s := c.search
	if s.over() || s.o.Baselines.Presets == nil || len(s.order) == 0 {
		return false
	}
	s.seek(limits[c.commonest(limits)])
	if !c.preset.OK {
		return false
	}
	p := c.preset.V
	i, _ := s.places.Index(p)
	if len(s.readings[i]) > 0 || s.o.Baselines.warm(p).N > 0 || s.failed[i] || len(s.probes) >= s.cap ||
		s.cap < capForPreset || s.o.Baselines.Present.OK && s.o.Baselines.Present.V == p {
		return false
	}
	return s.probe(i, Vendor)
}

// bestPreset returns the preset within the limits that serves the goal best, by measurement, prediction or the watts in
// its name; for least energy it is the fastest mode. The model must trust it to stay near a power limit. False if there
// is none.
func (c *comparing) bestPreset(batch int) (tegra.Setting, bool) {
	s := c.search
	if s.fit() != nil {
		return tegra.Setting{}, false
	}
	r := s.rule()
	found, least := tegra.Setting{}, math.Inf(1)
	for _, p := range c.presets() {
		at := tegra.Setting{Mode: p.ModeIn(s.o.Space), Batch: batch}
		i, ok := s.places.Index(at)
		if !ok || s.absent[i] || s.failed[i] {
			continue
		}
		r.know([]int{i})
		m, measured := s.model.PredictSettings([]tegra.Setting{at})[0].Measured, len(s.readings[i]) > 0
		if measured {
			m = s.mean(i)
		}
		watts := tegra.PresetWatts(p.Name)
		named := m // what a preset is named for counts, unless it would do harm
		l, t := s.limitOn(m), r.terms(i)
		if watts.OK && harmless(l, m) {
			named.PowerW = min(m.PowerW, watts.V)
		}
		if !l.Met(named) || !measured && r.heat(i) > hotS*s.o.risk() {
			continue
		}
		if goal := t.at(math.Log(m.TimeMS), math.Log(m.PowerW)); goal < least {
			found, least = at, goal
		}
	}
	return found, !math.IsInf(least, 1)
}

// harmless reports whether a setting is close enough to the limits that may do harm to be measured.
func harmless(l metric.Goal, m tegra.Measured) bool {
	for b := range l.Limits.Each() {
		if b.Harm && b.Over(b.Of(m)) > math.Log(MaxOvershoot) {
			return false
		}
	}
	return true
}

// presets returns the presets that may serve as baselines.
func (c *comparing) presets() []tegra.Preset {
	s := c.search
	if s.limit.Aim() != metric.Energy || s.rule().limits() > 0 {
		return s.o.Baselines.Presets
	}
	return []tegra.Preset{{Name: "MAXN", Mode: s.o.Space.Max()}}
}

// baselines stores the readings of the baselines in the answer to limit i.
func (c *comparing) baselines(r *Answer, i int) {
	r.Before = c.baseline(c.search.o.Baselines.Present)
	if c.best[i] == c.preset { // else it is the best for another limit
		r.Preset = c.baseline(c.preset)
	}
}

// baseline returns the mean of the probes of a setting, else of the Warm readings; N is 0 without any.
func (c *comparing) baseline(at tegra.Val[tegra.Setting]) (out tegra.Mean) {
	for _, p := range c.search.probes {
		if at.OK && p.Err == nil && p.Setting == at.V {
			out = out.And(tegra.Mean{Measured: p.Measured, N: 1})
		}
	}
	if at.OK && out.N == 0 {
		out = c.search.o.Baselines.warm(at.V)
	}
	return out
}

// own returns the number of probes other than baselines.
func (c *comparing) own() (n int) {
	s := c.search
	for _, p := range s.probes {
		if !p.Why.isBaseline() {
			n++
		}
	}
	return n
}

// commonest finds the best preset for each limit, and returns the index of the limit for which one is measured: among
// the limits that share the most common best preset, the highest.
func (c *comparing) commonest(limits []metric.Goal) int {
	s, found, most := c.search, 0, 0
	votes := map[tegra.Setting]int{}
	for i, l := range limits {
		s.seek(l)
		best, ok := s.best()
		if !ok {
			best = s.nearest()
		}
		if p, ok := c.bestPreset(s.places.At(max(best, 0)).Batch); ok {
			c.best[i] = tegra.Some(p)
			votes[p]++
		}
	}
	for i, p := range c.best {
		if n := votes[p.V]; p.OK && (n > most || n == most &&
			limits[i].Of(metric.Power) > limits[found].Of(metric.Power)) {
			found, most, c.preset = i, n, p
		}
	}
	return found
}
