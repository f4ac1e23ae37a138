package task

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra/metric"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
	"jtune/tui/session/search"
	"jtune/tui/session/sessiontest"
)

// TestTaskOpensTheDataDirectoryOfAnOlderVersionUnchanged: testdata/datadir-4057b01 was written by
// jtune at commit 4057b01 (profile lstm --sample 3, tune lstm --power-limit 25 --probes 4,
// models --keep, on virtual:agx-orin --speed max).
func TestTaskOpensTheDataDirectoryOfAnOlderVersionUnchanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "datadir-4057b01"))))
	s, w := sessiontest.InDir(t, dir, 0)
	list, err := campaigns.List(s.Options.Paths)
	if err != nil || len(list) != 2 {
		t.Fatalf("%d campaigns, %v", len(list), err)
	}
	for i, want := range []struct {
		kind   string
		usable int
	}{{"sample", 3}, {"tune", 3}} {
		c := list[i]
		if c.Err != nil || c.Header.Plan.Kind != want.kind || c.Usable != want.usable ||
			c.State(nil) != campaigns.CampaignFinished {
			t.Errorf("%s: %d usable modes, %s, %v; want %d", c.Name, c.Usable, c.State(nil), c.Err, want.usable)
		}
	}
	kept, err := models.List(s.Options)
	if err != nil || len(kept) != 1 || kept[0].Err != nil || len(kept[0].Model.Samples) != 3 {
		t.Fatalf("models %+v, %v", kept, err)
	}
	pool, err := models.PoolOf(s, w, nil)
	if err != nil || len(pool.Parts) != 2 || len(pool.Rows()) != 7 {
		t.Fatalf("pool of %v with %d rows, %v; want both campaigns and 7", pool.Parts, len(pool.Rows()), err)
	}

	resumed := measure.ProfileRequest{Measuring: measure.Measuring{Workload: w, Dir: list[0].Dir, Resume: true},
		Sample: 3}
	if res, err := measure.Profile(t.Context(), s, resumed, nil); err != nil || res.New != 0 || len(res.Rows) != 3 {
		t.Errorf("resumed: %d rows, %d new, %v", len(res.Rows), res.New, err)
	}
	request := measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
		Questions: metric.Question{Limit: metric.Watts(25)}.List(), Keep: true,
		Asked: record.Asked{Probes: 4}}
	res := must.Get(search.Tune(t.Context(), s, request, nil))(t)
	must.Equal(t, res.Kept, kept[0].Path)
	now := sessiontest.SamplesOf(t, res.Kept)
	for _, m := range slices.Concat(pool.Rows(), kept[0].Model.Samples) {
		if !now[m.Setting] {
			t.Errorf("the model does not know %v", m.Mode)
		}
	}
	if again, err := Repeat(s, list[1], false, nil); err == nil {
		t.Errorf("a search without its settings repeats as %+v", again)
	}
	again, err := Repeat(s, list[0], false, nil)
	if err != nil || again.Profile == nil || again.Profile.Sample != 3 {
		t.Errorf("a profile repeats as %+v, %v", again.Profile, err)
	}
}
