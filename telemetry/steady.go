package telemetry

import (
	"math"
	"slices"
	"time"

	"jtune/internal/stats"
)

// Verdict says whether power has settled in a new mode.
type Verdict int

// Verdicts.
const (
	Settling Verdict = iota
	Settled
	Unstable // gave up waiting
)

func (v Verdict) String() string { return [...]string{"settling", "settled", "unstable"}[v] }

// Defaults of Steady: power takes 2 to 3 s to become steady in a new mode.
const (
	SteadyWindow = 3
	steadySpread = 0.05
	SteadyGiveUp = 30 * time.Second
)

// Steady detects when power is steady after a change: Window consecutive samples whose range is at most Spread of their
// mean (the sliding window of PowerTrain, section 3.1; docs/method.md, "Energy and power"). A verdict other than
// Settling is final. The zero value uses the defaults.
type Steady struct {
	Window  int           // samples; 3
	Spread  float64       // of the mean; 0.05
	MinWait time.Duration // not settled before this much time has passed; 0
	GiveUp  time.Duration // unstable after this; 30 s

	begun   bool
	from    time.Duration
	recent  []float64
	verdict Verdict
	at      time.Duration
}

// Begin sets the time of the change; without it, the first sample is taken as the change.
func (s *Steady) Begin(t time.Duration) { s.from, s.begun = t, true }

// Add adds one power sample in watts and returns the verdict so far. NaN marks a sample that cannot be trusted: no
// window with it is steady.
func (s *Steady) Add(t time.Duration, powerW float64) Verdict {
	if s.verdict != Settling {
		return s.verdict
	}
	s.setDefaults()
	if !s.begun {
		s.Begin(t)
	}
	s.recent = append(s.recent, powerW)
	s.recent = s.recent[max(0, len(s.recent)-s.Window):]
	waited := t - s.from
	switch {
	case waited >= s.MinWait && len(s.recent) == s.Window && s.spread() <= s.Spread:
		s.verdict, s.at = Settled, t
	case waited >= s.GiveUp:
		s.verdict, s.at = Unstable, t
	}
	return s.verdict
}

func (s *Steady) setDefaults() {
	if s.Window <= 0 {
		s.Window = SteadyWindow
	}
	if s.Spread <= 0 {
		s.Spread = steadySpread
	}
	if s.GiveUp <= 0 {
		s.GiveUp = SteadyGiveUp
	}
}

// spread returns the range of the window's samples relative to their mean; +Inf where the mean is not positive, NaN
// with a sample that is not finite.
func (s *Steady) spread() float64 {
	mean := stats.Mean(s.recent)
	if mean <= 0 {
		return math.Inf(1)
	}
	return (slices.Max(s.recent) - slices.Min(s.recent)) / mean
}

// Verdict returns the last verdict; At returns when it was reached.
func (s *Steady) Verdict() Verdict { return s.verdict }

// At returns the time at which power settled or waiting ended.
func (s *Steady) At() time.Duration { return s.at }
