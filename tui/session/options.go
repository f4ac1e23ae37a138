package session

import (
	"cmp"
	"math"

	"jtune/internal/usage"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tui/session/config"
)

// Version is stored in records and models; main sets it at link time.
var Version = "dev"

// Options select the device to open and where to keep things. The zero value opens this Jetson or, elsewhere, the
// virtual AGX Orin.
type Options struct {
	config.Paths
	Device   string  // auto (default), jetson, virtual:NAME, replay:FILE.csv
	Sysroot  string  // root of the device files, or a bundle to read; "": /
	Speed    float64 // rate of a virtual clock; 0: 1, +Inf: never sleeps
	Seed     uint64  // seed of all random draws
	Medium   string  // of a virtual board: storage of the data; "": the board's usual one
	Instance int     // of a virtual board: the unit; 0: the mean of all
	Quirks   bool    // of a virtual board: with the vendor's known faults
	// Faults of a virtual board by name, and its ambient temperature in °C; absent: 25.
	Faults   []string
	AmbientC tegra.Val[float64]
	// batch size of jobs; or sizes to choose among, and to pick from files and models that hold several
	Batches  []int
	AllSizes bool   // all sizes of files and models that hold several
	NoDevice bool   // use this machine, whatever it is, without power modes
	ReadOnly bool   // refuse everything that would write to the device
	Workload string // preselected workload, for the screens
	Remote   bool   // servers may be on other machines
	Weights  string // model for a workload that can run any: a file, or the name on its server
}

// DefaultVirtual is the virtual board used without a Jetson.
const DefaultVirtual = "agx-orin"

// Range of a virtual board's ambient temperature, °C.
const coldestC, warmestC = -40, 85

// faults returns the initial faults of a virtual board.
func (o Options) faults() (f virtual.Faults, err error) {
	if f, err = virtual.Named(o.Faults); err != nil {
		return f, usage.Fault.Errorf("%w", err)
	}
	if at := o.AmbientC; at.OK {
		if !(at.V >= coldestC && at.V <= warmestC) {
			return f, usage.Ambient.Errorf("air of %g °C", at.V).Advise("give %d to %d", coldestC, warmestC)
		}
		f.AmbientC = cmp.Or(at.V, math.SmallestNonzeroFloat64) // 0 means the default
	}
	return f, nil
}

// onlyVirtual returns an error if the options need a virtual board.
func (o Options) onlyVirtual() error {
	switch {
	case len(o.Faults) > 0:
		return usage.Fault.Errorf("only a virtual board has faults on demand").Advise("give %s virtual:NAME",
			usage.Device)
	case o.AmbientC.OK:
		return usage.Ambient.Errorf("only a virtual board has an air temperature that you can set").Advise(
			"give %s virtual:NAME", usage.Device)
	}
	return nil
}
