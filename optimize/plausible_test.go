package optimize

import (
	"context"
	"errors"
	"slices"
	"testing"

	"jtune/optimize/optimizetest"
	"jtune/tegra"
)

func TestContradictsNeedsNoModel(t *testing.T) {
	t.Parallel()
	at := func(cores int, cpu, gpu, emc tegra.Freq, ms float64) tegra.Measured {
		m := tegra.Mode{Cores: cores, CPU: cpu * tegra.MHz, GPU: gpu * tegra.MHz, EMC: emc * tegra.MHz}
		return tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: ms, PowerW: 20}
	}
	high := at(8, 2000, 1200, 3200, 100)
	for name, c := range map[string]struct {
		a    tegra.Measured
		want bool
	}{
		"a lower mode is slower":                           {at(4, 1000, 600, 1600, 250), false},
		"a lower mode is as fast, within noise":            {at(8, 2000, 600, 3200, 90), false},
		"a lower mode is faster":                           {at(8, 2000, 600, 3200, 80), true},
		"half the GPU clock takes twice the time":          {at(8, 2000, 600, 3200, 215), false},
		"half the GPU clock takes three times the time":    {at(8, 2000, 600, 3200, 300), true},
		"a slow CPU may take any time":                     {at(8, 500, 600, 3200, 900), false},
		"neither is below the other":                       {at(12, 2000, 600, 3200, 20), false},
		"the same mode, one reading three times the other": {at(8, 2000, 1200, 3200, 300), true},
	} {
		if got := contradicts(c.a, high); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if got := contradicts(high, c.a); got != c.want {
			t.Errorf("%s, in the other order: %v", name, got)
		}
	}
	if m := at(8, 2000, 600, 3200, high.TimeMS/fasterBelow); contradicts(m, high) {
		t.Error("a lower mode may be as much faster as the bound says")
	}
	if m := at(8, 2000, 1200, 3200, slowerBelow*high.TimeMS); oddBelow(m, high) {
		t.Error("a lower mode may be as much slower as the bound says")
	}
	other := at(8, 2000, 600, 3200, 80)
	other.Batch = 4
	if contradicts(other, high) {
		t.Error("settings of different batch sizes say nothing of each other")
	}
}

// A reading of a clock that was not set: where an earlier one shows that it cannot be right, the search
// measures it again at once.
func TestSearchMeasuresAnImplausibleReadingAgain(t *testing.T) {
	t.Parallel()
	again := 0
	for seed := range uint64(8) {
		b := optimizetest.New(t)
		b.Shake = func(call int, r *tegra.Measured) {
			if call == 3+int(seed) {
				r.TimeMS *= 0.2
			}
		}
		res, err := tuneModes(t.Context(), b.Measure, TuneOptions{Limit: Limit{PowerW: 20}, Space: b.Space, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for k, p := range res.Probes[:len(res.Probes)-1] {
			if k != 2+int(seed) || !slices.ContainsFunc(res.Probes[:k], func(q Probe) bool {
				return contradicts(q.Measured, p.Measured)
			}) {
				continue
			}
			again++
			if next := res.Probes[k+1]; next.Mode != p.Mode || next.Why != Verify {
				t.Errorf("seed %d: after %v, which contradicts an earlier reading, came %v", seed, p.Measured, next)
			}
		}
	}
	if again == 0 {
		t.Error("no reading contradicted an earlier one: the test shows nothing")
	}
}

// If the repeat of an implausible reading is stopped for its power, or fails, the mode is left alone; only a winner's
// second measurement is tried twice.
func TestSearchRepeatsAnImplausibleReadingOnce(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{"stopped": OverLimit("stopped"), "job failed": errors.New("failed")} {
		repeats := 0
		for seed := range uint64(6) {
			b := optimizetest.New(t)
			var odd tegra.Mode
			b.Shake = func(call int, r *tegra.Measured) {
				if call == 5 {
					r.TimeMS, odd = 0.2*r.TimeMS, r.Mode
				}
			}
			measured := map[tegra.Mode]int{}
			res, err := tuneModes(t.Context(), func(ctx context.Context, m tegra.Mode) (tegra.Measured, error) {
				if measured[m]++; m == odd {
					return tegra.Measured{PowerW: 25}, failure
				}
				return b.Measure(ctx, m)
			}, TuneOptions{Limit: Limit{PowerW: 20}, Space: b.Space, Seed: seed})
			if err != nil || !res.Feasible || res.Mode == odd || measured[odd] > 3 {
				t.Errorf("%s, seed %d: measured %d times, answer %v, %v", name, seed, measured[odd], res.Mode, err)
			}
			repeats += measured[odd] - 1
		}
		if repeats == 0 {
			t.Errorf("%s: no reading was repeated: the test shows nothing", name)
		}
	}
}

// Known modes, modes far over a power limit and those read twice are not measured again because they contradict others.
func TestImplausibleLeavesKnownAndHotModesAlone(t *testing.T) {
	t.Parallel()
	const low, high = 0, 1
	for name, c := range map[string]struct {
		known  bool
		times  int
		limitW float64
		want   bool
	}{
		"measured by this search": {false, 1, 20, true},
		"measured twice":          {false, 2, 20, false},
		"known":                   {true, 0, 20, false},
		"far over the limit":      {false, 1, 15, false},
	} {
		s, b := searchOn(t, TuneOptions{Limit: Limit{PowerW: c.limitW}})
		s.measure = func(_ context.Context, at tegra.Setting) (tegra.Measured, error) {
			m := b.Answer(at.Mode)
			m.TimeMS, m.PowerW = float64(100*(1+s.at(at))), 20 // the higher mode takes twice as long
			return m, nil
		}
		s.probe(low, Improve)
		if c.known {
			m, _ := s.measure(t.Context(), s.places.At(high))
			s.recall([]tegra.Measured{m})
		}
		for range c.times {
			s.probe(high, Improve)
		}
		if i, got := s.implausible(); got != c.want || got && i != high {
			t.Errorf("%s: mode %d is measured again: %v", name, i, got)
		}
	}
}
