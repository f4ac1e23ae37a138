package task

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// cutOff profiles a request until two modes are measured, as a killed program leaves it.
func cutOff(t *testing.T, s *session.Session, r measure.ProfileRequest) string {
	t.Helper()
	w := must.Get(workloads.Find(s, "lstm"))(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r.Workload, r.Settings.Minibatches = w, 5
	n := 0
	res, err := measure.Profile(ctx, s, r, func(e measure.Event) {
		if p, ok := e.(measure.ProgressEvent); ok && p.Progress.Row != nil {
			if n++; n == 2 {
				stop()
			}
		}
	})
	if err != nil || len(res.Rows) != 2 {
		t.Fatalf("%d rows, error %v; want 2", len(res.Rows), err)
	}
	must.NoError(t, os.Remove(filepath.Join(res.Dir, "end.txt")))
	return res.Dir
}

func TestCampaignsOfferEveryKindOfCutOffProfileAndItGoesOn(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	list := tegra.Settings(s.Device.Space().Sample(4, 5), tegra.Own)
	for name, c := range map[string]struct {
		r    measure.ProfileRequest
		want int // readings in all
		what string
	}{
		"chosen as it goes": {measure.ProfileRequest{Choose: 4}, 4, "4 chosen modes"},
		"random, of a filter": {measure.ProfileRequest{Sample: 3, Filter: "cores>=4  gpu<900MHz"}, 3,
			"3 random modes of cores>=4 gpu<900MHz"},
		"a filter, twice each": {measure.ProfileRequest{Filter: "cores=12 cpu=2.20 gpu=1.30", Repeats: 2}, 8,
			"all 4 modes of cores=12 cpu=2.20 gpu=1.30, 2 times each"},
		"a list": {measure.ProfileRequest{List: list, ListName: "gone.csv"}, 4, "4 listed modes"},
	} {
		dir := cutOff(t, s, c.r)
		u := CampaignsOf(s).Interrupted()
		if u == nil || u.Dir != dir || u.Of != c.want {
			t.Fatalf("%s: offered %+v, want %s", name, u, dir)
		}
		must.Equal(t, campaigns.PlanText(u.plan, nil), c.what, name)
		task := u.Task(metric.Goal{}, false)
		tasks := Tasks{On: Board{Session: s}, Clock: s.Clock}
		must.NoError(t, tasks.Start(t.Context(), task))
		<-task.Ended()
		if now := task.Now(); now.Err != nil || len(now.Rows) != c.want || len(now.Coming()) != 0 {
			t.Errorf("%s: ended with %d rows, %v to come, error %v; want %d", name, len(now.Rows), now.Coming(),
				now.Err, c.want)
		}
		counts := map[tegra.Setting]int{}
		for _, row := range task.Now().Rows {
			counts[row.Setting]++
		}
		for at, n := range counts {
			must.Equal(t, n, max(1, c.r.Repeats), name, at.Mode)
		}
		must.Equal(t, CampaignsOf(s).Interrupted(), nil, name)
	}
}

func TestCampaignsSayWhyOneDoesNotGoOn(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	dir := cutOff(t, s, measure.ProfileRequest{Sample: 3})
	c := CampaignsOf(s)
	one := func() Listed {
		t.Helper()
		list, err := c.List()
		if err != nil || len(list) != 1 {
			t.Fatalf("%d campaigns, error %v", len(list), err)
		}
		return list[0]
	}
	if l := one(); l.State != campaigns.CampaignInterrupted || l.NoResume != "" || l.NoRedo != "none failed" {
		t.Errorf("cut off: %q, %q", l.NoResume, l.NoRedo)
	}
	c.Seed++
	must.Contain(t, one().NoResume, "its seed is 0: start jtune with that seed")
	c.Seed--
	c.Held = func() []record.Running { return []record.Running{{Dir: dir, PID: 7}} }
	if l := one(); l.State != campaigns.CampaignRunning || l.PID != 7 || l.NoResume == "" || l.NoRedo == "" {
		t.Errorf("running: %+v", l)
	}
	c.Held = nil
	done := one().Campaign
	header := *done.Header
	header.Plan.Kind, done.Header, done.Ended, done.Failed = record.ExperimentKind, &header, "complete", 1
	must.Equal(t, c.listed(done, nil).NoResume, "it is finished")
	_, err := models.CampaignShelf(s.Options).Delete(filepath.Base(dir))
	must.NoError(t, err)
	gone, err := c.deletedList()
	if err != nil || len(gone) != 1 || gone[0].NoResume == "" {
		t.Errorf("deleted: %+v, error %v", gone, err)
	}
	if list, _ := c.List(); len(list) != 0 {
		t.Errorf("%d campaigns are listed after one was deleted", len(list))
	}
}
