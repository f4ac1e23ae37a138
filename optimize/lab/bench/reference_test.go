package bench

import (
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
)

func TestEvaluateUsesAReference(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	t.Parallel()
	b := optimizetest.New(t)
	r := must.Get(Evaluate(
		t.Context(),
		Options{Truth: b.All(), Reference: optimizetest.Reference(t, b, true), Sizes: []int{8}, Seeds: 1,
			BudgetFrom: 15, BudgetTo: 35, BudgetStep: 10, Methods: []string{GP, GPRef, PowerTrain}},
	))(t)
	rows := byMethod(r)
	if got, plain := rows[GPRef].TimeMAPEPct.V.Median, rows[GP].TimeMAPEPct.V.Median; !(got < 1.15*plain) {
		t.Errorf("gp+ref errs %.2f %% in time, gp alone %.2f", got, plain)
	}
	if pt, gp := rows[PowerTrain].TimeMAPEPct.V.Median, rows[GP].TimeMAPEPct.V.Median; !(pt > gp) {
		t.Errorf("transferred networks err %.2f %% in time, gp %.2f: %+v", pt, gp, rows)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "other workload") {
		t.Errorf("notes: got %v", r.Notes)
	}
}

func TestEvaluateTakesAFinerSweepAsReference(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	var coarse []tegra.Measured
	for _, m := range b.All() {
		if m.Mode.Cores%4 == 0 && m.Mode.GPU > 600*tegra.MHz {
			coarse = append(coarse, m)
		}
	}
	r, err := Evaluate(
		t.Context(),
		Options{Truth: coarse, Reference: optimizetest.Reference(t, b, false), Sizes: []int{8}, Seeds: 2,
			BudgetFrom: 20, BudgetTo: 20, Methods: []string{GPRef}},
	)
	if err != nil || len(r.Notes) != 0 {
		t.Errorf("got %v and notes %v, want the reference used", err, r)
	}
}
