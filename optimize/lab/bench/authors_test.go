package bench

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"jtune/internal/tools/reliability"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

const runsHeader = "No_powermodes,RunNo,Val_MAPE_time,Val_MAPE_power,Sampled_powermodes\n"

func TestReadAuthors(t *testing.T) {
	t.Parallel()
	a, err := ReadAuthors("NN.csv", strings.NewReader(runsHeader+
		"2,0,0.25,0.05,\"['4_1344000_930750000_2133000000', '2_268800_114750000_204000000']\"\n"+
		"1,1,0.5,0.125,['12_2201600_1300500000_3199000000']\n"))
	if err != nil {
		t.Fatal(err)
	}
	first := a.Runs[0]
	want := tegra.Mode{Cores: 4, CPU: 1344 * tegra.MHz, GPU: 930750 * tegra.KHz, EMC: 2133 * tegra.MHz}
	if len(a.Runs) != 2 || len(first.Modes) != 2 || first.Modes[0] != want || first.TimeMAPEPct != 25 ||
		first.PowerMAPEPct != 5 {
		t.Errorf("got %+v", a)
	}
	if got := fmt.Sprint(a.sizes(), len(a.of(2)), len(a.of(7))); got != "[1 2] 1 0" {
		t.Errorf("sizes: got %s", got)
	}
}

func TestReadAuthorsRejectsOtherFiles(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":                  "",
		"a header alone":           runsHeader,
		"a sweep":                  "cores,cpu,gpu,mem\n2,268800,114750000,204000000\n",
		"an error that is no NaN":  runsHeader + "1,0,nan,0.1,['2_268800_114750000_204000000']\n",
		"an error below zero":      runsHeader + "1,0,-0.1,0.1,['2_268800_114750000_204000000']\n",
		"a mode of three knobs":    runsHeader + "1,0,0.1,0.1,['2_268800_114750000']\n",
		"a mode with a word":       runsHeader + "1,0,0.1,0.1,['2_268800_fast_204000000']\n",
		"a mode of zero cores":     runsHeader + "1,0,0.1,0.1,['0_268800_114750000_204000000']\n",
		"a frequency out of range": runsHeader + "1,0,0.1,0.1,['2_9223372036854775807_114750000_204000000']\n",
		"no modes":                 runsHeader + "0,0,0.1,0.1,[]\n",
		"half a row":               runsHeader + "1,0,0.1\n",
	} {
		if a, err := ReadAuthors("file.csv", strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), "file.csv") {
			t.Errorf("%s: got %+v, %v; want an error that names the file", name, a, err)
		}
	}
}

func FuzzReadAuthors(f *testing.F) {
	f.Add(runsHeader + "1,0,0.5,0.125,['12_2201600_1300500000_3199000000']\n")
	f.Add("a,b\n\"")
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		a, err := ReadAuthors("x", strings.NewReader(text))
		if err != nil {
			return
		}
		for _, r := range a.Runs {
			if len(r.Modes) == 0 || !(r.TimeMAPEPct >= 0) || r.Modes[0].CPU <= 0 {
				t.Fatalf("accepted %+v", r)
			}
		}
	})
}

// authorsOf makes runs over the modes of a table, with errors to beat.
func authorsOf(name string, errPct float64, runs ...[]tegra.Mode) Authors {
	a := Authors{Name: name}
	for _, m := range runs {
		a.Runs = append(a.Runs, AuthorsRun{Modes: m, TimeMAPEPct: errPct, PowerMAPEPct: errPct})
	}
	return a
}

func TestDuelsUseTheAuthorsSamplesAndCountLosses(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	modes := b.Space.Sample(20, 3)
	theirs := []Authors{
		authorsOf("poor.csv", 90, modes[:10], modes[10:]),
		authorsOf("perfect.csv", 0, modes[:10], modes[10:]),
	}
	o := Options{
		Truth:      b.All(),
		Name:       "toy",
		Authors:    theirs,
		Methods:    []string{GP, Random},
		BudgetFrom: 20,
		BudgetTo:   30,
		BudgetStep: 10,
	}
	r, err := Evaluate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
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
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
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
		"two files with different samples": {Authors: []Authors{
			authorsOf("a", 1, modes[:10]),
			authorsOf("b", 1, modes[10:]),
		}},
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
	file := sweeptest.Shared(
		t,
		"data/sweeps/powertrain-agx-orin/paper_baselines/NN_transfer_resnet_mobnet_MAPE_all.csv",
	)
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	authors, err := ReadAuthors("PowerTrain", in)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Truth: sweeptest.Load(t, sweeptest.MobileNet), Authors: []Authors{authors}, Methods: []string{GP}}
	r, err := Evaluate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
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
