package profiles

import (
	"time"

	"jtune/tegra"
)

// Status is how measuring a mode ended.
type Status string

// Statuses.
const (
	OK        Status = "ok"
	Unstable  Status = "unstable"  // measured, but power never became steady
	Throttled Status = "throttled" // the board slowed itself: not a measurement of the mode
	Rejected  Status = "rejected"  // the board did not take the mode
	TimedOut  Status = "timeout"   // too few minibatches in the time a mode may take
	Failed    Status = "failed"    // anything else; Why tells
)

// Usable tells whether time and power of such a row may be learnt from.
func (s Status) Usable() bool { return s == OK || s == Unstable }

// Row is one finished mode. Time and power are zero when Status is not usable.
type Row struct {
	tegra.Measured
	Status       Status
	Why          string
	Applied      tegra.Mode // read back; zero when nothing was applied
	Minibatches  int        // clean ones
	PowerSamples int        // valid ones
	TimeIQRMS    float64    // quartile distance of the minibatch times
	PowerIQRW    float64
	StallMS      float64 // medians
	ComputeMS    float64
	OverheadMS   float64
	EnergyJ      float64 // per minibatch, from samples at their true times
	SettleS      float64 // apply to steady power
	TookS        float64 // the whole mode
	Raise        bool
	When         time.Time
}
