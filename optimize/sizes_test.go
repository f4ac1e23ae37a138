package optimize

import (
	"context"
	"errors"
	"math"
	"os"
	"testing"

	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tegra/sweep/sweeptest"
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
			r, err := Tune(t.Context(), b.serve, TuneOptions{Space: b.space, Batches: toySizes, Limit: l, Seed: seed})
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

// The first settings teach about all: they do not follow the limit on latency,
// vary every knob, and leave most of few probes to the search.
func TestASearchOverSizesFirstMeasuresWhatTeaches(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	first := func(l Limit, probes int) []Probe {
		r, err := Tune(t.Context(), b.serve, TuneOptions{Space: b.space, Batches: toySizes, Limit: l, Seed: 2, Probes: probes})
		if err != nil {
			t.Fatalf("%v: %v", l, err)
		}
		return r.Probes[:teachSettings]
	}
	tight, loose := first(Limit{PowerW: 25, TimeMS: 30}, 0), first(Limit{PowerW: 25, TimeMS: 400}, 0)
	values := map[string]map[float64]bool{"batch": {}}
	for k := range tight {
		if learn.SettingOf(tight[k].Measured) != learn.SettingOf(loose[k].Measured) {
			t.Errorf("probe %d: %v within 30 ms, %v within 400", k+1, tight[k].Measured, loose[k].Measured)
		}
		for knob := range tegra.NumKnobs {
			if values[knob.String()] == nil {
				values[knob.String()] = map[float64]bool{}
			}
			values[knob.String()][tight[k].Mode.Value(knob)] = true
		}
		values["batch"][float64(tight[k].Batch)] = true
	}
	for knob, v := range values {
		if len(v) < 2 {
			t.Errorf("%s stands still: %v", knob, v)
		}
	}
	few, fewLoose := first(Limit{PowerW: 25, TimeMS: 30}, 7), first(Limit{PowerW: 25, TimeMS: 400}, 7)
	if learn.SettingOf(few[1].Measured) == learn.SettingOf(tight[1].Measured) && learn.SettingOf(fewLoose[1].Measured) == learn.SettingOf(tight[1].Measured) {
		t.Error("of seven probes the second teaches, whatever is asked")
	}
}

func TestSearchesOverMinibatchSizesThatCannotBe(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	o := TuneOptions{Space: b.space, Batches: toySizes, Limit: Limit{PowerW: 5, TimeMS: 10}}
	r, err := Tune(t.Context(), b.serve, o)
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
		if _, err := Tune(t.Context(), b.serve, o); err == nil || errors.Is(err, ErrInfeasible) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := tuneModes(t.Context(), b.measure, o); err == nil {
		t.Error("a search that measures modes alone takes minibatch sizes")
	}
	random, err := Tune(t.Context(), b.serve, TuneOptions{Space: b.space, Batches: toySizes, Limit: Limit{PowerW: 25}, Strategy: Random})
	if err != nil || random.Batch == 0 || len(random.Probes) != randomModes {
		t.Errorf("random: %d probes, minibatches of %d, %v", len(random.Probes), random.Batch, err)
	}
}

// The closed loop on the published inference sweeps, without the settings whose
// clock was not set. The medians are the recipe's bars for training; the tails
// are what noise leaves: readings two or three times too slow.
func TestTheClosedLoopOnPublishedInference(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mobnet", "resnet"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table, err := sweep.ReadFile(sweeptest.Shared(t, "data/sweeps/powertrain-agx-orin/infer/"+name+"_infer_data_final.csv"), sweep.Options{})
			if err != nil {
				t.Fatal(err)
			}
			o := EvaluateOptions{Truth: table.Settings(), Name: name, Methods: []string{EvalTune, EvalMaxn}, LeaveOutStuck: true,
				BudgetFrom: 20, BudgetTo: 50, BudgetStep: 10, LatenciesMS: []float64{50, 100, 200}, Seeds: 2}
			if os.Getenv("JTUNE_LONG") != "" {
				o.BudgetFrom, o.BudgetStep, o.Seeds = 17, 3, 5
			}
			r, err := Evaluate(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			rows := byMethod(r)
			tune := rows[EvalTune]
			p := tune.PenaltyPct.V
			clean := tune.CleanPenaltyPct.V
			t.Logf("penalty %.1f, p75 %.1f, p90 %.1f, worst %.1f %%; clean %.1f, %.1f, %.1f, %.1f %%; %g probes, in %.0f %% of the searches over the limit", p.Median, p.P75.V, p.P90, p.Worst.V,
				clean.Median, clean.P75.V, clean.P90, clean.Worst.V, tune.Probes, tune.SearchesHotPct.V)
			if tune.OverPct.V != 0 || tune.LatePct.V != 0 {
				t.Errorf("answers over the limits: %.0f and %.0f %%", tune.OverPct.V, tune.LatePct.V)
			}
			// Against raw readings 3: some of ResNet's best ones are glitches that no fit bears out.
			if p.Median > 3 || clean.Median > 1 || clean.P75.V > 4 || clean.P90 > 12 || tune.Probes > 25 {
				t.Errorf("penalty %.1f, clean %.1f, %.1f, %.1f with %g probes; want at most 3, 1, 4, 12 and 25", p.Median, clean.Median, clean.P75.V, clean.P90, tune.Probes)
			}
			if tune.SearchesHotPct.V > 30 {
				t.Errorf("%.0f %% of the searches probed more than 10 %% over the limit, want 30 at most", tune.SearchesHotPct.V)
			}
			if maxn := rows[EvalMaxn]; maxn.PenaltyPct.V.Median < p.Median {
				t.Errorf("MAXN costs %.1f %%, less than the search", maxn.PenaltyPct.V.Median)
			}
		})
	}
}

// A job that does not fit the memory with large minibatches.
func TestASizeThatCannotBeMeasuredIsGivenUp(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	for _, strategy := range []Strategy{Auto, Binary} {
		failed := map[int]int{}
		r, err := Tune(t.Context(), func(_ context.Context, a learn.Setting) (tegra.Measured, error) {
			if a.Batch > 16 {
				failed[a.Batch]++
				return tegra.Measured{}, errors.New("out of memory")
			}
			return b.served(a), nil
		}, TuneOptions{Space: b.space, Batches: toySizes, Limit: Limit{PowerW: 25}, Strategy: strategy})
		if err != nil || !r.Feasible || r.Batch != 16 {
			t.Errorf("%s: minibatches of %d, feasible %v, %v", strategy, r.Batch, r.Feasible, err)
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
		if len(r.Warnings) != dropped {
			t.Errorf("%s: %d sizes given up, told %q", strategy, dropped, r.Warnings)
		}
	}
	_, err := Tune(t.Context(), func(context.Context, learn.Setting) (tegra.Measured, error) {
		return tegra.Measured{}, errors.New("no such file")
	}, TuneOptions{Space: b.space, Batches: toySizes, Limit: Limit{PowerW: 25}})
	if err == nil {
		t.Error("a job that never works found an answer")
	}
}
