package optimize

// Measurements of earlier searches (docs/method.md, Search rule, "What is known already"). Before using them, a search
// remeasures the best known mode, or the mode that they predict to be better:
//
//	as predicted        all known modes count as they are
//	not as predicted    a known mode far from the first is measured again:
//	    by as much     the known modes count with the mean offset in ln time and ln power
//	    otherwise      they are dropped, and the search continues from the new readings
//
// It then ends sooner than a search from nothing (knownProbes).

import (
	"fmt"
	"math"
	"slices"

	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/tegra"
)

const (
	driftZ     = 3    // standard deviations of a reading that count as drift
	driftLeast = 0.03 // in logarithms: drift that is always tolerated
	promise    = 0.03 // expected improvement at which an unknown mode is the best guess
	// mostKnown limits the cost of a step: of more known modes, a random subset is fitted.
	mostKnown = 150
)

// Drift is the change of a board's readings since earlier ones, in logarithms.
type Drift struct{ LnTime, LnPower float64 }

func (d Drift) String() string {
	return fmt.Sprintf("time %+.1f %%, power %+.1f %%", 100*math.Expm1(d.LnTime), 100*math.Expm1(d.LnPower))
}

// Of returns an earlier reading corrected for the drift.
func (d Drift) Of(m tegra.Measured) tegra.Measured {
	m.TimeMS *= math.Exp(d.LnTime)
	m.PowerW *= math.Exp(d.LnPower)
	return m
}

// beyond reports whether readings have moved by more than the noise of a reading with these standard deviations.
func (d Drift) beyond(sdTime, sdPower float64) bool {
	return math.Abs(d.LnTime) > max(driftLeast, driftZ*sdTime) ||
		math.Abs(d.LnPower) > max(driftLeast, driftZ*sdPower)
}

// between returns the drift from one reading to a later one.
func between(earlier, later tegra.Measured) Drift {
	return Drift{math.Log(later.TimeMS / earlier.TimeMS), math.Log(later.PowerW / earlier.PowerW)}
}

// recall takes the measurements of earlier searches, the median of each setting.
func (s *search) recall(rows []tegra.Measured) {
	s.known, s.unfitted = map[int]tegra.Measured{}, map[int]bool{}
	var order []int
	for _, m := range tegra.OncePerSetting(rows) {
		if i, ok := s.places.Index(m.Setting); ok && !s.absent[i] && stats.Positive(m.TimeMS, m.PowerW) {
			s.known[i] = m
			s.read(i, m)
			order = append(order, i)
		}
	}
	for _, k := range draw(s.rng, upTo(len(order)), max(0, len(order)-mostKnown)) {
		s.unfitted[order[k]] = true
	}
}

// checkKnown remeasures the best guess and decides how the known modes count; false if the search is over.
func (s *search) checkKnown() bool {
	if s.fitErr = s.fit(); s.fitErr != nil {
		s.ended = Failing
		return false
	}
	p, moved, ok := s.check(s.guess, s.mayGoOn)
	if _, known := s.known[s.at(p.Setting)]; ok && moved.far && !known {
		// Only a remeasured mode shows whether the board has changed.
		p, moved, ok = s.check(s.bestKnown, s.mayGoOn)
	}
	if !ok || !moved.far {
		return ok
	}
	s.shift(moved.Drift)
	// One mode alone says nothing about the others: the measurement reserved for the answer may be used.
	_, rest, ok := s.check(func() int { return s.farKnown(p.Setting) }, func() bool { return true })
	switch {
	case !ok:
		return false
	case rest.far || rest.none:
		s.setAside(p, moved.Drift)
	default:
		s.shift(Drift{moved.LnTime + rest.LnTime/2, moved.LnPower + rest.LnPower/2})
		s.warn("the board has drifted since the %s were measured that are known: they count with %v",
			text.Count(len(s.known), "mode"), s.drift)
	}
	return s.fitErr == nil
}

// movement is the result of a check.
type movement struct {
	Drift
	far  bool // more than noise
	none bool // no mode was left to check
}

// at returns the index of a setting; -1 for the empty one.
func (s *search) at(a tegra.Setting) int {
	if i, ok := s.places.Index(a); ok {
		return i
	}
	return -1
}

// check measures the mode returned by choose, until one can be measured, and compares it with its earlier reading or,
// without one, with its prediction.
func (s *search) check(choose func() int, may func() bool) (p Probe, m movement, ok bool) {
	for {
		i := choose()
		if i < 0 {
			return Probe{}, movement{none: true}, true
		}
		earlier, known := s.known[i]
		why := Improve
		if known {
			why = Verify
		}
		if !may() || !s.probe(i, why) {
			return Probe{}, movement{}, false
		}
		if p = s.probes[len(s.probes)-1]; p.Err != nil {
			continue
		}
		m.Drift = between(p.Predicted.Measured, p.Measured)
		if known {
			m.Drift = between(s.drift.Of(earlier), p.Measured)
		}
		m.far = m.beyond(p.Predicted.LnTimeSD, p.Predicted.LnPowerSD)
		return p, m, true
	}
}

// guess returns the best guess: the best known mode, unless the model predicts a better one; -1 for none.
func (s *search) guess() int {
	i := s.bestKnown()
	if i >= 0 && !(s.met(i) && s.promising(i)) {
		return i
	}
	l := &loop{search: s}
	b := l.believe()
	if next, ok := l.next(&b); ok {
		return next
	}
	return -1
}

// bestKnown returns the best known mode that may be measured again; -1 for none.
func (s *search) bestKnown() int {
	list := s.checkable()
	if i := bestIn(list, s.limit); i >= 0 {
		return s.at(list[i].Setting)
	}
	return -1
}

// promising reports whether an unmeasured mode is expected to beat known mode i by enough to be the best guess.
func (s *search) promising(i int) bool {
	l := &loop{search: s}
	b := l.believe()
	goal := s.lnGoal(i)
	for k, open := range b.open {
		if open && b.improvement(s.limit, k, goal) >= promise && b.trusted(s.limit, k, l.caution()) {
			return true
		}
	}
	return false
}

// checkable returns the known modes not measured since and safe enough with respect to a power limit to measure again.
func (s *search) checkable() []tegra.Measured {
	var out []tegra.Measured
	for _, i := range s.order {
		if _, known := s.known[i]; known && !s.failed[i] && len(s.fresh(i)) == 0 && s.limit.harmless(s.mean(i)) {
			out = append(out, s.mean(i))
		}
	}
	return out
}

// farKnown returns the known mode farthest from a setting that may be measured again; -1 for none.
func (s *search) farKnown(from tegra.Setting) int {
	list := s.checkable()
	if i := farthest(list, from, s.o.Space); i >= 0 {
		return s.at(list[i].Setting)
	}
	return -1
}

// shift offsets the known modes; those measured since count with their new readings alone.
func (s *search) shift(d Drift) {
	s.drift = d
	for i, m := range s.known {
		s.readings[i] = append([]tegra.Measured{d.Of(m)}, s.fresh(i)...)
		if len(s.readings[i]) > 1 {
			s.readings[i] = s.readings[i][1:]
		}
	}
	s.fitErr = s.fit()
}

// fresh returns this search's readings of a mode.
func (s *search) fresh(i int) []tegra.Measured {
	var out []tegra.Measured
	for _, p := range s.probes {
		if p.Err == nil && p.Setting == s.places.At(i) {
			out = append(out, p.Measured)
		}
	}
	return out
}

// setAside drops the known modes except for their new readings.
func (s *search) setAside(p Probe, moved Drift) {
	s.warn("%s were measured before and are set aside: %s has moved by %v, others have not, or not by as much",
		text.Count(len(s.known), "mode"), s.o.Space.Format(p.Mode), moved)
	for i := range s.known {
		if s.readings[i] = s.fresh(i); len(s.readings[i]) == 0 {
			delete(s.readings, i)
		}
	}
	s.order = slices.DeleteFunc(s.order, func(i int) bool { return len(s.readings[i]) == 0 })
	s.known, s.drift = nil, Drift{}
	s.fitErr = s.fit()
}
