package optimize

import (
	"fmt"
	"math"

	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Step is a measurement that a search is about to make, with its reason and predictions.
type Step struct {
	tegra.Setting
	Why   Why
	Limit metric.Goal // limit of the answer sought
	// Gain is the expected relative improvement over the best so far, weighted by the chance to keep the limit; absent
	// while no mode keeps it, or without a prediction.
	Gain tegra.Val[float64]
	// Keeps is the chance that the reading keeps the limit, 0 to 1; absent without a limit on power or time, or without
	// a prediction.
	Keeps tegra.Val[float64]
	// PowerW is the predicted power, absent without a prediction, and LnPowerSD the standard deviation of its
	// logarithm.
	PowerW    tegra.Val[float64]
	LnPowerSD float64
	// MostW is the power at which the measurement is stopped, in watts; 0: never.
	MostW float64
	// Nearest is true if no mode keeps the power limit and this one draws least.
	Nearest bool
	// Toward is the most promising setting not yet trusted to keep the power limit, if this measurement is made to
	// inform about it.
	Toward tegra.Val[tegra.Setting]
}

// String gives the reason in a few words.
func (s Step) String() string {
	keep := ""
	if s.Keeps.OK {
		keep = fmt.Sprintf("%.0f %% sure to fit %s", 100*s.Keeps.V, s.Limit.Brief())
	}
	switch {
	case s.Why == Before:
		return "the mode that the board is in: what the answer is compared with"
	case s.Why == Vendor:
		return "the vendor's best preset for this goal: what the answer is compared with"
	case s.Why == Start && !s.Gain.OK && !s.Keeps.OK:
		return "nothing is known yet: a mode that shows what each clock does"
	case s.Why == Start:
		return "spread over all modes: for a model of the whole front"
	case s.Why == Verify && s.Nearest:
		return "no mode fits " + s.Limit.Brief() + ": what the nearest one does"
	case s.Why == Verify:
		return "once more: one reading may be luck"
	case s.Toward.OK:
		return fmt.Sprintf("most informative about %s, not yet trusted to fit %s", s.Toward.V.Mode, s.Limit.Brief())
	case s.Gain.OK && keep != "":
		return fmt.Sprintf("expected gain on the best so far %s, %s", percent(s.Gain.V), keep)
	case s.Gain.OK:
		return "expected gain on the best so far " + percent(s.Gain.V)
	case keep != "":
		return fmt.Sprintf("none fits %s yet: this one is %s", s.Limit.Brief(), keep)
	}
	return "drawn at random"
}

func percent(share float64) string {
	switch {
	case share < 0.001:
		return "below 0.1 %"
	case share >= 0.1:
		return fmt.Sprintf("%.0f %%", 100*share)
	}
	return fmt.Sprintf("%.2g %%", 100*share)
}

// step describes the upcoming measurement of setting i.
func (s *search) step(i int, why Why) Step {
	out := Step{Setting: s.places.At(i), Why: why, Limit: s.limit, Toward: s.toward, MostW: s.mostW(why),
		Nearest: s.toItsEnd}
	if !s.auto() || s.model == nil || len(s.order) == 0 {
		return out
	}
	r := s.rule()
	r.know([]int{i})
	out.PowerW, out.LnPowerSD = tegra.Some(math.Exp(r.lnP[i])), r.sdPower(i)
	if s.limit.Limited() {
		out.Keeps = tegra.Some(r.chance(i))
	}
	if r.found {
		out.Gain = tegra.Some(r.gain(i))
	}
	return out
}

// Seen is the state of a search after a probe.
type Seen struct {
	Probe
	Model *learn.Surrogate // fitted to all probes; nil if there is none yet
	Best  tegra.Mean       // best so far within Probe.Limit, the mean of its readings; N is 0 if there is none
}

// seeing returns the state after probe p.
func (s *search) seeing(p Probe) Seen {
	out := Seen{Probe: p, Model: s.model}
	if i, ok := s.best(); ok {
		out.Best = s.told(i)
	}
	return out
}
