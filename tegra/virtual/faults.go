package virtual

import (
	"maps"
	"path"
	"slices"

	"jtune/tegra"
)

// Faults are the faults of a virtual board, from the start or, by Board.Inject, during its run. The zero value has
// none.
type Faults struct {
	// Files fail as listed; the first matching pattern applies.
	Files []FileFault
	// RejectRaise refuses to raise a CPU or GPU limit above the one in force
	// with EINVAL, as boards have done in published measurements.
	RejectRaise bool
	// MissingRails names rails (by label) whose files have vanished.
	MissingRails []string
	// PinnedCores refuse to go offline with EBUSY.
	PinnedCores []int
	// StuckClocks lists knobs whose hardware clock does not change: limits can be written and read back, but the clock
	// ignores them.
	StuckClocks []tegra.Knob
	// DieAfter ends the workload with ErrDied after this many of its minibatches; 0: never.
	DieAfter int
	// HangAfter makes the workload hang after this many minibatches; 0: never.
	HangAfter int
	// AmbientC is the air temperature; 0 means 25 °C. Hot air causes thermal throttling.
	AmbientC float64
	// EventsPerS are the events of the supply's signals, by counter: "oc1" is under-voltage on Orin and Thor.
	EventsPerS map[string]float64
	// Alarm keeps the alarms of the power monitors on.
	Alarm bool
	// FanStuck stops the fan whatever is written.
	FanStuck bool
}

// FileFault is a fault of the files that match a pattern.
type FileFault struct {
	Pattern string // for path.Match, on absolute paths
	Read    error  // reading returns this error (syscall.EIO, EAGAIN, …)
	Write   error  // writing returns this error
	Garbage string // reading returns this text instead
	Stuck   bool   // writing succeeds and changes nothing
	Times   int    // number of affected uses; 0: all
}

func (f Faults) clone() Faults {
	f.Files, f.MissingRails = slices.Clone(f.Files), slices.Clone(f.MissingRails)
	f.EventsPerS = maps.Clone(f.EventsPerS)
	f.PinnedCores, f.StuckClocks = slices.Clone(f.PinnedCores), slices.Clone(f.StuckClocks)
	return f
}

func (f *FileFault) concerns(write bool) bool {
	if write {
		return f.Write != nil || f.Stuck
	}
	return f.Read != nil || f.Garbage != ""
}

// fault returns the fault of a file, matched by the name used to open it or its name without links; nil if none.
func (b *Board) fault(name, where string, write bool) *FileFault {
	for i := range b.faults.Files {
		f := &b.faults.Files[i]
		if !f.concerns(write) || (f.Times > 0 && b.used[i] >= f.Times) {
			continue
		}
		as, _ := path.Match(f.Pattern, name)
		real, _ := path.Match(f.Pattern, where)
		if as || real {
			b.used[i]++
			return f
		}
	}
	return nil
}

// mayRaise reports whether a limit may change between these values.
func (b *Board) mayRaise(from, to tegra.Freq) bool { return !b.faults.RejectRaise || to <= from }

// holdClocks freezes the stuck clocks at their current value, and frees the others.
func (b *Board) holdClocks() {
	hold := func(k tegra.Knob, at *tegra.Freq, actual func() tegra.Freq) {
		switch stuck := slices.Contains(b.faults.StuckClocks, k); {
		case !stuck:
			*at = 0
		case *at == 0:
			*at = actual()
		}
	}
	for p := range b.knobs.policy {
		hold(tegra.KnobCPU, &b.knobs.policy[p].stuckAt, func() tegra.Freq { return b.policyClock(p) })
	}
	hold(tegra.KnobGPU, &b.knobs.gpu.stuckAt, b.gpuClock)
	hold(tegra.KnobEMC, &b.knobs.emcStuckAt, b.emcClock)
}
