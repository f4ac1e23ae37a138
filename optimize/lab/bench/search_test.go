package bench

import (
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/sweep/sweeptest"
)

// cleanSweep is a measured sweep with its clean optimum: the best mode whose reading a fit confirms (optimum.go).
type cleanSweep struct {
	*optimizetest.Sweep
	clean     []tegra.Measured
	fit       map[tegra.Mode]float64 // W of the clean modes by that fit
	reference *learn.Reference       // of its searches; nil: none
}

// cleanSweeps are those that loadClean has made.
var cleanSweeps = struct {
	sync.Mutex
	of map[string]*cleanSweep
}{of: map[string]*cleanSweep{}}

// loadClean loads a published sweep, once for all tests, and leaves out the lucky readings.
func loadClean(t testing.TB, name string) *cleanSweep {
	t.Helper()
	cleanSweeps.Lock()
	defer cleanSweeps.Unlock()
	s := cleanSweeps.of[name]
	if s == nil {
		s = newCleanSweep(t, name)
		cleanSweeps.of[name] = s
	}
	own := *s
	return &own
}

func newCleanSweep(t testing.TB, name string) *cleanSweep {
	t.Helper()
	s := &cleanSweep{Sweep: optimizetest.Load(t, name)}
	f := must.Get(newTruth(&Options{Truth: s.Rows, BudgetFrom: 17, BudgetTo: 50, BudgetStep: 1}))(t)
	kept := must.Get(f.confirmed())(t)
	_, sample := f.draw(cleanSample, cleanSeed)
	model := must.Get(learn.FitSurrogate(s.Space, sample, learn.SurrogateOptions{Robust: 1}))(t)
	fit := model.Posterior()
	s.fit = map[tegra.Mode]float64{}
	for _, i := range kept {
		s.clean = append(s.clean, f.truth[i])
		s.fit[f.truth[i].Mode] = math.Exp(fit.LnPower[i])
	}
	return s
}

// believed are the clean modes that keep a power limit by the fit to 400 modes
// too, not by a lucky reading alone.
func (s *cleanSweep) believed(l metric.Goal) []tegra.Measured {
	var out []tegra.Measured
	for _, r := range s.clean {
		if l.Of(metric.Power) == 0 || s.fit[r.Mode] <= l.Of(metric.Power) {
			out = append(out, r)
		}
	}
	return out
}

// goal returns the quantity minimised by a search for a limit on power or time.
func goal(l metric.Goal, p tegra.Measured) float64 {
	if l.Of(metric.Power) > 0 {
		return p.TimeMS
	}
	return p.PowerW
}

// bestOf returns the best measured mode for a limit.
func bestOf(rows []tegra.Measured, l metric.Goal) (learn.Prediction, error) {
	preds := make([]learn.Prediction, len(rows))
	for i, r := range rows {
		preds[i] = optimize.MeasuredPrediction(r)
	}
	i, err := optimize.Choose(preds, l)
	return preds[i], err
}

// runs is the result of a set of searches.
type runs struct {
	gapPct, modes []float64
	believedPct   []float64 // gap to the best believed mode, where there is one
	over, total   int
}

func (r *runs) add(res optimize.Result, limit metric.Goal, best, believed float64) {
	r.total++
	got := goal(limit, res.Answers[0].Measured)
	r.gapPct = append(r.gapPct, 100*(got/best-1))
	if believed > 0 {
		r.believedPct = append(r.believedPct, 100*(got/believed-1))
	}
	distinct, broke := map[tegra.Mode]bool{}, false
	for _, p := range res.Probes {
		distinct[p.Mode] = true
		broke = broke || limit.Of(metric.Power) > 0 && p.PowerW > optimize.MaxOvershoot*limit.Of(metric.Power)
	}
	r.modes = append(r.modes, float64(len(distinct)))
	if broke {
		r.over++
	}
}

func (r *runs) quantile(v []float64, q float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[int(q*float64(len(v)-1)+0.5)]
}

func (r *runs) String() string {
	at := func(v []float64) string {
		return fmt.Sprintf("median %.2f p90 %.2f worst %.2f %%",
			r.quantile(v, 0.5), r.quantile(v, 0.9), r.quantile(v, 1))
	}
	return fmt.Sprintf("gap %s, to what is believed %s; modes median %.0f p90 %.0f; hot %d of %d", at(r.gapPct),
		at(r.believedPct), r.quantile(r.modes, 0.5), r.quantile(r.modes, 0.9), r.over, r.total)
}

// join adds the searches of another set.
func (r *runs) join(o *runs) {
	r.gapPct, r.modes = append(r.gapPct, o.gapPct...), append(r.modes, o.modes...)
	r.believedPct = append(r.believedPct, o.believedPct...)
	r.over, r.total = r.over+o.over, r.total+o.total
}

func (s *cleanSweep) search(t *testing.T, limits []metric.Goal, seeds int, depth string) *runs {
	t.Helper()
	out := runs{}
	for _, l := range limits {
		want := must.Get(bestOf(s.clean, l))(t)
		best := goal(l, want.Measured)
		believed := 0.0
		if want, err := bestOf(s.believed(l), l); err == nil {
			believed = goal(l, want.Measured)
		}
		for seed := range seeds {
			res, err := optimize.Tune(t.Context(), optimizetest.OfModes(s.Measure), optimize.TuneOptions{
				Limits: []metric.Goal{l}, Space: s.Space, Seed: uint64(seed), Depth: depth, Reference: s.reference})
			if err != nil {
				t.Errorf("%v, seed %d: %v", l, seed, err)
				continue
			}
			if !res.Answers[0].Feasible || !res.Answers[0].Verified || !l.Met(s.At[res.Answers[0].Mode]) {
				t.Errorf("%v, seed %d: answer %v with %v is not a verified mode within the limit",
					l, seed, res.Answers[0].Mode, s.At[res.Answers[0].Mode])
			}
			out.add(res, l, best, believed)
		}
	}
	t.Log(&out)
	return &out
}

func powerLimits(watts ...float64) []metric.Goal {
	var out []metric.Goal
	for _, w := range watts {
		out = append(out, metric.Watts(w))
	}
	return out
}

func (s *cleanSweep) timeLimits(factors ...float64) []metric.Goal {
	fastest := math.Inf(1)
	for _, r := range s.clean {
		fastest = min(fastest, r.TimeMS)
	}
	var out []metric.Goal
	for _, f := range factors {
		out = append(out, metric.Millis(f*fastest))
	}
	return out
}

// The bars of the closed loop, with fewer limits and seeds than its tables have.
func TestSearchMeetsItsBars(t *testing.T) {
	if testing.Short() {
		t.Skip("56 searches")
	}
	t.Parallel()
	seeds := 1 // of time limits
	if os.Getenv("JTUNE_LONG") != "" {
		seeds = 3
	}
	for _, name := range []string{sweeptest.MobileNet, sweeptest.LSTM} {
		s := loadClean(t, name)
		t.Run("fastest within a power limit on "+name, func(t *testing.T) {
			t.Parallel()
			got := s.search(t, powerLimits(17, 20, 23, 26, 30, 35, 40), 3, optimize.Quick)
			median, p90, _ := gapBars(name)
			got.within(t, median, p90, 13)
			if got.over*20 > got.total {
				t.Errorf("%d of %d searches probed more than 10 %% over the limit, want 5 %% at most",
					got.over, got.total)
			}
		})
		t.Run("least power within a time limit on "+name, func(t *testing.T) {
			t.Parallel()
			_, _, timeP90 := gapBars(name)
			s.search(t, s.timeLimits(1.02, 1.3, 1.6, 2, 3, 5, 10), seeds, optimize.Quick).within(t, 1.5, timeP90, 12)
		})
	}
}

// gapBars are the bars of the gaps in percent: median and 90th percentile within a power limit, 90th percentile within
// a time limit. Those of LSTM were 1.2, 5 and 4, like MobileNet's, before one rule chose the answer, which now keeps
// its limit with a chance of 95 %, and before power could jump between GPU clocks (3.3 and 6): it has 3.5, 9.9 (one of
// seven limits) and 5.05, and MobileNet 1.25. Of 42 searches none is hot.
func gapBars(sweep string) (median, p90, timeP90 float64) {
	if sweep == sweeptest.LSTM {
		return 3.6, 10, 5.5
	}
	return 3.6, 5.5, 4
}

// within checks the gap to the clean optimum in percent, and the modes.
func (r *runs) within(t *testing.T, median, p90, modes float64) {
	t.Helper()
	if got := r.quantile(r.gapPct, 0.5); got > median {
		t.Errorf("median gap %.2f %%, want %g at most", got, median)
	}
	if got := r.quantile(r.gapPct, 0.9); got > p90 {
		t.Errorf("90th percentile of the gap %.2f %%, want %g at most", got, p90)
	}
	if got := r.quantile(r.modes, 0.5); got > modes {
		t.Errorf("median of %.0f modes, want %g at most", got, modes)
	}
}

// Every watt on the sweeps, ResNet's too, which is the hard one: how far from
// the clean optimum the loop ends, and from the best mode that the fit to 400
// modes believes to be within the limit, and how often a probe passes the limit by
// more than 10 %.
func TestSearchOnEveryWatt(t *testing.T) {
	if os.Getenv("JTUNE_LONG") == "" {
		t.Skip("270 searches; JTUNE_LONG=1 makes them")
	}
	t.Parallel()
	for _, c := range []struct {
		name            string
		median, p90     float64 // of the gap, %
		believed        float64 // its median, to the best believed mode
		modes, overTime float64 // median; share of searches with a probe over, %
	}{
		{sweeptest.ResNet, 5.5, 12, 1.4, 13, 8}, // of which the guard costs 1.5 points (docs/results.md)
		{sweeptest.MobileNet, 1.2, 5, 1.2, 12, 5},
		{sweeptest.LSTM, 1.2, 5, 1.2, 12, 5},
	} {
		s := loadClean(t, c.name)
		var limits []metric.Goal
		for w := 17.0; w <= 46; w++ {
			if _, err := bestOf(s.clean, metric.Watts(w)); err == nil {
				limits = append(limits, metric.Watts(w))
			}
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := s.search(t, limits, 3, optimize.Quick)
			got.within(t, c.median, c.p90, c.modes)
			median, p90 := got.quantile(got.believedPct, 0.5), got.quantile(got.believedPct, 0.9)
			if median > c.believed || p90 > 5 {
				t.Errorf("to the best believed mode: median %.2f %%, 90th percentile %.2f %%, want %g and 5", median,
					p90, c.believed)
			}
			if share := 100 * float64(got.over) / float64(got.total); share > c.overTime {
				t.Errorf("%.1f %% of the searches probed more than 10 %% over the limit, want %g at most",
					share, c.overTime)
			}
		})
	}
}
