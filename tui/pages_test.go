package tui

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry"
	"jtune/tui/session/task"
)

func TestFrontLimitMovesTheAnswer(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	d.press("5")
	v := d.r.sh.Outlook
	before := v.Known[d.onFront()]
	for range 5 {
		d.press("[")
	}
	after := v.Known[d.onFront()]
	if d.r.sh.Goal.Limit.Of(metric.Power) != 25 || after.PowerW > 25 || after.TimeMS <= before.TimeMS {
		t.Errorf("limit %g W gives %.1f W in %.1f ms, before %.1f W in %.1f ms", d.r.sh.Goal.Limit.Of(metric.Power),
			after.PowerW,
			after.TimeMS, before.PowerW, before.TimeMS)
	}
}

func TestTuneDialogTakesATypedLimit(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("t", "2", "2", ".", "5")
	d.sees("fastest within 22.5_ W")
	d.press("enter", "enter")
	must.Equal(t, d.r.sh.task.Limits[0].Of(metric.Power), 22.5)
}

func TestModesFilterIsTypedAndPressesNoKeys(t *testing.T) {
	t.Parallel()
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

func TestVerifyMeasuresAndRestoresTheBoard(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	d.press("5", "v")
	d.until("the mode is measured", func() bool { return d.r.sh.task.Done() })
	if !d.r.sh.Outlook.About(d.r.sh.Outlook.Known[d.onFront()].Mode).Measured() {
		t.Error("the verified mode is not marked as measured")
	}
	d.sees("predicted", "measured")
}

func TestTrainShowsMinibatchesUntilTheRunIsStopped(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("2", "enter")
	d.until("minibatches come", func() bool { return len(d.r.sh.task.Times) > 0 })
	d.sees("resnet18 running", "ms/step")
	d.press("1")
	d.sees("training, resnet18", "stall 10 %")
	d.press("2")
	d.press("x", "y")
	d.until("the run ends", func() bool { return d.r.sh.task.Done() })
	d.sees("stall", "compute", "mean       37.6 ms of 30")
}

func TestFreezeStopsTheViewAndNotTheReading(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("f")
	d.sees("FROZEN")
	before := d.screen()
	m := d.reading()
	m.Last.Reading.TotalW, m.EnergyJ = tegra.Some(99.9), 99e3
	for range 3 * telemetry.MaxReadings {
		d.send(m)
	}
	must.Equal(t, d.screen(), before)
	must.Equal(t, len(d.r.held), telemetry.MaxReadings)
	d.press("f")
	d.sees("99.9 W")
	j := runningJob(d.board, task.Tuning)
	d.shows(j)
	d.press("3", "f")
	n := len(j.Rows)
	now := j.Snapshot
	now.Rows = append(slices.Clone(j.Rows), j.Rows[0])
	d.send(taskChangedMsg{j, now})
	must.Equal(t, len(j.Rows), n, "a job's rows move a frozen view")
	now.State = task.Done
	d.send(taskDoneMsg{task: j, now: now})
	if len(j.Rows) != n+1 || !j.Done() {
		t.Error("a job ended while the view was frozen, and its last rows are lost")
	}
}

func TestExportWritesTheViewWithItsBadge(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("ctrl+s")
	must.Contain(t, d.exported("*-live.txt"), "VIRTUAL")
}

func TestHelpListsEveryKeyOfThePageInOneScreen(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	for i, p := range d.r.pages {
		d.r.turn(i)
		d.size(80, 24)
		d.press("?")
		for _, k := range p.Acts().Hints() {
			d.sees(" " + k.Label() + " ")
		}
		if d.sees("on "+p.Name().Title(), "? says more"); strings.Contains(d.screen(), "↓ more") {
			t.Errorf("the help of %s is longer than a screen:\n%s", p.Name().Title(), d.screen())
		}
		d.size(100, 160)
		d.press("?")
		d.sees("the numbers", "one letter, one meaning")
		for _, k := range append(p.Acts().Hints(), d.r.acts().Hints()...) {
			d.sees(k.Label())
		}
		d.press("?")
		must.Equal(t, d.r.top(), nil, "the third ? does not close the help")
	}
	for _, keys := range [][]string{{"t"}, {"v"}, {"S"}, {"3", "n"}, {"B"}} {
		d.size(80, 24)
		d.press(append(keys, "?")...)
		if d.r.top() == nil || strings.Contains(d.screen(), "↓ more") {
			t.Errorf("the help after %v is longer than a screen, or none:\n%s", keys, d.screen())
		}
		d.press("esc", "esc", "1")
	}
}

func TestFrameDrawsDashesForMissingAndMadValues(t *testing.T) {
	t.Parallel()
	d := drive(t)
	m := d.reading()
	for i := range m.Samples {
		m.Samples[i].Reading = tegra.Reading{TotalW: tegra.Some([]float64{math.NaN(), math.Inf(1), 1e12, -5}[i%4])}
	}
	m.Last.Reading = tegra.Reading{}
	d.send(m)
	for _, s := range sizes() {
		d.size(s[0], s[1])
		d.sees("– W")
	}
	d.shows(runningJob(d.board, task.Tuning))
	d.r.sh.task.Rows = []record.Row{{Measured: tegra.Measured{TimeMS: math.NaN(), PowerW: math.Inf(1)},
		Status: record.OK}}
	d.press("3")
	d.screen()
}

// fitsEveryWindow draws each scene in the windows of ten columns and more.
func TestFrameOfAnySizeDownToNothing(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	d.shows(runningJob(d.board, task.Tuning))
	for _, over := range []string{"", "t", "?", "a"} {
		for page := range d.r.pages {
			d.r.turn(page)
			d.press("esc", "esc")
			if over != "" {
				d.press(over)
			}
			widths := []int{0, 1, 4, 9, 23}
			for w := 0; os.Getenv("JTUNE_LONG") != "" && w < 100; w += 3 {
				widths = append(widths, w)
			}
			for _, w := range widths {
				for _, h := range []int{0, 1, 2, 3, 4, 5, 7, 9, 12, 17, 24} {
					d.size(w, h)
					d.screen()
				}
			}
			d.press("esc")
		}
	}
}

func TestFrameOfATinyWindowKeepsNamesAndUnits(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.size(40, 12)
	d.sees("CPU", "GPU", "EMC", " W")
	d.size(10, 4)
	d.sees(" W")
}

func TestFitKeepsTheOtherMethodBesideTheFirst(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("t", "t")
	d.press("4")
	d.until("the model is listed", func() bool { return strings.Contains(d.screen(), "resnet18@virtual-agx-orin") })
	d.press("F")
	d.choose("method    ", "linear")
	d.sees("measures nothing")
	d.press("enter")
	d.until("two models are listed", func() bool { return strings.Count(d.screen(), "resnet18@virtual-agx-orin") > 1 })
	d.sees("resnet18@virtual-agx-orin", "linear")
}

// choose changes a line of a form to a value, which its meaning follows.
func (d *driver) choose(line, value string) {
	d.t.Helper()
	for range 20 {
		if strings.Contains(d.screen(), line+"‹ "+value+": ") {
			return
		}
		d.press("right")
	}
	d.sees(line + "‹ " + value + ": ")
}

func TestFitInTheBackgroundCanBeStopped(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("t", "t")
	d.press("4")
	d.until("the model is listed", func() bool { return strings.Contains(d.screen(), "resnet18@virtual-agx-orin") })
	d.press("F")
	d.choose("method    ", "nn") // takes minutes
	d.press("enter")
	d.sees("fitting resnet18@virtual-agx-orin-by-nn", "F stop the fit")
	d.press("5", "4", "F")
	d.until("it has stopped", func() bool { return strings.Contains(d.screen(), "F fit again") })
	d.sees("fit stopped: resnet18@virtual-agx-orin-by-nn is not kept", "F fit again")
	must.Equal(t, len(must.Get(d.board.Models())(t)), 1)
}

func TestLiveTellsAClockThatDoesNotFollowAtEverySize(t *testing.T) {
	t.Parallel()
	d := drive(t)
	m := d.reading()
	m.Last.Reading.GPU.Actual = tegra.Some(306 * tegra.MHz)
	m.Last.Reading.Judge()
	d.send(m)
	for _, s := range sizes() {
		d.size(s[0], s[1])
		d.sees("GPU runs at 0.31, set to 1.30: cause")
	}
}

func TestNoticeOfALongErrorIsInFull(t *testing.T) {
	t.Parallel()
	d := drive(t, func(b *fakeHost, _ *deps) {
		b.TuneErr = errors.New("workload resnet18: no command to run it: add one under [[workload]] in " +
			"/home/somebody/.config/jtune/config.toml")
	})
	d.press("t", "t")
	d.until("the campaign ends", func() bool { return d.r.sh.task.Done() })
	d.sees("/home/somebody/.config/jtune/config.toml")
}

func TestRedoMeasuresFailedModesOnceMore(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	j := runningJob(d.board, task.Tuning)
	d.shows(j)
	j.State = task.Done
	failed := j.Rows[5].Mode
	d.press("3")
	d.sees("R redo failed")
	d.press("R")
	d.until("it was measured", func() bool {
		return d.r.sh.task.Kind == task.Redoing && d.r.sh.task.Done() && len(d.r.sh.task.Rows) == 9
	})
	if last := d.r.sh.task.Rows[8]; last.Mode != failed || !last.Status.Usable() {
		t.Errorf("measured %v (%s), want the failed %v", last.Mode, last.Status, failed)
	}
	if !d.r.sh.Outlook.About(failed).Measured() {
		t.Error("the Front page does not know of it")
	}
	must.Lack(t, d.screen(), "redo failed")
}

func TestExportThatFailsSaysThatAlone(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.send(exportedMsg{"x.txt", errors.New("no space left")})
	if d.sees("export: no space left"); len(d.r.sh.notices.list) != 1 {
		t.Errorf("the log has %v", d.r.sh.notices.list)
	}
}

func TestQuitWorksWhileTextIsTyped(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"6", "/"}, {"6", "i"}, {"5", "/"}, {"5", "i"}} {
		d := drive(t).withView()
		d.press(keys...)
		if !d.r.typing() {
			t.Fatalf("%q types nothing", keys)
		}
		d.press("x", "ctrl+c")
		d.until("the program ends", func() bool { return d.quit })
	}
}
