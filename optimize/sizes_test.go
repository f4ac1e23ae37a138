package optimize

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// bestServed is the least time per sample within the limits.
func bestServed(b *optimizetest.Board, l metric.Goal) float64 {
	least := math.Inf(1)
	for _, a := range tegra.Settings(b.Space.Modes(), optimizetest.Sizes) {
		if p := b.Served(a); l.Met(p) {
			least = min(least, p.SampleMS())
		}
	}
	return least
}

func TestTuneFindsModeAndBatchSize(t *testing.T) {
	t.Parallel()
	seeds := uint64(1)
	if os.Getenv("JTUNE_LONG") != "" {
		seeds = 3
	}
	limits := []metric.Goal{
		{Limits: metric.Power.Max(18).And(metric.Time.Max(60))},
		{Limits: metric.Power.Max(25).And(metric.Time.Max(30))},
		metric.Watts(20),
		{Limits: metric.Power.Max(16).And(metric.Time.Max(400))},
	}
	if testing.Short() {
		limits = limits[:1]
	}
	b := optimizetest.New(t)
	for _, l := range limits {
		for seed := range seeds {
			r, err := Tune(t.Context(), b.Serve,
				TuneOptions{Space: b.Space, Batches: optimizetest.Sizes, Limits: goals(l), Seed: seed})
			if err != nil {
				t.Fatalf("%v: %v", l, err)
			}
			got := r.Answers[0].Measured
			if !r.Answers[0].Feasible || !l.Met(got) || r.Answers[0].Batch != got.Batch || r.Answers[0].Batch == 0 ||
				!r.Answers[0].Verified {
				t.Fatalf("%v: answer %+v with minibatches of %d, feasible %v, verified %v",
					l, got, r.Answers[0].Batch, r.Answers[0].Feasible, r.Answers[0].Verified)
			}
			if gap := 100 * (got.SampleMS()/bestServed(b, l) - 1); gap > 5 {
				t.Errorf("%v, seed %d: %.1f %% more time per sample than the best, with %d probes",
					l, seed, gap, len(r.Probes))
			}
			for _, p := range r.Probes {
				if p.PowerW > 1.1*l.Of(metric.Power) {
					t.Errorf("%v: a probe drew %.1f W", l, p.PowerW)
				}
			}
		}
	}
}

func TestTuneRejectsBatchSizesOutOfRange(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	o := TuneOptions{Space: b.Space, Batches: optimizetest.Sizes,
		Limits: goals(metric.Within(metric.Power.Max(5).And(metric.Time.Max(10))))}
	r, err := Tune(t.Context(), b.Serve, o)
	if !errors.Is(err, ErrInfeasible) || r.Answers[0].Feasible || r.Answers[0].Batch == 0 {
		t.Errorf("a limit below all: %v, minibatches of %d", err, r.Answers[0].Batch)
	}
	for name, change := range map[string]func(*TuneOptions){
		"a size of nothing":    func(o *TuneOptions) { o.Batches = []int{0, 4} },
		"an absurd size":       func(o *TuneOptions) { o.Batches = []int{4, 1 << 40} },
		"networks of one size": func(o *TuneOptions) { o.Strategy = PowerTrain },
		"slowdown and energy": func(o *TuneOptions) {
			o.Limits = goals(metric.Goal{Objective: metric.Energy, SlowerPct: 5})
		},
		"nothing that is desired": func(o *TuneOptions) { o.Limits = goals(metric.Goal{Knee: true}) },
	} {
		o := o
		change(&o)
		if _, err := Tune(t.Context(), b.Serve, o); err == nil || errors.Is(err, ErrInfeasible) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := tuneOn(t, b, o); err == nil {
		t.Error("a search that measures modes alone takes batch sizes")
	}
	random, err := Tune(t.Context(), b.Serve,
		TuneOptions{Space: b.Space, Batches: optimizetest.Sizes, Limits: goals(metric.Watts(25)), Strategy: Random})
	if err != nil || random.Answers[0].Batch == 0 || len(random.Probes) > randomModes+1 {
		t.Errorf("random: %d probes, minibatches of %d, %v", len(random.Probes), random.Answers[0].Batch, err)
	}
}

// A job that does not fit the memory with large minibatches.
func TestTuneDropsABatchSizeThatCannotBeMeasured(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	for _, strategy := range []string{Auto, Binary} {
		failed := map[int]int{}
		r, err := Tune(t.Context(), func(_ context.Context, a tegra.Setting) (tegra.Measured, error) {
			if a.Batch > 16 {
				failed[a.Batch]++
				return tegra.Measured{}, errors.New("out of memory")
			}
			return b.Served(a), nil
		}, TuneOptions{Space: b.Space, Batches: optimizetest.Sizes, Limits: goals(metric.Watts(25)),
			Strategy: strategy})
		if err != nil || !r.Answers[0].Feasible || r.Answers[0].Batch != 16 {
			t.Errorf("%s: minibatches of %d, feasible %v, %v", strategy, r.Answers[0].Batch, r.Answers[0].Feasible, err)
		}
		dropped := 0
		for size, n := range failed {
			if n > failuresOfSize {
				t.Errorf("%s: minibatches of %d were tried %d times", strategy, size, n)
			}
			if n == failuresOfSize {
				dropped++
			}
		}
		told := 0
		for _, w := range r.Warnings {
			if strings.Contains(w, "is dropped") {
				told++
			}
		}
		if told != dropped {
			t.Errorf("%s: %d sizes given up, told %q", strategy, dropped, r.Warnings)
		}
	}
	_, err := Tune(t.Context(), func(context.Context, tegra.Setting) (tegra.Measured, error) {
		return tegra.Measured{}, errors.New("no such file")
	}, TuneOptions{Space: b.Space, Batches: optimizetest.Sizes, Limits: goals(metric.Watts(25))})
	if err == nil {
		t.Error("a job that never works found an answer")
	}
}

// A batch size is dropped after two failures, of which a measurement stopped for its power is none.
func TestSearchDropsABatchSizeForFailuresAlone(t *testing.T) {
	t.Parallel()
	oom, over := errors.New("out of memory"), OverLimit("stopped")
	for name, c := range map[string]struct {
		errs []error
		want bool // the size is dropped
	}{
		"two failures":              {[]error{oom, oom}, true},
		"a stop between them":       {[]error{oom, over, oom}, true},
		"a stop before a failure":   {[]error{over, oom}, false},
		"two stops after a failure": {[]error{oom, over, over}, false},
	} {
		b, n := optimizetest.New(t), 0
		s, err := newSearch(t.Context(), func(context.Context, tegra.Setting) (tegra.Measured, error) {
			n++
			return tegra.Measured{PowerW: 30}, c.errs[n-1]
		}, TuneOptions{Limits: goals(metric.Watts(25)), Space: b.Space, Batches: []int{4, 16}})
		must.NoError(t, err)
		for k := range c.errs {
			s.probe(s.at(tegra.Setting{Mode: b.Space.At(k), Batch: 16}), Improve)
		}
		other := s.at(tegra.Setting{Mode: b.Space.At(9), Batch: 16})
		if got := s.failed[other]; got != c.want || got != (len(s.warnings) > 0) {
			t.Errorf("%s: dropped %v, warnings %q", name, got, s.warnings)
		}
	}
}
