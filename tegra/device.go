package tegra

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"jtune/internal/text"
)

// Errors that decide an exit code.
var (
	// ErrPermission: a knob or file needs root rights that we do not have.
	ErrPermission = errors.New("no permission")
	// ErrGone: the process that writes the knobs has ended or was killed.
	ErrGone = errors.New("the guard has ended")
	// ErrNoDevice: no Jetson here, or none of that name.
	ErrNoDevice = errors.New("no such device")
	// ErrUnsupported: this board lacks what was requested.
	ErrUnsupported = errors.New("not supported by this board")
)

// Device is a Jetson, real or virtual, as far as it can be read. Reading
// never needs root, though some values are absent without it.
type Device interface {
	Board() Board
	Space() *Space
	Presets() []Preset
	// Read takes every reading once. A sensor that fails is absent in the
	// result; the error is for a device that is gone altogether.
	Read() (Reading, error)
}

// Applier sets power modes. The guard's client is one: every knob is read
// back, and what was found at the start is restored unless it was kept.
type Applier interface {
	// Apply sets a mode. The result is filled as far as the work went, also
	// with an error; after an error the state before the call is back.
	Apply(ctx context.Context, r Request) (Applied, error)
	// Revert restores the state before the last Apply.
	Revert(ctx context.Context) (Applied, error)
	// Restore restores the found state.
	Restore(ctx context.Context) (Applied, error)
	// Keep makes the present state the found state.
	Keep(ctx context.Context) error
	// Close ends the guard, which restores the found state first.
	Close() error
}

// Board describes a device.
type Board struct {
	Name        string   // short, for titles: "AGX Orin"
	Model       string   // the device tree's model text
	Compatible  []string // the device tree's compatible strings
	Module      string   // part number: "p3701-0000"; "" when unknown
	SoC         string   // "tegra234"
	L4T         string   // "35.1"; "" when unknown
	JetPack     string   // "5.0.2"; "" when unknown
	Rails       []string // names of all connected rails, in order
	TotalRule   string   // a rail's name, "SUM:a,b,c", or "" when the total is not known
	TotalCovers string   // what the total covers, in words
	Virtual     bool     // a simulation or a replay: no measurement of this machine
	Replay      string   // file that a replay answers from; "" otherwise
}

// Origin describes in words where the board's numbers come from when they are
// not measured on this machine; "" when they are.
func (b Board) Origin() string { return Origin(b.Virtual, b.Replay) }

// FeedRail is the rail that feeds the whole module; "" where several add up to it.
func (b Board) FeedRail() string {
	if strings.HasPrefix(b.TotalRule, "SUM:") {
		return ""
	}
	return b.TotalRule
}

// Simulated reports whether workloads run on the board's physics.
func (b Board) Simulated() bool { return b.Virtual && b.Replay == "" }

// Origin is Board.Origin for whoever kept no more than these two.
func Origin(virtual bool, replay string) string {
	switch {
	case replay != "":
		return "replayed from " + replay
	case virtual:
		return "a simulation, not a measurement"
	}
	return ""
}

// VirtualMark is the mark of numbers of that origin; "" for those of a real board.
func VirtualMark(origin string) string {
	if origin == "" {
		return ""
	}
	return "(VIRTUAL: " + origin + ")"
}

// Preset is a mode of the device's own nvpmodel configuration.
type Preset struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	// Mode is its limits, snapped to the kernel's tables; EMC 0: the top rate, unknown without root.
	Mode        Mode `json:"mode"`
	MinCPU      Freq `json:"-"` // what it lets the CPU's clocks fall to while they are free; 0: the lowest
	MinGPU      Freq `json:"-"` // and the GPU's
	Default     bool `json:"-"`
	NeedsReboot bool `json:"needs_reboot"` // its GPU power-gate mask differs from the one in force
}

// Reading is everything the device shows at one moment.
type Reading struct {
	T         time.Duration // monotonic clock of the device
	Rails     []RailReading
	TotalW    Val[float64] // by Board.TotalRule
	Cores     []CoreReading
	CPU       ClockReading // Actual: the fastest online core
	GPU       ClockReading
	EMC       ClockReading
	Temps     []TempReading // sensors that answered, in zone order
	TempsOff  []string      // sensors that are powered down
	FanPct    Val[float64]
	FanRPM    Val[int64] // what its tachometer counts
	Throttled Val[bool]  // thermal or over-current throttling right now
	Heat      Val[bool]  // of these: a thermal limit slows a part of the SoC now
	// OverCurrents counts the over-current events since boot; absent where no
	// counter could be read.
	OverCurrents Val[int64]
	Alarms       []string // rails whose monitor says that their current exceeded its critical limit
	RAMUsed      Val[int64]
	RAMTotal     Val[int64] // bytes
	RAMCached    Val[int64]
	Mode         Val[Mode] // absent when no mode means the state ("custom")
	Locked       Val[bool] // min = max on CPU and GPU, memory rate locked
	Missing      []Missing // what could not be read this time
	MaxW         float64   // more than the device draws; 0: a Jetson
}

// Online counts the cores that are online.
func (r *Reading) Online() int {
	n := 0
	for _, c := range r.Cores {
		if c.Online {
			n++
		}
	}
	return n
}

// Missing is a value that a reading lacks, and why.
type Missing struct {
	Name string `json:"name"` // "rail VDD_CPU_CV", "EMC rate"
	Why  string `json:"why"`  // "no permission (root only)", "input/output error"
}

// RailReading is one rail: power in watts, and voltage and current where the driver gives them.
type RailReading struct {
	Name    string        `json:"name"`
	PowerW  Val[float64]  `json:"power_w"`
	Volts   Val[float64]  `json:"voltage_v"`
	Amperes Val[float64]  `json:"current_a"`
	Limits  CurrentLimits `json:"-"`
}

// CurrentLimits are those that the power monitor watches a rail's current by, in amperes; absent where the board sets
// none. They guard the supply and do not follow the power mode.
type CurrentLimits struct{ Max, Crit Val[float64] }

// CoreReading is one core of the CPU.
type CoreReading struct {
	Online  bool
	LoadPct Val[float64]
	Freq    Val[Freq]
}

// MarshalJSON prints the clock in kHz.
func (c CoreReading) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Online  bool         `json:"online"`
		LoadPct Val[float64] `json:"load_pct"`
		KHz     Val[int64]   `json:"khz"`
	}{c.Online, c.LoadPct, InKHz(c.Freq)})
}

// ClockReading is the actual frequency of a clock and the limits that hold it.
type ClockReading struct {
	Actual  Val[Freq]    `json:"hz"`
	Min     Val[Freq]    `json:"-"` // limits that are set
	Max     Val[Freq]    `json:"asked_hz"`
	Cap     Val[Freq]    `json:"-"` // most that hardware or firmware allows
	LoadPct Val[float64] `json:"load_pct"`
}

// TempReading is one thermal zone.
type TempReading struct {
	Name string
	C    float64
	Trip Val[Trip] // the lowest that slows or stops the module; absent when the zone has none
}

// Trip is a temperature at which the kernel acts: kind passive, hot or critical.
type Trip struct {
	Kind string
	C    float64
}

// FanPolicy is what Apply does with the fan.
type FanPolicy int

// FanKnob names the fan's duty among the knobs that were set.
const FanKnob = "fan"

// Fan policies.
const (
	FanUntouched FanPolicy = iota
	FanAuto                // hand it back to the system
	FanMax                 // full speed, against throttling while measuring
)

// Request is a mode to be set and how.
type Request struct {
	Mode Mode
	DVFS bool // leave minima free below the mode's maxima; false locks min = max
	// Governors are to choose the clocks that DVFS leaves free; the zero value keeps the found ones.
	Governors Governors
	// Preset is nvpmodel's id of the preset that Mode is: it is then set as that preset, id and
	// all, which nvpmodel also applies at the next boot. Absent: the mode alone, the id stays.
	Preset Val[int]
	Fan    FanPolicy
}

// Governors are the kernel's names of who chooses the clocks of the CPU's cores and of the GPU; "" for the one that was
// found, unless that pins the clock to an end of its range.
type Governors struct{ CPU, GPU string }

// Applied is the outcome of setting a mode, knob by knob.
type Applied struct {
	Asked  Mode
	Actual Val[Mode]  // read back; absent when no mode means the state
	Files  []KnobFile // in the order of writing
}

// KnobFile is one file that was written and what reading it back gave.
type KnobFile struct {
	Knob   string `json:"knob"`
	Path   string `json:"path"`
	Asked  string `json:"asked"`
	Actual string `json:"actual"`
}

// Mismatch is an error where the file does not read back as requested.
func (f KnobFile) Mismatch() error {
	if f.Asked == f.Actual {
		return nil
	}
	actual := text.Clip(cmp.Or(f.Actual, "nothing"))
	return fmt.Errorf("%s: requested %s, reads back %s (%s)", f.Knob, f.Asked, actual, f.Path)
}

// PresetSet reports whether nvpmodel's own id was set.
func (a *Applied) PresetSet() bool {
	return slices.ContainsFunc(a.Files, func(f KnobFile) bool { return f.Path == PresetFile })
}

// Mismatch describes the first file that does not read back as requested; nil where all do.
func (a *Applied) Mismatch() error {
	for _, f := range a.Files {
		if err := f.Mismatch(); err != nil {
			return err
		}
	}
	return nil
}

// OK reports whether every file reads back as it was written.
func (a *Applied) OK() bool { return a.Mismatch() == nil }
