package bench

import (
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/optimize/optimizetest"
	"jtune/tegra/metric"
)

// Only the best mode's own reading differs between the sweeps. A model without it cannot predict it, so the oracle
// finds the lucky reading only by probing the mode, and rejects an unlucky one.
func TestOracleRanksWithoutTheModesOwnReading(t *testing.T) {
	t.Parallel()
	b, limit := optimizetest.New(t), metric.Watts(20)
	best := must.Get(bestOf(b.All(), limit))(t)
	smoothed := map[float64]float64{} // W by the fits, by the factor on the reading
	for _, factor := range []float64{1, 0.7, 1.3} {
		rows := b.All()
		for i := range rows {
			if rows[i].Mode == best.Mode {
				rows[i].PowerW *= factor
			}
		}
		f := must.Get(newTruth(&Options{Truth: rows, BudgetFrom: 20, BudgetTo: 20, BudgetStep: 1}))(t)
		preds := must.Get(f.smoothed())(t)
		for _, p := range preds {
			if p.Mode == best.Mode {
				smoothed[factor] = p.PowerW
			}
		}
	}
	for factor, watts := range smoothed {
		if watts < 0.98*best.PowerW || watts > 1.02*best.PowerW {
			t.Errorf("its reading times %g: the fits say %.2f W, the board has %.2f W", factor, watts, best.PowerW)
		}
	}
	if len(smoothed) != 3 {
		t.Errorf("%d of 3 sweeps have the mode", len(smoothed))
	}
}

func TestEvaluateHasTheOracleOfThreeAsARow(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	o := Options{Truth: b.All(), Methods: []string{Oracle}, BudgetFrom: 16, BudgetTo: 34, BudgetStep: 3}
	r := must.Get(Evaluate(t.Context(), o))(t)
	row := byMethod(r)[Oracle]
	if row.Probes != 3 || row.Seeds != 1 || row.Size.OK || row.TimeMAPEPct.OK || len(row.Regions) > 0 ||
		!row.SearchesHotPct.OK {
		t.Errorf("got %+v, want three probes for each limit, one run and no predictions of its own", row)
	}
	// The toy's ripple of 2 % is all that a fit to 384 modes can miss; a reading that keeps the limit is
	// never faster than the optimum.
	if p := row.PenaltyPct.V; row.OverPct.V == 0 && p.Median < 0 || p.Median > 2 || p.P90 > 4 {
		t.Errorf("a sweep without luck: %+v", row)
	}

	o.Truth = b.All()[:cleanSample-1]
	o.Methods = []string{Oracle, Maxn, Random}
	o.Sizes = []int{9}
	small := must.Get(Evaluate(t.Context(), o))(t)
	if _, has := byMethod(small)[Oracle]; has ||
		!strings.Contains(strings.Join(small.Notes, "\n"),
			"oracle3: left out, it needs a sweep of at least 400 modes") {
		t.Errorf("a sweep too small to fit: notes %q", small.Notes)
	}
}
