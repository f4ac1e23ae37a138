package optimize

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"jtune/internal/must"
	"jtune/optimize/ladder"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/sweep/sweeptest"
)

func TestTuneWithoutAFeasibleMode(t *testing.T) {
	t.Parallel()
	for _, strategy := range []string{Auto, Binary, Random} {
		for _, l := range []metric.Goal{metric.Watts(9), metric.Millis(20),
			{Limits: metric.Power.Max(14).And(metric.Time.Max(80))}} {
			b := optimizetest.New(t)
			res, err := tuneOn(t, b, TuneOptions{Limits: goals(l), Strategy: strategy, Probes: 25})
			var no *InfeasibleError
			if !errors.Is(err, ErrInfeasible) || !errors.As(err, &no) || no.Nearest.Mode != res.Mode || res.Feasible {
				t.Errorf("%s, %v: got %v, %v", strategy, l, res.Measured, err)
			}
			if shown := l.Of(metric.Power) == 0 || l.Of(metric.Time) == 0; strategy == Auto &&
				((res.Ended == NoWay) != shown ||
					len(res.Probes) > 10) {
				t.Errorf("%v: ended %q after %d probes, want an early end", l, res.Ended, len(res.Probes))
			}
		}
	}
	b := optimizetest.New(t)
	res, _ := tuneOn(t, b, TuneOptions{Limits: goals(metric.Watts(9))})
	least, _ := bestOf(b.All(), metric.Millis(1e9))
	if res.Measured.PowerW > least.PowerW*1.03 {
		t.Errorf("nearest draws %.2f W, the least of all is %.2f", res.Measured.PowerW, least.PowerW)
	}
}

// A limit far out of reach costs a start and the mode nearest to it; one slightly out of reach costs a few more.
func TestTuneEndsSoonForImpossibleLimits(t *testing.T) {
	t.Parallel()
	seeds := uint64(1)
	if os.Getenv("JTUNE_LONG") != "" {
		seeds = 3
	}
	s := optimizetest.Load(t, sweeptest.ResNet)
	for _, c := range []struct {
		limit metric.Goal
		most  int
	}{
		{metric.Millis(5), 2}, {metric.Millis(20), 5}, {metric.Millis(50), 8}, {metric.Millis(56), 12},
		{metric.Watts(5), 2}, {metric.Watts(9), 3}, {metric.Watts(11), 12}, // 11 W: 8 before readings had to show it
		{metric.Within(metric.Power.Max(20).And(metric.Time.Max(70))),
			15}, {metric.Within(metric.Power.Max(30).And(metric.Time.Max(60))), 15},
	} {
		for seed := range seeds {
			res, err := tuneModes(t.Context(), s.Measure, TuneOptions{Limits: goals(c.limit), Space: s.Space,
				Seed: seed})
			shown := c.limit.Of(metric.Power) == 0 || c.limit.Of(metric.Time) == 0
			if !errors.Is(err, ErrInfeasible) || (res.Ended == NoWay) != shown || len(res.Probes) > c.most {
				t.Errorf("%v, seed %d: %v, %v after %d probes, want no way after %d at most",
					c.limit, seed, err, res.Ended, len(res.Probes), c.most)
			}
			for _, p := range res.Probes {
				if c.limit.Of(metric.Time) > 0 && c.limit.Of(metric.Power) > 0 &&
					p.PowerW > 1.1*c.limit.Of(metric.Power) {
					t.Errorf("%v, seed %d: %v draws %.1f W", c.limit, seed, p.Mode, p.PowerW)
				}
			}
		}
	}
}

func TestTuneGoesOnAfterAModeThatCannotBeMeasured(t *testing.T) {
	t.Parallel()
	for _, strategy := range []string{Auto, Binary, Random} {
		b := optimizetest.New(t)
		b.Broken = func(m tegra.Mode) error {
			if len(b.Probed)%4 == 2 {
				return fmt.Errorf("harness died in %v", m)
			}
			return nil
		}
		res, err := tuneOn(t, b, TuneOptions{Limits: goals(metric.Watts(30)), Strategy: strategy, Probes: 30})
		if err != nil || !res.Feasible {
			t.Errorf("%s: %v", strategy, err)
		}
		failed := 0
		for _, p := range res.Probes {
			if p.Err != nil {
				failed++
				if p.TimeMS != 0 || p.Feasible {
					t.Errorf("%s: a failed probe has values: %+v", strategy, p)
				}
			}
		}
		if failed == 0 {
			t.Errorf("%s: no failed probe is reported", strategy)
		}
	}
}

func TestTuneGivesUpWhenEveryMeasurementFails(t *testing.T) {
	t.Parallel()
	dead := errors.New("no such container")
	for _, strategy := range []string{Auto, Binary, Random} {
		b := optimizetest.New(t)
		b.Broken = func(tegra.Mode) error { return dead }
		res, err := tuneOn(t, b, TuneOptions{Limits: goals(metric.Watts(30)), Strategy: strategy})
		if !errors.Is(err, dead) || errors.Is(err, ErrInfeasible) || res.Ended != Failing ||
			len(b.Probed) != failuresInARow {
			t.Errorf("%s: got %v, %v after %d probes", strategy, err, res.Ended, len(b.Probed))
		}
	}
}

func TestTuneTakesReadingsOutOfRangeForFailures(t *testing.T) {
	t.Parallel()
	for _, bad := range []float64{math.NaN(), 0, -3, math.Inf(1)} {
		b := optimizetest.New(t)
		b.Shake = func(call int, r *tegra.Measured) {
			if call == 1 || call == 4 {
				r.PowerW = bad
			}
		}
		res, err := tuneOn(t, b, TuneOptions{Limits: goals(metric.Watts(30))})
		if err != nil || !res.Feasible || res.Probes[0].Err == nil || res.Probes[3].Err == nil {
			t.Errorf("readings of %g W: %v, first probe %+v", bad, err, res.Probes[0])
		}
	}
}

// The second best measured mode may be far behind when the winner falls: the
// search looks for another one before it settles.
func TestTuneGoesOnWhenTheWinnerFalls(t *testing.T) {
	t.Parallel()
	resumed, worst := 0, 0.0
	for _, watts := range []float64{17, 21, 25, 29, 33} {
		b, limit := optimizetest.New(t), metric.Watts(watts)
		count := map[tegra.Mode]int{}
		var fallen tegra.Mode
		b.Shake = func(_ int, r *tegra.Measured) {
			if count[r.Mode]++; count[r.Mode] == 2 && fallen == (tegra.Mode{}) {
				fallen = r.Mode
			}
			if r.Mode == fallen {
				r.PowerW = 1.04 * watts
			}
		}
		res, err := tuneOn(t, b, TuneOptions{Limits: goals(limit)})
		if err != nil || !res.Verified || res.Mode == fallen {
			t.Fatalf("%g W: got %v, %v", watts, res.Mode, err)
		}
		rest := slices.DeleteFunc(b.All(), func(m tegra.Measured) bool { return m.Mode == fallen })
		want := must.Get(bestOf(rest, limit))(t)
		worst = max(worst, b.Answer(res.Mode).TimeMS/b.Answer(want.Mode).TimeMS-1)
		for i, p := range res.Probes[1:] {
			if p.Why == Improve && res.Probes[i].Why == Verify {
				resumed++
			}
		}
	}
	if resumed == 0 || worst > 0.05 {
		t.Errorf("searches went on %d times, worst answer %.1f %% slower than the best of the others, want at most 5",
			resumed, 100*worst)
	}
}

func TestTuneReplacesAWinnerThatWasFastOnce(t *testing.T) {
	t.Parallel()
	for lucky := 2; lucky < 8; lucky += 2 {
		b := optimizetest.New(t)
		var glitch tegra.Mode
		b.Shake = func(call int, r *tegra.Measured) {
			if call == lucky { // looks twice as fast as it truly is
				glitch, r.TimeMS = r.Mode, r.TimeMS/2
			}
		}
		limit := metric.Watts(25)
		res, err := tuneOn(t, b, TuneOptions{Limits: goals(limit), Seed: 2})
		if err != nil || !res.Verified {
			t.Fatal(err)
		}
		// the answer tells the mean of its readings, a lucky one among them
		if want := b.Answer(res.Mode).TimeMS; res.Mode != glitch && math.Abs(res.Measured.TimeMS-want) > 1e-9*want {
			t.Errorf("probe %d lucky: the answer's time is %.1f ms, the mode takes %.1f",
				lucky, res.Measured.TimeMS, want)
		}
		if b.Answer(glitch).TimeMS > 1.3*res.Measured.TimeMS && res.Mode == glitch {
			t.Errorf("probe %d lucky: the answer is the lucky mode", lucky)
		}
	}
}

func TestTuneStopsWhenTheContextEnds(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.Shake = func(call int, _ *tegra.Measured) {
		if call == 4 {
			cancel()
		}
	}
	res, err := tuneModes(ctx, b.Measure, TuneOptions{Limits: goals(metric.Watts(30)), Space: b.Space})
	if !errors.Is(err, context.Canceled) || res.Ended != Cancelled || len(res.Probes) != 3 {
		t.Errorf("got %v, %v, %d probes", err, res.Ended, len(res.Probes))
	}
}

func TestTuneRejectsBadOptions(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	for name, o := range map[string]TuneOptions{
		"no space":                 {Limits: goals(metric.Watts(30))},
		"a knee":                   {Limits: goals(metric.Goal{Knee: true}), Space: b.Space},
		"a slowdown":               {Limits: goals(metric.Goal{SlowerPct: 5}), Space: b.Space},
		"probes below zero":        {Limits: goals(metric.Watts(3)), Space: b.Space, Probes: -1},
		"an unknown strategy":      {Limits: goals(metric.Watts(3)), Space: b.Space, Strategy: "luck"},
		"binary search for energy": {Limits: goals(metric.LeastEnergy), Space: b.Space, Strategy: Binary},
		"a rotation that lacks knobs": {Limits: goals(metric.Watts(30)), Space: b.Space, Strategy: Binary,
			Rotation: ladder.Rotation{Order: []tegra.Knob{tegra.KnobCPU}}},
		"a rotation that doubles one": {Limits: goals(metric.Watts(30)), Space: b.Space, Strategy: Binary,
			Rotation: ladder.Rotation{Order: []tegra.Knob{0, 1, 2, 2}}},
		"turns of no kind": {Limits: goals(metric.Watts(30)), Space: b.Space, Strategy: Binary,
			Rotation: ladder.Rotation{Turns: 3}},
	} {
		if _, err := tuneModes(t.Context(), b.Measure, o); err == nil || errors.Is(err, ErrInfeasible) {
			t.Errorf("%s: got %v, want an error about the request", name, err)
		}
	}
	if len(b.Probed) != 0 {
		t.Errorf("%d modes were measured all the same", len(b.Probed))
	}
}
