package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/report"
	"jtune/internal/testhome"
	"jtune/learn"
	"jtune/optimize/lab/score"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/sweep/sweeptest"
)

// handMade is a table to score by hand; index and core count go together.
func handMade() []tegra.Measured {
	at := func(cores int, timeMS, powerW float64) tegra.Measured {
		return tegra.Measured{
			Setting: tegra.Setting{Mode: tegra.Mode{Cores: cores, CPU: tegra.GHz, GPU: tegra.GHz, EMC: tegra.GHz}},
			TimeMS:  timeMS, PowerW: powerW}
	}
	return []tegra.Measured{at(1, 400, 10), at(2, 200, 18), at(3, 150, 25), at(4, 100, 35.5)}
}

func near(got, want float64) bool { return math.Abs(got-want) < 1e-9*max(1, math.Abs(want)) }

func TestEvaluateScoresAHandMadeTable(t *testing.T) {
	t.Parallel()
	r := must.Get(Evaluate(
		t.Context(),
		Options{Truth: handMade(), Name: "hand-made", BudgetFrom: 5, BudgetTo: 40, BudgetStep: 5,
			Sizes: []int{4}, Seeds: 2, Methods: []string{Maxn, Random, Binary}},
	))(t)
	if want := []float64{10, 15, 20, 25, 30, 35, 40}; !slices.Equal(r.Budgets, want) || r.Dropped != 1 {
		t.Errorf("budgets %v with %d dropped, want %v and 1", r.Budgets, r.Dropped, want)
	}
	rows := byMethod(r)
	// Optimum per budget: 400 400 200 150 150 150 100 ms. MAXN takes 100 ms and 35.5 W.
	maxn := rows[Maxn]
	if got, want := maxn.PenaltyPct.V.Median, 100*(100.0-150)/150; !near(got, want) {
		t.Errorf("median penalty of MAXN: got %g, want %g", got, want)
	}
	// Sorted penalties: -75 -75 -50 -33.3 -33.3 -33.3 0; p90 is 0.4 of the way to the last.
	if got, want := maxn.PenaltyPct.V.P90, -100.0/3*0.6; !near(got, want) {
		t.Errorf("90th percentile of MAXN's penalty: got %g, want %g", got, want)
	}
	if got, want := maxn.AreaW.V, (25.5+20.5+15.5+10.5+5.5+0.5)/7; !near(got, want) {
		t.Errorf("area of MAXN: got %g, want %g", got, want)
	}
	if !near(maxn.OverPct.V, 600.0/7) || !near(maxn.Over1WPct.V, 500.0/7) || maxn.Probes != 0 || maxn.Unsure != 0+5+1 {
		t.Errorf("MAXN: got %+v, want over in 6 of 7, by more than a watt in 5, no mode known in 6", maxn)
	}
	all := rows[Random]
	if all.PenaltyPct.V != (score.Penalty{}) || all.AreaW.V != 0 || all.OverPct.V != 0 || all.Probes != 4 ||
		all.Seeds != 2 || all.Unsure != 0 {
		t.Errorf("all modes measured: got %+v, want no penalty and nothing over", all)
	}
	// 4·12 s + 50 minibatches of 400, 200, 150 and 100 ms.
	if got, want := all.Minutes, (48+50*0.85)/60; !near(got, want) {
		t.Errorf("minutes of profiling: got %g, want %g", got, want)
	}
	if b := rows[Binary]; b.OverPct.V != 0 || b.TimeMAPEPct.OK || b.Size.OK {
		t.Errorf("binary search: got %+v, want nothing over and no predictions", b)
	}
}

func byMethod(r *score.Report) map[string]score.Row {
	rows := map[string]score.Row{}
	for _, row := range r.Rows {
		rows[row.Method] = row
	}
	return rows
}

func TestScoreCountsModesLearnedFromOnlyThePapersWay(t *testing.T) {
	t.Parallel()
	f := must.Get(newTruth(&Options{Truth: handMade(), BudgetFrom: 10, BudgetTo: 40, BudgetStep: 10}))(t)
	preds := make([]learn.Prediction, 4)
	for i, m := range f.truth {
		preds[i] = learn.Prediction{
			Measured: tegra.Measured{Setting: tegra.Setting{Mode: m.Mode}, TimeMS: m.TimeMS * 1.1,
				PowerW: m.PowerW * 0.8},
		}
	}
	preds[2] = learn.Prediction{
		Measured: tegra.Measured{Setting: tegra.Setting{Mode: f.all[2].Mode}, TimeMS: 150, PowerW: 25}}
	o := must.Get(f.predicted(preds, []int{2}, nil, nil, metric.NoMargin))(t)
	if !near(o.unseen.timePct, 10) || !near(o.unseen.powerPct, 20) || !near(o.timeAll, 7.5) || !near(o.powerAll, 15) {
		t.Errorf("got %+v, want 10 and 20 %% on the others, 7.5 and 15 %% on all", o)
	}
	if want := []int{0, 1, 3, 3}; !slices.Equal(o.picks, want) || o.unsure != 0 {
		t.Errorf("picks of the predicted front: got %v, want %v", o.picks, want)
	}
}

func TestQuartilesInterpolate(t *testing.T) {
	t.Parallel()
	v := []float64{4, 1, 3, 2}
	if q := quartiles(v); q.V != (score.Quartiles{Q1: 1.75, Median: 2.5, Q3: 3.25}) || !q.OK {
		t.Errorf("quartiles of 1 2 3 4: got %+v", q)
	}
	if quartiles(nil).OK || quartiles([]float64{math.NaN()}).OK {
		t.Error("no values have quartiles")
	}
}

func TestPresetsAreTheirNearestModes(t *testing.T) {
	t.Parallel()
	preset := func(name string, cores int, cpu tegra.Freq) tegra.Preset {
		return tegra.Preset{Name: name, Mode: tegra.Mode{Cores: cores, CPU: cpu, GPU: tegra.GHz, EMC: tegra.GHz}}
	}
	o := Options{Truth: handMade(), BudgetFrom: 10, BudgetTo: 40, BudgetStep: 10, Methods: []string{Presets},
		Presets: []tegra.Preset{preset("18 W", 2, 1100*tegra.MHz), preset("25 W", 3, tegra.GHz),
			preset("elsewhere", 1, 3*tegra.GHz)}}
	r := must.Get(Evaluate(t.Context(), o))(t)
	// Picks: 18 W mode (nothing within 10 W), 18 W, 25 W, 25 W; optimum 400 200 150 100 ms.
	row := r.Rows[0]
	if !near(row.PenaltyPct.V.Median, 0) || !near(row.AreaW.V, 8.0/4) || row.Unsure != 1 || !near(row.OverPct.V, 25) {
		t.Errorf("got %+v", row)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "2 of 3 presets") {
		t.Errorf("notes: got %v", r.Notes)
	}
}

func TestEvaluateGivesEqualReportsOnAnyNumberOfWorkers(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	run := func(workers int) *score.Report {
		last := 0
		r, err := Evaluate(t.Context(), Options{
			Truth:      b.All(),
			Sizes:      []int{8},
			Seeds:      2,
			BudgetFrom: 15,
			BudgetTo:   35,
			BudgetStep: 20,
			Workers:    workers,
			Methods:    []string{GP, Linear, Random, Tune, Binary, Maxn},
			Progress: func(done, total int) {
				if done != last+1 || total != 10 {
					t.Errorf("progress %d of %d after %d", done, total, last)
				}
				last = done
			},
		})
		must.NoError(t, err)
		return r
	}
	one, many := run(1), run(5)
	if !reflect.DeepEqual(one, many) {
		t.Errorf("one worker: %+v\nfive: %+v", one, many)
	}
	rows := byMethod(one)
	if rows[GP].TimeMAPEPct.V.Median > rows[Linear].TimeMAPEPct.V.Median/2 {
		t.Errorf("gp %v, linear %v: want gp far ahead on its own formula",
			rows[GP].TimeMAPEPct, rows[Linear].TimeMAPEPct)
	}
	if rows[Tune].OverPct.V != 0 || rows[Tune].PenaltyPct.V.Median > 3 {
		t.Errorf("closed loop: %+v", rows[Tune])
	}
}

func TestEvaluateTakesItsLimitsFromTheSweep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		truth       []tegra.Measured
		least, most float64
		n           int
	}{
		"a table":      {handMade(), 10, 35, 26},
		"an Orin Nano": {sweeptest.Load(t, sweeptest.OrinNano), 8, 20.5, 25},
		"an AGX Orin":  {sweeptest.Load(t, sweeptest.LSTM), 14, 42, 25},
	} {
		o := Options{Truth: c.truth, Methods: []string{Maxn}}
		must.NoError(t, o.defaults())
		n := int((o.BudgetTo-o.BudgetFrom)/o.BudgetStep+1e-9) + 1
		if o.BudgetFrom < c.least || o.BudgetFrom > c.least+2 || o.BudgetTo > c.most || n < c.n-6 || n > c.n+20 {
			t.Errorf("%s: %d limits, %g:%g:%g", name, n, o.BudgetFrom, o.BudgetTo, o.BudgetStep)
		}
	}
}

func TestEvaluateLimitsHaveNoRoundingErrors(t *testing.T) {
	t.Parallel()
	o := Options{BudgetFrom: 82 * 0.2, BudgetTo: 20, BudgetStep: 0.2} // 16.400000000000002
	for k, l := range o.limits(tegra.Own) {
		if want := float64(164+2*k) / 10; l.Of(metric.Power) != want {
			t.Errorf("limit %d is %v W, want %v", k, l.Of(metric.Power), want)
		}
	}
}

func TestEvaluatePrints(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	r := must.Get(Evaluate(t.Context(), Options{Truth: b.All(), Name: "mobnet_train.csv", Sizes: []int{10}, Seeds: 2,
		BudgetFrom: 1, BudgetTo: 31, BudgetStep: 15, Methods: []string{Linear, Maxn, GPRef}}))(t)
	var text bytes.Buffer
	must.NoError(t, report.Print(&text, nil, r.Parts()...))
	for _, want := range []string{"mobnet_train.csv: 768 modes, 2 power limits from 16 to 31 W (1 more that no mode " +
		"meets)", "gp+ref: left out, no reference given"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, text.String())
		}
	}
	data := must.Get(json.Marshal(r))(t)
	var back struct{ Rows []map[string]any }
	must.NoError(t, json.Unmarshal(data, &back))
	for _, key := range []string{
		"method", "size", "seeds", "time_mape_pct", "power_mape_pct", "minutes", "penalty_pct", "area_w", "over_pct",
		"over1w_pct", "probes",
	} {
		for _, row := range back.Rows {
			if _, ok := row[key]; !ok {
				t.Errorf("row lacks %q: %v", key, row)
			}
		}
	}
	if back.Rows[1]["size"] != nil || back.Rows[1]["time_mape_pct"] != nil {
		t.Errorf("what MAXN lacks must be null: %v", back.Rows[1])
	}
}

func TestEvaluateStops(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	o := Options{Truth: b.All(), Seeds: 1000, BudgetFrom: 20, BudgetTo: 20, Methods: []string{Tune},
		Progress: func(done, _ int) { cancel() }}
	if _, err := Evaluate(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the context ended", err)
	}
}

func TestEvaluateRejectsBadOptions(t *testing.T) {
	t.Parallel()
	rows := handMade()
	for name, o := range map[string]Options{
		"no modes":               {},
		"a size beyond the file": {Truth: rows, Sizes: []int{5}},
		"a size of none":         {Truth: rows, Sizes: []int{0}},
		"an unknown method":      {Truth: rows, Sizes: []int{2}, Methods: []string{"oracle"}},
		"a budget that falls":    {Truth: rows, Sizes: []int{2}, BudgetFrom: 30, BudgetTo: 20},
		"a budget that is none":  {Truth: rows, Sizes: []int{2}, BudgetFrom: math.NaN(), BudgetTo: 20},
		"endless budgets":        {Truth: rows, Sizes: []int{2}, BudgetFrom: 1, BudgetTo: math.Inf(1)},
		"a million budgets":      {Truth: rows, Sizes: []int{2}, BudgetFrom: 1, BudgetTo: 10, BudgetStep: 1e-6},
		"budgets below all":      {Truth: rows, Sizes: []int{2}, BudgetFrom: 1, BudgetTo: 9},
		"seeds below zero":       {Truth: rows, Sizes: []int{2}, Seeds: -1},
		"a row of NaN": {Truth: append(handMade(), tegra.Measured{
			Setting: tegra.Setting{Mode: tegra.Mode{Cores: 5, CPU: 1, GPU: 1, EMC: 1}}, TimeMS: math.NaN(),
			PowerW: 1}), Sizes: []int{2}},
		"only methods that lack": {Truth: rows, Sizes: []int{2}, Methods: []string{Presets, GPRef}},
	} {
		if _, err := Evaluate(t.Context(), o); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// The bars of prediction, through the report, with fewer samples and a little slack for
// them.
func TestEvaluateQuicklyOnAMeasuredSweep(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of work")
	}
	t.Parallel()
	seeds, penalty := 1, 3.6 // LSTM, the sweep whose answers are farthest from the best
	if os.Getenv("JTUNE_LONG") != "" {
		seeds = 5
	}
	r := must.Get(Evaluate(t.Context(),
		Options{Truth: sweeptest.Load(t, sweeptest.LSTM), Name: "lstm_train", Quick: true, Seeds: seeds}))(t)
	for _, row := range r.Rows {
		switch {
		case row.Method == GP && row.Size.V == 50:
			if row.TimeMAPEPct.V.Median > 2.6 || row.PowerMAPEPct.V.Median > 2 {
				t.Errorf("gp with 50 modes: time %v, power %v", row.TimeMAPEPct, row.PowerMAPEPct)
			}
		case row.Method == Tune:
			if row.OverPct.V != 0 || row.PenaltyPct.V.Median > penalty || row.Unsure != 0 {
				t.Errorf("closed loop: %+v", row)
			}
		case row.Method == Random && row.OverPct.V > 0 && row.Unsure == 0:
			t.Errorf("the best of measured modes is over a limit: %+v", row)
		}
	}
}

func TestEvaluateGivesSlowMethodsFewerSamples(t *testing.T) {
	t.Parallel()
	count := func(o Options) (trials int, noted bool) {
		o.Truth = optimizetest.New(t).All()
		must.NoError(t, o.defaults())
		f := must.Get(newTruth(&o))(t)
		list, notes, err := methods(t.Context(), &o, f)
		must.NoError(t, err)
		for _, j := range plan(&o, f, list) {
			if j.name == NN {
				trials++
			}
		}
		return trials, slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, "nn: 4 of 10") })
	}
	if trials, noted := count(Options{}); trials != 3*slowSeeds || !noted {
		t.Errorf("by default: %d runs of three sizes, noted %v", trials, noted)
	}
	if trials, noted := count(Options{Methods: []string{NN}}); trials != 30 || noted {
		t.Errorf("when named: %d runs of three sizes, noted %v", trials, noted)
	}
}

// A sweep without power has the same errors in time as one with power, and no result that depends on a power limit.
func TestEvaluateWithoutPowerScoresTimeAlone(t *testing.T) {
	t.Parallel()
	var truth, timed []tegra.Measured
	for _, r := range optimizetest.New(t).All() {
		truth = append(truth, r)
		r.PowerW = math.NaN()
		timed = append(timed, r)
	}
	o := Options{Truth: timed, Name: "toy", Methods: []string{GP, Linear, Forest, Random, Tune, Maxn},
		Sizes: []int{12}, Seeds: 2, BudgetFrom: 10, BudgetTo: 30, BudgetStep: 10}
	if os.Getenv("JTUNE_LONG") != "" {
		o.BudgetStep = 0 // as by default
	}
	got := must.Get(Evaluate(t.Context(), o))(t)
	o.Truth = truth
	want := must.Get(Evaluate(t.Context(), o))(t)
	if len(got.Rows) != 3 || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "random, tune, maxn: left out") {
		t.Fatalf("%d rows, notes %q; want gp, linear and forest", len(got.Rows), got.Notes)
	}
	for i, r := range got.Rows {
		if r.TimeMAPEPct != want.Rows[i].TimeMAPEPct || r.Minutes != want.Rows[i].Minutes {
			t.Errorf("%s: time %+v, with power %+v", r.Method, r.TimeMAPEPct, want.Rows[i].TimeMAPEPct)
		}
		if r.PowerMAPEPct.OK || r.PowerMAPEAllPct.OK || r.PenaltyPct.OK || r.AreaW.OK || r.OverPct.OK ||
			r.Over1WPct.OK {
			t.Errorf("%s: made up what only power tells: %+v", r.Method, r)
		}
	}
	text, err := json.Marshal(got)
	if err != nil || !strings.Contains(string(text), `"power_mape_pct":null`) ||
		!strings.Contains(string(text), `"penalty_pct":null`) {
		t.Errorf("%s, %v", text, err)
	}
	var page strings.Builder
	if err := report.Print(&page, nil, got.Parts()...); err != nil || !strings.Contains(page.String(), "time alone") ||
		strings.Contains(page.String(), "NaN") {
		t.Errorf("%v:\n%s", err, page.String())
	}
	o.Truth = append(slices.Clone(timed[1:]), truth[0])
	if _, err := Evaluate(t.Context(), o); err == nil || !strings.Contains(err.Error(), "power") {
		t.Errorf("power of one mode alone: %v", err)
	}
}

func TestEvaluateScoresAHandMadeTableWithBatchSizes(t *testing.T) {
	t.Parallel()
	at := func(cores, batch int, timeMS, powerW float64) tegra.Measured {
		return tegra.Measured{
			Setting: tegra.Setting{Mode: tegra.Mode{Cores: cores, CPU: tegra.GHz, GPU: tegra.GHz, EMC: tegra.GHz},
				Batch: batch},
			TimeMS: timeMS,
			PowerW: powerW,
		}
	}
	// per sample: 10, 5 and (at 8 samples) 4, 2 ms; the sweep lacks one core with 8
	truth := []tegra.Measured{at(1, 1, 10, 10), at(2, 1, 5, 20), at(2, 8, 32, 25), at(3, 1, 4, 30), at(3, 8, 16, 40)}
	r := must.Get(Evaluate(
		t.Context(),
		Options{Truth: truth, Name: "hand-made", BudgetFrom: 10, BudgetTo: 40, BudgetStep: 10,
			LatenciesMS: []float64{8, 20, 50}, Sizes: []int{5}, Seeds: 2, Methods: []string{Maxn, Random, Tune}},
	))(t)
	if !slices.Equal(r.Budgets, []float64{10, 20, 30, 40}) || !slices.Equal(r.LatenciesMS, []float64{8, 20, 50}) ||
		!slices.Equal(r.Batches, []int{1, 8}) ||
		r.Modes != 5 ||
		r.Dropped != 1 {
		t.Fatalf("limits %v W and %v ms, sizes %v, %d settings, %d dropped; want 10 to 40, 8 20 50, 1 8, 5, and 1 "+
			"(10 W within 8 ms)",
			r.Budgets, r.LatenciesMS, r.Batches, r.Modes, r.Dropped)
	}
	rows := byMethod(r)
	for _, name := range []string{Random, Tune} { // every setting is known, or soon, but some draw just the limit
		if row := rows[name]; row.OverPct.V != 0 || row.LatePct != tegra.Some(0.0) {
			t.Errorf("%s: %+v, want no answer over its limits", name, row)
		}
	}
	// MAXN (3 cores) has 4 ms at 30 W and 16 ms at 40 W with 8: below 30 W the
	// smaller, over the limit; at 30 W too; at 40 W 4, 2 and 2 ms a sample.
	// Optimum at 10 W: 10, 10; at 20 W: 5, 5, 5; at 30 W: 4, 4, 4; at 40 W: 4, 2, 2.
	maxn := rows[Maxn]
	if !near(maxn.PenaltyPct.V.Worst.V, 0) || !near(maxn.OverPct.V, 500.0/11) || maxn.LatePct != tegra.Some(0.0) {
		t.Errorf("MAXN: %+v, want over in 5 of 11, never late, never slower", maxn)
	}
	var b bytes.Buffer
	must.NoError(t, report.Print(&b, nil, r.Parts()...))
	for _, want := range []string{"5 settings", "latency of at most 8, 20, 50 ms", "too late %", "worst"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report does not say %q:\n%s", want, b.String())
		}
	}
}

func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }
