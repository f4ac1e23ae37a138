package optimize

import (
	"math"
	"os"
	"reflect"
	"slices"
	"testing"

	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/quantile"
	"jtune/tegra/sweep/sweeptest"
)

// follow measures what a design asks for.
func (s *truth) follow(d *Design) []tegra.Measured {
	var done []tegra.Measured
	for {
		m, ok := d.Next(done)
		if !ok {
			return done
		}
		done = append(done, s.at[m])
	}
}

// errors fits to the samples and scores the other modes.
func (s *truth) errors(t *testing.T, samples []tegra.Measured) (timePct, powerPct, minutes float64) {
	t.Helper()
	model, err := learn.FitSurrogate(s.space, samples, learn.SurrogateOptions{Grid: true, Robust: 2})
	if err != nil {
		t.Fatal(err)
	}
	known := map[tegra.Mode]bool{}
	for _, m := range samples {
		known[m.Mode] = true
		minutes += costS(m.TimeMS) / 60
	}
	var got, want [2][]float64
	for i, p := range model.Predict(s.space.Modes()) {
		if m := s.at[s.space.At(i)]; !known[m.Mode] {
			got[0], want[0] = append(got[0], p.TimeMS), append(want[0], m.TimeMS)
			got[1], want[1] = append(got[1], p.PowerW), append(want[1], m.PowerW)
		}
	}
	return learn.MAPE(got[0], want[0]), learn.MAPE(got[1], want[1]), minutes
}

// Bars of recipe §10 for 20 chosen modes: medians over the designs, and of the
// minutes, the mean that random modes take. ResNet's and Orin Nano's errors are
// those of random modes, for which the recipe has bars.
func TestADesignTeachesMoreThanRandomModes(t *testing.T) {
	if testing.Short() {
		t.Skip("follows forty designs")
	}
	t.Parallel()
	seeds := uint64(10)
	if os.Getenv("JTUNE_LONG") != "" {
		seeds = 30
	}
	for _, c := range []struct {
		name              string
		timePct, powerPct float64
	}{{sweeptest.MobileNet, 6.2, 2.9}, {sweeptest.LSTM, 3.0, 2.5}, {sweeptest.ResNet, 6.5, 3.5}, {sweeptest.OrinNano, 3.8, 4.4}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			const modes = 20
			s := loadTruth(t, c.name)
			random := 0.0
			for _, r := range s.rows {
				random += modes * costS(r.TimeMS) / 60 / float64(len(s.rows))
			}
			var timePct, powerPct, minutes []float64
			for seed := range seeds {
				e, p, m := s.errors(t, s.follow(NewDesign(s.space, modes, seed, 0)))
				timePct, powerPct, minutes = append(timePct, e), append(powerPct, p), append(minutes, m)
			}
			mid := func(v []float64) float64 { return quantile.Median(v).V }
			t.Logf("%.2f / %.2f %%, %.2f min, %.2f at most (random %.2f)", mid(timePct), mid(powerPct), mid(minutes), slices.Max(minutes), random)
			if mid(timePct) > c.timePct || mid(powerPct) > c.powerPct {
				t.Errorf("time %.2f %%, power %.2f %%, want %g and %g at most", mid(timePct), mid(powerPct), c.timePct, c.powerPct)
			}
			if slices.Max(minutes) > random {
				t.Errorf("up to %.2f minutes of profiling, random modes take %.2f in the mean", slices.Max(minutes), random)
			}
		})
	}
}

func TestADesignGoesOnInANewProcess(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	whole := (&truth{space: b.space, at: byMode(b.all())}).follow(NewDesign(b.space, 9, 1, 0))
	if len(whole) != 9 {
		t.Fatalf("%d modes, want 9", len(whole))
	}
	for n := range whole {
		m, ok := NewDesign(b.space, 9, 1, 0).Next(whole[:n])
		if !ok || m != whole[n].Mode {
			t.Errorf("after %d modes: got %v, want %v", n, m, whole[n].Mode)
		}
	}
	again := (&truth{space: b.space, at: byMode(b.all())}).follow(NewDesign(b.space, 9, 1, 0))
	if !reflect.DeepEqual(whole, again) {
		t.Errorf("equal seeds differ: %v and %v", whole, again)
	}
}

func byMode(rows []tegra.Measured) map[tegra.Mode]tegra.Measured {
	at := map[tegra.Mode]tegra.Measured{}
	for _, r := range rows {
		at[r.Mode] = r
	}
	return at
}

func TestADesignReplacesModesThatFail(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	d := NewDesign(b.space, 6, 2, 0)
	var done []tegra.Measured
	proposed := map[tegra.Mode]int{}
	for {
		m, ok := d.Next(done)
		if !ok {
			break
		}
		if proposed[m]++; proposed[m] > 1 {
			t.Fatalf("%v was proposed again", m)
		}
		if len(proposed)%3 != 0 {
			done = append(done, b.answer(m))
		}
	}
	if len(done) != 6 || len(proposed) != 8 {
		t.Errorf("%d measured of %d proposed, want 6 of 8", len(done), len(proposed))
	}
	d, n := NewDesign(b.space, 4, 2, 0), 0
	for ok := true; ok; n++ {
		_, ok = d.Next(nil)
	}
	if n-1 != 4 {
		t.Errorf("a board where all fails was asked %d times, want 4", n-1)
	}
}

func TestADesignOnSmallSpacesAndOddRows(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	one, err := b.space.Restrict(b.space.Sample(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	d := NewDesign(one, 10, 1, math.NaN())
	if m, ok := d.Next(nil); !ok || m != one.At(0) || d.Len() != 1 {
		t.Errorf("one mode: got %v, %v, %d planned", m, ok, d.Len())
	}
	if m, ok := d.Next(nil); ok {
		t.Errorf("one mode that failed: got %v, want the end", m)
	}
	foreign := []tegra.Measured{{Mode: tegra.Mode{Cores: 77}, TimeMS: 5, PowerW: 5}, {Mode: b.space.At(3), TimeMS: math.NaN(), PowerW: 5}}
	if _, ok := NewDesign(b.space, 2, 1, 0).Next(foreign); !ok {
		t.Errorf("rows that do not count ended the design")
	}
	if _, ok := NewDesign(b.space, 0, 1, 0).Next(nil); ok {
		t.Errorf("a design of no modes proposed one")
	}
}
