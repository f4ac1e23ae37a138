package profiles

import (
	"context"
	"time"

	"jtune/profiles/harness"
	"jtune/tegra"
)

// Settings are the tunables of measuring one mode. The zero value takes the
// defaults, which are the papers' (method note d.3).
type Settings struct {
	Minibatches  int           `toml:"minibatches"`   // clean ones to collect; 40
	Discard      int           `toml:"discard"`       // first ones after a mode change; 1, none when negative
	MinSamples   int           `toml:"min_samples"`   // valid power samples to collect at least; 3
	SampleEvery  time.Duration `toml:"sample_every"`  // 1 s
	MinWait      time.Duration `toml:"min_wait"`      // before power may count as steady; 0
	SteadyGiveUp time.Duration `toml:"steady_giveup"` // 30 s
	ModeTimeout  time.Duration `toml:"mode_timeout"`  // 10 min
	Silence      time.Duration `toml:"silence"`       // of the harness; 60 s
	DVFS         bool          `toml:"dvfs"`
	KeepFan      bool          `toml:"keep_fan"` // leave the fan alone; else it is set to maximum
}

// Bench measures single modes with one workload. The harness keeps running
// from mode to mode and is started again when it died.
type Bench struct {
	Device     tegra.Device
	Applier    tegra.Applier
	Clock      tegra.Clock
	NewHarness func(ctx context.Context) (harness.Harness, error)
	Workload   Workload
	Settings   Settings
	Observe    func(Progress) // called on the measuring goroutine; may be nil
	Raw        RawLog         // gets every sample and minibatch; may be nil
}

// RawLog takes what rows are made of.
type RawLog interface {
	Minibatch(mode tegra.Mode, e harness.Event, clean bool) error
	Sample(mode tegra.Mode, t time.Duration, powerW tegra.Val[float64], valid bool, why string) error
}

// Phase is what the bench is doing.
type Phase int

// Phases of one mode.
const (
	Applying Phase = iota
	Settling
	WarmingUp
	Measuring
	Restoring
	Finished
)

func (p Phase) String() string {
	return [...]string{"applying", "settling", "warm-up", "measuring", "restoring", "finished"}[p]
}

// Progress is where measuring stands.
type Progress struct {
	Phase     Phase
	Step      Step
	Minibatch int // clean ones so far
	Of        int
	TimeMS    float64 // of the latest minibatch; 0 before
	PowerW    tegra.Val[float64]
	Row       *Row // when a mode has finished
	Next      *Step
	// Of the campaign; zero when a single mode is measured.
	Done, Total  int // Total 0: not known
	Elapsed      time.Duration
	ETALo, ETAHi time.Duration
	Line         string // something to tell, in words
}

// Measure applies a mode, waits until power is steady, and measures. The row
// holds the reason when the mode failed; the error is for what ends a
// campaign: ctx done, the device or the guard gone.
func (b *Bench) Measure(ctx context.Context, step Step) (Row, error) { panic("not yet") }

// Close stops the harness. It does not restore the device.
func (b *Bench) Close() error { panic("not yet") }
