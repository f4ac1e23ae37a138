package optimize

// Multi-dimensional binary search (docs/method.md, Binary search): probe the middle of every knob's remaining range;
// over the power limit drop the higher half of one knob, else the lower half, in rotation. It needs about log2 of the
// number of modes in probes, assumes that every clock alone trades time for power, and has no guarantee. Our additions:
// a time limit mirrors the rule (fast enough: drop the higher half), a mode that the space lacks is replaced by the
// nearest, and a mode that cannot be measured counts as over the limit.
//
// Batch sizes are a fifth knob, last in the rotation. They need a power limit, since the search maximises samples per
// second:
//
//	within both limits    drop the lower half of the knob in turn
//	over the power limit  drop the higher half of a power knob; at a size's turn take the next power knob,
//	                      or the size itself if none is left
//	over the time limit   drop the lower half of a power knob, or the higher half of the sizes
//	over both             drop the higher half of the knob in turn, and of the sizes

import (
	"errors"
	"fmt"
	"math"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/optimize/ladder"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Halving is one step of a binary search.
type Halving struct {
	tegra.Setting              // the middle of the remaining ranges
	Knob          tegra.Knob   // BatchKnob for the batch size
	Raised        bool         // the lower half was dropped, else the higher
	Sizes         bool         // the higher half of the sizes was also dropped
	Left          ladder.Rungs // values left of each knob after the step; 1 for sizes that are not an input
}

func (h Halving) String() string {
	half, knob, batch, sizes := "higher", "batch", "", ""
	if h.Raised {
		half = "lower"
	}
	if h.Knob < tegra.NumKnobs {
		knob = h.Knob.String()
	}
	if h.Sizes {
		knob += " and of batch"
	}
	if h.Batch > 0 {
		batch, sizes = fmt.Sprintf(" batch %d", h.Batch), fmt.Sprintf(" × sizes %d", h.Left[ladder.BatchKnob])
	}
	return fmt.Sprintf("%v%s: %s half of %s dropped, left settings: cores %d × CPU %d × GPU %d × memory %d%s",
		h.Mode, batch, half, knob, h.Left[tegra.KnobCores], h.Left[tegra.KnobCPU], h.Left[tegra.KnobGPU],
		h.Left[tegra.KnobEMC], sizes)
}

// binary runs the search until just before the verification.
func (s *search) binary() error {
	switch {
	case !s.limit.Limits.Harm() && s.places.Batches != nil:
		return errors.New("a binary search over batch sizes needs a power limit, with or without a time limit")
	case !s.limit.Limited():
		return errors.New("a binary search needs a power limit or a time limit")
	}
	order, err := s.o.Rotation.Knobs()
	if err != nil {
		return err
	}
	lists := ladder.New(s.o.Space)
	b := lists.Whole(len(s.places.Batches))
	for turn := 0; !b.Single(); turn++ {
		k := s.o.Rotation.Turns.Next(&b, order, &turn)
		i := lists.Nearest(b.Middle(), s.places, s.absent)
		over, ok := s.overAt(i)
		if !ok {
			return nil
		}
		at := s.places.At(i)
		h := Halving{Setting: at, Knob: k}
		switch {
		case s.places.Batches == nil:
			h.Raised = raiseMode(s.limit, over)
		case k == ladder.BatchKnob && over == overPower: // at lower power knobs, more samples per second fit
			h.Knob = nextPowerKnob(&b, order, &turn)
		case k == ladder.BatchKnob:
			h.Raised = over == 0
		default:
			h.Raised = over&overPower == 0
			h.Sizes = over == overPower|overTime && b.Lo[ladder.BatchKnob] < b.Hi[ladder.BatchKnob]
		}
		b.Drop(h.Knob, h.Raised)
		if h.Sizes {
			b.Drop(ladder.BatchKnob, false)
		}
		h.Left = b.Left()
		if s.trace = append(s.trace, h); s.o.Halved != nil {
			s.o.Halved(h)
		}
	}
	s.overAt(lists.Nearest(b.Lo, s.places, s.absent)) // the one that is left
	return nil
}

const (
	poorBy   = 0.1 // in ln of the objective: by how much a prediction beats a poor answer
	poorFrom = 6   // measured modes; with fewer, predictions are unreliable
)

// warnOfPoor warns if a model of all readings predicts a mode within the limits that is much better than the answer of
// a binary search.
func (s *search) warnOfPoor(r *Result) {
	if s.o.Strategy != Binary || !r.Feasible || r.Model == nil || len(s.order) < poorFrom {
		return
	}
	preds := r.Model.PredictSettings(s.places.All())
	for i := range preds {
		if s.failed[i] || len(s.readings[i]) > 0 {
			preds[i].TimeMS = 0
		}
	}
	medians := s.limit
	medians.Margin = metric.NoMargin
	i, err := Choose(preds, medians)
	if err != nil {
		return
	}
	c := preds[i]
	if aim := s.limit.Aim().Aim; math.Log(aim(r.Measured)/aim(c.Measured)) < poorBy {
		return
	}
	name := s.o.Space.Format(c.Mode)
	if c.Batch > 0 {
		name += fmt.Sprintf(" with batch size %d", c.Batch)
	}
	s.warn("the answer is poor: going by the %s that were measured, %s would come to about %s ms at %s W; a binary "+
		"search assumes that every clock alone trades time for power: %s auto looks further",
		text.Count(len(s.order), "mode"), name, text.Of(c.TimeMS), text.Of(c.PowerW), usage.Strategy)
}

// raiseMode reports whether better modes have higher knobs when the size is not halved: within a power limit alone, or
// if a time limit requires more speed.
func raiseMode(limit metric.Goal, o over) bool {
	if _, timed := limit.Limits.On(metric.Time); timed {
		return o == overTime
	}
	return o == 0
}

// nextPowerKnob returns the next knob in turn with values left, other than the size; the size if there is none.
func nextPowerKnob(b *ladder.Box, order []tegra.Knob, turn *int) tegra.Knob {
	left := b.Left()
	for step := 1; step <= len(order); step++ {
		if k := order[(*turn+step)%len(order)]; k != ladder.BatchKnob && left[k] > 1 {
			*turn += step
			return k
		}
	}
	return ladder.BatchKnob
}

// over is the set of limits that a setting violates.
type over int

const (
	overPower over = 1 << iota
	overTime
)

// overAt measures a setting, unless it was measured, and returns the limits that it violates: both if it cannot be
// measured. ok is false if the search is over.
func (s *search) overAt(i int) (o over, ok bool) {
	if len(s.readings[i]) == 0 && !s.failed[i] {
		why := Improve
		if s.compared.own() == 0 {
			why = Start
		}
		if !s.mayDraw() {
			s.ended = OutOfProbes
			return 0, false
		}
		if !s.probe(i, why) {
			return 0, false
		}
	}
	if s.failed[i] {
		return overPower | overTime, true
	}
	m := s.mean(i)
	for b := range s.limit.Limits.Each() {
		switch {
		case b.Over(b.Of(m)) <= 0:
		case b.Metric == metric.Time:
			o |= overTime
		default:
			o |= overPower
		}
	}
	return o, true
}
