package session

import (
	"cmp"
	"math"

	"jtune/internal/usage"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tui/session/config"
)

// Version is written into records and models; main sets it at link time.
var Version = "dev"

// Options say which device to open and where to keep things. The zero value
// opens the Jetson this is, else the virtual AGX Orin.
type Options struct {
	config.Paths
	Device   string  // auto (default), jetson, virtual:NAME, replay:FILE.csv
	Sysroot  string  // device files are read and written below it, or a bundle's file to read; "" is /
	Speed    float64 // rate of a virtual clock; 0 is 1, +Inf never sleeps
	Seed     uint64  // of everything that draws at random
	Medium   string  // of a virtual board: what the data lie on; "" is the board's usual one
	Instance int     // of a virtual board: which unit; 0 is the mean of all
	Quirks   bool    // of a virtual board: with the vendor's known faults
	// Faults of a virtual board by name, and the air around it in °C; absent: 25.
	Faults   []string
	AmbientC tegra.Val[float64]
	// batch size of jobs, or sizes to choose among and those picked from files and models that hold several
	Batches  []int
	AllSizes bool   // of files and models that hold several
	NoDevice bool   // this machine, whatever it is, without power modes
	ReadOnly bool   // refuse everything that would write to the device
	Workload string // preselected workload, for the screens
	Remote   bool   // servers may be elsewhere than on the loopback
	Weights  string // model of a workload that runs any: a file, or the name that its server knows
}

// DefaultVirtual is the virtual board where there is no Jetson.
const DefaultVirtual = "agx-orin"

// The air of a virtual board, °C.
const coldestC, warmestC = -40, 85

// faults are those that a virtual board has from the start.
func (o Options) faults() (f virtual.Faults, err error) {
	if f, err = virtual.Named(o.Faults); err != nil {
		return f, usage.Fault.Errorf("%w", err)
	}
	if at := o.AmbientC; at.OK {
		if !(at.V >= coldestC && at.V <= warmestC) {
			return f, usage.Ambient.Errorf("air of %g °C", at.V).Advise("give %d to %d", coldestC, warmestC)
		}
		f.AmbientC = cmp.Or(at.V, math.SmallestNonzeroFloat64) // 0 stands for the usual air
	}
	return f, nil
}

// onlyVirtual is an error where a real device cannot do what only a virtual board can.
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
