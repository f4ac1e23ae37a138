package search

import (
	"slices"
	"testing"

	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/tegra"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/sessiontest"
)

// The present mode is measured first whatever the limit is, MAXN early where the limit allows it.
func TestTuneMeasuresThePresentMode(t *testing.T) {
	for _, c := range []struct {
		name string
		r    measure.TuneRequest
		maxn string
		by   int // the measurement at most by which it is
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
			v := res.Answers[0].Versus
			if first := res.Probes[0].Mode; first != present || v.Present.Other.Mode != present || !v.Present.Measured {
				t.Errorf("the board was in %v, the first mode was %v, compared was %v, %s", present, first,
					v.Present.Other.Mode, v.Present.How())
			}
			if early := slices.ContainsFunc(res.Probes[:c.by], func(p optimize.Probe) bool {
				return p.Mode == top
			}); (v.MaxN.How() == "measured") != (c.maxn == "measured") || early != v.MaxN.Measured {
				t.Errorf("MAXN was %s, among the first modes: %v", v.MaxN.How(), early)
			}
		})
	}
}
