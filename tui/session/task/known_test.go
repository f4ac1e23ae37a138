package task

import (
	"math"
	"slices"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/config"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
	"jtune/tui/session/search"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// What a search measures follows from what was known: a repetition knows as much, not
// what was measured since.
func TestRepeatedSearchStartsFromWhatWasKnownThen(t *testing.T) {
	if testing.Short() {
		t.Skip("tunes four times, one after another")
	}
	t.Parallel()
	s := sessiontest.Open(t, session.Options{Device: "virtual:agx-orin", Speed: math.Inf(1),
		Paths: config.Paths{DataDir: t.TempDir()}})
	w := must.Get(workloads.Find(s, "mobilenet"))(t)
	below := func(watts float64) measure.TuneResult {
		res := must.Get(search.Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
			Questions: metric.Question{Limit: metric.Watts(watts)}.List()}, nil))(t)
		return res
	}
	below(30)
	second := below(25)
	below(20)
	list := must.Get(campaigns.List(s.Options.Paths))(t)
	i := slices.IndexFunc(list, func(c campaigns.Campaign) bool { return c.Dir == second.Dir })
	again := must.Get(Repeat(s, list[i], false, nil))(t)
	pool, err := models.PoolOf(s, w, nil)
	then := pool.Before(again.Tune.Before)
	rows := then.Rows()
	if err != nil || len(tegra.OncePerSetting(rows)) != second.Known {
		t.Errorf("%d modes known, want the %d of then: %v", len(tegra.OncePerSetting(rows)), second.Known, err)
	}
}
