package tegra

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"jtune/internal/text"
)

// Errors that set the exit code.
var (
	// ErrPermission: a knob or file needs root.
	ErrPermission = errors.New("no permission")
	// ErrGone: the process that writes the knobs has ended.
	ErrGone = errors.New("the guard has ended")
	// ErrNoDevice: this machine is not a Jetson, or no board has that name.
	ErrNoDevice = errors.New("no such device")
	// ErrUnsupported: this board lacks the requested feature.
	ErrUnsupported = errors.New("not supported by this board")
)

// Device is the readable side of a Jetson, real or virtual. Reading never needs root, but some values are absent
// without it.
type Device interface {
	Board() Board
	Space() *Space
	Presets() []Preset
	// Read takes one reading. A sensor that fails is absent in the result; an error means that the device itself is
	// gone.
	Read() (Reading, error)
}

// Applier sets power modes. It reads back every knob, and restores the state found at the start unless Keep was called.
// The guard's client implements it.
type Applier interface {
	// Apply sets a mode. On error it restores the previous state, and the result holds the steps done before the error.
	Apply(ctx context.Context, r Request) (Applied, error)
	// Revert restores the state before the last Apply.
	Revert(ctx context.Context) (Applied, error)
	// Restore restores the state found at the start.
	Restore(ctx context.Context) (Applied, error)
	// Keep makes the current state the one that Restore and Close return to.
	Keep(ctx context.Context) error
	// Close restores the state found at the start and ends the guard.
	Close() error
}

// Board describes a device.
type Board struct {
	Name        string     // short name for titles: "AGX Orin"
	Model       string     // model text of the device tree
	Compatible  []string   // compatible strings of the device tree
	Module      string     // part number: "p3701-0000"; "" when unknown
	SoC         string     // "tegra234"
	L4T         string     // "35.1"; "" when unknown
	JetPack     string     // "5.0.2"; "" when unknown
	Rails       []string   // names of all connected rails, in order
	TotalRule   string     // a rail's name, "SUM:a,b,c", or "" if the total is unknown
	TotalCovers string     // what the total includes, in words
	MostW       float64    // the largest power budget in the data sheet of the module; 0 if unknown
	Reserved    string     // cores that the scheduler does not fill, in words; "" for none
	Unusable    []Unusable // modes of the nvpmodel configuration that this board cannot be set to
	// PowerWindow is the time over which the power sensor averages, the shortest of several; 0 if unknown.
	PowerWindow time.Duration
	Virtual     bool   // a simulation or replay, not a measurement of this machine
	Replay      string // file that a replay answers from; else ""
}

// Origin describes where the board's numbers come from; "" if they are measured on this machine.
func (b Board) Origin() string { return Origin(b.Virtual, b.Replay) }

// FeedRail returns the rail that feeds the whole module; "" if the total is a sum of several.
func (b Board) FeedRail() string {
	if strings.HasPrefix(b.TotalRule, "SUM:") {
		return ""
	}
	return b.TotalRule
}

// Simulated reports whether the physics model runs this board's workloads.
func (b Board) Simulated() bool { return b.Virtual && b.Replay == "" }

// Origin is Board.Origin from these two fields alone.
func Origin(virtual bool, replay string) string {
	switch {
	case replay != "":
		return "replayed from " + replay
	case virtual:
		return "a simulation, not a measurement"
	}
	return ""
}

// VirtualMark returns the mark of numbers with that origin; "" for a real board.
func VirtualMark(origin string) string {
	if origin == "" {
		return ""
	}
	return "(VIRTUAL: " + origin + ")"
}

// Preset is a mode of the device's nvpmodel configuration.
type Preset struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	// Mode holds the preset's limits, snapped to the kernel's tables. EMC 0 means the top rate, unknown without root.
	Mode        Mode `json:"mode"`
	MinCPU      Freq `json:"-"` // minimum CPU clock while clocks are free; 0: the lowest
	MinGPU      Freq `json:"-"` // minimum GPU clock, likewise
	Default     bool `json:"-"`
	NeedsReboot bool `json:"needs_reboot"` // its GPU power-gate mask differs from the one in force
	InForce     bool `json:"-"`            // nvpmodel set it last
}

// Unusable is a mode of the device's nvpmodel configuration that this board cannot be set to.
type Unusable struct {
	ID      int    `json:"id"`
	Name    string `json:"name"`
	Why     string `json:"why"`
	Foreign bool   `json:"foreign"` // it names cores or clock files of another board
}

// ModeIn returns the preset's mode in a space, at the top memory clock if its own is unknown.
func (p Preset) ModeIn(space *Space) Mode {
	if p.Mode.EMC == 0 {
		p.Mode.EMC = space.Max().EMC
	}
	return p.Mode
}

// Reading is the device's state at one moment.
type Reading struct {
	T         time.Duration // monotonic clock of the device
	Rails     []RailReading
	TotalW    Val[float64] // module power by Board.TotalRule, in watts
	StepW     float64      // resolution of TotalW, in watts; 0 if unknown
	Cores     []CoreReading
	CPU       ClockReading // Actual: the fastest online core
	GPU       ClockReading
	EMC       ClockReading
	Temps     []TempReading // sensors that answered, in the order of zones
	TempsOff  []string      // sensors whose part is powered down
	FanPct    Val[float64]
	FanRPM    Val[int64]  // tachometer reading
	Throttled Val[bool]   // a part of the SoC is slowed now: Heat, or a clock of Slow
	Heat      Val[bool]   // a cooling device other than a fan is active
	Cooling   []string    // the kinds of those devices
	Slow      []SlowClock // clocks that do not follow what is set or asked
	Engines   []EngineReading
	Signals   Signals
	Alarms    []Alarm // of the power monitors' limits and the supply's volts, on or off
	RAMUsed   Val[int64]
	RAMTotal  Val[int64] // bytes
	RAMCached Val[int64]
	Mode      Val[Mode] // absent if no mode matches the state ("custom")
	Locked    Val[bool] // min = max on CPU and GPU, memory rate locked
	Pinned    []string  // governors that keep free clocks where they are: "userspace of the CPU"
	Missing   []Missing // values that could not be read this time
	MaxW      float64   // upper bound of plausible power; 0: a Jetson's
}

// Online returns the number of online cores.
func (r *Reading) Online() int {
	n := 0
	for _, c := range r.Cores {
		if c.Online {
			n++
		}
	}
	return n
}

// NoPermission is the reason for a value in a file that this user may not read.
const NoPermission = "no permission (root only)"

// Requested reports whether the CPU's clock is only what the kernel asks for: the real one of no core can be read.
func (r *Reading) Requested() bool {
	known := func(c CoreReading) bool { return c.Freq.OK && !c.Requested }
	return r.CPU.Actual.OK && !slices.ContainsFunc(r.Cores, known)
}

// Missing names a value that a reading lacks and the reason.
type Missing struct {
	Name string `json:"name"` // "rail VDD_CPU_CV", "EMC rate"
	Why  string `json:"why"`  // "no permission (root only)", "input/output error"
}

// PoweredDown reports whether the value is missing because its part is off, which is an answer.
func (m Missing) PoweredDown() bool {
	return m.Why == reason(errPoweredDown) || m.Why == reason(syscall.EAGAIN)
}

// RailReading is one rail: power in watts, and voltage and current if the driver provides them.
type RailReading struct {
	Name    string        `json:"name"`
	PowerW  Val[float64]  `json:"power_w"`
	Volts   Val[float64]  `json:"voltage_v"`
	Amperes Val[float64]  `json:"current_a"`
	Limits  CurrentLimits `json:"-"`
}

// CurrentLimits are a rail's limits in the power monitor, in amperes; absent if the board sets none. They protect the
// supply and do not depend on the power mode.
type CurrentLimits struct{ Max, Crit Val[float64] }

// First returns the limit that acts first: Max slows the module, Crit too.
func (l CurrentLimits) First() Val[float64] {
	if l.Max.OK && (!l.Crit.OK || l.Max.V < l.Crit.V) {
		return l.Max
	}
	return l.Crit
}

// Alarm is a limit of a rail's power monitor, or the least voltage of the supply; On while the rail is beyond it.
type Alarm struct {
	Rail   string
	Signal string // AverageCurrent, InstantCurrent or UnderVoltage
	On     bool
}

func (a Alarm) String() string { return a.Signal + " alarm of " + a.Rail }

// Alarming returns the alarms that are on.
func (r *Reading) Alarming() (out []Alarm) {
	for _, a := range r.Alarms {
		if a.On {
			out = append(out, a)
		}
	}
	return out
}

// CoreReading is one core of the CPU.
type CoreReading struct {
	Online    bool
	LoadPct   Val[float64]
	Freq      Val[Freq] // the clock it runs at (cpuinfo_cur_freq) where that can be read, else the requested one
	Min, Max  Val[Freq] // limits of its own cluster
	Requested bool      // Freq is only what the kernel asks for (scaling_cur_freq)
	Vague     bool      // Freq may be the request of another moment: nothing follows from it
}

// MarshalJSON prints the clock in kHz.
func (c CoreReading) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Online    bool         `json:"online"`
		LoadPct   Val[float64] `json:"load_pct"`
		KHz       Val[int64]   `json:"khz"`
		Requested bool         `json:"requested"`
	}{c.Online, c.LoadPct, InKHz(c.Freq), c.Requested})
}

// ClockReading is the actual frequency of a clock and its limits.
type ClockReading struct {
	Actual  Val[Freq]    `json:"hz"`
	Min     Val[Freq]    `json:"-"` // limits in force
	Max     Val[Freq]    `json:"asked_hz"`
	Target  Val[Freq]    `json:"-"` // what the kernel asked for last, where that is a file of its own
	Cap     Val[Freq]    `json:"-"` // highest clock that hardware or firmware allows
	LoadPct Val[float64] `json:"load_pct"`
}

// TempReading is one thermal zone.
type TempReading struct {
	Name string
	C    float64
	Trip Val[Trip] // lowest trip point that slows or stops the module; absent if the zone has none
}

// Trip is a temperature at which the kernel acts; its kind is passive, hot or critical.
type Trip struct {
	Kind string
	C    float64
}

// FanPolicy is how Apply sets the fan.
type FanPolicy int

// FanKnob is the fan's name among the knobs of an Applied.
const FanKnob = "fan"

// Fan policies.
const (
	FanUntouched FanPolicy = iota
	FanAuto                // return it to the system's control
	FanMax                 // full speed, against throttling during measurements
)

// Request is a mode to set and how to set it.
type Request struct {
	Mode Mode
	DVFS bool // leave minima below the mode's maxima; false locks min = max
	// Governors choose the clocks that DVFS leaves free; the zero value keeps the found ones.
	Governors Governors
	// Preset is the nvpmodel id of the preset to set, whose limits must be Mode. nvpmodel then applies that preset
	// again at the next boot. Absent: only the limits change, nvpmodel's id stays.
	Preset Val[int]
	Fan    FanPolicy
}

// Governors names the kernel governors of the CPU and the GPU. "" keeps the found one, unless that pins the clock to an
// end of its range.
type Governors struct{ CPU, GPU string }

// Applied is the result of setting a mode, knob by knob.
type Applied struct {
	Asked  Mode
	Actual Val[Mode]  // mode read back; absent if no mode matches the state
	Files  []KnobFile // in the order of writing
}

// KnobFile is one written file and its read-back value.
type KnobFile struct {
	Knob   string `json:"knob"`
	Path   string `json:"path"`
	Asked  string `json:"asked"`
	Actual string `json:"actual"`
}

// Mismatch returns an error if the file does not read back as requested.
func (f KnobFile) Mismatch() error {
	if f.Asked == f.Actual {
		return nil
	}
	actual := text.Clip(cmp.Or(f.Actual, "nothing"))
	return fmt.Errorf("%s: requested %s, reads back %s (%s)", f.Knob, f.Asked, actual, f.Path)
}

// Settings returns the values that were set.
func (a *Applied) Settings() (st State) {
	for _, f := range a.Files {
		st.put(f.Path, f.Asked)
	}
	return st
}

// PresetSet reports whether nvpmodel's preset id was set.
func (a *Applied) PresetSet() bool {
	return slices.ContainsFunc(a.Files, func(f KnobFile) bool { return f.Path == PresetFile })
}

// Mismatch returns an error for the first file that does not read back as requested; nil if all do.
func (a *Applied) Mismatch() error {
	for _, f := range a.Files {
		if err := f.Mismatch(); err != nil {
			return err
		}
	}
	return nil
}

// OK reports whether every file reads back as requested.
func (a *Applied) OK() bool { return a.Mismatch() == nil }
