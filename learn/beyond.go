package learn

import (
	"fmt"
	"math"
	"strings"

	"jtune/tegra"
)

// Beyond reports how many modes have a knob outside the range in which the reference was measured, where its networks
// extrapolate; "" for none, or if the range is unknown.
func (r *Reference) Beyond(modes []tegra.Mode) string {
	least, most, ok := r.reach()
	if !ok {
		return ""
	}
	off := 0
	var knobs [tegra.NumKnobs]bool
	for _, m := range modes {
		beyond := false
		for k := range tegra.NumKnobs {
			if v := m.Value(k); v < least[k]*(1-sameSetting) || v > most[k]*(1+sameSetting) {
				beyond, knobs[k] = true, true
			}
		}
		if beyond {
			off++
		}
	}
	if off == 0 {
		return ""
	}
	var ranges []string
	for k := range tegra.NumKnobs {
		switch {
		case !knobs[k]:
		case k == tegra.KnobCores:
			ranges = append(ranges, fmt.Sprintf("cores %g to %g", math.Round(least[k]), math.Round(most[k])))
		default:
			ranges = append(ranges, fmt.Sprintf("%v %v to %v", k, tegra.Freq(least[k]), tegra.Freq(most[k])))
		}
	}
	return fmt.Sprintf("%d of %s off the grid that reference %s was measured on (%s): its networks are far off there; "+
		"keep to the grid: profile random modes of it",
		off, count(len(modes), "mode lies", "modes lie"), r.Name, strings.Join(ranges, ", "))
}

// sameSetting is the relative tolerance for equal settings of a knob.
const sameSetting = 0.01

// reach returns the range of each knob in which the reference was measured; ok is false for networks without their
// training data.
func (r *Reference) reach() (least, most [tegra.NumKnobs]float64, ok bool) {
	for k := range least {
		least[k] = math.Inf(1)
	}
	add := func(k tegra.Knob, v float64) { least[k], most[k] = min(least[k], v), max(most[k], v) }
	switch {
	case r.Grid[0].Cores > 0:
		for k := range tegra.NumKnobs {
			least[k], most[k] = r.Grid[0].Value(k), r.Grid[1].Value(k)
		}
		return least, most, true
	case r.Networks != nil:
		return least, most, false
	}
	for _, m := range r.Samples {
		for k := range tegra.NumKnobs {
			add(k, m.Mode.Value(k))
		}
	}
	return least, most, len(r.Samples) > 0
}

// otherBoard is the smallest relative difference between the highest clocks of two kinds of board. Campaigns of some of
// a board's modes differ by less.
const otherBoard = 0.02

// OtherBoard reports whether modes seem to come from another board than the reference: their highest CPU, GPU and
// memory clocks all differ from the reference's.
func (r *Reference) OtherBoard(modes []tegra.Mode) bool {
	_, most, ok := r.reach()
	if !ok || len(modes) == 0 {
		return false
	}
	for _, k := range []tegra.Knob{tegra.KnobCPU, tegra.KnobGPU, tegra.KnobEMC} {
		top := 0.0
		for _, m := range modes {
			top = max(top, m.Value(k))
		}
		if math.Abs(top/most[k]-1) < otherBoard {
			return false
		}
	}
	return true
}
