package bench

import (
	"os"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/sweep"
	"jtune/tegra/sweep/sweeptest"
)

// The closed loop on the published inference sweeps, without the settings whose clock was not set. The medians have the
// bounds of training; the tails come from noise: readings two or three times too slow.
func TestEvaluateClosedLoopOnPublishedInference(t *testing.T) {
	if testing.Short() {
		t.Skip("24 searches among thousands of settings")
	}
	t.Parallel()
	for _, name := range []string{"mobnet", "resnet"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := must.Get(sweep.ReadFile(
				sweeptest.Shared(t, "data/sweeps/powertrain-agx-orin/infer/"+name+"_infer_data_final.csv"),
				sweep.Options{}))(t)
			o := Options{Truth: table.Settings(), Name: name, Methods: []string{Tune, Maxn}, LeaveOutStuck: true,
				BudgetFrom: 20, BudgetTo: 50, BudgetStep: 10, LatenciesMS: []float64{50, 100, 200}, Seeds: 1}
			if os.Getenv("JTUNE_LONG") != "" {
				o.BudgetFrom, o.BudgetStep, o.Seeds = 17, 3, 5
			}
			r := must.Get(Evaluate(t.Context(), o))(t)
			rows := byMethod(r)
			tune := rows[Tune]
			p, clean := tune.PenaltyPct.V, tune.CleanPenaltyPct.V
			t.Logf("penalty %.1f, p75 %.1f, p90 %.1f, worst %.1f %%; clean %.1f, %.1f, %.1f, %.1f %%; %g probes, in "+
				"%.0f %% of the searches over the limit",
				p.Median, p.P75.V, p.P90, p.Worst.V, clean.Median, clean.P75.V, clean.P90, clean.Worst.V, tune.Probes,
				tune.SearchesHotPct.V)
			if tune.OverPct.V != 0 || tune.LatePct.V != 0 {
				t.Errorf("answers over the limits: %.0f and %.0f %%", tune.OverPct.V, tune.LatePct.V)
			}
			// Against raw readings 3.6: some of ResNet's best ones are outliers that no fit confirms. Before one rule
			// chose the answer, which now keeps its limit with a chance of 95 %, the bars were 3, 1, 4 and 12.
			// Up to 17 % of searches were hot then, none is.
			if p.Median > 3.6 || clean.Median > 1.2 || clean.P75.V > 5.2 || clean.P90 > 13.4 || tune.Probes > 25 {
				t.Errorf("penalty %.1f, clean %.1f, %.1f, %.1f with %g probes; want at most 3.6, 1.2, 5.2, 13.4, 25",
					p.Median, clean.Median, clean.P75.V, clean.P90, tune.Probes)
			}
			if tune.SearchesHotPct.V > 5 {
				t.Errorf("%.0f %% of the searches probed more than 10 %% over the limit, want 5 at most",
					tune.SearchesHotPct.V)
			}
			if maxn := rows[Maxn]; maxn.PenaltyPct.V.Median < p.Median {
				t.Errorf("MAXN costs %.1f %%, less than the search", maxn.PenaltyPct.V.Median)
			}
		})
	}
}
