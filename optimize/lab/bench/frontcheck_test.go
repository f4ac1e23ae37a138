package bench

import (
	"os"
	"testing"

	"jtune/internal/must"
	"jtune/tegra/sweep/sweeptest"
)

// The front of 30 modes with one deviation of margin and 10 verified choices.
func TestEvaluateVerifiedFrontKeepsItsLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of work")
	}
	t.Parallel()
	seeds := 3
	if os.Getenv("JTUNE_LONG") != "" {
		seeds = 10
	}
	r, err := Evaluate(
		t.Context(),
		Options{
			Truth:   sweeptest.Load(t, sweeptest.MobileNet),
			Sizes:   []int{30},
			Seeds:   seeds,
			Methods: []string{GPVerify, GP},

			BudgetFrom: 17,
			BudgetTo:   50,
		},
	)
	must.NoError(t, err)
	rows := byMethod(r)
	got, plain := rows[GPVerify], rows[GP]
	t.Logf("verified %+v\nplain %+v", got, plain)
	if got.PenaltyPct.V.Median > 3.5 || got.Over1WPct.V > 2 || got.Probes > 40 {
		t.Errorf("penalty %.2f %%, %.1f %% over by more than a watt, %g modes; want 3.5, 2 and 40 at most",
			got.PenaltyPct.V.Median, got.Over1WPct.V, got.Probes)
	}
	if got.AreaW.V > plain.AreaW.V {
		t.Errorf("verified choices are over by %.3f W on average, unverified ones by %.3f", got.AreaW.V, plain.AreaW.V)
	}
}
