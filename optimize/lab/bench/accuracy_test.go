package bench

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/report"
	"jtune/learn"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
)

// made is a truth of a board's modes with predictions that err in ln time and ln power by these functions.
func made(t *testing.T, time, power func(tegra.Mode) float64) (*truth, []learn.Prediction) {
	t.Helper()
	f := must.Get(newTruth(&Options{Truth: optimizetest.New(t).All(), BudgetFrom: 20, BudgetTo: 20, BudgetStep: 1}))(t)
	preds := make([]learn.Prediction, len(f.all))
	for i, m := range f.truth {
		m.TimeMS, m.PowerW = m.TimeMS*math.Exp(time(m.Mode)), m.PowerW*math.Exp(power(m.Mode))
		preds[i] = learn.Prediction{Measured: m, LnTimeSD: 0.1, LnPowerSD: 0.2}
	}
	return f, preds
}

// Errors drawn from a normal distribution: bands at its quantiles cover their nominal shares, bands of half the width
// those of half as many deviations. 768 modes: a standard error of at most 1.8 points.
func TestAccuracyBandsCoverTheirShareOfTruth(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	f, preds := made(t, func(tegra.Mode) float64 { return 0.1 * r.NormFloat64() },
		func(tegra.Mode) float64 { return 0.4 * r.NormFloat64() })
	var o outcome
	f.score(&o, preds, []int{0, 5}, []bandWidth{{0.6745, 0.6745}, {1.2816, 1.2816}, {1.96, 1.96}})
	for k, want := range []float64{50, 80, 95} {
		if got := o.unseen.inTime[k]; math.Abs(got-want) > 5 {
			t.Errorf("right deviations: %.1f %% in the band of %g %%", got, want)
		}
	}
	for k, want := range []float64{26.4, 47.8, 67.3} { // 2Φ(z/2) − 1
		if got := o.unseen.inPower[k]; math.Abs(got-want) > 5 {
			t.Errorf("half the deviations: %.1f %% in a band that holds %g %%", got, want)
		}
	}
	f.score(&o, preds, nil, nil)
	if a := joined([]accuracy{o.unseen}); a.TimeInBandsPct.OK || a.PowerInBandsPct.OK || !a.TimeMAPEPct.OK {
		t.Errorf("without bands: %+v", a)
	}
}

// Exact but for the lower half of the GPU's clocks, where time is 10 % too long.
func TestRegionsTellWhereTheErrorsAre(t *testing.T) {
	t.Parallel()
	gpu := optimizetest.New(t).Space.GPU
	low := gpu[len(gpu)/2-1]
	f, preds := made(t, func(m tegra.Mode) float64 {
		if m.GPU <= low {
			return math.Log(1.1)
		}
		return 0
	}, func(tegra.Mode) float64 { return 0 })
	var o outcome
	f.score(&o, preds, nil, []bandWidth{{0.5, 0.5}, {0.9, 0.9}, {2, 2}})
	if len(f.regions) != 8 || len(o.regions) != 8 {
		t.Fatalf("%d regions, %d scored, want two for each of four knobs", len(f.regions), len(o.regions))
	}
	for k, r := range f.regions {
		time, in80 := 5.0, 50.0 // half the modes of any other region; ln 1.1 is 0.95 deviations
		switch {
		case r.Knob == "gpu_hz" && r.Half == "lower":
			time, in80 = 10, 0
		case r.Knob == "gpu_hz":
			time, in80 = 0, 100
		}
		if got := o.regions[k]; !near(got.timePct, time) || got.powerPct > 1e-9 || !near(got.inTime[1], in80) ||
			!near(got.inTime[2], 100) {
			t.Errorf("%s %s: got %+v, want %g %% in time, %g %% in the second band", r.Half, r.Knob, got, time, in80)
		}
	}
	if o.unseen.timePct <= 4.999 || o.unseen.timePct >= 5.001 {
		t.Errorf("whole space: %g %%", o.unseen.timePct)
	}
}

func TestReportHasBandsAndRegionsInEveryForm(t *testing.T) {
	t.Parallel()
	r := must.Get(Evaluate(t.Context(), Options{Truth: optimizetest.New(t).All(), Name: "toy",
		Origin: "virtual:agx-orin", Methods: []string{GP, Linear, Maxn}, Sizes: []int{12}, Seeds: 2, BudgetFrom: 20,
		BudgetTo: 30, BudgetStep: 10}))(t)
	rows := byMethod(r)
	gp, linear := rows[GP], rows[Linear]
	if c := gp.TimeInBandsPct; !c.OK || c.V.In50 > c.V.In80 || c.V.In80 > c.V.In95 || c.V.In95 == 0 {
		t.Errorf("gp's bands: %+v", c)
	}
	if linear.TimeInBandsPct.OK || len(linear.Regions) != 8 || len(rows[Maxn].Regions) != 0 {
		t.Errorf("linear has no bands of its own and MAXN predicts nothing: %+v, %+v", linear, rows[Maxn])
	}

	var table bytes.Buffer
	must.NoError(t, r.WriteCSV(&table))
	lines, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(lines) != 1+9+9+1 {
		t.Fatalf("%d lines, %v; want a head, nine of gp and of linear, one of MAXN", len(lines), err)
	}
	cell := func(line int, column string) string { return lines[line][slices.Index(lines[0], column)] }
	if cell(1, "region") != "all" || cell(1, "time_mape_pct") != shortest(gp.TimeMAPEPct.V.Median) ||
		cell(1, "power_in80_pct") != shortest(gp.PowerInBandsPct.V.In80) || cell(1, "penalty_pct") == "" {
		t.Errorf("gp: %v", lines[1])
	}
	if cell(2, "region") != "lower cores" || cell(2, "from") != "2" || cell(2, "to") != "4" ||
		cell(2, "penalty_pct") != "" || cell(2, "time_mape_pct") != shortest(gp.Regions[0].TimeMAPEPct.V.Median) {
		t.Errorf("gp's first region: %v", lines[2])
	}
	if maxn := lines[19]; cell(19, "method") != Maxn || cell(19, "time_mape_pct") != "" || cell(19, "size") != "" ||
		maxn[len(maxn)-1] != "true" {
		t.Errorf("MAXN: %v", maxn)
	}

	var text strings.Builder
	must.NoError(t, report.Print(&text, nil, r.Parts()...))
	for _, want := range []string{"time in bands", "upper mem", "lower cpu"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the tables lack %q:\n%s", want, text.String())
		}
	}
	data := must.Get(json.Marshal(r))(t)
	for _, want := range []string{
		`"time_in_bands_pct":{"in50":`,
		`"time_in_bands_pct":null`,
		`"regions":[{"knob":"cores","half":"lower","from":2,"to":4,"time_mape_pct":{"q1":`,
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the document lacks %s", want)
		}
	}
}

// shortest prints a number as the CSV does.
func shortest(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
