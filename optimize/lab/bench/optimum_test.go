package bench

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/report"
	"jtune/optimize"
	"jtune/optimize/optimizetest"
	"jtune/tegra/metric"
	"jtune/tegra/sweep/sweeptest"
)

func TestCleanOptimumIsNoLuckyReading(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	rows, limit := b.All(), metric.Watts(20)
	best := must.Get(bestOf(rows, limit))(t)
	o := Options{Truth: rows, Name: "toy", Methods: []string{Maxn, Tune}, BudgetFrom: 20, BudgetTo: 20, BudgetStep: 1,
		Seeds: 1}
	sound := must.Get(Evaluate(t.Context(), o))(t)
	for _, row := range sound.Rows {
		if row.CleanPenaltyPct != row.PenaltyPct || len(sound.Notes) > 0 {
			t.Errorf("a sweep without luck: %q, %s %+v and %+v",
				sound.Notes, row.Method, row.PenaltyPct.V, row.CleanPenaltyPct.V)
		}
	}

	highest := b.Space.Max()
	for i := range rows {
		if rows[i].Mode == highest {
			rows[i].PowerW = 19
		}
	}
	lucky := must.Get(Evaluate(t.Context(), o))(t)
	maxn, want := byMethod(lucky)[Maxn], 100*(b.Answer(highest).TimeMS/best.TimeMS-1)
	if maxn.PenaltyPct.V.Median != 0 || !near(maxn.CleanPenaltyPct.V.Median, want) || want > -5 {
		t.Errorf("MAXN %+v and %+v; want 0 and %.1f", maxn.PenaltyPct.V, maxn.CleanPenaltyPct.V, want)
	}
	var text strings.Builder
	if err := report.Print(&text, nil, lucky.Parts()...); err != nil || !strings.Contains(text.String(), "clean %") ||
		!strings.Contains(text.String(), "clean: 1 of") {
		t.Errorf("%v, the table:\n%s", err, text.String())
	}

	o.Truth = rows[:cleanSample-1]
	small := must.Get(Evaluate(t.Context(), o))(t)
	data, err := json.Marshal(small)
	if err != nil || strings.Contains(strings.Join(small.Notes, ""), "below the fit") ||
		!strings.Contains(string(data), `"clean_penalty_pct":null`) {
		t.Errorf("%v: a sweep too small to fit has a clean optimum: %s", err, data)
	}
}

func TestEvaluateCountsSearchesOverThePowerLimit(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	o := Options{Truth: b.All(), Methods: []string{Tune, Binary, Maxn}, BudgetFrom: 18, BudgetTo: 30, BudgetStep: 4,
		Seeds: 1}
	r := must.Get(Evaluate(t.Context(), o))(t)
	over := 0
	for _, w := range r.Budgets {
		res := must.Get(optimize.Tune(t.Context(), optimizetest.OfModes(b.Measure),
			optimize.TuneOptions{Limits: []metric.Goal{metric.Watts(w)}, Space: b.Space, Strategy: optimize.Binary}))(t)
		for _, p := range res.Probes {
			if p.PowerW > 1.1*w {
				over++
				break
			}
		}
	}
	rows := byMethod(r)
	if got, want := rows[Binary].SearchesHotPct.V, 100*float64(over)/float64(len(r.Budgets)); got != want || over == 0 {
		t.Errorf("binary search: %g %% of the searches, want %g and some", got, want)
	}
	if tune := rows[Tune].SearchesHotPct; !tune.OK || tune.V != 0 || rows[Maxn].SearchesHotPct.OK {
		t.Errorf("the closed loop %v, want none; MAXN %v, want nothing: it does not search",
			tune, rows[Maxn].SearchesHotPct)
	}
}

// The clean optimum must not depend on the seed of the methods.
func TestCleanOptimumIsThatOfTheSweepAlone(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	var want []float64
	for seed := range uint64(2) {
		o := Options{Truth: b.All(), Seed: seed, BudgetFrom: 17, BudgetTo: 40, BudgetStep: 3}
		for i := range o.Truth {
			if i%17 == 0 {
				o.Truth[i].PowerW *= 0.7
			}
		}
		f := must.Get(newTruth(&o))(t)
		if len(f.clean) != len(f.limits) || f.lucky == 0 {
			t.Fatalf("%d optima for %d limits, %d lucky readings", len(f.clean), len(f.limits), f.lucky)
		}
		for k, best := range f.clean {
			if best < f.optimum[k] || seed > 0 && best != want[k] {
				t.Errorf("%v: clean optimum %g ms, raw %g, with another seed %v", f.limits[k], best, f.optimum[k], want)
			}
		}
		want = f.clean
		kept, spoiled := must.Get(f.confirmed())(t), 0
		for _, i := range kept {
			if f.truth[i].PowerW < 0.9*b.Answer(f.all[i].Mode).PowerW {
				spoiled++
			}
		}
		if spoiled > 0 {
			t.Errorf("%d of the spoiled readings are believed", spoiled)
		}
	}
	var none truth
	if kept, err := none.confirmed(); kept != nil || err != nil {
		t.Errorf("a sweep without power: %v, %v", kept, err)
	}
}

// The front of 30 modes with one deviation of margin and 10 verified choices.
func TestEvaluateVerifiedFrontKeepsItsLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of work")
	}
	t.Parallel()
	seeds := 3
	if os.Getenv("JTUNE_LONG") != "" {
		seeds = 10
	}
	r, err := Evaluate(t.Context(), Options{Truth: sweeptest.Load(t, sweeptest.MobileNet), Sizes: []int{30},
		Seeds: seeds, Methods: []string{GPVerify, GP}, BudgetFrom: 17, BudgetTo: 50})
	must.NoError(t, err)
	rows := byMethod(r)
	got, plain := rows[GPVerify], rows[GP]
	t.Logf("verified %+v\nplain %+v", got, plain)
	if got.PenaltyPct.V.Median > 3.5 || got.Over1WPct.V > 2 || got.Probes > 40 {
		t.Errorf("penalty %.2f %%, %.1f %% over by more than a watt, %g modes; want 3.5, 2 and 40 at most",
			got.PenaltyPct.V.Median, got.Over1WPct.V, got.Probes)
	}
	if got.AreaW.V > plain.AreaW.V {
		t.Errorf("verified choices are over by %.3f W on average, unverified ones by %.3f", got.AreaW.V, plain.AreaW.V)
	}
}
