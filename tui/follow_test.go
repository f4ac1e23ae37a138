package tui

import (
	"slices"
	"testing"

	"jtune/profiles"
	"jtune/tegra"
)

func TestACampaignOfAnotherProcessIsFollowedUntilItEnds(t *testing.T) {
	dir := t.TempDir()
	held := []profiles.Running{{Dir: dir, PID: 4242}}
	d := drive(t, func(_ *fakeBoard, deps *deps) { deps.running = func() []profiles.Running { return slices.Clone(held) } })
	rec, err := profiles.Create(dir, profiles.Header{Created: wallStart, Device: profiles.NewDeviceHeader(d.board), Workload: profiles.Workload{Name: "bert", Title: "bert", Batch: 16, Epochs: 1},
		Plan: profiles.PlanHeader{Kind: "sample", Modes: 11}})
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	samples := d.board.samples()
	record := func(n int) {
		for _, m := range samples[:n] {
			if err := rec.Append(profiles.Row{Measured: m, Applied: m.Mode, Status: profiles.OK, TookS: 20, When: wallStart}); err != nil {
				t.Fatal(err)
			}
		}
		samples = samples[n:]
	}
	look := func(what string, cond func(f *job) bool) {
		t.Helper()
		d.now = d.now.Add(4 * followEvery)
		d.send(d.board.reading())
		d.until(what, func() bool { return d.r.sh.follow != nil && cond(d.r.sh.follow) })
	}
	record(3)
	look("it is found", func(f *job) bool { return len(f.rows) == 3 })
	d.press("1")
	d.sees("another jtune (process 4242) measures bert here: 3 shows it")
	d.press("3")
	d.sees("following jtune 4242: sample bert on AGX Orin VIRTUAL", "3 of 11 modes", "read only", "space pause (jtune 4242 runs it)", "bands from 4 modes on", "min left")
	if d.r.sh.busy() {
		t.Error("a followed campaign keeps this jtune from working")
	}
	d.press("x", "space", "r")
	record(4)
	look("it grows and is sketched", func(f *job) bool { return len(f.rows) == 7 && f.sketch.of == 7 })
	d.sees("7 of 11 modes", " % ms, ±")
	held = nil
	look("it ends", func(f *job) bool { return f.done })
	d.sees("ended or cut off", "space pause (nothing runs)", d.r.sh.space.Format(samplesOf(d)[6]))
	whole := *d.r.sh.follow.follows
	whole.header.Plan.Modes = 7
	d.send(followedMsg{&whole})
	d.sees("finished", "7 of 7 modes")
}

func samplesOf(d *driver) []tegra.Mode {
	var out []tegra.Mode
	for _, m := range d.board.samples() {
		out = append(out, m.Mode)
	}
	return out
}

func TestTheFrontShowsBeforeTheEndAndItsBandsShrink(t *testing.T) {
	d := drive(t)
	j := runningJob(d.board, jobTune)
	j.rows, j.sketch, j.bands, j.feed = nil, sketch{}, nil, newFeed[jobNews]()
	d.r.sh.job = j
	d.press("3")
	for i, s := range d.board.samples() {
		j.rows = append(j.rows, profiles.Row{Measured: s, Status: profiles.OK})
		d.send(jobNewsMsg{job: j})
		if want := i + 1; want >= leastSketch {
			d.until("the sketch is of all modes so far", func() bool { return j.sketch.of == want })
		}
	}
	if n := len(j.bands); n != len(j.rows)-leastSketch+1 || j.bands[n-1] >= j.bands[0] {
		t.Errorf("bands %.0f %% after %d modes, want %d of them, narrower at the end", j.bands, len(j.rows), len(j.rows)-leastSketch+1)
	}
	d.sees("front so far", " % ms, ±")
}

func TestAFollowedCampaignOfAnotherBoardIsNotThisOnes(t *testing.T) {
	real := profiles.DeviceHeader{Name: "AGX Orin"}
	if sameBoard(real, tegra.Board{Name: "AGX Orin", Virtual: true}) || !sameBoard(real, tegra.Board{Name: "AGX Orin"}) {
		t.Error("a real board's campaign is taken for a virtual one's, or not for its own")
	}
}
