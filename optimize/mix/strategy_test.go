package mix

import (
	"context"
	"errors"
	"slices"
	"testing"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// smallSpace has 144 modes.
func smallSpace(t *testing.T) *tegra.Space {
	t.Helper()
	freqs := func(list ...float64) (out []tegra.Freq) {
		for _, f := range list {
			out = append(out, tegra.Freq(f*1e9))
		}
		return out
	}
	space, err := tegra.NewSpace([]int{2, 4, 8}, freqs(0.5, 1, 1.5, 2), freqs(0.3, 0.6, 0.9, 1.2), freqs(0.7, 2, 3))
	must.NoError(t, err)
	return space
}

// Each strategy measures within its number, each setting once, and answers with the best that it measured.
func TestSearchByEachStrategyAnswersWithTheBestItMeasured(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	measure := func(_ context.Context, o Outcome) (Reading, error) {
		m := o.Mode
		slow := 1 / (m.GPU.GHz() * (0.5 + m.CPU.GHz()/4) * (0.6 + m.EMC.GHz()/6))
		watts := 6 + 9*m.GPU.GHz() + 2*m.CPU.GHz() + float64(m.Cores)/4 + m.EMC.GHz()
		return Reading{
			Infer: tegra.Measured{Setting: o.Setting, TimeMS: slow * (3 + 0.8*float64(o.Batch)), PowerW: watts - 2},
			Train: tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 40 * slow, PowerW: watts}}, nil
	}
	ask := Ask{Goal: metric.Watts(18), LatencyMS: 900, Quantile: 1, Policy: Fill, Seed: 2,
		Load: arrivals.Load{Pattern: arrivals.Uniform, RatePerS: 30}}
	for strategy, most := range map[string]int{optimize.Binary: 12, gmd: gmdMost,
		optimize.Random: randomMixes} {
		o := Options{Strategy: strategy, Ask: ask, Space: space, Batches: []int{1, 4, 16, 32}}
		r, err := Search(t.Context(), measure, o)
		seen, best := map[tegra.Setting]bool{}, 0.0
		for _, p := range r.Probes {
			if seen[p.Outcome.Setting] {
				t.Errorf("%s measures %v twice", strategy, p.Outcome.Setting)
			}
			if seen[p.Outcome.Setting] = true; p.Meets {
				best = max(best, p.TrainPerS)
			}
		}
		if err != nil || !r.Feasible || len(r.Probes) > most || r.Best.TrainPerS != best || r.Best.PeakW > 18 ||
			r.Best.LatencyMS > 900 {
			t.Errorf("%s: %+v of %d, best %v, %v", strategy, r.Best, len(r.Probes), best, err)
		}
		o.Most = 3
		if r, _ := Search(t.Context(), measure, o); len(r.Probes) != 3 || r.Ended != optimize.OutOfProbes {
			t.Errorf("%s with 3: %d, %v", strategy, len(r.Probes), r.Ended)
		}
		o.Ask.Goal.Limits = o.Ask.Goal.Limits.And(metric.Power.Max(1))
		var none *NoSettingError
		if _, err := Search(t.Context(), measure, o); !errors.As(err, &none) || none.Tried == 0 {
			t.Errorf("%s without an answer: %v", strategy, err)
		}
	}
	if _, err := Search(t.Context(), measure, Options{Ask: ask, Space: space, Strategy: "als"}); err == nil {
		t.Error("an unknown strategy is taken")
	}
}

// The usual strategy, named or not, is the one that predicts from the profiles.
func TestSearchByNoStrategyPredicts(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	known := tegra.Measured{Setting: tegra.Setting{Mode: space.Max(), Batch: 1}, TimeMS: 10, PowerW: 20}
	train := known
	train.Batch = 0
	measure := func(context.Context, Outcome) (Reading, error) { return Reading{Infer: known, Train: train}, nil }
	for _, strategy := range []string{"", optimize.Auto} {
		r, err := Search(t.Context(), measure, Options{Strategy: strategy, Ask: Ask{Load: load(arrivals.Uniform, 5)},
			Space: space, Batches: []int{1}, Only: []tegra.Setting{known.Setting}, Infer: []tegra.Measured{known},
			Train: []tegra.Measured{train}})
		if err != nil || len(r.Probes) != 1 || r.Probes[0].Predicted.TimeMS != 10 {
			t.Errorf("%q: %+v, %v", strategy, r, err)
		}
	}
}

// Gradient descent measures the middle, then for each knob the middle with that knob at its end: the top, or the bottom
// if the middle draws too much. The knob that gains most per watt is then halved.
func TestSearchByGMDMeasuresEachKnobAtItsEnd(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	measure := func(_ context.Context, o Outcome) (Reading, error) {
		g := o.Mode.GPU.GHz()
		watts := 10 + 5*g + 2*o.Mode.CPU.GHz() + o.Mode.EMC.GHz() + float64(o.Mode.Cores)
		return Reading{Infer: tegra.Measured{Setting: o.Setting, TimeMS: 10, PowerW: watts},
			Train: tegra.Measured{Setting: tegra.Setting{Mode: o.Mode}, TimeMS: 40 / g, PowerW: watts}}, nil
	}
	for limit, up := range map[float64]bool{1000: true, 1: false} {
		ask := Ask{LatencyMS: 700, Quantile: 1, Policy: Fill, Load: load(arrivals.Uniform, 30),
			Goal: metric.Watts(limit)}
		r, _ := Search(t.Context(), measure, Options{Strategy: gmd, Ask: ask, Space: space, Batches: []int{1}, Most: 6})
		if len(r.Probes) != 6 {
			t.Fatalf("%g W: %d probes", limit, len(r.Probes))
		}
		middle, then := r.Probes[0].Outcome.Mode, r.Probes[5].Outcome.Mode
		for k := range tegra.Knob(tegra.NumKnobs) {
			want, ends := middle.Values(), space.Values(k)
			if want[k] = int64(ends[0]); up {
				want[k] = int64(ends[len(ends)-1])
			}
			if got := r.Probes[1+k].Outcome.Mode.Values(); got != want {
				t.Errorf("%g W: after %v comes %v, want %v", limit, middle.Values(), got, want)
			}
		}
		if then.GPU == middle.GPU || (then.GPU > middle.GPU) != up {
			t.Errorf("%g W: after %v at the middle comes %v: another half of the GPU's clocks", limit, middle.GPU,
				then.GPU)
		}
	}
}

// Gradient descent halves the first of two knobs that gain as much per watt.
func TestSearchByGMDHalvesTheFirstOfEqualKnobs(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	measure := func(_ context.Context, o Outcome) (Reading, error) {
		sum := float64(slices.Index(space.CPU, o.Mode.CPU) + slices.Index(space.GPU, o.Mode.GPU))
		return Reading{Infer: tegra.Measured{Setting: o.Setting, TimeMS: 10, PowerW: 10 + 2*sum},
			Train: tegra.Measured{Setting: tegra.Setting{Mode: o.Mode}, TimeMS: 40 - 4*sum, PowerW: 10 + 2*sum}}, nil
	}
	ask := Ask{LatencyMS: 700, Quantile: 1, Policy: Fill, Load: load(arrivals.Uniform, 30)}
	r, _ := Search(t.Context(), measure, Options{Strategy: gmd, Ask: ask, Space: space, Batches: []int{1}, Most: 6})
	if len(r.Probes) != 6 {
		t.Fatalf("%d probes", len(r.Probes))
	}
	middle, then := r.Probes[0].Outcome.Mode, r.Probes[5].Outcome.Mode
	if then.CPU <= middle.CPU || then.GPU != middle.GPU {
		t.Errorf("after %v at the middle comes %v, want another half of the CPU's clocks", middle, then)
	}
}

// A binary search ends at the lowest knobs if all draws too much, at the fastest mode with the smallest batch if all is
// late, and at the top if nothing is.
func TestSearchByBinaryEndsWhereTheLimitsLead(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	measure := func(_ context.Context, o Outcome) (Reading, error) {
		return Reading{Infer: tegra.Measured{Setting: o.Setting, TimeMS: 10, PowerW: 20},
			Train: tegra.Measured{Setting: tegra.Setting{Mode: o.Mode}, TimeMS: 1, PowerW: 20}}, nil
	}
	lowest := tegra.Mode{Cores: space.Cores[0], CPU: space.CPU[0], GPU: space.GPU[0], EMC: space.EMC[0]}
	for _, c := range []struct {
		name           string
		watts, latency float64
		end            tegra.Setting
	}{
		{"too much power", 10, 9000, tegra.Setting{Mode: lowest, Batch: 1}},
		{"late", 30, 1, tegra.Setting{Mode: space.Max(), Batch: 1}},
		{"both", 10, 1, tegra.Setting{Mode: lowest, Batch: 1}},
		{"neither", 30, 9000, tegra.Setting{Mode: space.Max(), Batch: 8}},
	} {
		ask := Ask{LatencyMS: c.latency, Policy: Fill, Load: load(arrivals.Uniform, 10),
			Goal: metric.Watts(c.watts)}
		r, _ := Search(t.Context(), measure, Options{Strategy: optimize.Binary, Ask: ask, Space: space,
			Batches: []int{1, 8}})
		if got := r.Probes[len(r.Probes)-1].Outcome.Setting; got != c.end {
			t.Errorf("%s: it ends at %v, want %v", c.name, got, c.end)
		}
	}
}
