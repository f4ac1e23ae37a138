package telemetry

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"jtune/tegra"
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

// One lost sample in four leaves the energy of what the others show, and the band is hardly wider.
func TestEnergyOfLostSamplesIsThatOfTheRest(t *testing.T) {
	t.Parallel()
	var all, some Energy
	all.Begin(0)
	some.Begin(0)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		x := Sample{T: time.Duration(i+1) * time.Second, Valid: true}
		x.Reading.TotalW = tegra.Some(10 + 30*float64(rnd.IntN(2)))
		all.Sample(x)
		x.Valid = rnd.IntN(4) > 0
		some.Sample(x)
	}
	if math.Abs(some.Joules()/all.Joules()-1) > 0.03 || some.Span() != all.Span() ||
		some.Error().V > 1.25*all.Error().V {
		t.Errorf("%.0f J in %s, error %.3g; without loss %.0f J in %s, %.3g", some.Joules(), some.Span(),
			some.Error().V, all.Joules(), all.Span(), all.Error().V)
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

// A job whose power alternates between 10 and 40 W, with about the period of the samples, is read at random moments.
func TestEnergyOfASquareWaveLiesInItsBand(t *testing.T) {
	t.Parallel()
	for _, period := range []time.Duration{500 * time.Millisecond, time.Second, 1010 * time.Millisecond} {
		const runs, duty = 400, 0.3
		held, wide := 0, 0
		for seed := range uint64(runs) {
			clock, dev := &stepClock{now: time.Duration(seed) * 37 * time.Millisecond}, &meter{}
			dev.power = func() float64 {
				if float64(clock.now%period) < duty*float64(period) {
					return 40
				}
				return 10
			}
			var e Energy
			e.Begin(clock.now)
			s := NewSampler(dev, clock)
			s.Seed = seed
			stop := s.Measure(time.Second, func(x Sample) { e.Add(x.T, x.PowerW().V) })
			clock.Sleep(context.Background(), 25*time.Second)
			stop()
			half := 1.96 * e.Error().V
			if math.Abs(e.MeanW()-19) <= half*e.MeanW() {
				held++
			}
			if half > 0.4 {
				wide++
			}
		}
		if held < runs*17/20 || wide > runs/100 {
			t.Errorf("period %s: the true power lies in %d of %d bands, want 17 of 20; %d are wider than ± 40 %%, "+
				"want 1 of 100", period, held, runs, wide)
		}
	}
}

func TestEnergyErrorKnowsHowLittleItSaw(t *testing.T) {
	t.Parallel()
	of := func(step float64, watts ...float64) float64 {
		var e Energy
		e.Begin(0)
		for i, w := range watts {
			e.Sample(Sample{T: time.Duration(i+1) * time.Second, Valid: true,
				Reading: tegra.Reading{TotalW: tegra.Some(w), StepW: step}})
		}
		if got := e.Error(); got.OK {
			return got.V
		}
		return math.NaN()
	}
	alike := func(n int) (list []float64) {
		for range n {
			list = append(list, 20)
		}
		return list
	}
	if got := of(0, 20); !math.IsNaN(got) {
		t.Errorf("the error of one sample is %v, want none", got)
	}
	two, many := of(0, alike(2)...), of(0, alike(100)...)
	if two < 0.01 || two > 0.1 || many > 0.001 {
		t.Errorf("errors of 2 and 100 equal samples: %v, %v", two, many)
	}
	if got := of(0, 10, 40); got < 0.6 {
		t.Errorf("10 and 40 W have a mean known to %v", got)
	}
	if got := of(1, alike(100)...); got < 0.01 {
		t.Errorf("a sensor with steps of 1 W that always reads 20 W is believed to %v", got)
	}
	if coarse, fine := of(1, 18, 22, 19, 21, 20, 18, 22), of(0, 18, 22, 19, 21, 20, 18, 22); coarse > 1.01*fine {
		t.Errorf("steps below the scatter count: %v, %v without", coarse, fine)
	}
	long := make([]float64, 3*mostSpans)
	for i := range long {
		long[i] = 20 + float64(i%7-3)
	}
	var e Energy
	e.Begin(0)
	for i, w := range long {
		e.Add(time.Duration(i+1)*time.Second, w)
	}
	if len(e.spans) > mostSpans || math.Abs(e.Joules()/20/float64(len(long))-1) > 1e-4 || e.Error().V > 0.01 {
		t.Errorf("%d spans, %v J, error %v", len(e.spans), e.Joules(), e.Error())
	}
}
