package optimize

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestALuckyReadingIsTheOptimumButNotTheCleanOne(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	rows := b.all()
	limit := Limit{PowerW: 20}
	best, err := bestOf(rows, limit)
	if err != nil {
		t.Fatal(err)
	}
	o := EvaluateOptions{Truth: rows, Name: "toy", Methods: []string{EvalMaxn, EvalTune}, BudgetFrom: 20, BudgetTo: 20, BudgetStep: 1, Seeds: 1}
	sound, err := Evaluate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range sound.Rows {
		if row.CleanPenaltyPct != row.PenaltyPct || len(sound.Notes) > 0 {
			t.Errorf("a sweep without luck: %q, %s %+v and %+v", sound.Notes, row.Method, row.PenaltyPct.V, row.CleanPenaltyPct.V)
		}
	}

	highest := b.space.Max()
	for i := range rows {
		if rows[i].Mode == highest {
			rows[i].PowerW = 19
		}
	}
	lucky, err := Evaluate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	maxn := byMethod(lucky)[EvalMaxn]
	want := 100 * (b.answer(highest).TimeMS/best.TimeMS - 1)
	if maxn.PenaltyPct.V.Median != 0 || !near(maxn.CleanPenaltyPct.V.Median, want) || want > -5 {
		t.Errorf("MAXN %+v and %+v; want 0 and %.1f", maxn.PenaltyPct.V, maxn.CleanPenaltyPct.V, want)
	}
	var text strings.Builder
	if err := lucky.WriteText(&text); err != nil || !strings.Contains(text.String(), "clean %") || !strings.Contains(text.String(), "clean: 1 of") {
		t.Errorf("%v, the table:\n%s", err, text.String())
	}

	o.Truth = rows[:cleanSample-1]
	small, err := Evaluate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(small)
	if err != nil || strings.Contains(strings.Join(small.Notes, ""), "borne out") || !strings.Contains(string(data), `"clean_penalty_pct":null`) {
		t.Errorf("%v: a sweep too small to fit has a clean optimum: %s", err, data)
	}
}

func TestSearchesThatPassThePowerLimitAreCounted(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	o := EvaluateOptions{Truth: b.all(), Methods: []string{EvalTune, EvalBinary, EvalMaxn}, BudgetFrom: 18, BudgetTo: 30, BudgetStep: 4, Seeds: 1}
	r, err := Evaluate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	over := 0
	for _, w := range r.Budgets {
		res, err := tuneModes(t.Context(), b.measure, TuneOptions{Limit: Limit{PowerW: w}, Space: b.space, Strategy: Binary})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range res.Probes {
			if p.PowerW > 1.1*w {
				over++
				break
			}
		}
	}
	rows := byMethod(r)
	if got, want := rows[EvalBinary].SearchesHotPct.V, 100*float64(over)/float64(len(r.Budgets)); got != want || over == 0 {
		t.Errorf("binary search: %g %% of the searches, want %g and some", got, want)
	}
	if tune := rows[EvalTune].SearchesHotPct; !tune.OK || tune.V != 0 || rows[EvalMaxn].SearchesHotPct.OK {
		t.Errorf("the closed loop %v, want none; MAXN %v, want nothing: it does not search", tune, rows[EvalMaxn].SearchesHotPct)
	}
}

// The yardstick must not depend on the seed that methods are drawn with.
func TestTheCleanOptimumIsThatOfTheSweepAlone(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	var want []float64
	for seed := range uint64(2) {
		o := EvaluateOptions{Truth: b.all(), Seed: seed, BudgetFrom: 17, BudgetTo: 40, BudgetStep: 3}
		for i := range o.Truth {
			if i%17 == 0 {
				o.Truth[i].PowerW *= 0.7
			}
		}
		f, err := newField(&o)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.clean) != len(f.limits) || f.lucky == 0 {
			t.Fatalf("%d optima for %d limits, %d lucky readings", len(f.clean), len(f.limits), f.lucky)
		}
		for k, best := range f.clean {
			if best < f.optimum[k] || seed > 0 && best != want[k] {
				t.Errorf("%v: clean optimum %g ms, raw %g, with another seed %v", f.limits[k], best, f.optimum[k], want)
			}
		}
		want = f.clean
		kept, err := f.borneOut()
		if err != nil {
			t.Fatal(err)
		}
		spoiled := 0
		for _, i := range kept {
			if f.truth[i].PowerW < 0.9*b.answer(f.all[i].Mode).PowerW {
				spoiled++
			}
		}
		if spoiled > 0 {
			t.Errorf("%d of the spoiled readings are believed", spoiled)
		}
	}
	var none field
	if kept, err := none.borneOut(); kept != nil || err != nil {
		t.Errorf("a sweep without power: %v, %v", kept, err)
	}
}
