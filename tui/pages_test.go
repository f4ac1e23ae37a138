package tui

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"jtune/profiles"
	"jtune/tegra"
)

func TestTheLimitMovesTheAnswer(t *testing.T) {
	d := drive(t).withView()
	d.press("5")
	v := d.r.sh.view
	p := d.r.pages[pageFront].(*frontPage)
	before := v.points[p.cursor]
	for range 5 {
		d.press("[")
	}
	after := v.points[p.cursor]
	if d.r.sh.limit.PowerW != 25 || after.PowerW > 25 || after.TimeMS <= before.TimeMS {
		t.Errorf("limit %g W gives %.1f W in %.1f ms, before %.1f W in %.1f ms", d.r.sh.limit.PowerW, after.PowerW, after.TimeMS, before.PowerW, before.TimeMS)
	}
}

func TestTheDialogTakesATypedLimit(t *testing.T) {
	d := drive(t)
	d.press("t", "enter", "2", "2", ".", "5")
	d.sees("fastest within 22.5_ W")
	d.press("enter", "enter")
	if got := d.r.sh.job.limit.PowerW; got != 22.5 {
		t.Errorf("limit %g W, typed 22.5", got)
	}
}

func TestTypingAFilterDoesNotPressKeys(t *testing.T) {
	d := drive(t)
	d.press("6", "/")
	for _, c := range "cores=12 gpu>1.2GHz" {
		if c == ' ' {
			d.press("space")
			continue
		}
		d.press(string(c))
	}
	d.press("enter")
	// 29 CPU frequencies, 2 GPU frequencies above 1.2 GHz, 4 of memory
	d.sees("232 of 18,096 modes")
	d.press("/", "q", "enter")
	d.sees("filter term")
	if d.quit {
		t.Error("a typed q quits")
	}
}

func TestVerifyMeasuresAndPutsTheBoardBack(t *testing.T) {
	d := drive(t).withView()
	d.press("5", "v")
	d.until("the mode is measured", func() bool { return d.r.sh.job.done })
	p := d.r.pages[pageFront].(*frontPage)
	if _, ok := d.r.sh.view.measured[d.r.sh.view.points[p.cursor].Mode]; !ok {
		t.Error("the verified mode is not marked as measured")
	}
	d.sees("predicted", "measured")
}

func TestATrainingRunShowsItsMinibatchesUntilItIsStopped(t *testing.T) {
	d := drive(t)
	d.press("2", "enter")
	d.until("minibatches come", func() bool { return len(d.r.sh.job.times) > 0 })
	d.sees("resnet18 running", "ms/minibatch")
	d.press("1")
	d.sees("training, resnet18", "stall 10 %")
	d.press("2")
	d.press("x")
	d.until("the run ends", func() bool { return d.r.sh.job.done })
	d.sees("stall", "compute", "median     37.6 ms of 30")
}

func TestFreezeStopsTheViewAndNotTheReading(t *testing.T) {
	d := drive(t)
	d.press("f")
	d.sees("FROZEN")
	before := d.screen()
	m := d.board.reading()
	m.last.Reading.TotalW, m.energyJ = tegra.Some(99.9), 99e3
	for range 3 * historyLen {
		d.send(m)
	}
	if d.screen() != before {
		t.Errorf("a frozen view moves:\n%s", d.screen())
	}
	if n := len(d.r.held); n != historyLen {
		t.Errorf("%d readings wait, want the newest %d", n, historyLen)
	}
	d.press("f")
	d.sees("99.9 W", "99.0 kJ")
	j := runningJob(d.board, jobTune)
	d.r.sh.job, j.feed = j, newFeed[jobNews]()
	d.press("3", "f")
	n := len(j.rows)
	d.send(jobNewsMsg{j, jobNews{rows: j.rows[:1]}})
	if len(j.rows) != n {
		t.Error("a job's rows move a frozen view")
	}
	d.send(jobDoneMsg{job: j})
	if len(j.rows) != n+1 || !j.done {
		t.Error("a job ended while the view was frozen, and its last rows are lost")
	}
}

func TestExportsMadeThroughSudoBelongToTheCaller(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("takes root to give files away")
	}
	t.Setenv("SUDO_UID", "65534")
	t.Setenv("SUDO_GID", "65533")
	d := drive(t).withView()
	d.press("5", "ctrl+s")
	files, err := filepath.Glob(filepath.Join(d.board.dir, "exports", "*"))
	if err != nil || len(files) != 4 {
		t.Fatalf("exported %v, %v", files, err)
	}
	for _, file := range append(files, filepath.Dir(files[0])) {
		st, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if of := st.Sys().(*syscall.Stat_t); of.Uid != 65534 || of.Gid != 65533 {
			t.Errorf("%s belongs to %d:%d", file, of.Uid, of.Gid)
		}
	}
}

func TestExportWritesTheViewWithItsBadge(t *testing.T) {
	d := drive(t)
	d.press("ctrl+s")
	if text := d.exported("*-live.txt"); !strings.Contains(text, "VIRTUAL") {
		t.Errorf("export lacks VIRTUAL:\n%s", text)
	}
}

func TestHelpListsEveryKeyOfThePage(t *testing.T) {
	d := drive(t).withView()
	d.size(100, 60)
	for i, p := range d.r.pages {
		d.r.active = i
		d.press("?")
		for _, k := range append(p.hints(), globalHints()...) {
			d.sees(k.Help().Key)
		}
		d.press("esc")
	}
}

func TestMissingAndMadValuesDrawDashes(t *testing.T) {
	d := drive(t)
	m := d.board.reading()
	for i := range m.samples {
		m.samples[i].Reading = tegra.Reading{TotalW: tegra.Some([]float64{math.NaN(), math.Inf(1), 1e12, -5}[i%4])}
	}
	m.last.Reading = tegra.Reading{}
	d.send(m)
	for _, s := range sizes {
		d.size(s[0], s[1])
		d.sees("– W")
	}
	d.r.sh.job = runningJob(d.board, jobTune)
	d.r.sh.job.rows = []profiles.Row{{Measured: tegra.Measured{TimeMS: math.NaN(), PowerW: math.Inf(1)}, Status: profiles.OK}}
	d.press("3")
	d.screen()
}

func TestAnySizeDownToNothingDraws(t *testing.T) {
	d := drive(t).withView()
	d.r.sh.job = runningJob(d.board, jobTune)
	for _, over := range []string{"", "t", "?", "a"} {
		for page := range numPages {
			d.r.active = page
			d.press("esc", "esc")
			if over != "" {
				d.press(over)
			}
			for w := 0; w < 100; w += 3 {
				for _, h := range []int{0, 1, 2, 3, 4, 5, 7, 9, 12, 17, 24} {
					d.size(w, h)
					d.screen()
				}
			}
			d.press("esc")
		}
	}
}

func TestTheUnitAndTheNamesSurviveATinyWindow(t *testing.T) {
	d := drive(t)
	d.size(40, 12)
	d.sees("CPU", "GPU", "EMC", " W")
	d.size(10, 4)
	d.sees(" W")
}

func TestRefittingKeepsTheOtherMethodBesideTheFirst(t *testing.T) {
	d := drive(t)
	d.press("t", "t")
	d.until("the model is listed", func() bool { return len(d.r.pages[pageModels].(*modelsPage).list) == 1 })
	d.press("4", "r")
	d.sees("method  ‹ linear ›", "measures nothing")
	d.press("enter")
	d.until("two models are listed", func() bool { return len(d.r.pages[pageModels].(*modelsPage).list) == 2 })
	d.sees("resnet18-virtual", "linear")
}

func TestAFitInTheBackgroundCanBeStopped(t *testing.T) {
	d := drive(t)
	d.press("t", "t")
	d.until("the model is listed", func() bool { return len(modelsOf(d).list) == 1 })
	d.press("4", "r", "left", "left")
	d.sees("method  ‹ nn ›") // takes minutes
	d.press("enter")
	d.sees("fitting resnet18-virtual-by-nn", "r stop the fit")
	d.press("5", "4", "r")
	d.until("it has stopped", func() bool { return modelsOf(d).fitting == "" })
	d.sees("fit stopped: resnet18-virtual-by-nn is not kept", "r fit again")
	if n := len(modelsOf(d).list); n != 1 {
		t.Errorf("%d models are listed, want the one before", n)
	}
}

func TestAClockThatDoesNotFollowIsToldAtEverySize(t *testing.T) {
	d := drive(t)
	m := d.board.reading()
	m.last.Reading.GPU.Actual = tegra.Some(306 * tegra.MHz)
	m.last.Reading.Throttled = tegra.Some(true)
	d.send(m)
	for _, s := range sizes {
		d.size(s[0], s[1])
		d.sees("GPU runs at 0.31, asked 1.30: throttled")
	}
}

func TestALongErrorIsToldInFull(t *testing.T) {
	d := drive(t, func(b *fakeBoard, _ *deps) {
		b.tuneErr = errors.New("workload resnet18: no command to run it: add one under [[workload]] in /home/somebody/.config/jtune/config.toml")
	})
	d.press("t", "t")
	d.until("the campaign ends", func() bool { return d.r.sh.job.done })
	d.sees("/home/somebody/.config/jtune/config.toml")
}

func TestFailedModesAreMeasuredOnceMore(t *testing.T) {
	d := drive(t).withView()
	j := runningJob(d.board, jobTune)
	d.r.sh.job = j
	j.done = true
	failed := j.rows[5].Mode
	d.press("3")
	d.sees("r redo failed")
	d.press("r")
	d.until("it was measured", func() bool { return d.r.sh.job.kind == jobRedo && d.r.sh.job.done && len(d.r.sh.job.rows) == 9 })
	if last := d.r.sh.job.rows[8]; last.Mode != failed || !last.Status.Usable() {
		t.Errorf("measured %v (%s), want the failed %v", last.Mode, last.Status, failed)
	}
	if _, ok := d.r.sh.view.measured[failed]; !ok {
		t.Error("the Front page does not know of it")
	}
	if strings.Contains(d.screen(), "redo failed") {
		t.Error("redo is still offered")
	}
}
