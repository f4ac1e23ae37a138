package record

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"jtune/telemetry"
)

// Settings are the tunables of measuring one mode. The zero value takes the defaults, which are
// the papers' where they give one (PowerTrain, section 3.1). The tag fixed is what an error calls a setting that a
// campaign keeps when it goes on; resume:"-" is on those that it does not take over from its folder.
type Settings struct {
	Minibatches int `toml:"minibatches" fixed:"minibatches"` // clean ones to collect; 40
	// first ones after a mode change; 1, none when negative
	Discard     int           `toml:"discard" fixed:"first ones left out"`
	MinSamples  int           `toml:"min_samples" fixed:"least samples"`   // valid power samples to collect at least; 3
	SampleEvery time.Duration `toml:"sample_every" fixed:"sampling every"` // 1 s
	// in a new mode, in place of waiting until power is steady; 0: not
	FixedWait    time.Duration `toml:"fixed_wait" fixed:"fixed wait"`
	SteadyGiveUp time.Duration `toml:"steady_giveup"` // 30 s
	ModeTimeout  time.Duration `toml:"mode_timeout"`  // for a whole mode; 20 min
	// of the harness, which belongs to the workload; 60 s
	Silence time.Duration `toml:"silence" resume:"-"`
	// how long the clean minibatches of a slow mode may take: from then on ten are enough; 0: all of Minibatches
	Patience time.Duration `toml:"patience,omitempty"`
	// relative standard error of time and power with which a mode has shown enough, in place of Minibatches; 0: not
	Precision float64 `toml:"precision,omitempty"`
	// requests of an inference workload, sent at the rate of its load, to be answered in place of Minibatches; 0: not
	Requests int `toml:"requests,omitempty" fixed:"requests"`
	// whole epochs from the job's start in place of Minibatches; 0: not
	Epochs int `toml:"epochs" fixed:"epochs" resume:"-"`
	// measure the idle device for so long before a job is started; 0: not
	Base    time.Duration `toml:"base" fixed:"base load" resume:"-"`
	DVFS    bool          `toml:"dvfs" fixed:"free clocks"`        // leave clocks free below the mode's limits
	KeepFan bool          `toml:"keep_fan" fixed:"fan left alone"` // leave the fan alone; else it is set to maximum
}

const (
	defaultMinibatches = 40
	defaultDiscard     = 1
	defaultMinSamples  = 3
	defaultSampleEvery = time.Second
	// BERT at the lowest clocks of an AGX Orin, its slowest workload, needs about 8 min for 40 minibatches. The
	// readings that a mode has when its time is over count.
	defaultModeTimeout = 20 * time.Minute
	defaultSilence     = 60 * time.Second
)

// FewestOfSlow is how many clean minibatches of a mode are enough once they have taken Patience.
const FewestOfSlow = 10

// FewestOfPrecise is how many clean minibatches a mode gets at least where Precision decides.
const FewestOfPrecise = 8

// WithDefaults fills in the defaults.
func (s Settings) WithDefaults() Settings {
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

// Over fills the unset settings from those of an earlier run, so that its campaign continues as it began.
func (s Settings) Over(earlier Settings) Settings {
	to, from := reflect.ValueOf(&s).Elem(), reflect.ValueOf(earlier)
	for i := range to.NumField() {
		if to.Field(i).IsZero() && to.Type().Field(i).Tag.Get("resume") == "" {
			to.Field(i).Set(from.Field(i))
		}
	}
	return s
}

// GoOn returns an error when these settings would produce other rows than an earlier run's: a campaign is measured in
// one way. Unset settings continue as before, and the time limit of a mode changes no row.
func (s Settings) GoOn(earlier Settings) error {
	var list []string
	here, there := reflect.ValueOf(s), reflect.ValueOf(earlier.WithDefaults())
	for i := range here.NumField() {
		name := here.Type().Field(i).Tag.Get("fixed")
		if now, then := here.Field(i), there.Field(i); name != "" && !now.IsZero() && !now.Equal(then) {
			list = append(list, fmt.Sprintf("%s %v there, %v here", name, then, now))
		}
	}
	if list == nil {
		return nil
	}
	return fmt.Errorf("the campaign there measures otherwise: %s; leave these settings out, or give another folder",
		strings.Join(list, ", "))
}

// Cost estimates how long n modes take on the device's clock before anything is known of the
// workload: between the minimum time for the samples of a mode, and the half minute that the
// papers allow for 40 minibatches (PowerTrain: 30 modes within 15 min, 50 within
// 25).
func (s Settings) Cost(n int) (lo, hi time.Duration) {
	s = s.WithDefaults()
	wait := max(telemetry.SteadyWindow*s.SampleEvery, s.FixedWait)
	lo = wait + time.Duration(s.MinSamples)*s.SampleEvery
	hi = max(2*lo, wait+27*time.Second*time.Duration(s.Minibatches)/defaultMinibatches)
	return time.Duration(n) * lo, time.Duration(n) * min(hi, s.ModeTimeout)
}

// CostOf estimates how long a mode takes whose minibatch takes loMS to hiMS: from power that is steady at once to power
// that takes as long again to settle.
func (s Settings) CostOf(loMS, hiMS float64) (lo, hi time.Duration) {
	s = s.WithDefaults()
	wait := max(telemetry.SteadyWindow*s.SampleEvery, s.FixedWait)
	measured := func(ms float64) time.Duration {
		work := time.Duration(min(ms*float64(s.Minibatches), float64(s.ModeTimeout.Milliseconds()))) * time.Millisecond
		if s.Patience > 0 {
			work = min(work, max(s.Patience, time.Duration(ms*FewestOfSlow)*time.Millisecond))
		}
		return max(time.Duration(s.MinSamples)*s.SampleEvery, work)
	}
	return wait + measured(loMS), 2*wait + measured(hiMS)
}
