package search

import (
	"context"
	"errors"
	"testing"

	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/tegra"
)

// A row that was ended over its limit reaches the search with its watts, and what a step may draw reaches the bench; of
// jobs whose power goes up and down nothing is ended.
func TestSearchPlanEndsModesOverTheLimitAndTellsTheSearch(t *testing.T) {
	t.Parallel()
	first, second := tegra.Setting{Mode: tegra.Mode{Cores: 2}}, tegra.Setting{Mode: tegra.Mode{Cores: 4}}
	for _, ends := range []bool{true, false} {
		var heard tegra.Measured
		find := func(ctx context.Context, m optimize.Measure, o optimize.TuneOptions) (optimize.Result, error) {
			o.Choosing(optimize.Step{Setting: first, MostW: 22})
			var err error
			if heard, err = m(ctx, first); !errors.Is(err, optimize.OverLimit("ended after 2 s: 31 W")) {
				t.Errorf("the search hears %v", err)
			}
			o.Choosing(optimize.Step{Setting: second})
			_, _ = m(ctx, second)
			return optimize.Result{}, nil
		}
		p := newSearchPlan(t.Context(), find, optimize.TuneOptions{})
		p.ends = ends
		step, ok := p.Next(nil)
		if want := map[bool]float64{true: 22, false: 0}[ends]; !ok || step.MostW != want {
			t.Errorf("a step may draw %g W, want %g", step.MostW, want)
		}
		row := record.Row{Measured: tegra.Measured{Setting: first, PowerW: 31}, Status: record.Over,
			Why: "ended after 2 s: 31 W", TookS: 40, SettleS: 2}
		if step, ok = p.Next([]record.Row{row}); !ok || step.Setting != second || step.MostW != 0 {
			t.Errorf("after it: %+v", step)
		}
		if heard != row.Measured {
			t.Errorf("the search hears %v", heard)
		}
		p.End(profiles.Summary{})
	}
}
