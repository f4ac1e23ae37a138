// Package metric holds the quantities that a limit or a goal can name, and the one grammar of goals.
//
//	line of text, flags ──► Parse ──► Question{Goal{Objective, Limits}, Load} ──► choices, searches, soaks
//
// Code that compares, prints or records limits loops over them: a new kind of limit is one entry of the table.
package metric

import (
	"slices"

	"jtune/internal/units"
	"jtune/tegra"
)

// Metric is a quantity that a setting has.
type Metric struct {
	Key    string // in JSON: "power"
	Short  string // in keys of values in JSON; "": Key
	Title  string // "power"
	Unit   units.Unit
	Suffix string  // of its keys in JSON: "w" in "value_w"
	Digits int     // decimals that a reading of it is printed with
	Most   float64 // above it a limit is a slip of the pen
	Least  bool    // a limit is a lower one
	Harm   bool    // exceeding a limit can do harm
	// Rail reads it of a rail, where each rail has its own; Board reads that of the whole board. Both are nil where no
	// sensor shows it.
	Rail  func(tegra.RailReading) tegra.Val[float64]
	Board func(tegra.Reading) tegra.Val[float64]
	// Slow says that it settles in minutes: a reading of seconds does not show what a setting leads to.
	Slow bool
	// Of is what a limit is compared with, in the unit of the metric; nil for a further quantity (Bound.Reads). Energy
	// is per sample if the batch size is an input.
	Of func(tegra.Measured) float64
	// Aim is what a goal makes least: per sample if the batch size is an input.
	Aim func(tegra.Measured) float64
	// InTime and InPower are the exponents of time and power.
	InTime, InPower float64
}

// The metrics.
var (
	Power = &Metric{Key: "power", Title: "power", Unit: units.Watt, Suffix: "w", Digits: 2, Most: 1000, Harm: true,
		Of: powerOf, Aim: powerOf, InPower: 1,
		Board: func(r tegra.Reading) tegra.Val[float64] { return r.TotalW }}
	Time = &Metric{Key: "time", Title: "time", Unit: units.Millisecond, Suffix: "ms", Digits: 2,
		Of: func(m tegra.Measured) float64 { return m.TimeMS }, Aim: tegra.Measured.SampleMS, InTime: 1}
	Energy = &Metric{Key: "energy", Title: "energy", Unit: units.Joule, Suffix: "j", Digits: 2,
		Of: tegra.Measured.SampleJ, Aim: tegra.Measured.SampleJ, InTime: 1, InPower: 1}
	Current = &Metric{Key: "current", Title: "current", Unit: units.Ampere, Suffix: "a", Digits: 2, Most: 200,
		Harm: true, Rail: func(r tegra.RailReading) tegra.Val[float64] { return r.Amperes }}
	RailPower = &Metric{Key: "rail_power", Title: "power of a rail", Unit: units.Watt, Suffix: "w", Digits: 2,
		Most: 1000, Harm: true, Rail: func(r tegra.RailReading) tegra.Val[float64] { return r.PowerW }}
	Voltage = &Metric{Key: "voltage", Title: "voltage", Unit: units.Volt, Suffix: "v", Digits: 3, Most: 100,
		Least: true, Harm: true, Rail: func(r tegra.RailReading) tegra.Val[float64] { return r.Volts }}
	Temperature = &Metric{Key: "temperature", Short: "temp", Title: "temperature", Unit: units.Celsius, Suffix: "c",
		Digits: 1, Most: 150, Harm: true, Board: tegra.Reading.Hottest, Slow: true}
)

// All lists the metrics, in the order in which limits are printed.
var All = []*Metric{Power, Time, Energy, Current, RailPower, Voltage, Temperature}

// Live lists the metrics that every reading of a board shows, Sensed those of them that a sensor of the whole board
// shows of a setting within seconds, besides power.
var (
	Live = those(func(m *Metric) bool { return m.Rail != nil || m.Board != nil })

	Sensed = those(func(m *Metric) bool { return m.Board != nil && m.Of == nil && !m.Slow })
)

func those(of func(*Metric) bool) []*Metric {
	return slices.DeleteFunc(slices.Clone(All), func(m *Metric) bool { return !of(m) })
}

func powerOf(m tegra.Measured) float64 { return m.PowerW }

// String returns the title.
func (m *Metric) String() string { return m.Title }
