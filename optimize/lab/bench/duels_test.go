package bench

import (
	"os"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/report"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// authorsOf makes runs over the modes of a table, with errors to beat.
func authorsOf(name string, errPct float64, runs ...[]tegra.Mode) Authors {
	a := Authors{Name: name}
	for _, m := range runs {
		a.Runs = append(a.Runs, Run{Modes: m, TimeMAPEPct: errPct, PowerMAPEPct: errPct})
	}
	return a
}

func TestDuelsUseTheAuthorsSamplesAndCountLosses(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	modes := b.Space.Sample(20, 3)
	theirs := []Authors{authorsOf("poor.csv", 90, modes[:10], modes[10:]),
		authorsOf("perfect.csv", 0, modes[:10], modes[10:])}
	o := Options{Truth: b.All(), Name: "toy", Authors: theirs, Methods: []string{GP, Random}, BudgetFrom: 20,
		BudgetTo: 30, BudgetStep: 10}
	r := must.Get(Evaluate(t.Context(), o))(t)
	if len(r.Duels) != 2 { // random predicts nothing
		t.Fatalf("got %+v, want gp against two files", r.Duels)
	}
	if d := r.Duels[0]; d.Against != "poor.csv" || d.Runs != 2 || d.Size != 10 || d.TimeWon != 2 || d.PowerWon != 2 ||
		d.TheirTime != 90 {
		t.Errorf("against poor runs: got %+v", d)
	}
	if d := r.Duels[1]; d.TimeWon != 0 || d.PowerWon != 0 || d.TimePct <= 0 {
		t.Errorf("against perfect runs: got %+v", d)
	}
	var text strings.Builder
	must.NoError(t, report.Print(&text, nil, r.Parts()...))
	for _, want := range []string{"On the authors' own samples", "perfect.csv"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, text.String())
		}
	}
}

func TestEvaluateRejectsAuthorsRunsOfAnotherSweep(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	modes := b.Space.Sample(20, 3)
	stranger := []tegra.Mode{{Cores: 99, CPU: 1, GPU: 1, EMC: 1}}
	for name, o := range map[string]Options{
		"a mode that the sweep lacks": {Authors: []Authors{authorsOf("a", 1, stranger)}},
		"a size that they lack":       {Authors: []Authors{authorsOf("a", 1, modes)}, Sizes: []int{7}},
		"two files with different samples": {Authors: []Authors{authorsOf("a", 1, modes[:10]),
			authorsOf("b", 1, modes[10:])}},
	} {
		o.Truth, o.Methods, o.BudgetFrom, o.BudgetTo = b.All(), []string{Random}, 20, 30
		if _, err := Evaluate(t.Context(), o); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// The default predictor is ahead of the published transfer
// on every one of the authors' own samples, in time and in power.
func TestDuelsAreWonByTheDefaultPredictor(t *testing.T) {
	if testing.Short() {
		t.Skip("fits to the samples of every published run")
	}
	t.Parallel()
	file := sweeptest.Shared(t,
		"data/sweeps/powertrain-agx-orin/paper_baselines/NN_transfer_resnet_mobnet_MAPE_all.csv")
	in := must.Get(os.Open(file))(t)
	defer in.Close()
	authors := must.Get(ReadAuthors("PowerTrain", in))(t)
	o := Options{Truth: sweeptest.Load(t, sweeptest.MobileNet), Authors: []Authors{authors},
		Methods: []string{GP}, Seeds: 1}
	r := must.Get(Evaluate(t.Context(), o))(t)
	if len(r.Duels) != 3 {
		t.Fatalf("got %+v, want sizes 10, 20 and 50", r.Duels)
	}
	for _, d := range r.Duels {
		t.Logf("%d modes: ours %.1f / %.1f, theirs %.1f / %.1f, won %d and %d of %d",
			d.Size, d.TimePct, d.PowerPct, d.TheirTime, d.TheirPow, d.TimeWon, d.PowerWon, d.Runs)
		if d.TimeWon != d.Runs || d.PowerWon != d.Runs {
			t.Errorf("%d modes: won %d and %d of %d", d.Size, d.TimeWon, d.PowerWon, d.Runs)
		}
	}
}
