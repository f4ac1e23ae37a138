package control

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/search"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
)

func TestCampaignsFindTheInterruptedOneOfThisBoard(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	c := task.CampaignsOf(s)
	c.Held = nil
	w := must.Get(workloads.Find(s, "lstm"))(t)
	campaign := func(name, kind string, planned, rows int, change func(h *record.Header)) string {
		h := campaigns.HeaderOf(s, w, record.PlanHeader{Kind: kind, Modes: planned}, nil, record.Settings{})
		change(&h)
		dir := filepath.Join(c.Dir, name)
		rec := must.Get(record.Create(dir, h))(t)
		defer rec.Close()
		for _, m := range s.Device.Space().Sample(rows, 1) {
			at := tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 50, PowerW: 20}
			row := record.Row{Measured: at, Applied: m, Status: record.OK, TookS: 20, When: time.Now()}
			must.NoError(t, rec.Append(row))
		}
		return dir
	}
	same := func(*record.Header) {}
	search := func(l metric.Goal) func(h *record.Header) {
		return func(h *record.Header) {
			h.Search = search.SearchHeader(measure.TuneRequest{Questions: metric.Question{Limit: l}.List()})
		}
	}
	campaign("2026-1", "modes", 8, 4, same)
	front := &record.SearchHeader{Asked: record.Asked{Coverage: campaigns.CoverFront}}
	want := campaign("2026-2", "modes", 9, 3, func(h *record.Header) {
		h.Search = front
		h.Workload.Batch, h.Workload.Command = 32, []string{"rm", "-r", "x"}
	})
	campaign("2026-3", "modes", 4, 4, same)
	campaign("2026-4", "list", 8, 4, same)
	campaign("2026-5", "modes", 8, 4, func(h *record.Header) { h.Device.Virtual = false })
	unknown := campaign("2026-6", "modes", 8, 4, func(h *record.Header) { h.Workload.Name = "nobodys" })
	u := c.Interrupted()
	if u == nil || !strings.Contains(u.Differs, "nobodys is unknown here") {
		t.Fatalf("found %+v, want the one of an unknown workload, which says so", u)
	}
	c.Held = func() []record.Running { return []record.Running{{Dir: unknown, PID: 1}} }
	if u = c.Interrupted(); u == nil || u.Dir != want || u.From.Readings != 3 || u.Of != 0 || u.Workload.Batch != 32 {
		t.Fatalf("found %+v, want the one in %s", u, want)
	}
	must.Contain(t, u.Differs, `command "rm -r x" (here none)`)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the folder's command would run unasked")
			}
		}()
		u.Task(metric.Watts(30), false)
	}()
	if job := u.Task(metric.Watts(30), true); job.Kind != task.FrontSearch || u.Tune.Resume ||
		u.Tune.Probes != 9 {
		t.Errorf("goes on as %+v", job.Spec)
	}
	c.Held = func() []record.Running { return []record.Running{{Dir: unknown}, {Dir: want, PID: 1}} }
	if u = c.Interrupted(); u == nil || filepath.Base(u.Dir) != "2026-1" {
		t.Errorf("found %+v, want the one that nobody runs", u)
	}
	limit := metric.Watts(27)
	campaign("2026-7", campaigns.TuneKind, 0, 2, search(limit))
	if u = c.Interrupted(); u == nil || filepath.Base(u.Dir) != "2026-7" || u.Of != 0 {
		t.Fatalf("found %+v, want the search for a limit", u)
	}
	must.Equal(t, u.String(), "search of lstm (fastest, power ≤ 27 W), 2 modes measured")
	if job := u.Task(metric.Watts(30), false); job.Kind != task.Tuning || job.Limits[0] != limit ||
		u.Tune.Resume || u.Tune.Fresh || !u.Tune.Before.IsZero() {
		t.Errorf("goes on as %+v by %+v", job.Spec, u.Tune)
	}
	early := campaign("2026-75", campaigns.TuneKind, 0, 0, search(limit))
	if u = c.Interrupted(); u == nil || u.Dir != early ||
		u.String() != "search of lstm (fastest, power ≤ 27 W), 0 modes measured" {
		t.Errorf("found %v, want the search that was cut off before its first mode", u)
	}
	must.NoError(t, os.WriteFile(filepath.Join(early, "end.txt"), []byte("broken\n"), 0o644))
	if u = c.Interrupted(); u == nil || filepath.Base(u.Dir) != "2026-7" {
		t.Errorf("found %v, want the search that could measure", u)
	}
	done := campaign("2026-8", campaigns.TuneKind, 0, 2, search(metric.Watts(20)))
	must.NoError(t, os.WriteFile(filepath.Join(done, "end.txt"), []byte("complete\n"), 0o644))
	if u = c.Interrupted(); u == nil || filepath.Base(u.Dir) != "2026-1" {
		t.Errorf("found %+v although a later search has ended", u)
	}
	c.Held = func() []record.Running { return []record.Running{{Dir: want, PID: 1}} }
	f := Follow(c, nil)
	if f == nil || f.Dir != want || len(f.Rows) != 3 || f.Ended {
		t.Fatalf("follows %+v, want the one in %s", f, want)
	}
	head, rows, err := record.Read(want)
	must.NoError(t, err)
	strange := filepath.Join(t.TempDir(), "other")
	rec := must.Get(record.Create(strange, head))(t)
	must.NoError(t, errors.Join(rec.Append(rows[0]), rec.Close()))
	c.Held = func() []record.Running { return []record.Running{{Dir: strange, PID: 2}} }
	must.Equal(t, Follow(c, nil), nil)
	c.Held = func() []record.Running { return nil }
	if f = Follow(c, f); f == nil || !f.Ended || Follow(c, f) != nil {
		t.Errorf("its end is %+v", f)
	}
}
