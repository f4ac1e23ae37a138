package telemetry

import "time"

// Energy adds up the energy of power samples, E = Σ p(t_i)·(t_i − t_(i−1)),
// by the samples' true times and never by a nominal interval (method note
// c.3). The first sample only begins the interval.
type Energy struct {
	last   time.Duration
	begun  bool
	joules float64
	span   time.Duration
}

// Add takes the power in watts at time t. A power that is not a finite
// number, and a time that does not advance, add nothing.
func (e *Energy) Add(t time.Duration, powerW float64) { panic("not yet") }

// Joules is the energy so far.
func (e *Energy) Joules() float64 { return e.joules }

// Span is the time that Joules covers.
func (e *Energy) Span() time.Duration { return e.span }
