package optimize

import (
	"strings"
	"testing"

	"jtune/learn"
	"jtune/learn/nn"
	"jtune/tegra"
)

// toyReference is a toy board's workload with other balances, and networks
// that have hardly learned it: enough to transfer from.
func toyReference(t *testing.T, b *toy, networks bool) *learn.Reference {
	t.Helper()
	r := &learn.Reference{Name: "other workload"}
	for i, m := range b.all() {
		if i%5 == 0 {
			m.TimeMS *= 0.7
			r.Samples = append(r.Samples, m)
		}
	}
	if networks {
		pair, err := nn.TrainPair(t.Context(), nn.Medians(r.Samples), nn.Config{Epochs: 20, MinSteps: 1, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		r.Networks = &pair
	}
	return r
}

func TestPowerTrainMeasuresItsAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	t.Parallel()
	b := newToy(t)
	limit := Limit{PowerW: 25}
	res, err := Tune(t.Context(), b.measure, TuneOptions{Limit: limit, Space: b.space, Strategy: PowerTrain, Probes: 30, Reference: toyReference(t, b, true)})
	if err != nil {
		t.Fatal(err)
	}
	starts := 0
	for _, p := range res.Probes {
		if p.Why == Start {
			starts++
		}
	}
	if !res.Feasible || !res.Verified || starts != 25 || len(res.Probes) > 30 || res.Measured.PowerW > limit.PowerW {
		t.Errorf("got %+v after %d random modes and %d probes", res.Measured, starts, len(res.Probes))
	}
	if best, _ := bestOf(b.all(), limit); res.Measured.TimeMS > 1.7*best.TimeMS {
		t.Errorf("%.1f ms, the best mode takes %.1f", res.Measured.TimeMS, best.TimeMS)
	}
}

func TestPowerTrainKeepsAProbeForWhatItsNetworksChoose(t *testing.T) {
	t.Parallel()
	for cap := 3; cap <= 80; cap++ {
		s := &search{cap: cap}
		if left := cap - s.randomFirst() - s.reserve(); left < 1 || s.randomFirst() < 1 {
			t.Errorf("of %d probes %d are random and %d verify: %d left", cap, s.randomFirst(), s.reserve(), left)
		}
	}
}

func TestTuneLeansOnAnotherWorkload(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	limit := Limit{PowerW: 25}
	res, err := Tune(t.Context(), b.measure, TuneOptions{Limit: limit, Space: b.space, Reference: toyReference(t, b, false)})
	if err != nil || len(res.Warnings) != 0 {
		t.Fatalf("got %v, warnings %v", err, res.Warnings)
	}
	if time, power := res.Model.ReferenceWeights(); time == 0 && power == 0 {
		t.Error("the reference has no weight at all")
	}
	if best, _ := bestOf(b.all(), limit); res.Measured.TimeMS > 1.05*best.TimeMS {
		t.Errorf("%.1f ms, the best mode takes %.1f", res.Measured.TimeMS, best.TimeMS)
	}
}

func TestAReferenceOfNoUseIsLeftOutAndSaidSo(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	foreign := &learn.Reference{Name: "elsewhere"}
	for i := range 120 {
		foreign.Samples = append(foreign.Samples, tegra.Measured{Mode: tegra.Mode{Cores: 3, CPU: tegra.Freq(i+1) * tegra.MHz, GPU: tegra.GHz, EMC: tegra.GHz}, TimeMS: 5, PowerW: 5})
	}
	res, err := Tune(t.Context(), b.measure, TuneOptions{Limit: Limit{PowerW: 25}, Space: b.space, Reference: foreign})
	if err != nil || len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "elsewhere") {
		t.Errorf("got %v, warnings %v", err, res.Warnings)
	}
}

func TestEvaluateLeansOnAReference(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	t.Parallel()
	b := newToy(t)
	r, err := Evaluate(t.Context(), EvaluateOptions{Truth: b.all(), Reference: toyReference(t, b, true), Sizes: []int{8}, Seeds: 1,
		BudgetFrom: 15, BudgetTo: 35, BudgetStep: 10, Methods: []string{EvalGP, EvalGPRef, EvalPowerTrain}})
	if err != nil {
		t.Fatal(err)
	}
	rows := byMethod(r)
	if got, plain := rows[EvalGPRef].TimeMAPEPct.V.Median, rows[EvalGP].TimeMAPEPct.V.Median; !(got < 1.15*plain) {
		t.Errorf("gp+ref errs %.2f %% in time, gp alone %.2f", got, plain)
	}
	if pt, gp := rows[EvalPowerTrain].TimeMAPEPct.V.Median, rows[EvalGP].TimeMAPEPct.V.Median; !(pt > gp) {
		t.Errorf("transferred networks err %.2f %% in time, gp %.2f: %+v", pt, gp, rows)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "other workload") {
		t.Errorf("notes: got %v", r.Notes)
	}
}

func TestAFinerSweepOfTheSameBoardIsAReferenceToo(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	var coarse []tegra.Measured
	for _, m := range b.all() {
		if m.Mode.Cores%4 == 0 && m.Mode.GPU > 600*tegra.MHz {
			coarse = append(coarse, m)
		}
	}
	r, err := Evaluate(t.Context(), EvaluateOptions{Truth: coarse, Reference: toyReference(t, b, false), Sizes: []int{8}, Seeds: 2,
		BudgetFrom: 20, BudgetTo: 20, Methods: []string{EvalGPRef}})
	if err != nil || len(r.Notes) != 0 {
		t.Errorf("got %v and notes %v, want the reference used", err, r)
	}
}
