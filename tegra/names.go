package tegra

import (
	"regexp"
	"strconv"
	"strings"
)

// vendorWatts are the budgets of a TX2's presets, whose names hold none (NVIDIA's nvpmodel_t186.conf and guide).
var vendorWatts = map[string]float64{"MAXQ": 7.5, "MAXP_CORE_ALL": 15, "MAXP_CORE_ARM": 15}

var wattsInName = regexp.MustCompile(`(\d+)\s*W`)

// PresetWatts are the watts that a preset's name stands for; absent where it names none.
func PresetWatts(name string) Val[float64] {
	if w := vendorWatts[name]; w > 0 {
		return Some(w)
	}
	if m := wattsInName.FindStringSubmatch(strings.ToUpper(name)); m != nil {
		if w, err := strconv.ParseFloat(m[1], 64); err == nil && w > 0 {
			return Some(w)
		}
	}
	return Val[float64]{}
}

// NameOf is the name of a mode on a board: the preset's whose limits it has, MAXN for the largest
// mode where no preset is that; "" for others.
func NameOf(m Mode, space *Space, presets []Preset) string {
	for _, p := range presets {
		if p.Mode == m {
			return p.Name
		}
	}
	if m == space.Max() {
		return "MAXN"
	}
	return ""
}

// NameAs is NameOf of a mode that is set: with locked clocks, which a preset leaves free, it is
// "MAXN locked".
func NameAs(m Mode, locked Val[bool], space *Space, presets []Preset) string {
	name := NameOf(m, space, presets)
	if name != "" && locked.V {
		name += " locked"
	}
	return name
}

// NameNow is NameAs of the mode that a device is in; "" where it has no name.
func NameNow(d Device, r Reading) string {
	if !r.Mode.OK {
		return ""
	}
	return NameAs(r.Mode.V, r.Locked, d.Space(), d.Presets())
}
