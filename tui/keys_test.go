package tui

import (
	"math"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/page/dialog"
	"jtune/tui/session/measure"
	"jtune/tui/session/task"
)

func TestKeysOfTheUserWorkAndShowInLastLineHelpAndText(t *testing.T) {
	t.Parallel()
	keys, action, err := page.KeysWith(map[string][]string{"apply": {"ctrl+o"}, "help": {"f", "?"}, "freeze": {"H"},
		"lower": {"("}, "higher": {")"}, "tune": {"K"}, "group": {"ctrl+k"}})
	if err != nil {
		t.Fatalf("%s: %v", action, err)
	}
	d := drive(t, func(_ *fakeHost, d *deps) { d.state.Keys = keys }).withView()
	d.press("1")
	d.sees("K tunes one")
	d.press("5")
	d.sees("ctrl+o apply", "( ) limit")
	d.press("a")
	must.Equal(t, d.r.apply.Stage(), dialog.Idle, "the old key still applies")
	d.press("ctrl+o")
	if d.r.apply.Stage() != dialog.Asking {
		t.Fatal("the new key does not apply")
	}
	d.sees("ctrl+o apply it")
	d.press("esc", "f")
	if d.r.top() == nil {
		t.Fatal("the new key does not open the help")
	}
	d.press("f")
	d.size(80, 90)
	d.sees("ctrl+o", "ctrl+k ", "light up the modes")
	d.press("esc", "K")
	d.sees("fastest within 30 W")
	d.press("(")
	d.sees("fastest within 29 W")
}

// isExplained wants that the help explains a scene's numbers and keys.
func isExplained(t *testing.T, d *driver) {
	t.Helper()
	if page.Numbers(string(d.r.shown().Name())) == nil {
		t.Error("the help does not explain its numbers")
	}
	for _, h := range append(d.r.acts().Hints(), d.r.hints()...) {
		if h.ID == "" || h.Label() == "" || h.Explained() == "" {
			t.Errorf("action %q, key %q, help text %q", h.ID, h.Label(), h.Explained())
		}
	}
}

// The dialog of a command tunes what it has read, and the last line has that hint only once, during the run and
// afterwards.
func TestLastLineOfAnOwnJobHasEachHintOnce(t *testing.T) {
	t.Parallel()
	d := drive(t, func(b *fakeHost, _ *deps) { b.Wait = make(chan struct{}) })
	once := func() {
		t.Helper()
		seen := map[string]bool{}
		for _, h := range d.r.hints() {
			if seen[h.ID] {
				t.Errorf("%s is there twice", h.ID)
			}
			seen[h.ID] = true
		}
		if keys := d.r.sh.Keys; !seen[keys.Tune.ID] || !seen[keys.Quit.ID] {
			t.Errorf("the hints are %v", seen)
		}
	}
	d.press("2", "n")
	for _, c := range "train" {
		d.press(string(c))
	}
	d.press("enter")
	d.sees("train prints")
	once()
	d.press("x")
	d.until("it has ended", func() bool { return d.r.sh.task.Done() })
	d.sees("enter run again")
	once()
}

// The tune key uses the workload under the cursor, on every page with workloads.
func TestTuneTakesTheWorkloadUnderTheCursor(t *testing.T) {
	t.Parallel()
	asks := func(d *driver, workload string) {
		t.Helper()
		d.press("t")
		d.sees("  workload   " + workload + ":")
		d.press("esc")
	}
	d := drive(t)
	asks(d, "resnet18") // Live has no cursor: the suggested one
	d.press("2")
	d.sees("▸resnet18")
	d.press("down")
	d.sees("▸mobilenet")
	asks(d, "mobilenet")
	d.r.sh.Work.Preferred = "bert" // as after a run of it
	asks(d, "mobilenet")
	d.press("1")
	asks(d, "bert")
	d.withView().press("5")
	asks(d, "resnet18")
}

// v measures any mode from any page: the one under the cursor of Modes, Front or a campaign; elsewhere a dialog asks
// for it, presets first.
func TestKeysMeasureAnyModeFromAnyPage(t *testing.T) {
	t.Parallel()
	d := drive(t)
	last := d.r.sh.task
	measures := func(what, workload string, want tegra.Mode) {
		t.Helper()
		d.until(what+" is measured", func() bool { return d.r.sh.task != last && d.r.sh.task.Done() })
		j := d.r.sh.task
		if last = j; j.Kind != task.Verifying || j.Workload.Name != workload || len(j.Readings) != 1 ||
			j.Readings[0].Mode != want {
			t.Errorf("%s: %v of %s gave %+v, want %v with %s", what, j.Kind, j.Workload.Name, j.Readings, want,
				workload)
		}
		d.until("the notice of its end", func() bool {
			return strings.Contains(d.r.sh.notices.shown.text, "measured ")
		})
	}
	presets := d.board.Presets()
	d.press("v")
	d.sees("Measure a mode", "▸mode     ‹ "+presets[0].Name+" ", "workload   resnet18: ResNet-18 on ImageNet",
		"enter measure")
	d.press("right", "enter")
	measures("the second preset", "resnet18", presets[1].Mode)
	d.press("2")
	d.sees("▸resnet18")
	d.press("down", "v", "n", "o", "enter")
	d.sees("Measure a mode", "✗ no mode of this board such as 12c/")
	d.press("backspace", "backspace")
	for _, c := range "30w" {
		d.press(string(c))
	}
	d.press("enter")
	p, _ := tegra.FindPreset("MODE_30W", presets)
	measures("a typed preset on Train", "mobilenet", p.Mode)
	d.press("6", "p")
	d.sees("Presets of this board", "v measure")
	d.press("down", "v")
	measures("a preset of Modes", "resnet18", presets[1].Mode)
	d.withView().press("6", "p", "p")
	d.press("s", "m", "s", "m", "down", "v")
	measures("a row of Modes", "resnet18", d.r.sh.Device.Space.At(1))
	d.r.sh.Device.ReadOnly = true
	for _, page := range []string{"1", "5", "6"} {
		d.press(page, "v")
		d.sees("measure: not now, read-only")
	}
}

// A resumed task runs at the clock rate of the task before.
func TestKeysKeepTheSpeedOfWhatGoesOn(t *testing.T) {
	t.Parallel()
	d := drive(t)
	w := d.r.sh.Work.List[0]
	for _, c := range []struct {
		begin page.Start
		want  float64
	}{
		{page.Start{Again: true, Speed: math.Inf(1)}, math.Inf(1)}, // after a restart
		{page.Start{}, 0},
		{page.Start{Again: true, Speed: math.Inf(1)}, 0},
		{page.Start{Speed: 10}, 10},
		{page.Start{Again: true, Speed: math.Inf(1)}, 10},
	} {
		c.begin.Task = task.Verify(measure.ModeRequest{Workload: w, Mode: d.board.Presets()[0].Mode}, 0)
		d.run(d.r.do(c.begin))
		now := c.begin.Task
		d.until("it runs to its end", func() bool {
			return d.r.sh.task != nil && d.r.sh.task.run == now &&
				d.r.sh.task.Done()
		})
		must.Equal(t, now.Speed, c.want, c.begin)
	}
}
