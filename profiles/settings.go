package profiles

import (
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
	MinWait      time.Duration `toml:"min_wait"`      // before power may count as steady; 0
	SteadyGiveUp time.Duration `toml:"steady_giveup"` // 30 s
	ModeTimeout  time.Duration `toml:"mode_timeout"`  // for a whole mode; 20 min
	Silence      time.Duration `toml:"silence"`       // of the harness; 60 s
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
	s.MinWait = max(0, s.MinWait)
	return s
}

func (s Settings) request(m tegra.Mode) tegra.Request {
	r := tegra.Request{Mode: m, DVFS: s.DVFS, Fan: tegra.FanMax}
	if s.KeepFan {
		r.Fan = tegra.FanUntouched
	}
	return r
}
