package tui

import (
	"slices"
	"strings"
	"testing"

	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/tegra"
	"jtune/tui/session"
)

// sizedModel is a gp of the law's modes with minibatches of several sizes.
func sizedModel(t testing.TB, b *fakeBoard) *learn.Model {
	t.Helper()
	var samples []tegra.Measured
	for i, m := range b.space.Sample(24, 7) {
		batch := []int{8, 16, 32}[i%3]
		ms, watts := law(m)
		samples = append(samples, tegra.Measured{Mode: m, Batch: batch, TimeMS: ms * (0.2 + 0.05*float64(batch)), PowerW: watts})
	}
	m, err := learn.Fit(t.Context(), samples, learn.Options{Space: b.space, SkipCV: true, Provenance: learn.Provenance{Device: "AGX Orin", Workload: "resnet18", Virtual: true}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTheFrontStepsThroughMinibatchSizesAndSaysWhich(t *testing.T) {
	d := drive(t)
	view := newMapView("resnet18", sizedModel(t, d.board), d.board.space)
	d.send(modelLoadedMsg{view, "sized"})
	d.press("5")
	p := frontOf(d)
	at := func(batch string) {
		t.Helper()
		d.until("batch "+batch+" is shown", func() bool {
			return d.r.sh.view.size() > 0 && strings.Contains(d.screen(), "resnet18 batch "+batch+" ")
		})
		for _, s := range sizes {
			d.size(s[0], s[1])
			d.sees("resnet18 batch "+batch, "W")
		}
		d.size(80, 24)
		d.sees("best of batch "+batch, "ms/sample", "S s size")
		if p.cursor != p.answer() {
			t.Errorf("batch %s: the cursor left the answer", batch)
		}
	}
	at("32") // the largest first
	d.press("s")
	at("8")
	slow := d.r.sh.view.points[p.cursor].TimeMS
	d.press("S", "S")
	at("16")
	if fast := d.r.sh.view.points[p.cursor].TimeMS; fast < 1.2*slow {
		t.Errorf("16 samples take %.1f ms, 8 take %.1f", fast, slow)
	}

	// what is measured stays with its size
	mode := d.r.sh.view.points[p.cursor].Mode
	d.press("v")
	d.until("the mode is measured", func() bool { return d.r.sh.job.done })
	if got := d.r.sh.job.workload.Batch; got != 16 {
		t.Errorf("it was measured with minibatches of %d", got)
	}
	d.press("s")
	d.until("32", func() bool { return d.r.sh.view.size() == 32 })
	if _, measured := d.r.sh.view.measured[mode]; measured {
		t.Error("a measurement with 16 samples counts for 32")
	}
	d.press("S")
	d.until("16", func() bool { return d.r.sh.view.size() == 16 })
	if i, _ := d.r.sh.view.at(mode); d.r.sh.view.measured[mode].TimeMS == 0 || d.r.sh.view.known[i].TimeMS != d.r.sh.view.measured[mode].TimeMS {
		t.Error("the measurement is forgotten on the way")
	}

	// a mode off the answer stays under the cursor
	off := 0 // the lowest mode of all
	p.goTo(off)
	d.press("s")
	d.until("32", func() bool { return d.r.sh.view.size() == 32 })
	if d.sees("at the cursor, batch 32"); p.cursor != off {
		t.Error("the cursor left its mode")
	}
}

func TestAModelOfOneSizeHasNoKeyForOthers(t *testing.T) {
	d := drive(t).withView()
	d.press("5")
	before := d.r.sh.view
	d.press("s", "S")
	if screen := d.screen(); d.r.sh.view != before || strings.Contains(screen, "size") || strings.Contains(screen, "batch") {
		t.Errorf("sizes where there are none:\n%s", screen)
	}
}

func TestTheAnswerOfASearchOverSizesNamesItsSize(t *testing.T) {
	d := drive(t)
	m := sizedModel(t, d.board)
	limit := optimize.Limit{PowerW: 30}
	view := newMapView("resnet18", m.At(16), d.board.space)
	best := view.points[view.answer(limit)]
	res := &session.TuneResult{Result: optimize.Result{Mode: best.Mode, Batch: 16, Measured: tegra.Measured{Mode: best.Mode, Batch: 16, TimeMS: best.TimeMS, PowerW: 29}}, Fitted: m}
	j := &job{kind: jobTune, limit: limit, gate: &gate{}, ended: make(chan struct{})}
	d.r.sh.job = j
	d.send(jobDoneMsg{job: j, view: view, tuned: res})
	d.press("5")
	d.sees("resnet18 batch 16", "the answer, batch 16")
	d.press("s")
	d.until("32", func() bool { return d.r.sh.view.size() == 32 })
	d.sees("best of batch 32")
}

func TestTheTuneDialogChoosesMinibatchSizes(t *testing.T) {
	d := drive(t)
	d.press("t", "down", "down", "down")
	dialog := d.r.tune
	d.sees("16 samples, its own", "fastest within")
	if dialog.batches() != nil {
		t.Errorf("by itself it chooses among %v", dialog.batches())
	}
	d.press("right")
	d.sees("choose among 8 16 32", "per sample")
	d.press("right")
	d.sees("choose among 4 8 16 32 64")
	for _, k := range "32,4" {
		d.press(string(k))
	}
	if got := dialog.batches(); !slices.Equal(got, []int{4, 32}) {
		t.Errorf("32,4 is taken for %v", got)
	}
	d.press("backspace", "backspace")
	if d.sees("two sizes at least"); dialog.batches() != nil {
		t.Errorf("one size is taken for %v", dialog.batches())
	}
	d.press("right") // back to its own
	d.sees("16 samples, its own")

	// several sizes know the quick effort alone
	d.press("up", "right")
	d.sees("front: about")
	d.press("down", "right")
	d.sees("quick: at most")
	d.press("up", "right")
	if d.sees("quick: at most"); dialog.choice[fieldEffort] != 0 {
		t.Error("the front effort cannot be had with several sizes")
	}
}

func TestTheTuneDialogSaysWhereSizesCannotBeChosen(t *testing.T) {
	d := drive(t)
	d.r.sh.takesSizes = func(profiles.Workload) string { return "its job reads no JTUNE_BATCH" }
	d.press("t", "down", "down", "down", "right", "8")
	if d.sees("16 samples: its job reads no JTUNE_BATCH"); d.r.tune.batches() != nil {
		t.Errorf("sizes %v for a job that dictates its own", d.r.tune.batches())
	}
	d = drive(t)
	d.r.sh.board.Replay, d.r.sh.sizes = "file.csv", []int{1, 4, 16}
	d.press("t", "down", "down", "down")
	d.sees("choose among 1 4 16")
	for _, k := range "4,8,16" {
		d.press(string(k))
	}
	if got := d.r.tune.batches(); !slices.Equal(got, []int{4, 16}) {
		t.Errorf("of a replay's sizes 4,8,16 takes %v", got)
	}
}

func TestTheProfilePageShowsTheSizeOfEachRow(t *testing.T) {
	d := drive(t)
	j := runningJob(d.board, jobTune)
	for i := range j.rows {
		j.rows[i].Batch = []int{8, 32}[i%2]
	}
	d.r.sh.job = j
	d.press("3")
	for _, s := range sizes {
		d.size(s[0], s[1])
		d.sees(" bs ", "  8 ", " 32 ")
	}
	if failed := d.r.pages[pageProfile].(*profilePage).failed(); len(failed) != 1 || failed[0] != learn.SettingOf(j.rows[5].Measured) {
		t.Errorf("to redo: %v", failed)
	}
	j.rows = runningJob(d.board, jobTune).rows
	d.r.frame = ""
	if strings.Contains(d.screen(), " bs ") {
		t.Error("a column of sizes where there is one")
	}
}
