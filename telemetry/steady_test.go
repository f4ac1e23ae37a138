package telemetry

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestSteadySettles(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, c := range []struct {
		name    string
		s       Steady
		power   []float64 // one a second, from 1 s after the change
		want    Verdict
		wantSec int // when the verdict fell
	}{
		{"three alike samples settle at the third", Steady{}, []float64{20, 20, 20, 20}, Settled, 3},
		{"two samples do not", Steady{}, []float64{20, 20}, Settling, 0},
		{"the rise to a new mode is waited for", Steady{}, []float64{20, 26, 29, 30, 30, 30}, Settled, 5},
		{"a spread of exactly five per cent settles", Steady{}, []float64{19.5, 20, 20.5}, Settled, 3},
		{"a spread just above does not", Steady{}, []float64{19.4, 20, 20.5}, Settling, 0},
		{"a sample that cannot be trusted restarts the window", Steady{}, []float64{20, 20, nan, 20, 20, 20},
			Settled, 6},
		{"an infinite sample does so too", Steady{}, []float64{20, 20, math.Inf(1), 20, 20}, Settling, 0},
		{"a minimum wait holds back", Steady{MinWait: 5 * time.Second}, []float64{20, 20, 20, 20, 20, 20}, Settled, 5},
		{"a wider spread settles sooner", Steady{Spread: 0.2}, []float64{18, 20, 21}, Settled, 3},
		{"a longer window settles later", Steady{Window: 4}, []float64{20, 20, 20, 20}, Settled, 4},
		{"a window of one sample settles at once", Steady{Window: 1}, []float64{20}, Settled, 1},
		{"a short patience gives up", Steady{GiveUp: 4 * time.Second}, []float64{10, 20, 10, 20, 20, 20}, Unstable, 4},
		{"thirty seconds are waited for", Steady{}, slices.Repeat([]float64{20, 30}, 20), Unstable, 30},
		{"the verdict is final", Steady{}, []float64{20, 20, 20, 3, 4, 5, 60}, Settled, 3},
		{"zero power is never steady", Steady{}, []float64{0, 0, 0}, Settling, 0},
		{"negative power is never steady", Steady{}, []float64{-5, -5, -5}, Settling, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			const begun = 100 * time.Second
			c.s.Begin(begun)
			for i, p := range c.power {
				got, want := c.s.Add(begun+time.Duration(i+1)*time.Second, p), Settling
				if c.wantSec > 0 && i+1 >= c.wantSec {
					want = c.want
				}
				if got != want || got != c.s.Verdict() {
					t.Fatalf("%d s after the change: got %s, want %s", i+1, got, want)
				}
			}
			if at := begun + time.Duration(c.wantSec)*time.Second; c.wantSec > 0 && c.s.At() != at {
				t.Errorf("%s at %s, want %s", c.want, c.s.At(), at)
			}
		})
	}
}

func TestSteadyWaitsFromTheFirstSample(t *testing.T) {
	t.Parallel()
	s := Steady{Window: 1, MinWait: 2 * time.Second}
	for i, want := range []Verdict{Settling, Settling, Settled} {
		if got := s.Add(time.Duration(100+i)*time.Second, 20); got != want {
			t.Errorf("%d s after the first sample: got %s, want %s", i, got, want)
		}
	}
}

func TestSteadyDoesNotDependOnTheScaleOfPower(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var a, b Steady
		for i := range 20 {
			p := 20 + 2*rng.NormFloat64()
			va := a.Add(time.Duration(i)*time.Second, p)
			if vb := b.Add(time.Duration(i)*time.Second, 4*p); va != vb { // a power of two: exact
				t.Fatalf("%s at one scale, %s at another", va, vb)
			}
		}
	}
}
