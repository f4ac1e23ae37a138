package outlook

import (
	"slices"

	"jtune/learn"
	"jtune/tegra"
)

// DefaultPowerW returns the middle of the watts in the presets' names, else 30.
func DefaultPowerW(presets []tegra.Preset) float64 {
	var watts []float64
	for _, p := range presets {
		if w := tegra.PresetWatts(p.Name); w.OK {
			watts = append(watts, w.V)
		}
	}
	if len(watts) == 0 {
		return 30
	}
	slices.Sort(watts)
	return watts[len(watts)/2]
}

// BatchChoices returns lists of batch sizes for a search: only the workload's own, and lists of one and two octaves
// around it. The requested ones come first; a replay has no others. 0 is a workload without a batch size.
func BatchChoices(own int, asked []int, replay, fixed bool) [][]int {
	var out [][]int
	if asked != nil {
		out = append(out, asked)
	}
	switch {
	case replay && asked != nil:
		return out
	case own == 0 || fixed:
		return [][]int{{own}}
	}
	out = append(out, []int{own})
	for _, octaves := range []int{1, 2} {
		var list []int
		for b := max(1, own>>octaves); b <= min(own<<octaves, learn.MostBatch); b *= 2 {
			list = append(list, b)
		}
		out = append(out, list)
	}
	return out
}
