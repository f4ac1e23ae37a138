package bench_test

import (
	"context"
	"fmt"

	"jtune/optimize/lab/bench"
	"jtune/tegra"
)

// Two simple methods on a sweep of four modes, under limits of 15, 25 and 35 W:
// MAXN breaks two of them, and is faster than any mode that keeps them.
func ExampleEvaluate() {
	var sweep []tegra.Measured
	for i, row := range [][2]float64{{400, 10}, {200, 18}, {150, 25}, {100, 34}} {
		mode := tegra.Mode{Cores: i + 1, CPU: tegra.GHz, GPU: tegra.GHz, EMC: tegra.GHz}
		sweep = append(sweep, tegra.Measured{Setting: tegra.Setting{Mode: mode}, TimeMS: row[0], PowerW: row[1]})
	}
	report, err := bench.Evaluate(context.Background(), bench.Options{
		Truth:      sweep,
		Name:       "four modes",
		Methods:    []string{bench.Maxn, bench.Random},
		BudgetFrom: 15,
		BudgetTo:   35,
		BudgetStep: 10,
		Sizes:      []int{3},
		Seeds:      4,
	})
	if err != nil {
		panic(err)
	}
	for _, row := range report.Rows {
		fmt.Printf("%s: median penalty %.0f %%, over the limit %.0f %%\n", row.Method, row.PenaltyPct.V.Median,
			row.OverPct.V)
	}
	// Output:
	// random: median penalty 0 %, over the limit 0 %
	// maxn: median penalty -33 %, over the limit 67 %
}
