// Package rivals finds other software that changes the knobs of a Jetson, or has changed them: the vendor's services
// and tools, other tuners, and a second jtune. Two programs that set the same clock undo each other's work, and a
// measurement then belongs to neither mode.
//
//	/proc/PID ──► processes ─┐
//	systemd folders ──► units ├──► Find ──► []Rival ──► jtune doctor
//	status files, limits ─────┘
package rivals

import (
	"fmt"
	"slices"
	"strings"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/tegra"
)

// Rival is one finding.
type Rival struct {
	Name    string        `json:"name"` // "nvfancontrol.service", "jtop"
	Kind    Kind          `json:"kind"`
	State   State         `json:"state"`
	Path    text.Optional `json:"path"`    // where it was found: "/proc/812", a unit file; "" for limits
	Touches text.Optional `json:"touches"` // what it changes: "the fan"
	Note    text.Optional `json:"note"`    // advice or remark; ""
}

// Kind is how a rival was found.
type Kind string

// Kinds of rivals.
const (
	Process Kind = "process"
	Unit    Kind = "unit"
	Mark    Kind = "mark" // a trace: a status file, locked limits
)

// State is how active a rival is.
type State string

// States, in order of increasing activity.
const (
	Masked   State = "masked"   // a unit that cannot start
	Idle     State = "idle"     // a unit that does not start at boot
	Enabled  State = "enabled"  // a unit that starts at boot
	InForce  State = "in force" // its settings are in effect, or will be at boot
	Running  State = "running"  // a running process
	Unlooked State = "unknown"  // not accessible
)

// Active reports whether the rival may change knobs while jtune runs.
func (r *Rival) Active() bool { return r.State == Running && r.Touches != "" }

// program is a program known to change knobs.
type program struct {
	name          string
	touches, note text.Optional
}

// programs by process name. Sources: NVIDIA's L4T services, jetson_stats, Ubuntu's power daemons.
var programs = []program{
	{"nvpmodel", "all limits of a preset", "ends by itself; wait for it"},
	{"nvpower.sh", "all limits of a preset", "ends by itself; wait for it"},
	{"jetson_clocks", "CPU, GPU and memory clocks", "ends by itself; wait for it"},
	{"nvfancontrol", "the fan", text.Optional("writes the fan again every few seconds: jtune apply " +
		usage.Fan.String() + " max needs it stopped (systemctl stop nvfancontrol)")},
	{"jtop", "presets and clocks, when a user presses its keys", "reads only, until a key is pressed in it"},
	{"power-profiles-daemon", "the CPU governor", ""},
	{"tuned", "the CPU governor and limits", ""},
	{"auto-cpufreq", "the CPU governor and limits", ""},
	{"cpufreqd", "the CPU governor and limits", ""},
	{"thermald", "the CPU limits", ""},
}

// units by name, NVIDIA's first.
var units = []program{
	{"nvpower.service", "all limits of the default preset, at boot", ""},
	{"nvpmodel.service", "all limits of the last preset, at boot",
		text.Optional("jtune apply " + usage.AtBoot.String() +
			" comes after it")},
	{"nvfancontrol.service", "the fan", ""},
	{"jetson_clocks.service", "CPU, GPU and memory clocks, at boot", ""},
	{"jetson-clocks.service", "CPU, GPU and memory clocks, at boot", ""},
	{"jetsonclocks.service", "CPU, GPU and memory clocks, at boot", ""},
	{"jtop.service", "presets and clocks, when its users request it", ""},
	{"jetson_stats.service", "presets and clocks, when its users request it", ""},
	{"jetson_performance.service", "presets and clocks, at boot", ""},
	{"ondemand.service", "the CPU governor, once after boot", ""},
	{"cpufrequtils.service", "the CPU governor and limits, at boot", ""},
	{"power-profiles-daemon.service", "the CPU governor", ""},
	{"tuned.service", "the CPU governor and limits", ""},
	{"auto-cpufreq.service", "the CPU governor and limits", ""},
	{"thermald.service", "the CPU limits", ""},
}

// Find looks for rivals behind fsys. r shows whether clocks are locked; presets name the preset that nvpmodel restores
// at boot. self is the PID to ignore.
func Find(fsys tegra.FS, r tegra.Reading, presets []tegra.Preset, self int) []Rival {
	out := processes(fsys, self)
	out = append(out, findUnits(fsys)...)
	if mark, ok := lastPreset(fsys, presets); ok {
		out = append(out, mark)
	}
	if mark, ok := lockedClocks(r); ok {
		out = append(out, mark)
	}
	return out
}

func lastPreset(fsys tegra.FS, presets []tegra.Preset) (Rival, bool) {
	content, err := fsys.ReadFile(tegra.PresetFile)
	if err != nil {
		return Rival{}, false
	}
	out := Rival{Name: "nvpmodel", Kind: Mark, Path: tegra.PresetFile}
	id := tegra.PresetIn(string(content))
	if !id.OK {
		out.State, out.Note = Unlooked, "its text names no preset"
		return out, true
	}
	name := fmt.Sprintf("preset %d", id.V)
	if i := slices.IndexFunc(presets, func(p tegra.Preset) bool { return p.ID == id.V }); i >= 0 {
		name += " (" + presets[i].Name + ")"
	}
	out.State, out.Touches = InForce, "all limits, at boot"
	out.Note = text.Optional("sets " + name + " again at every boot")
	return out, true
}

// lockedClocks recognises the effect of jetson_clocks, which leaves no status file, only minimum = maximum. A mode
// applied by jtune looks the same.
func lockedClocks(r tegra.Reading) (Rival, bool) {
	pinned := func(c tegra.ClockReading) bool { return c.Min.OK && c.Max.OK && c.Min.V == c.Max.V }
	var which []string
	for _, c := range []struct {
		name  string
		clock tegra.ClockReading
	}{{"CPU", r.CPU}, {"GPU", r.GPU}, {"memory", r.EMC}} {
		if pinned(c.clock) {
			which = append(which, c.name)
		}
	}
	if len(which) == 0 {
		return Rival{}, false
	}
	return Rival{Name: "jetson_clocks", Kind: Mark, State: InForce,
		Touches: text.Optional(strings.Join(which, ", ") + " clocks"),
		Note:    "minimum = maximum: locked by jetson_clocks, or by jtune apply"}, true
}
