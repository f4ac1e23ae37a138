package measure

import (
	"testing"

	"jtune/internal/must"
	"jtune/internal/usage"
	"jtune/optimize/standing"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

func TestVerifyMeasuresAndPutsTheBoardBack(t *testing.T) {
	s := sessiontest.Fast(t)
	w := must.Get(workloads.Find(s, "resnet"))(t)
	before := s.Setup().Mode
	m := s.Device.Space().At(s.Device.Space().Len() / 2)
	once, err := Verify(t.Context(), s, ModeRequest{Workload: w, Mode: m}, nil)
	if err != nil || len(once) != 1 {
		t.Fatalf("%v, %v; want one reading", once, err)
	}
	near := metric.Watts(once[0].PowerW)
	rows, err := Verify(t.Context(), s, ModeRequest{Workload: w, Mode: m, Limit: near}, nil)
	if err != nil || len(rows) < 2 {
		t.Fatalf("%v, %v; want several readings: one does not decide", rows, err)
	}
	row := rows[1]
	if row.Mode != m || !row.Status.Usable() || row.TimeMS <= 0 || row.PowerW <= 0 {
		t.Errorf("got %+v", row)
	}
	if after := s.Setup().Mode; after != before {
		t.Errorf("left in %v, found in %v", after, before)
	}
	list, err := campaigns.List(s.Options.Paths)
	if n := len(list); err != nil || n != 2 || list[0].Verdict != "" || list[1].Verdict == "" ||
		list[1].Verdict != string(standing.VerdictOf(near, record.Usable(rows))) {
		t.Errorf("a list shows %+v, %v; want the verdict on %v of %v", list, err, near, rows)
	}
}

func TestShardsPartTheModes(t *testing.T) {
	all := make([]tegra.Setting, 10)
	for i := range all {
		all[i].Mode.Cores = i + 1
	}
	seen := map[int]int{}
	for i := 1; i <= 3; i++ {
		part := must.Get(shard(all, [2]int{i, 3}))(t)
		for _, m := range part {
			seen[m.Mode.Cores]++
		}
	}
	if len(seen) != len(all) {
		t.Errorf("three parts hold %d of %d modes", len(seen), len(all))
	}
	for n, times := range seen {
		if times != 1 {
			t.Errorf("mode %d is in %d parts", n, times)
		}
	}
	for _, bad := range [][2]int{{0, 3}, {4, 3}, {-1, 2}} {
		if _, err := shard(all, bad); !usage.Is(err) {
			t.Errorf("shard %v: got %v", bad, err)
		}
	}
}
