package optimize

// What an answer is compared with is measured too: first the mode that the board is in, which costs nothing to try
// since the job runs there today, and last the vendor's best preset for the same goal. Neither counts where a search
// decides how long it goes on; both count towards the cap of probes.

import "jtune/tegra"

// Reasons of the probes of baselines.
const (
	Before Why = "before" // the mode that the board was in
	Vendor Why = "preset" // the vendor's best preset for the goal
)

// IsBaseline reports whether a probe was made to compare the answer with, not to find it.
func (w Why) IsBaseline() bool { return w == Before || w == Vendor }

// Baselines are what an answer is compared with.
type Baselines struct {
	// Present is the setting that the board is in, measured first whatever is expected of it; absent: it is not.
	Present tegra.Val[tegra.Setting]
	// Presets are the vendor's modes, of which the best for the goal is measured last; nil: none is.
	Presets []tegra.Preset
	// Warm are readings that are so new that a baseline among them is not measured again.
	Warm []tegra.Measured
}

// comparing measures the baselines of a search.
type comparing struct {
	search *search
	asked  bool                     // the present mode was measured, or cannot be
	preset tegra.Val[tegra.Setting] // the vendor's best for the goal
}

// Fewest caps of probes with which the baselines are measured.
const (
	CapForPresent = 2 // the mode that the board is in
	capForPreset  = 4 // the vendor's best preset
)

// warm is the mean of the newest readings of a setting made before this search; N is 0 where there is none.
func (b Baselines) warm(at tegra.Setting) (out tegra.Mean) {
	for _, m := range b.Warm {
		if m.Setting == at {
			out = out.And(tegra.Mean{Measured: m, N: 1})
		}
	}
	return out
}

// Probes is how many measurements the baselines take at most.
func (b Baselines) Probes() (n int) {
	if b.Present.OK && b.warm(b.Present.V).N == 0 {
		n++
	}
	if b.Presets != nil {
		n++
	}
	return n
}

// Newest is what these probes measured of a setting, else what was measured just before them; N is 0 where nothing was.
func (b Baselines) Newest(probes []Probe, at tegra.Setting) (out tegra.Mean) {
	for _, p := range probes {
		if p.Err == nil && p.Setting == at {
			out = out.And(tegra.Mean{Measured: p.Measured, N: 1})
		}
	}
	if out.N == 0 {
		out = b.warm(at)
	}
	return out
}

// forPreset is how many probes are left for a preset.
func (c *comparing) forPreset() int {
	s := c.search
	if s.o.Baselines.Presets == nil || c.preset.OK || s.cap < capForPreset {
		return 0
	}
	return 1
}

// measurePresent measures the present mode, once; false when the search is over.
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

// started reports whether a mode was read from which a search may go on: any but the present one where that is far
// over a power limit, since all that it shows then is that other modes draw less.
func (c *comparing) started() bool {
	s := c.search
	for _, i := range s.order {
		if i != c.present() || s.limit.harmless(s.mean(i)) {
			return true
		}
	}
	return false
}

// told is how many modes were read that say something of those near a power limit: all but a present mode far over it.
func (c *comparing) told() int {
	s := c.search
	n := len(s.order)
	if i := c.present(); i >= 0 && len(s.readings[i]) > 0 && !s.limit.harmless(s.mean(i)) {
		n--
	}
	return n
}

// present is the index of the present mode; -1 where none is.
func (c *comparing) present() int {
	s := c.search
	if at := s.o.Baselines.Present; at.OK {
		return s.at(at.V)
	}
	return -1
}

// measurePreset measures the best preset for the goal, unless it was measured already; it reports whether it did.
func (c *comparing) measurePreset() bool {
	s := c.search
	if s.over() || s.o.Baselines.Presets == nil || len(s.order) == 0 {
		return false
	}
	best, _ := s.best()
	if best < 0 {
		best = s.nearest()
	}
	p, ok := c.bestPreset(s.places.At(best).Batch)
	if !ok {
		return false
	}
	c.preset = tegra.Some(p)
	i, _ := s.places.Index(p)
	if len(s.fresh(i)) > 0 || s.o.Baselines.warm(p).N > 0 || s.failed[i] || len(s.probes) >= s.cap ||
		s.cap < capForPreset || s.o.Baselines.Present.OK && s.o.Baselines.Present.V == p {
		return false
	}
	return s.probe(i, Vendor)
}

// bestPreset is the preset that serves the goal best of those that keep the limits, by what was measured or is
// predicted, or by the watts in its name; for least energy it is the fastest mode. It is never one that the model
// does not trust to stay near a power limit. False where there is none.
func (c *comparing) bestPreset(batch int) (tegra.Setting, bool) {
	s := c.search
	if s.fit() != nil {
		return tegra.Setting{}, false
	}
	b := s.believe()
	l := s.limit
	found := tegra.Setting{}
	var best tegra.Measured
	for _, p := range c.presets() {
		at := tegra.Setting{Mode: p.Mode, Batch: batch}
		if at.Mode.EMC == 0 { // the top rate, which only root can read
			at.Mode.EMC = s.o.Space.Max().EMC
		}
		i, ok := s.places.Index(at)
		if !ok || s.absent[i] || s.failed[i] {
			continue
		}
		m, measured := s.model.PredictSettings([]tegra.Setting{at})[0].Measured, len(s.readings[i]) > 0
		if measured {
			m = s.mean(i)
		}
		watts := tegra.PresetWatts(p.Name)
		labelled := watts.OK && watts.V <= l.PowerW && m.PowerW <= MaxOvershoot*l.PowerW
		keeps := (l.PowerW == 0 || m.PowerW <= l.PowerW || labelled) && (l.TimeMS == 0 || m.TimeMS <= l.TimeMS)
		if !keeps || !measured && !b.trusted(l, i, 0) {
			continue
		}
		if best.TimeMS == 0 || l.objective().better(m, best) {
			found, best = at, m
		}
	}
	return found, best.TimeMS > 0
}

// presets are those that an answer may be compared with.
func (c *comparing) presets() []tegra.Preset {
	s := c.search
	if l := s.limit; l.objective() != byEnergy || l.PowerW > 0 || l.TimeMS > 0 {
		return s.o.Baselines.Presets
	}
	return []tegra.Preset{{Name: "MAXN", Mode: s.o.Space.Max()}}
}

// baselines are the readings of what the answer is compared with.
func (c *comparing) baselines(r *Result) {
	s := c.search
	r.Before, r.Preset = c.baseline(s.o.Baselines.Present), c.baseline(c.preset)
	if s.o.More == nil || r.Preset.N == 0 {
		return
	}
	if p, ok := c.bestPreset(r.Preset.Batch); !ok || p != r.Preset.Setting { // it is the best for another limit
		r.Preset = tegra.Mean{}
	}
}

func (c *comparing) baseline(at tegra.Val[tegra.Setting]) (out tegra.Mean) {
	s := c.search
	if !at.OK {
		return out
	}
	return s.o.Baselines.Newest(s.probes, at.V)
}

// own is how many probes the search made for itself.
func (c *comparing) own() (n int) {
	s := c.search
	for _, p := range s.probes {
		if !p.Why.IsBaseline() {
			n++
		}
	}
	return n
}

// commonest is the limit for which the preset is measured where several limits share it: the one whose best preset
// most limits share, the highest of these.
func commonest(s *search, limits []Limit) int {
	found, most := 0, 0
	votes := map[tegra.Setting]int{}
	best := make([]tegra.Val[tegra.Setting], len(limits))
	for i, l := range limits {
		s.limit = l
		if p, ok := s.compared.bestPreset(0); ok {
			best[i] = tegra.Some(p)
			votes[p]++
		}
	}
	for i := range limits {
		if n := votes[best[i].V]; best[i].OK && (n > most || n == most && limits[i].PowerW > limits[found].PowerW) {
			found, most = i, n
		}
	}
	return found
}
