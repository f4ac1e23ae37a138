package search

import (
	"slices"
	"testing"

	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/sessiontest"
)

// What a search is compared with is measured where the limit allows it.
func TestTuneMeasuresThePresentMode(t *testing.T) {
	for _, c := range []struct {
		name  string
		r     measure.TuneRequest
		maxn  string
		after int // modes at most until both have been measured
	}{
		{"within a time limit", measure.TuneRequest{Goal: mix.Goal{Limit: optimize.Limit{TimeMS: 20}}}, "measured", 2},
		{"never over a power limit", measure.TuneRequest{Goal: mix.Goal{Limit: optimize.Limit{PowerW: 22}}},
			"predicted", 0},
		{"in a search for the whole front", measure.TuneRequest{Goal: mix.Goal{Limit: optimize.Limit{PowerW: 30}},
			Coverage: campaigns.CoverFront,
			Probes:   6}, "measured", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, w := sessiontest.InDir(t, t.TempDir(), 1)
			c.r.Workload = w
			top := s.Device.Space().Max()
			present := top
			present.GPU = s.Device.Space().GPU[len(s.Device.Space().GPU)-2]
			g, err := s.Guard(t.Context())
			if err == nil {
				_, err = g.Apply(t.Context(), tegra.Request{Mode: present})
			}
			if err != nil {
				t.Fatal(err)
			}
			res, err := Tune(t.Context(), s, c.r, nil)
			if err != nil {
				t.Fatal(err)
			}
			var first []tegra.Mode
			for _, p := range res.Probes[:c.after] {
				first = append(first, p.Mode)
			}
			for _, m := range []*outlook.Comparison{res.Answers[0].Versus.MaxN, res.Answers[0].Versus.Present} {
				if (m.How() == "measured") != (c.maxn == "measured") ||
					slices.Contains(first, m.Other.Mode) != m.Measured {
					t.Errorf("%s was %s; the first modes were %v", m.Name, m.How(), first)
				}
			}
			if got := res.Answers[0].Versus.Present.Other.Mode; got != present {
				t.Errorf("compared with %v, the board was in %v", got, present)
			}
		})
	}
}
