package ladder

import (
	"math"

	"jtune/tegra"
)

// Walk measures settings along the rungs of the knobs. Its searches are the published ones that predict nothing.
type Walk struct {
	Ladder
	Places tegra.Places
	Absent map[int]bool // places that cannot be measured
	// Measure says what a place does; it is called once for each. An error ends the search.
	Measure func(i int) (Seen, error)

	seen  map[int]Seen
	found bool // a setting keeps the limits
}

// Seen is what a setting does.
type Seen struct {
	Power, Late  bool    // it breaks the limit on power, or any other; both if it could not be measured
	Rate, PowerW float64 // the work to be most, and what it draws; NaN if it could not be measured
}

// NewWalk returns a walk that has measured nothing.
func NewWalk(places tegra.Places, absent map[int]bool, measure func(i int) (Seen, error)) *Walk {
	return &Walk{Ladder: New(places.Space), Places: places, Absent: absent, Measure: measure, seen: map[int]Seen{}}
}

// whole returns the full range of every knob.
func (w *Walk) whole() Box { return w.Whole(len(w.Places.Batches)) }

// at measures the setting at these rungs, or the nearest existing one.
func (w *Walk) at(rungs Rungs) (at tegra.Setting, seen Seen, err error) {
	i := w.Nearest(rungs, w.Places, w.Absent)
	seen, known := w.seen[i]
	if !known {
		if seen, err = w.Measure(i); err == nil {
			w.seen[i], w.found = seen, w.found || !seen.Power && !seen.Late
		}
	}
	return w.Places.At(i), seen, err
}

const (
	gmdPerSize = 15 // measurements at a batch size
	gmdLeastW  = 1  // a knob that changes power by less is ignored
)

// GMD is Fulcrum's gradient descent by halves, reimplemented from its published notebooks: it measures the middle, and
// for each knob the middle with that knob at its end, and halves the range of the knob that gains the most work per
// watt. It descends at the largest batch size that the fastest mode serves in time, and continues with the next smaller
// one until some setting keeps the limits.
func (w *Walk) GMD() error {
	b := w.whole()
	top := b.Hi[BatchKnob]
	for ; top > 0; top-- {
		b.Hi[BatchKnob] = top
		_, seen, err := w.at(b.Hi)
		if err != nil {
			return err
		}
		if !seen.Late {
			break
		}
	}
	for size := top; size >= 0; size-- {
		if err := w.descend(size); err != nil || w.found {
			return err
		}
	}
	return nil
}

// descend searches for the best mode at one batch size.
func (w *Walk) descend(size int) error {
	b := w.whole()
	b.Lo[BatchKnob], b.Hi[BatchKnob] = size, size
	for begun := len(w.seen); !b.Single() && len(w.seen)-begun < gmdPerSize; {
		_, middle, err := w.at(b.Middle())
		if err != nil {
			return err
		}
		best, steepest := tegra.Knob(-1), -1.0
		for k := range tegra.Knob(tegra.NumKnobs) {
			if b.Lo[k] == b.Hi[k] {
				continue
			}
			rungs := b.Middle()
			if rungs[k] = b.Hi[k]; middle.Power {
				rungs[k] = b.Lo[k]
			}
			_, end, err := w.at(rungs)
			if err != nil {
				return err
			}
			if slope := slopeOf(middle, end); slope > steepest {
				best, steepest = k, slope
			}
		}
		b.Drop(best, !middle.Power)
	}
	_, _, err := w.at(b.Lo)
	return err
}

// slopeOf returns the change of the rate per watt between two settings; 0 if one could not be measured.
func slopeOf(a, z Seen) float64 {
	if watts := math.Abs(a.PowerW - z.PowerW); watts >= gmdLeastW {
		return math.Abs(a.Rate-z.Rate) / watts
	}
	return 0
}
