package telemetry

import (
	"math"
	"time"

	"jtune/internal/stats"
	"jtune/tegra"
)

// Energy integrates power samples, E = Σ p(t_i)·(t_i − t_(i−1)), over the samples' true times, never a nominal interval
// (docs/method.md, "Energy and power"). The first sample, or Begin, only opens the interval.
type Energy struct {
	last   time.Duration
	begun  bool
	joules float64
	span   time.Duration
	lost   time.Duration // that of samples without a valid power
	step   float64       // the sensor's resolution in watts, the coarsest; 0: unknown
	// energies in J of spans in s: of single samples, the oldest of a long interval merged
	energies, spans []float64
}

// mostSpans bounds the spans that are kept for the error; unseen is the scatter of power that few samples may not have
// shown, as a share of one sample's: that of a steady mode.
const (
	mostSpans = 4096
	unseen    = 0.05
)

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
	if len(e.spans) == mostSpans {
		e.energies, e.spans = inPairs(e.energies), inPairs(e.spans)
	}
	e.energies, e.spans = append(e.energies, powerW*dt.Seconds()), append(e.spans, dt.Seconds())
	e.joules += powerW * dt.Seconds()
	e.span, e.last = e.span+dt, t
}

// inPairs adds up neighbours of an even number of values.
func inPairs(list []float64) []float64 {
	for i := range len(list) / 2 {
		list[i] = list[2*i] + list[2*i+1]
	}
	return list[:len(list)/2]
}

// Sample adds the module's power. The time of a sample that is not valid counts like the rest: by the power of the next
// one alone, a few lost samples would make the energy much less certain.
func (e *Energy) Sample(s Sample) {
	switch p := s.PowerW(); {
	case p.OK:
		e.step = max(e.step, s.Reading.StepW)
		e.Add(s.T, p.V)
	case e.begun && s.T > e.last:
		e.lost, e.last = e.lost+s.T-e.last, s.T
	}
}

// Joules returns the energy so far.
func (e *Energy) Joules() float64 { return e.joules + e.MeanW()*e.lost.Seconds() }

// Span returns the time that Joules covers; 0 without a valid power.
func (e *Energy) Span() time.Duration {
	if e.span == 0 {
		return 0
	}
	return e.span + e.lost
}

// MeanW returns the mean power over Span in watts; 0 while Span is 0.
func (e *Energy) MeanW() float64 {
	if e.span <= 0 {
		return 0
	}
	return e.joules / e.span.Seconds()
}

// Error returns the relative standard error of MeanW and Joules, widened where there are few samples so that 1.96 of it
// are half of the 95 % band; absent for fewer than two samples. It combines the scatter of the samples (stats.MeanOf),
// the scatter that so few may not have shown, and the sensor's resolution as far as the scatter does not average it out
// (Widrow and Kollár, Quantization Noise, 2008: a step q and a Gaussian scatter σ leave a bias of q/π·exp(−2π²σ²/q²)).
func (e *Energy) Error() tegra.Val[float64] {
	n := float64(len(e.spans))
	if n < 2 || !(e.joules > 0) {
		return tegra.Val[float64]{}
	}
	mean := e.joules / e.span.Seconds()
	scatter := stats.MeanOf(e.energies, e.spans).Error / mean
	step := 0.0
	if e.step > 0 {
		squares := 0.0
		for i, s := range e.spans {
			off := (e.energies[i]/s - mean) / e.step
			squares += off * off
		}
		step = e.step / mean / (math.Pi * math.Sqrt2) * math.Exp(-2*math.Pi*math.Pi*squares/n)
	}
	return tegra.Finite(math.Sqrt(scatter*scatter + step*step + unseen*unseen/(n*n)))
}
