package telemetry

import "time"

// Verdict tells whether power has settled in a new mode.
type Verdict int

// Verdicts.
const (
	Settling Verdict = iota
	Settled
	Unstable // gave up waiting
)

func (v Verdict) String() string { return [...]string{"settling", "settled", "unstable"}[v] }

// Steady finds the moment at which power is steady after a change (method
// note d.3): Window consecutive samples whose range is at most Spread of
// their mean. The zero value takes the defaults.
type Steady struct {
	Window  int           // samples; 3
	Spread  float64       // of the mean; 0.05
	MinWait time.Duration // never settled before this much time has passed; 0
	GiveUp  time.Duration // unstable after this; 30 s
}

// Add takes one power sample and tells where things stand.
func (s *Steady) Add(t time.Duration, powerW float64) Verdict { panic("not yet") }
