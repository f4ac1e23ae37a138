package telemetry

import (
	"math"
	"time"
)

// Energy integrates power samples, E = Σ p(t_i)·(t_i − t_(i−1)), over the samples' true times, never a nominal interval
// (docs/method.md, "Energy and power"). The first sample, or Begin, only opens the interval.
type Energy struct {
	last   time.Duration
	begun  bool
	joules float64
	span   time.Duration
}

// Begin opens the interval at t, so that the first sample counts from t.
func (e *Energy) Begin(t time.Duration) { e.last, e.begun = t, true }

// Add takes the power in watts at time t. It ignores a power that is not finite and a time that does not advance; the
// next good sample then covers the time since the last good one.
func (e *Energy) Add(t time.Duration, powerW float64) {
	if math.IsNaN(powerW) || math.IsInf(powerW, 0) {
		return
	}
	if !e.begun {
		e.Begin(t)
		return
	}
	dt := t - e.last
	if dt <= 0 {
		return
	}
	e.joules += powerW * dt.Seconds()
	e.span += dt
	e.last = t
}

// Joules returns the energy so far.
func (e *Energy) Joules() float64 { return e.joules }

// Span returns the time that Joules covers.
func (e *Energy) Span() time.Duration { return e.span }

// MeanW returns the mean power over Span in watts; 0 while Span is 0.
func (e *Energy) MeanW() float64 {
	if e.span <= 0 {
		return 0
	}
	return e.joules / e.span.Seconds()
}
