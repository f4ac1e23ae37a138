package tegra

import (
	"strconv"
	"strings"

	"jtune/internal/lazyregexp"
)

// vendorWatts are the power budgets in watts of TX2 presets, whose names contain none (NVIDIA's nvpmodel_t186.conf and
// guide).
var vendorWatts = map[string]float64{"MAXQ": 7.5, "MAXP_CORE_ALL": 15, "MAXP_CORE_ARM": 15}

var wattsInName = lazyregexp.New(`(\d+)\s*W`)

// PresetWatts returns the power budget in a preset's name, in watts; absent if it names none.
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

// NameOf returns the name of the preset with exactly these limits, of several the one that nvpmodel set last, else the
// first. Without such a preset it is MAXN for the largest mode, else "".
func NameOf(m Mode, space *Space, presets []Preset) string {
	name := ""
	for _, p := range presets {
		if p.Mode == m && (name == "" || p.InForce) {
			name = p.Name
		}
	}
	if name != "" {
		return name
	}
	if m == space.Max() {
		return "MAXN"
	}
	return ""
}

// NameAs is NameOf plus " locked" if clocks are locked, which a preset leaves free.
func NameAs(m Mode, locked Val[bool], space *Space, presets []Preset) string {
	name := NameOf(m, space, presets)
	if name != "" && locked.V {
		name += " locked"
	}
	return name
}

// NameNow returns the name of the device's current mode; "" if it has none.
func NameNow(d Device, r Reading) string {
	if !r.Mode.OK {
		return ""
	}
	return NameAs(r.Mode.V, r.Locked, d.Space(), d.Presets())
}
