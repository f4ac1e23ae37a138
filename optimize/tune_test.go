package optimize

import (
	"errors"
	"reflect"
	"testing"

	"jtune/internal/must"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
)

func TestTuneFindsTheBestModeOfAToyBoard(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limit  metric.Goal
		within float64 // of the true optimum's objective
	}{
		{metric.Watts(20), 0.05},
		{metric.Watts(30), 0.04},
		{metric.Millis(110), 0.04},
		{metric.Within(metric.Time.Max(110).And(metric.Power.Max(26))), 0.04},
		{metric.LeastEnergy, 0.04},
		{metric.Goal{Limits: metric.Power.Max(20), Objective: metric.Energy}, 0.04},
		{metric.Watts(1000), 0.02},
	} {
		b := optimizetest.New(t)
		keeps := c.limit // with the margin of two readings
		keeps.Limits = keeps.Limits.And(metric.Power.Max(keeps.Of(metric.Power) * (0.985)))
		keeps.Limits = keeps.Limits.And(metric.Time.Max(keeps.Of(metric.Time) * (0.985)))
		want := must.Get(bestOf(b.All(), keeps))(t)
		res, err := tuneOn(t, b, TuneOptions{Limits: goals(c.limit)})
		if err != nil {
			t.Errorf("%v: %v", c.limit, err)
			continue
		}
		got, best := c.limit.Aim().Aim(res.Measured), c.limit.Aim().Aim(want.Measured)
		if got > best*(1+c.within) || !c.limit.Met(res.Measured) || !res.Verified || res.Ended != Converged {
			t.Errorf("%v: got %v (%.2f, %v after %d probes), want %v (%.2f)",
				c.limit, res.Measured, got, res.Ended, len(res.Probes), want.Mode, best)
		}
	}
}

func TestTuneReportsWhatItDid(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	var seen []Probe
	res, err := tuneOn(t, b, TuneOptions{Limits: goals(metric.Watts(25)), Seed: 3, Observe: func(s Seen) {
		if s.Model == nil || len(s.Model.Samples()) == 0 {
			t.Errorf("probe %d came without a model", len(seen))
		}
		seen = append(seen, s.Probe)
	}})
	must.NoError(t, err)
	n := len(res.Probes)
	if len(seen) != n || len(b.Probed) != n || res.Trace != nil ||
		res.Probes[0].Why != Start || res.Probes[n-1].Why != Verify ||
		res.Probes[n-1].Mode != res.Mode {
		t.Errorf("%d probes seen, %d measured, %d told: %v", len(seen), len(b.Probed), n, res.Probes)
	}
	for i, p := range res.Probes[1:] {
		if p.Predicted.Mode != p.Mode || !(p.Predicted.TimeLoMS < p.Predicted.TimeHiMS) {
			t.Errorf("probe %d has no prediction: %+v", i+1, p)
		}
		if p.Why == Improve && p.PowerW > 25*1.2 {
			t.Errorf("probe %d draws %.1f W under a limit of 25", i+1, p.PowerW)
		}
	}
	if res.Model == nil || res.Predicted.Mode != res.Mode || res.Predicted.PowerLoW >= res.Predicted.PowerHiW {
		t.Errorf("no model or prediction of the answer: %+v", res.Predicted)
	}
}

func TestTuneIsDeterministicBySeed(t *testing.T) {
	t.Parallel()
	for _, strategy := range []string{Auto, Binary, Random} {
		run := func(seed uint64) []Probe {
			b := optimizetest.New(t)
			res := must.Get(tuneOn(t, b, TuneOptions{Limits: goals(metric.Watts(25)), Seed: seed, Strategy: strategy,
				Probes: 20}))(t)
			return res.Probes
		}
		if one, two := run(5), run(5); !reflect.DeepEqual(one, two) {
			t.Errorf("%s: equal seeds differ: %v and %v", strategy, one, two)
		}
		if strategy == Random && reflect.DeepEqual(run(5), run(6)) { // auto judges all modes of a small space
			t.Errorf("%s: other seeds give the same probes", strategy)
		}
	}
}

func TestTuneProbesAreAHardCap(t *testing.T) {
	t.Parallel()
	for _, strategy := range []string{Auto, Binary, Random} {
		for _, n := range []int{1, 2, 3, 5, 9, 15} {
			b := optimizetest.New(t)
			res, err := tuneOn(t, b, TuneOptions{Limits: goals(metric.Watts(40)), Probes: n, Strategy: strategy,
				Depth: Thorough})
			if len(b.Probed) > n || len(res.Probes) != len(b.Probed) {
				t.Errorf("%s: %d probes under a cap of %d, %d told", strategy, len(b.Probed), n, len(res.Probes))
			}
			if err != nil && !errors.Is(err, ErrInfeasible) {
				t.Errorf("%s, %d probes: %v", strategy, n, err)
			}
			if strategy == Binary && n < 9 && res.Ended != OutOfProbes {
				t.Errorf("a binary search with %d probes ended %v", n, res.Ended)
			}
			if n > 2 && err == nil && !res.Verified {
				t.Errorf("%s, %d probes: the answer was not measured twice", strategy, n)
			}
		}
	}
}

func TestTuneOnTinySpaces(t *testing.T) {
	t.Parallel()
	full := optimizetest.New(t)
	for n := 1; n <= 6; n++ {
		for _, strategy := range []string{Auto, Binary, Random} {
			b := optimizetest.New(t)
			var err error
			b.Space = must.Get(full.Space.Restrict(full.Space.Sample(n, 1)))(t)
			want := must.Get(bestOf(b.All(), metric.Watts(100)))(t)
			res, err := tuneOn(t, b, TuneOptions{Limits: goals(metric.Watts(100)), Strategy: strategy})
			if err != nil || !res.Verified {
				t.Errorf("%d modes, %s: %v, %+v", n, strategy, err, res)
			}
			if strategy != Binary && res.Measured.TimeMS > want.TimeMS*1.02 {
				t.Errorf("%d modes, %s: %.1f ms, the fastest takes %.1f", n, strategy, res.Measured.TimeMS, want.TimeMS)
			}
		}
	}
}

func TestTuneOnAWorkloadThatIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	b.Shake = func(_ int, r *tegra.Measured) { r.TimeMS, r.PowerW = 50, 15 }
	res, err := tuneOn(t, b, TuneOptions{Limits: goals(metric.Watts(20))})
	if err != nil || res.Measured.TimeMS != 50 || res.N < 2 {
		t.Errorf("got %v, %v, %v", res.Measured, res.Ended, err)
	}
}

// Baselines come on top of the default cap of probes, not on top of a given one.
func TestNewSearchCountsBaselinesBesideTheDefaultCapAlone(t *testing.T) {
	t.Parallel()
	present := tegra.Some(tegra.Setting{Mode: fourModes()[0].Mode})
	for probes, want := range map[int]int{0: DefaultProbes + 1, 12: 12} {
		o := TuneOptions{Limits: goals(metric.Watts(20)), Probes: probes, Baselines: Baselines{Present: present}}
		if s, _ := searchOn(t, o); s.cap != want {
			t.Errorf("%d probes given: a cap of %d, want %d", probes, s.cap, want)
		}
	}
}

// With a guarded time limit a search with a known mode within it measures none far over it.
func TestTuneKeepsAGuardedTimeLimit(t *testing.T) {
	t.Parallel()
	for _, ms := range []float64{80, 95, 120, 150, 200} {
		board := optimizetest.New(t)
		limit := metric.Goal{Limits: metric.Time.Max(ms), GuardTime: true}
		res, err := Tune(t.Context(), optimizetest.OfModes(board.Measure), TuneOptions{Limits: goals(limit),
			Space:     board.Space,
			Baselines: Baselines{Present: tegra.Some(tegra.Setting{Mode: board.Space.Max()})}})
		if err != nil || !limit.Met(res.Answers[0].Measured) {
			t.Fatalf("%g ms: %v, %v", ms, res.Answers[0].Measured, err)
		}
		for _, p := range res.Probes {
			if p.TimeMS > 1.15*ms { // a tenth over has a price, as a chance
				t.Errorf("%g ms: %v takes %.0f ms, predicted %.0f", ms, p.Mode, p.TimeMS, p.Predicted.TimeMS)
			}
		}
	}
}

func TestPredictedFirstIsBeforeTheFirstReading(t *testing.T) {
	t.Parallel()
	at, other := tegra.Setting{Mode: tegra.Mode{Cores: 2}}, tegra.Setting{Mode: tegra.Mode{Cores: 4}}
	probe := func(at tegra.Setting, ms float64) (p Probe) {
		p.Setting, p.Predicted.TimeMS = at, ms
		return p
	}
	s := search{probes: []Probe{probe(other, 70), probe(at, 0), probe(at, 50), probe(at, 60)}}
	if got := s.predictedFirst(at); got.TimeMS != 50 {
		t.Errorf("got %g ms, want 50", got.TimeMS)
	}
	if got := s.predictedFirst(tegra.Setting{}); got.TimeMS != 0 {
		t.Errorf("of a mode that was not measured %g ms", got.TimeMS)
	}
}

func sampleOf(b *optimizetest.Board, n int) []tegra.Measured {
	var rows []tegra.Measured
	for _, m := range b.Space.Sample(n, 1) {
		rows = append(rows, b.Answer(m))
	}
	return rows
}
