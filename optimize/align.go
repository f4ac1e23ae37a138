package optimize

import (
	"math"
	"slices"

	"jtune/internal/stats"
	"jtune/tegra"
)

// Align joins what several searches measured, one list each and the oldest first, into
// one list that a model can be fitted to. Where at least two modes of a list were
// measured again later and all of them have moved, by more than driftLeast:
//
//	by as much    the list's rows are moved to the later ones, in ln time and ln power
//	otherwise     they are left out
//
// aligned and leftOut count the lists.
func Align(lists [][]tegra.Measured) (rows []tegra.Measured, aligned, leftOut int) {
	later := map[tegra.Setting][]tegra.Measured{}
	parts := make([][]tegra.Measured, len(lists))
	for k, list := range slices.Backward(lists) {
		d, moved, alike := drifted(list, later)
		switch {
		case moved && !alike:
			leftOut++
			continue
		case moved:
			aligned++
		default:
			d = Drift{}
		}
		for _, m := range list {
			parts[k] = append(parts[k], d.of(m))
		}
		for _, m := range parts[k] {
			later[m.Setting] = append(later[m.Setting], m)
		}
	}
	return slices.Concat(parts...), aligned, leftOut
}

// drifted is by how much the modes of a list that were measured later have moved in the
// mean; whether all of them have, and whether by as much.
func drifted(list []tegra.Measured, later map[tegra.Setting][]tegra.Measured) (d Drift, moved, alike bool) {
	var time, power []float64
	for _, m := range tegra.OncePerSetting(list) {
		if rows := later[m.Setting]; rows != nil && stats.Positive(m.TimeMS, m.PowerW) {
			now := tegra.OncePerSetting(rows)[0]
			time, power = append(time, math.Log(now.TimeMS/m.TimeMS)), append(power, math.Log(now.PowerW/m.PowerW))
		}
	}
	if len(time) < 2 {
		return d, false, false
	}
	moved = true
	for i := range time {
		moved = moved && max(math.Abs(time[i]), math.Abs(power[i])) > driftLeast
		d.LnTime += time[i] / float64(len(time))
		d.LnPower += power[i] / float64(len(time))
	}
	apart := func(v []float64) float64 { return slices.Max(v) - slices.Min(v) }
	return d, moved, apart(time) <= 2*driftLeast && apart(power) <= 2*driftLeast
}
