package profiles

import (
	"math"
	"time"

	"jtune/tegra"
	"jtune/telemetry"
)

// Settings are the tunables of measuring one mode. The zero value takes the
// defaults, which are the papers' (method note d.3) where they give one.
type Settings struct {
	Minibatches  int           `toml:"minibatches"`   // clean ones to collect; 40
	Discard      int           `toml:"discard"`       // first ones after a mode change; 1, none when negative
	MinSamples   int           `toml:"min_samples"`   // valid power samples to collect at least; 3
	SampleEvery  time.Duration `toml:"sample_every"`  // 1 s
	FixedWait    time.Duration `toml:"fixed_wait"`    // in a new mode, in place of waiting until power is steady; 0: not
	SteadyGiveUp time.Duration `toml:"steady_giveup"` // 30 s
	ModeTimeout  time.Duration `toml:"mode_timeout"`  // for a whole mode; 20 min
	Silence      time.Duration `toml:"silence"`       // of the harness; 60 s
	Epochs       int           `toml:"epochs"`        // whole epochs from the job's start in place of Minibatches; 0: not
	Base         time.Duration `toml:"base"`          // measure the idle device for so long before a job is started; 0: not
	DVFS         bool          `toml:"dvfs"`          // leave clocks free below the mode's limits
	KeepFan      bool          `toml:"keep_fan"`      // leave the fan alone; else it is set to maximum
}

const (
	defaultMinibatches = 40
	defaultDiscard     = 1
	defaultMinSamples  = 3
	defaultSampleEvery = time.Second
	// The slowest mode of the slowest workload known, BERT at the lowest
	// clocks, needs about 8 min for 40 minibatches.
	defaultModeTimeout = 20 * time.Minute
	defaultSilence     = 60 * time.Second
)

func (s Settings) withDefaults() Settings {
	set := func(v *time.Duration, def time.Duration) {
		if *v <= 0 {
			*v = def
		}
	}
	if s.Minibatches <= 0 {
		s.Minibatches = defaultMinibatches
	}
	if s.Discard == 0 {
		s.Discard = defaultDiscard
	}
	if s.MinSamples <= 0 {
		s.MinSamples = defaultMinSamples
	}
	set(&s.SampleEvery, defaultSampleEvery)
	set(&s.SteadyGiveUp, telemetry.SteadyGiveUp)
	set(&s.ModeTimeout, defaultModeTimeout)
	set(&s.Silence, defaultSilence)
	s.FixedWait = max(0, s.FixedWait)
	return s
}

// Over gives these settings with those of an earlier run wherever these leave
// the choice: its campaign goes on as it began. How long a job may be silent is
// the workload's own choice first, and no matter of measuring.
func (s Settings) Over(earlier Settings) Settings {
	choose(&s.Minibatches, earlier.Minibatches)
	choose(&s.Discard, earlier.Discard)
	choose(&s.MinSamples, earlier.MinSamples)
	choose(&s.SampleEvery, earlier.SampleEvery)
	choose(&s.FixedWait, earlier.FixedWait)
	choose(&s.SteadyGiveUp, earlier.SteadyGiveUp)
	choose(&s.ModeTimeout, earlier.ModeTimeout)
	choose(&s.DVFS, earlier.DVFS)
	choose(&s.KeepFan, earlier.KeepFan)
	return s
}

// Cost is about how long n modes take on the device's clock, before anything
// is known of the workload: between the samples that a mode takes at least, and
// the half minute that the papers allow one of 40 minibatches (30 modes within
// 15 min, 50 within 25; method note d.4).
func (s Settings) Cost(n int) (lo, hi time.Duration) {
	s = s.withDefaults()
	wait := max(telemetry.SteadyWindow*s.SampleEvery, s.FixedWait)
	lo = wait + time.Duration(s.MinSamples)*s.SampleEvery
	hi = max(2*lo, wait+27*time.Second*time.Duration(s.Minibatches)/defaultMinibatches)
	return time.Duration(n) * lo, time.Duration(n) * min(hi, s.ModeTimeout)
}

func choose[T comparable](v *T, otherwise T) {
	if *v == *new(T) {
		*v = otherwise
	}
}

// steady is how the beginning of what counts is found: by the power, or after
// a fixed time.
func (s Settings) steady() telemetry.Steady {
	if s.FixedWait > 0 {
		return telemetry.Steady{Window: 1, Spread: math.Inf(1), MinWait: s.FixedWait, GiveUp: s.FixedWait + s.SteadyGiveUp}
	}
	return telemetry.Steady{GiveUp: s.SteadyGiveUp}
}

func (s Settings) request(m tegra.Mode) tegra.Request {
	r := tegra.Request{Mode: m, DVFS: s.DVFS, Fan: tegra.FanMax}
	if s.KeepFan {
		r.Fan = tegra.FanUntouched
	}
	return r
}
