package search

import (
	"math"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/config"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

func TestPoolHoldsTheRowsOfEveryCampaignOfAWorkloadOnABoard(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := sessiontest.Open(t, session.Options{Device: "virtual:agx-orin", Speed: math.Inf(1),
		Paths: config.Paths{DataDir: dir}})
	w := must.Get(workloads.Find(s, "lstm"))(t)
	res := must.Get(measure.Profile(t.Context(), s, measure.ProfileRequest{Measuring: measure.Measuring{Workload: w},
		Sample: 3}, nil))(t)
	tuned, err := Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
		Questions: metric.Question{Limit: metric.Watts(25)}.List(),
		Asked:     record.Asked{Probes: 4}}, nil)
	if err != nil && tuned.Probes == nil {
		t.Fatal(err)
	}
	for _, other := range []measure.ProfileRequest{
		{Measuring: measure.Measuring{Workload: w, Dir: t.TempDir()}, Sample: 2}, // outside the data directory
		{Measuring: measure.Measuring{Workload: w.AtBatch(4)}, Sample: 2},
	} {
		_, err := measure.Profile(t.Context(), s, other, nil)
		must.NoError(t, err)
	}
	pool, err := models.PoolOf(s, w, nil)
	if err != nil || len(pool.Parts) != 2 || len(pool.Rows()) != len(res.Rows)+len(tuned.Probes) {
		t.Fatalf("pool of %d campaigns and %d rows, %v; want 2 and %d", len(pool.Parts), len(pool.Rows()), err,
			len(res.Rows)+len(tuned.Probes))
	}
	must.Equal(t, tegra.BatchSizes(tegra.SettingsOf(pool.Rows())), tegra.Own)
	if all, err := models.PoolOf(s, w, []int{4, w.Batch}); err != nil || len(all.Rows()) != len(pool.Rows())+2 {
		t.Errorf("with several sizes %d rows, %v; want 2 more than %d", len(all.Rows()), err, len(pool.Rows()))
	}
	other := w
	other.Workers++
	if pool, err := models.PoolOf(s, other, nil); err != nil || pool.Parts != nil {
		t.Errorf("other loader settings have a pool of %v, %v", pool.Parts, err)
	}
}
