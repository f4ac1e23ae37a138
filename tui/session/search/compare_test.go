package search

import (
	"encoding/json"
	"strings"

	"slices"
	"testing"

	"jtune/internal/must"
	"jtune/optimize"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/sessiontest"
)

// The present mode is measured first whatever the limit is; MAXN early in a search for the whole front alone.
func TestTuneMeasuresThePresentMode(t *testing.T) {
	for _, c := range []struct {
		name string
		r    measure.TuneRequest
		maxn string
		by   int // the measurement at most by which it is
	}{
		{"within a time limit", measure.TuneRequest{Questions: metric.Question{Limit: metric.Millis(20)}.List()},
			"predicted",
			0},
		{"never over a power limit", measure.TuneRequest{Questions: metric.Question{Limit: metric.Watts(22)}.List()},
			"predicted", 0},
		{"in a search for the whole front",
			measure.TuneRequest{Questions: metric.Question{Limit: metric.Watts(30)}.List(),
				Asked: record.Asked{Coverage: campaigns.CoverFront, Probes: 6}}, "measured", 2},
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
			must.NoError(t, err)
			res := must.Get(Tune(t.Context(), s, c.r, nil))(t)
			v := res.Answers[0].Versus
			if first := res.Probes[0].Mode; first != present || v.Present.Other.Mode != present || !v.Present.Measured {
				t.Errorf("the board was in %v, the first mode was %v, compared was %v, %s", present, first,
					v.Present.Other.Mode, v.Present.How())
			}
			must.Equal(t, v.MaxN.How() == "measured", c.maxn == "measured")
			must.Equal(t, slices.ContainsFunc(res.Probes[:c.by], func(p optimize.Probe) bool { return p.Mode == top }),
				v.MaxN.Measured)
		})
	}
}

// A board whose clusters have different caps is in no mode of the list: it is measured unchanged, the answer is
// compared with that, and the kept answer says so.
func TestTuneMeasuresABoardThatNoModeMeansAsItIs(t *testing.T) {
	t.Parallel()
	s, w := sessiontest.InDir(t, t.TempDir(), 1)
	const limit = "/sys/devices/system/cpu/cpu4/cpufreq/scaling_max_freq"
	must.NoError(t, s.FS().WriteFile(limit, []byte("1190400")))
	if m := s.Setup().Mode; m.OK {
		t.Fatalf("the board is in %v: the test needs a state that no mode means", m.V)
	}
	res := must.Get(Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
		Questions: metric.Question{Limit: metric.Millis(40)}.List(),
		Asked:     record.Asked{Probes: 8}}, nil))(t)
	k, err := answers.Find(res.Home)
	if err != nil || k == nil {
		t.Fatal(k, err)
	}
	for from, a := range map[string]answers.Answer{"the search": res.Answers[0], "the kept answer": k.Answers[0]} {
		b := a.Before
		if b == nil || b.Name != "present, free clocks" || b.Mode != (tegra.Mode{}) || !(b.TimeMS > 0) ||
			!a.Gain.Measured || a.Gain.Quantity != answers.Power {
			t.Errorf("%s: compared with %+v, gain %+v", from, b, a.Gain)
		}
		out, err := json.Marshal(a)
		if err != nil || !strings.Contains(string(out), `"before":{"name":"present, free clocks","mode":null,`) {
			t.Errorf("%s: %v, %s", from, err, out)
		}
	}
	if len(res.Probes) > 7 || slices.ContainsFunc(res.Rows, func(r record.Row) bool { return r.Mode.Cores == 0 }) {
		t.Errorf("%d probes beside the unchanged board, within 8; rows %v", len(res.Probes), res.Rows)
	}
	if m := s.Setup().Mode; m.OK {
		t.Errorf("afterwards the board is in %v, not restored", m.V)
	}
}
