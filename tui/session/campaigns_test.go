package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/optimize"
	"jtune/profiles/record"
	"jtune/tegra"
)

// cutOff profiles a request until two modes are measured, as a killed program leaves it.
func cutOff(t *testing.T, s *Session, r ProfileRequest) string {
	t.Helper()
	w, err := s.Workload("lstm")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r.Workload, r.Settings.Minibatches = w, 5
	n := 0
	res, err := s.Profile(ctx, r, func(e Event) {
		if FinishedRow(e) != nil {
			if n++; n == 2 {
				stop()
			}
		}
	})
	if err != nil || len(res.Rows) != 2 {
		t.Fatalf("%d rows, error %v; want 2", len(res.Rows), err)
	}
	if err := os.Remove(filepath.Join(res.Dir, "end.txt")); err != nil {
		t.Fatal(err)
	}
	return res.Dir
}

func TestCampaignsOfferEveryKindOfCutOffProfileAndItGoesOn(t *testing.T) {
	t.Parallel()
	s := fast(t)
	list := tegra.Settings(s.Device.Space().Sample(4, 5), nil)
	for name, c := range map[string]struct {
		r    ProfileRequest
		want int // readings in all
		what string
	}{
		"chosen as it goes": {ProfileRequest{Choose: 4}, 4, "4 chosen modes"},
		"random, of a filter": {ProfileRequest{Sample: 3, Filter: "cores>=4  gpu<900MHz"}, 3,
			"3 random modes of cores>=4 gpu<900MHz"},
		"a filter, twice each": {ProfileRequest{Filter: "cores=12 cpu=2.20 gpu=1.30", Repeats: 2}, 8,
			"all 4 modes of cores=12 cpu=2.20 gpu=1.30, 2 times each"},
		"a list": {ProfileRequest{List: list, ListName: "gone.csv"}, 4, "4 listed modes"},
	} {
		dir := cutOff(t, s, c.r)
		u := s.Campaigns().Interrupted()
		if u == nil || u.Dir != dir || u.Of != c.want {
			t.Fatalf("%s: offered %+v, want %s", name, u, dir)
		}
		if got := PlanText(u.plan, nil); got != c.what {
			t.Errorf("%s: it is %q, want %q", name, got, c.what)
		}
		task := u.Task(optimize.Limit{}, false)
		tasks := Tasks{On: Board{s}, Clock: s.Clock}
		if err := tasks.Start(t.Context(), task); err != nil {
			t.Fatal(err)
		}
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
			if n != max(1, c.r.Repeats) {
				t.Errorf("%s: %v was measured %d times", name, at.Mode, n)
			}
		}
		if u := s.Campaigns().Interrupted(); u != nil {
			t.Errorf("%s: %s is offered when it is finished", name, u)
		}
	}
}

func TestCampaignsSayWhyOneDoesNotGoOn(t *testing.T) {
	t.Parallel()
	s := fast(t)
	dir := cutOff(t, s, ProfileRequest{Sample: 3})
	c := s.Campaigns()
	one := func() Listed {
		t.Helper()
		list, err := c.List()
		if err != nil || len(list) != 1 {
			t.Fatalf("%d campaigns, error %v", len(list), err)
		}
		return list[0]
	}
	if l := one(); l.State != CampaignInterrupted || l.NoResume != "" || l.NoRedo != "none failed" {
		t.Errorf("cut off: %q, %q", l.NoResume, l.NoRedo)
	}
	c.Seed++
	if l := one(); !strings.Contains(l.NoResume, "its seed is 0: start jtune with that seed") {
		t.Errorf("of another seed: %q", l.NoResume)
	}
	c.Seed--
	c.Held = func() []record.Running { return []record.Running{{Dir: dir, PID: 7}} }
	if l := one(); l.State != CampaignRunning || l.PID != 7 || l.NoResume == "" || l.NoRedo == "" {
		t.Errorf("running: %+v", l)
	}
	c.Held = nil
	if _, err := s.DeleteCampaign(filepath.Base(dir)); err != nil {
		t.Fatal(err)
	}
	gone, err := c.DeletedList()
	if err != nil || len(gone) != 1 || gone[0].NoResume == "" {
		t.Errorf("deleted: %+v, error %v", gone, err)
	}
	if list, _ := c.List(); len(list) != 0 {
		t.Errorf("%d campaigns are listed after one was deleted", len(list))
	}
}

func TestPlannedSaysOrderTimeAndRaisedClocks(t *testing.T) {
	t.Parallel()
	s := fast(t)
	p, err := s.Planned(ProfileRequest{Filter: "cores=12 gpu=1.30 emc=3.20", Repeats: 2})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(p.Order); n != 2*29 || p.Plan.Readings() != n {
		t.Errorf("%d settings, plan of %d; want each of 29 CPU clocks twice", n, p.Plan.Readings())
	}
	if up := Raised(p.Order, tegra.Val[tegra.Mode]{}); slices.Index(up, true) != 29 {
		t.Errorf("clocks rise at %d, want only where the second round begins", slices.Index(up, true))
	}
	if got := p.String(); !strings.HasSuffix(got, "; clocks rise 1 time") || !strings.HasPrefix(got, "58 modes") {
		t.Errorf("it says %q", got)
	}
	for _, bad := range []ProfileRequest{{}, {Filter: "cores>=99"}, {Filter: "coers>2"},
		{Sample: 3, Filter: "power<20"}} {
		if _, err := s.Planned(bad); err == nil {
			t.Errorf("%+v selects something", bad)
		}
	}
}

// Before anything is known of a workload the range is wide; then it is of that workload, and holds.
func TestProfileSaysHowLongItTakesByWhatIsKnown(t *testing.T) {
	t.Parallel()
	s := fast(t)
	w, err := s.Workload("resnet18")
	if err != nil {
		t.Fatal(err)
	}
	for i, how := range []string{"closer once some are measured", "by what is known of this workload on this board"} {
		var said string
		r := ProfileRequest{Measuring: Measuring{Workload: w}, Sample: 12 + i}
		before, err := s.Planned(r) // as the dialog of a new campaign shows it
		if err != nil {
			t.Fatal(err)
		}
		before = before.Expecting(s.Expects(t.Context(), r.Measuring))
		res, err := s.Profile(t.Context(), r, func(e Event) {
			if note, ok := e.(NoteEvent); ok && strings.Contains(string(note), "to measure, about") {
				said = string(note)
			}
		})
		if err != nil || !strings.HasSuffix(said, how) {
			t.Fatalf("said %q, error %v; want it to end with %q", said, err, how)
		}
		same, _, _ := strings.Cut(said, ":")
		if !strings.HasPrefix(before.String(), same) || before.Expected != (i == 1) {
			t.Errorf("before it %q, then %q", before, said)
		}
		var lo, hi float64
		if _, err := fmt.Sscanf(said[strings.Index(said, "about"):], "about %f min to %f min", &lo, &hi); i == 1 &&
			(err != nil || res.Elapsed.Minutes() < lo || res.Elapsed.Minutes() > hi || hi > 2*lo) {
			t.Errorf("said %q and took %v", said, res.Elapsed)
		}
	}
}

func TestCompareCampaignsConcludesByTheCommonModes(t *testing.T) {
	t.Parallel()
	s := fast(t)
	w, err := s.Workload("lstm")
	if err != nil {
		t.Fatal(err)
	}
	campaign := func(name string, times ...float64) Campaign {
		h := s.header(w, record.PlanHeader{Kind: "sample", Modes: len(times)}, nil, record.Settings{})
		c := Campaign{Name: name, Dir: filepath.Join(t.TempDir(), name), Header: h}
		for i, m := range s.Device.Space().Sample(len(times), 2) {
			at := tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: times[i], PowerW: 20}
			c.Rows = append(c.Rows, record.Row{Measured: at, Status: record.OK})
		}
		return c
	}
	early := campaign("early", 50, 60, 70)
	for name, c := range map[string]struct {
		later  Campaign
		common int
		want   string
	}{
		"as before": {campaign("later", 50.5, 59.5, 70), 3, "No drift"},
		"slower":    {campaign("later", 55, 66, 77), 3, "the board has drifted since: 3 readings of 1 campaign"},
		"one mode":  {campaign("later", 55), 1, "measure two of them again"},
		"no mode":   {campaign("later"), 0, "nothing to compare"},
	} {
		got := CompareCampaigns(c.later, early)
		if got.One.Name != "early" || len(got.Common) != c.common {
			t.Errorf("%s: %s first, %d in common", name, got.One.Name, len(got.Common))
		}
		if text := strings.Join(got.Conclusion(), " "); !strings.Contains(text, c.want) {
			t.Errorf("%s: concludes %q, want %q", name, text, c.want)
		}
	}
	other := campaign("later", 50, 60)
	other.Header.Workload.Batch = 99
	if text := strings.Join(CompareCampaigns(early, other).Conclusion(), " "); !strings.Contains(text, "no model") ||
		!strings.Contains(text, "batch size 16, then 99") {
		t.Errorf("of another batch size: %q", text)
	}
}
