// Package nvpmodel reads and writes NVIDIA's power mode configuration
// (/etc/nvpmodel.conf).
//
//	nvpmodel.conf ──► Parse ──► Config ──► presets, JSON
//	Config + Target ──► Block ──► POWER_MODEL text
package nvpmodel

import (
	"slices"
	"strconv"
	"strings"
)

// NoLimit is the CLOCK value for "no limit" (INT_MAX).
const NoLimit = -1

// Config is one nvpmodel.conf. It marshals to the JSON of
// `jtune lab convert nvpmodel`.
type Config struct {
	Default    *int   // id of the default mode; nil: none
	FanDefault string // JetPack 4.6 only: "quiet" or "cool"
	Params     []Param
	Modes      []Mode
	Errors     []Error // malformed lines, in order
}

// Param declares a setting for modes.
type Param struct {
	Name string
	Type string // FILE, CLOCK or HWMON
	Args []Arg
}

// Arg is one file of a Param. A name ending in _KNEXT is the path in newer kernels.
type Arg struct {
	Name string
	Path string // HWMON: folder and file, separated by a space
}

// Mode is a POWER_MODEL: its settings in file order.
type Mode struct {
	ID       int
	Name     string
	Settings []Setting
}

// Setting is one line of a mode.
type Setting struct {
	Param, Arg, Value string
}

// Error is a malformed line.
type Error struct {
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// Range is a pair of clock limits as written, in kHz for the CPU and Hz elsewhere; nil if a mode does not set them.
type Range struct {
	Min *int64 `json:"min_freq"`
	Max *int64 `json:"max_freq"`
}

const (
	minFreq = "MIN_FREQ"
	maxFreq = "MAX_FREQ"
	newer   = "_KNEXT"
)

// kind classifies parameters by what they control.
type kind int

const (
	other kind = iota
	cores
	cpuClock
	gpuClock
	emcClock
	masks
	powerOn
	powerOff
)

func (p Param) kind() kind {
	switch {
	case p.Type == "CLOCK" && p.Name == "EMC":
		return emcClock
	case p.Type == "CLOCK" && p.Name == "GPU":
		return gpuClock
	case p.Type == "CLOCK" && p.leader() >= 0:
		return cpuClock
	case p.Name == "GPU_POWER_CONTROL_ENABLE":
		return powerOn
	case p.Name == "GPU_POWER_CONTROL_DISABLE":
		return powerOff
	}
	for _, a := range p.Args {
		if _, ok := coreIndex(a.Name); ok {
			return cores
		}
		if isMask(a.Name) {
			return masks
		}
	}
	return other
}

// leader returns the core whose cpufreq folder a CPU clock parameter names; -1 for other parameters.
func (p Param) leader() int {
	for _, a := range p.Args {
		rest, ok := strings.CutPrefix(a.Path, "/sys/devices/system/cpu/cpu")
		if !ok {
			continue
		}
		digits, rest, ok := strings.Cut(rest, "/")
		if n, err := strconv.Atoi(digits); ok && err == nil && n >= 0 && strings.HasPrefix(rest, "cpufreq/") {
			return n
		}
	}
	return -1
}

// arg reports whether the parameter has an argument of that name, or of its newer-kernel form.
func (p Param) arg(name string) bool {
	return slices.ContainsFunc(p.Args, func(a Arg) bool { return a.Name == name || a.Name == name+newer })
}

func isMask(arg string) bool { return strings.HasSuffix(strings.TrimSuffix(arg, newer), "_PG_MASK") }

func coreIndex(arg string) (int, bool) {
	digits, ok := strings.CutPrefix(arg, "CORE_")
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 0 && n < 1024
}

// param finds a parameter by name.
func (c *Config) param(name string) (Param, bool) {
	i := slices.IndexFunc(c.Params, func(p Param) bool { return p.Name == name })
	if i < 0 {
		return Param{}, false
	}
	return c.Params[i], true
}

// Mode finds a mode by id.
func (c *Config) Mode(id int) (Mode, bool) {
	i := slices.IndexFunc(c.Modes, func(m Mode) bool { return m.ID == id })
	if i < 0 {
		return Mode{}, false
	}
	return c.Modes[i], true
}

// Cores returns the indices of the cores that a mode turns on and off, ascending. Core 0 counts as on if the mode sets
// other cores but does not list it (TX2): it cannot go offline.
func (c *Config) Cores(m Mode) (on, off []int) {
	listed0 := false
	for _, s := range m.Settings {
		n, ok := coreIndex(s.Arg)
		if !ok {
			continue
		}
		listed0 = listed0 || n == 0
		if s.Value == "0" {
			off = append(off, n)
		} else {
			on = append(on, n)
		}
	}
	if len(on)+len(off) > 0 && !listed0 {
		on = append(on, 0)
	}
	slices.Sort(on)
	slices.Sort(off)
	return on, off
}

// CPU returns a mode's limits in kHz by parameter name.
func (c *Config) CPU(m Mode) map[string]Range {
	out := map[string]Range{}
	for _, p := range c.Params {
		if p.kind() == cpuClock {
			if r, ok := c.limits(m, p.Name); ok {
				out[p.Name] = r
			}
		}
	}
	return out
}

// Clusters returns a mode's limits in kHz by the core whose cpufreq folder they are written to.
func (c *Config) Clusters(m Mode) map[int]Range {
	out := map[int]Range{}
	for _, p := range c.Params {
		if r, ok := c.limits(m, p.Name); ok && p.kind() == cpuClock {
			out[p.leader()] = r
		}
	}
	return out
}

// GPUPaths lists the files that a mode's GPU clock settings may mean: one of each setting exists on the mode's board.
func (c *Config) GPUPaths(m Mode) (paths []string) {
	p, _ := c.param("GPU")
	for _, a := range p.Args {
		if _, ok := c.GPU(m); ok && strings.TrimSuffix(a.Name, newer) == maxFreq {
			paths = append(paths, a.Path)
		}
	}
	return paths
}

// GPU returns a mode's limits in Hz; false if it sets none.
func (c *Config) GPU(m Mode) (Range, bool) { return c.limits(m, "GPU") }

// EMC returns a mode's memory cap in Hz, 0 or NoLimit for none; false if the mode does not set it.
func (c *Config) EMC(m Mode) (int64, bool) {
	r, ok := c.limits(m, "EMC")
	if !ok || r.Max == nil {
		return 0, false
	}
	return *r.Max, true
}

// Masks returns a mode's power-gate masks by argument name.
func (c *Config) Masks(m Mode) map[string]int64 {
	out := map[string]int64{}
	for _, s := range m.Settings {
		if !isMask(s.Arg) {
			continue
		}
		if v, err := strconv.ParseInt(s.Value, 0, 64); err == nil {
			out[s.Arg] = v
		}
	}
	return out
}

// MaskPaths returns the files of every power-gate mask by argument name, older kernels' path first.
func (c *Config) MaskPaths() map[string][]string {
	out := map[string][]string{}
	for _, p := range c.Params {
		for _, a := range p.Args {
			if isMask(a.Name) {
				name := strings.TrimSuffix(a.Name, newer)
				out[name] = append(out[name], a.Path)
			}
		}
	}
	return out
}

func (c *Config) limits(m Mode, param string) (Range, bool) {
	var r Range
	for _, s := range m.Settings {
		if s.Param != param {
			continue
		}
		v, err := strconv.ParseInt(s.Value, 10, 64)
		if err != nil {
			continue
		}
		switch s.Arg {
		case minFreq:
			r.Min = &v
		case maxFreq:
			r.Max = &v
		}
	}
	return r, r.Min != nil || r.Max != nil
}

// NeedsReboot reports whether a change of masks needs a reboot: a mask that both name differs.
func NeedsReboot(from, to map[string]int64) bool {
	for name, v := range to {
		if was, ok := from[name]; ok && was != v {
			return true
		}
	}
	return false
}
