package optimize

import (
	"context"
	"errors"
	"math"
	"testing"

	"jtune/learn"
	"jtune/tegra"
)

// served is the toy board serving a batch: launches on one CPU thread, then
// the toy's minibatch, scaled to the samples.
func (b *toy) served(a learn.Setting) tegra.Measured {
	work := b.answer(a.Mode)
	n := float64(a.Batch)
	ms := 8/a.Mode.CPU.GHz() + work.TimeMS*(0.1+n/32)
	return tegra.Measured{Mode: a.Mode, Batch: a.Batch, TimeMS: ms, PowerW: 9 + (work.PowerW-9)*min(1, (0.1+n/32)*work.TimeMS/ms)}
}

var toySizes = []int{32, 1, 4, 16, 64}

func (b *toy) serve(_ context.Context, a learn.Setting) (tegra.Measured, error) {
	return b.served(a), nil
}

// bestServed is the least time per sample within the limits.
func (b *toy) bestServed(l Limit) float64 {
	least := math.Inf(1)
	for _, a := range learn.Settings(b.space.Modes(), toySizes) {
		if p := MeasuredPoint(b.served(a)); l.Met(p) {
			least = min(least, p.SampleMS())
		}
	}
	return least
}

func TestTheClosedLoopFindsModeAndMinibatchSize(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	for _, l := range []Limit{{PowerW: 18, TimeMS: 60}, {PowerW: 25, TimeMS: 30}, {PowerW: 20}, {PowerW: 16, TimeMS: 400}} {
		for seed := range uint64(3) {
			r, err := TuneSettings(t.Context(), b.serve, TuneOptions{Space: b.space, Batches: toySizes, Limit: l, Seed: seed})
			if err != nil {
				t.Fatalf("%v: %v", l, err)
			}
			got := MeasuredPoint(r.Measured)
			if !r.Feasible || !l.Met(got) || r.Batch != got.Batch || r.Batch == 0 || !r.Verified {
				t.Fatalf("%v: answer %+v with minibatches of %d, feasible %v, verified %v", l, got, r.Batch, r.Feasible, r.Verified)
			}
			if gap := 100 * (got.SampleMS()/b.bestServed(l) - 1); gap > 5 {
				t.Errorf("%v, seed %d: %.1f %% more time per sample than the best, with %d probes", l, seed, gap, len(r.Probes))
			}
			for _, p := range r.Probes {
				if p.PowerW > 1.1*l.PowerW {
					t.Errorf("%v: a probe drew %.1f W", l, p.PowerW)
				}
			}
		}
	}
}

func TestSearchesOverMinibatchSizesThatCannotBe(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	o := TuneOptions{Space: b.space, Batches: toySizes, Limit: Limit{PowerW: 5, TimeMS: 10}}
	r, err := TuneSettings(t.Context(), b.serve, o)
	if !errors.Is(err, ErrInfeasible) || r.Feasible || r.Batch == 0 {
		t.Errorf("a limit below all: %v, minibatches of %d", err, r.Batch)
	}
	for name, change := range map[string]func(*TuneOptions){
		"a size of nothing":       func(o *TuneOptions) { o.Batches = []int{0, 4} },
		"an absurd size":          func(o *TuneOptions) { o.Batches = []int{4, 1 << 40} },
		"networks of one size":    func(o *TuneOptions) { o.Strategy = PowerTrain },
		"throughput and energy":   func(o *TuneOptions) { o.Limit = Limit{Energy: true, Throughput: true} },
		"nothing that is desired": func(o *TuneOptions) { o.Limit = Limit{Knee: true} },
	} {
		o := o
		change(&o)
		if _, err := TuneSettings(t.Context(), b.serve, o); err == nil || errors.Is(err, ErrInfeasible) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Tune(t.Context(), b.measure, o); err == nil {
		t.Error("a search that measures modes alone takes minibatch sizes")
	}
	random, err := TuneSettings(t.Context(), b.serve, TuneOptions{Space: b.space, Batches: toySizes, Limit: Limit{PowerW: 25}, Strategy: Random})
	if err != nil || random.Batch == 0 || len(random.Probes) != randomModes {
		t.Errorf("random: %d probes, minibatches of %d, %v", len(random.Probes), random.Batch, err)
	}
}
