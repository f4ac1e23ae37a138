package telemetry

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestEnergyOfConstantPowerIsPowerTimesTime(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	var e Energy
	var at, first time.Duration
	for i := range 1000 {
		// a logger that comes up to 200 ms late
		at += time.Second + time.Duration(rng.IntN(200))*time.Millisecond
		if i == 0 {
			first = at
		}
		e.Add(at, 31.3)
	}
	want := 31.3 * (at - first).Seconds()
	if math.Abs(e.Joules()-want) > 1e-6*want || e.Span() != at-first {
		t.Errorf("got %g J over %s, want %g J over %s", e.Joules(), e.Span(), want, at-first)
	}
	if math.Abs(e.MeanW()-31.3) > 1e-9 {
		t.Errorf("mean %g W, want 31.3", e.MeanW())
	}
}

func TestEnergyWeighsEachSampleByTheTimeBeforeIt(t *testing.T) {
	t.Parallel()
	var e Energy
	e.Begin(0)
	e.Add(1*time.Second, 10)
	e.Add(4*time.Second, 20)
	if got, want := e.Joules(), 10.0*1+20*3; got != want {
		t.Errorf("got %g J, want %g", got, want)
	}
}

func TestEnergySkipsNaNAndTimeThatDoesNotAdvance(t *testing.T) {
	t.Parallel()
	var e Energy
	if e.MeanW() != 0 {
		t.Error("an empty interval has a mean power")
	}
	e.Add(1*time.Second, 10)
	e.Add(1*time.Second, 99)
	e.Add(0, 99)
	e.Add(2*time.Second, math.NaN())
	e.Add(2*time.Second, math.Inf(1))
	e.Add(3*time.Second, 10)
	if e.Joules() != 20 || e.Span() != 2*time.Second {
		t.Errorf("got %g J over %s, want 20 J over 2 s", e.Joules(), e.Span())
	}
}

func TestEnergyDoesNotDependOnHowAnIntervalIsCut(t *testing.T) {
	t.Parallel()
	// A ramp of power sampled finely by right-hand values overestimates a
	// rising ramp by one step; cutting steps in half halves the excess.
	ramp := func(step time.Duration) float64 {
		var e Energy
		e.Begin(0)
		for at := step; at <= 10*time.Second; at += step {
			e.Add(at, 5*at.Seconds())
		}
		return e.Joules() - 250 // ∫ 5t dt over 10 s
	}
	one, half := ramp(time.Second), ramp(500*time.Millisecond)
	if math.Abs(one-25) > 1e-9 || math.Abs(half-12.5) > 1e-9 {
		t.Errorf("excess %g and %g J, want 25 and 12.5", one, half)
	}
}
