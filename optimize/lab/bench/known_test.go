package bench

import (
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat"

	"jtune/optimize"
	"jtune/optimize/earlier"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/sweep/sweeptest"
)

// chain searches for several limits one after another, both from nothing and from the measurements of earlier searches.
func (s *cleanSweep) chain(t *testing.T, limits []metric.Goal, seed int, fresh, again *runs) {
	t.Helper()
	var known []tegra.Measured
	for d := range chainLimits {
		l := limits[(5*d+seed)%len(limits)]
		want, err := bestOf(s.clean, l)
		if err != nil {
			continue
		}
		best, believed := goal(l, want.Measured), 0.0
		if want, err := bestOf(s.believed(l), l); err == nil {
			believed = goal(l, want.Measured)
		}
		search := func(known []tegra.Measured) optimize.Result {
			res, err := optimize.Tune(t.Context(), optimizetest.OfModes(s.Measure),
				optimize.TuneOptions{Limits: []metric.Goal{l}, Space: s.Space, Seed: uint64(seed), Known: known,
					Reference: s.reference})
			if err != nil || !res.Answers[0].Feasible || !res.Answers[0].Verified || !l.Met(s.At[res.Answers[0].Mode]) {
				t.Errorf("%v, seed %d, %d known: %v is not a verified mode within the limit: %v",
					l, seed, len(known), res.Answers[0].Measured, err)
			}
			if res.Drift != (earlier.Drift{}) || len(known) > 0 && res.Known == 0 {
				t.Errorf("%v, seed %d: %v, %q, but nothing has moved", l, seed, res.Drift, res.Warnings)
			}
			return res
		}
		res := search(nil)
		if len(known) > 0 {
			fresh.add(res, l, best, believed)
			res = search(known)
			again.add(res, l, best, believed)
		}
		for _, p := range res.Probes {
			known = append(known, p.Measured)
		}
	}
}

// chainLimits is the number of limits, one after the other.
const chainLimits = 5

// A search for another limit needs far fewer modes, and its answer is as good. The table
// of docs/results.md is the long form's.
func TestKnownModesShortenASearchForAnotherLimit(t *testing.T) {
	t.Parallel()
	names, seeds := []string{sweeptest.LSTM}, 3
	if os.Getenv("JTUNE_LONG") != "" {
		names, seeds = []string{sweeptest.MobileNet, sweeptest.ResNet, sweeptest.LSTM}, 40
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loadClean(t, name).afterOthers(t, seeds, 5)
		})
	}
}

// afterOthers compares chains of searches from known modes, which may take at most that many modes in the median, with
// searches from nothing.
func (s *cleanSweep) afterOthers(t *testing.T, seeds int, modes float64) {
	t.Helper()
	var fresh, again runs
	for what, limits := range map[string][]metric.Goal{
		"power": powerLimits(18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 42),
		"time":  s.timeLimits(1.02, 1.1, 1.2, 1.3, 1.45, 1.6, 1.8, 2, 2.4, 3, 4, 5, 7),
	} {
		var nothing, known runs
		for seed := range seeds {
			s.chain(t, limits, seed, &nothing, &known)
		}
		t.Logf("limits on %s, from nothing: %v", what, &nothing)
		t.Logf("limits on %s, from what is known: %v", what, &known)
		fresh.join(&nothing)
		again.join(&known)
	}
	t.Logf("both, from nothing: %v", &fresh)
	t.Logf("both, from what is known: %v", &again)
	var more []float64 // by pairs of searches for one limit
	few, worse, better := 0, 0, 0
	for i, gap := range again.gapPct {
		d := gap - fresh.gapPct[i]
		more = append(more, d)
		switch {
		case d > 1:
			worse++
		case d < -1:
			better++
		}
		if again.modes[i] <= 4 {
			few++
		}
	}
	mean, sd := stat.MeanStdDev(more, nil)
	se := sd / math.Sqrt(float64(len(more)))
	t.Logf("by pairs: median %+.2f, mean %+.2f ± %.2f; by more than 1 worse %d, better %d of %d; "+
		"at most 4 modes %d", again.quantile(more, 0.5), mean, se, worse, better, len(more), few)
	if mean > max(0.1, 2*se) {
		t.Errorf("the gap is %.2f ± %.2f points larger than from nothing", mean, se)
	}
	again.within(t, fresh.quantile(fresh.gapPct, 0.5)+1.5, fresh.quantile(fresh.gapPct, 0.9)+2, modes)
	if again.quantile(more, 0.5) > 0.1 {
		t.Errorf("in the median the gap is %.2f points larger than from nothing", again.quantile(more, 0.5))
	}
	if again.over > fresh.over+1 {
		t.Errorf("%d searches of %d were hot, %d from nothing", again.over, again.total, fresh.over)
	}
}
