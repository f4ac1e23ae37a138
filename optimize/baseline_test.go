package optimize

import (
	"context"
	"errors"
	"slices"
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

func TestPowerTrainMeasuresWhatItsNetworksPick(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	t.Parallel()
	b := newToy(t)
	limit, n := Limit{PowerW: 25}, 0
	res, err := tuneModes(t.Context(), func(ctx context.Context, m tegra.Mode) (tegra.Measured, error) {
		got, err := b.measure(ctx, m)
		if n++; n > 27 { // the pick, which may be wrong about its power
			got.PowerW = min(got.PowerW, limit.PowerW)
		}
		return got, err
	}, TuneOptions{Limit: limit, Space: b.space, Strategy: PowerTrain, Probes: 30, Reference: toyReference(t, b, true)})
	if err != nil {
		t.Fatal(err)
	}
	var whys []Why
	for _, p := range res.Probes[27:] {
		whys = append(whys, p.Why)
	}
	if pick := res.Probes[27]; !slices.Equal(whys, []Why{Improve, Verify}) || pick.Mode != res.Mode || pick.Predicted.TimeMS == 0 || res.Predicted != pick.Predicted {
		t.Errorf("after 27 random modes: %v; the answer %v is not the pick %v as it was predicted", whys, res.Mode, pick)
	}
	if !res.Feasible || !res.Verified || res.Measured.PowerW > limit.PowerW {
		t.Errorf("got %+v", res.Measured)
	}
}

func TestAPickThatBreaksTheLimitIsNotFollowedByAnother(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	t.Parallel()
	b := newToy(t)
	limit, n := Limit{PowerW: 25}, 0
	res, err := tuneModes(t.Context(), func(ctx context.Context, m tegra.Mode) (tegra.Measured, error) {
		got, err := b.measure(ctx, m)
		if n++; n == randomModes+1 {
			got.PowerW = 26
		}
		return got, err
	}, TuneOptions{Limit: limit, Space: b.space, Strategy: PowerTrain, Reference: toyReference(t, b, true)})
	if err != nil {
		t.Fatal(err)
	}
	best := -1
	for i, p := range res.Probes[:randomModes] {
		if p.Feasible && (best < 0 || p.TimeMS < res.Probes[best].TimeMS) {
			best = i
		}
	}
	if least := res.Probes[best]; len(res.Probes) > randomModes+3 || res.Measured.TimeMS > least.TimeMS*(1+disagree) || !res.Verified || !res.Feasible {
		t.Errorf("got %+v after %d probes, want %+v, the best of the random modes, or one alike", res.Measured, len(res.Probes), least.Measured)
	}
	if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "broke the limit") {
		t.Errorf("warnings: %q", res.Warnings)
	}
}

func TestAPickStandsBesideABetterRandomMode(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	t.Parallel()
	b := newToy(t)
	n := 0
	res, err := tuneModes(t.Context(), func(ctx context.Context, m tegra.Mode) (tegra.Measured, error) {
		got, err := b.measure(ctx, m)
		if n++; n == 9 {
			got.TimeMS, got.PowerW = 1, 10
		}
		return got, err
	}, TuneOptions{Limit: Limit{PowerW: 25}, Space: b.space, Strategy: PowerTrain, Reference: toyReference(t, b, true)})
	if err != nil {
		t.Fatal(err)
	}
	if res.Mode != res.Probes[randomModes].Mode || len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "measured better") {
		t.Errorf("got %v with warnings %q, want the pick %v and a word of %v", res.Mode, res.Warnings, res.Probes[randomModes].Mode, res.Probes[8].Mode)
	}
}

func TestWhereTheNetworksSeeNoWayTheirNearestIsMeasured(t *testing.T) {
	if testing.Short() {
		t.Skip("trains networks")
	}
	t.Parallel()
	b := newToy(t)
	res, err := tuneModes(t.Context(), b.measure, TuneOptions{Limit: Limit{PowerW: 0.5}, Space: b.space, Strategy: PowerTrain, Probes: 12, Reference: toyReference(t, b, true)})
	if !errors.Is(err, ErrInfeasible) || len(res.Probes) > 10 || res.Ended != NoWay || len(res.Warnings) != 2 {
		t.Errorf("got %v after %d probes, %v, warnings %q", err, len(res.Probes), res.Ended, res.Warnings)
	}
}

func TestPowerTrainKeepsAProbeForWhatItsNetworksPick(t *testing.T) {
	t.Parallel()
	for cap := 3; cap <= 80; cap++ {
		s := &search{cap: cap}
		if left := cap - s.randomFirst() - s.reserve(); left < 1 || s.randomFirst() < 1 || s.randomFirst() > randomModes {
			t.Errorf("of %d probes %d are random and %d verify: %d left", cap, s.randomFirst(), s.reserve(), left)
		}
	}
}

func TestTuneLeansOnAnotherWorkload(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	limit := Limit{PowerW: 25}
	res, err := tuneModes(t.Context(), b.measure, TuneOptions{Limit: limit, Space: b.space, Reference: toyReference(t, b, false)})
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
	res, err := tuneModes(t.Context(), b.measure, TuneOptions{Limit: Limit{PowerW: 25}, Space: b.space, Reference: foreign})
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
