package ladder

// Multi-dimensional binary search (docs/method.md, Binary search): measure the middle of every knob's remaining range
// and drop half of one knob, in rotation. It needs about log2 of the number of settings in measurements, assumes that
// every clock alone trades time for power, and has no guarantee. Our additions: limits on time, a setting that the
// space lacks is replaced by the nearest, one that cannot be measured counts as over every limit, and batch sizes are a
// fifth knob, last in the rotation:
//
//	within the limits     drop the lower half of the knob in turn if speed serves the goal, else the higher
//	over the power limit  drop the higher half of a power knob; at a size's turn take the next power knob,
//	                      or the size itself if none is left
//	late                  drop the lower half of a power knob, or the higher half of the sizes
//	over both             drop the higher half of the knob in turn, and of the sizes

import (
	"fmt"

	"jtune/tegra"
)

// Halving is one step of a binary search.
type Halving struct {
	tegra.Setting            // the middle of the remaining ranges
	Knob          tegra.Knob // BatchKnob for the batch size
	Raised        bool       // the lower half was dropped, else the higher
	Sizes         bool       // the higher half of the sizes was also dropped
	Left          Rungs      // values left of each knob after the step; 1 for one size
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
		batch, sizes = fmt.Sprintf(" batch %d", h.Batch), fmt.Sprintf(" × sizes %d", h.Left[BatchKnob])
	}
	return fmt.Sprintf("%v%s: %s half of %s dropped, left settings: cores %d × CPU %d × GPU %d × memory %d%s",
		h.Mode, batch, half, knob, h.Left[tegra.KnobCores], h.Left[tegra.KnobCPU], h.Left[tegra.KnobGPU],
		h.Left[tegra.KnobEMC], sizes)
}

// Binary halves one knob after another until one setting is left, and measures that. speed reports whether speed serves
// the goal; halved is called for every step.
func (w *Walk) Binary(r Rotation, speed bool, halved func(Halving)) error {
	order, err := r.Knobs()
	if err != nil {
		return err
	}
	b := w.whole()
	for turn := 0; !b.Single(); turn++ {
		h := Halving{Knob: r.Turns.Next(&b, order, &turn)}
		at, seen, err := w.at(b.Middle())
		if err != nil {
			return err
		}
		h.Setting = at
		switch {
		case h.Knob == BatchKnob && seen.Power && !seen.Late: // at lower power knobs, more samples per second fit
			h.Knob = nextPowerKnob(&b, order, &turn)
		case h.Knob == BatchKnob:
			h.Raised = !seen.Power && !seen.Late
		default:
			h.Raised = !seen.Power && (seen.Late || speed)
			h.Sizes = seen.Power && seen.Late && b.Lo[BatchKnob] < b.Hi[BatchKnob]
		}
		b.Drop(h.Knob, h.Raised)
		if h.Sizes {
			b.Drop(BatchKnob, false)
		}
		h.Left = b.Left()
		halved(h)
	}
	_, _, err = w.at(b.Lo)
	return err
}

// nextPowerKnob returns the next knob in turn with values left, other than the size; the size if there is none.
func nextPowerKnob(b *Box, order []tegra.Knob, turn *int) tegra.Knob {
	left := b.Left()
	for step := 1; step <= len(order); step++ {
		if k := order[(*turn+step)%len(order)]; k != BatchKnob && left[k] > 1 {
			*turn += step
			return k
		}
	}
	return BatchKnob
}
