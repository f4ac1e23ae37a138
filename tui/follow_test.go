package tui

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/optimize/outlook"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/control"
	"jtune/tui/session/task"
)

func TestFollowedCampaignShowsUntilItEnds(t *testing.T) {
	t.Parallel()
	var dir string
	var held []record.Running
	d := drive(t, func(_ *fakeHost, deps *deps) {
		dir = filepath.Join(deps.campaigns.Dir, "other")
		held = []record.Running{{Dir: dir, PID: 4242}}
		deps.campaigns.Held = func() []record.Running { return slices.Clone(held) }
	})
	rec := must.Get(record.Create(dir, record.Header{Created: pagetest.Start, Device: record.NewDeviceHeader(d.board),
		Workload: workload.Workload{Name: "bert", Title: "bert", Batch: 16, Epochs: 1},
		Plan:     record.PlanHeader{Kind: "sample", Modes: 11}}))(t)
	defer rec.Close()
	samples := d.board.Samples()
	record := func(n int) {
		for _, m := range samples[:n] {
			must.NoError(t, rec.Append(record.Row{Measured: m, Applied: m.Mode, Status: record.OK, TookS: 20,
				When: pagetest.Start}))
		}
		samples = samples[n:]
	}
	look := func(what string, cond func(f *shownTask) bool) {
		t.Helper()
		d.until("the look before has ended", func() bool { return !d.r.sh.looking })
		d.now = d.now.Add(4 * followEvery)
		d.send(d.reading())
		d.until(what, func() bool { return d.r.sh.follow != nil && cond(d.r.sh.follow) })
	}
	record(3)
	look("it is found", func(f *shownTask) bool { return len(f.Rows) == 3 })
	d.press("1")
	d.sees("another jtune (process 4242) simulates bert: 3 shows it")
	d.press("3")
	d.sees("following jtune 4242: sample bert on AGX Orin VIRTUAL", "3 of 11 modes", "read only",
		"space pause (jtune 4242 runs it and cannot be reached)", "bands from 4 modes on", "min left")
	if d.r.sh.read.Busy() {
		t.Error("a followed campaign keeps this jtune from working")
	}
	d.press("x", "space", "r")
	must.Equal(t, d.r.asks, nil, "a program that takes no orders is given one")
	reached := *d.r.sh.follow.Follows
	reached.Reach = &control.Reach{Task: 1, State: "running", User: "anna"}
	d.send(followedMsg{found: &reached})
	d.press("x")
	d.sees("stop? y / n  bert of anna (jtune 4242), 3 modes so far")
	d.press("n", "space")
	d.sees("pause? y / n  bert of anna (jtune 4242)")
	d.press("y") // that program is not there
	d.until("the order has failed", func() bool { return strings.Contains(d.screen(), "pause: ") })
	reached.Reach = &control.Reach{Task: 1, State: "paused", Held: true, User: "anna"}
	d.send(followedMsg{found: &reached})
	d.sees("following anna (jtune 4242): ", "paused", "space continue")
	record(4)
	look("it grows and has a preview", func(f *shownTask) bool { return len(f.Rows) == 7 && f.Preview.Modes == 7 })
	d.sees("7 of 11 modes", " % ms, ±")
	held = nil
	look("it ends", func(f *shownTask) bool { return f.Done() })
	d.sees("ended or cut off", "space pause (nothing runs)", d.r.sh.Device.Space.Format(samplesOf(d)[6]))
	whole := *d.r.sh.follow.Follows
	whole.Header.Plan.Modes = 7
	d.send(followedMsg{found: &whole})
	d.sees("finished", "7 of 7 modes")
}

func samplesOf(d *driver) []tegra.Mode {
	var out []tegra.Mode
	for _, m := range d.board.Samples() {
		out = append(out, m.Mode)
	}
	return out
}

// With thousands of campaigns a listing takes longer than the period of the look for others: the next one begins after
// it, if anything has changed.
func TestFollowListsTheCampaignsOnceAtATime(t *testing.T) {
	t.Parallel()
	d := drive(t, func(*fakeHost, *deps) {})
	sh := d.r.sh
	sh.listing = 0 // of the start
	first := sh.listCampaigns()
	for range 3 {
		if sh.campaignsSince(pagetest.Start) != nil || first == nil {
			t.Fatal("two listings at once")
		}
	}
	must.Equal(t, sh.listCampaigns(), nil)
	must.Equal(t, sh.listing, 2)
	d.r.Update(first())
	must.Equal(t, sh.listing, 1, "they are not listed again")
	d.r.Update(campaignsMsg{})
	if sh.listing != 0 || sh.campaignsSince(pagetest.Start) == nil {
		t.Error("no listing begins after the last")
	}
}

func TestPreviewShowsBeforeTheEndAndItsBandsShrink(t *testing.T) {
	t.Parallel()
	d := drive(t)
	j := runningJob(d.board, task.Tuning)
	j.Rows, j.Preview, j.Bands = nil, outlook.Preview{}, nil
	d.shows(j)
	d.press("3")
	for i, s := range d.board.Samples() {
		j.Rows = append(j.Rows, record.Row{Measured: s, Status: record.OK})
		d.send(taskChangedMsg{task: j, now: j.Snapshot})
		if want := i + 1; want >= outlook.LeastPreview {
			d.until("the preview has all modes so far", func() bool { return j.Preview.Modes == want })
		}
	}
	if n := len(j.Bands); n != len(j.Rows)-outlook.LeastPreview+1 || j.Bands[n-1] >= j.Bands[0] {
		t.Errorf("bands %.0f %% after %d modes, want %d of them, narrower at the end", j.Bands, len(j.Rows),
			len(j.Rows)-outlook.LeastPreview+1)
	}
	d.sees("front so far", " % ms, ±")
}

func TestTaskIsNotShownAsItWasBefore(t *testing.T) {
	t.Parallel()
	d := drive(t, func(b *fakeHost, _ *deps) { b.Wait = make(chan struct{}) })
	d.press("t", "t")
	j := d.r.sh.task
	before := j.run.Now()
	d.board.Wait <- struct{}{}
	d.until("a mode is measured", func() bool { return len(j.Rows) == 1 })
	d.send(taskChangedMsg{j, before}) // it arrives late
	must.Equal(t, len(j.Rows), 1, "an old snapshot takes a row back")
	d.press("x", "y")
	d.until("it ends", func() bool { return j.Done() })
}
