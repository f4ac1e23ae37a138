package tui

import (
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tui/page/dialog"
	"jtune/tui/page/pagetest"
)

// bootShows reports whether the dialog of the boot mode is open.
func (d *driver) bootShows() bool { return strings.Contains(d.screen(), "The mode at every boot") }

func (d *driver) bootSettled() {
	d.t.Helper()
	before := d.r.sh.notices.shown.at
	d.until("the unit was written or removed", func() bool { return d.r.sh.notices.shown.at.After(before) })
}

func TestBootModeIsShownWrittenUndoneAndRemoved(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	d.size(100, 40)
	d.press("5", "a", "a")
	d.settle()
	d.press("6", "W")
	if d.bootShows() || !strings.Contains(d.r.sh.notices.shown.text, "keep the mode first") {
		t.Errorf("a mode that was not kept can be that at boot: %q", d.r.sh.notices.shown.text)
	}
	d.press("y")
	d.settle()
	plan := func() {
		t.Helper()
		d.press("W")
		d.until("the unit shows", func() bool { return d.bootShows() })
	}
	plan()
	mode := d.r.sh.Device.Space.Format(d.board.Mode())
	d.sees("now at boot: nothing", mode, "W writes", "ExecStart=/usr/local/bin/jtune apply "+mode,
		"After=nvpower.service", "x remove (none is there)")
	if d.board.Unit() != "" {
		t.Fatal("written before the user confirmed")
	}
	d.press("esc")
	plan()
	d.press("W")
	d.bootSettled()
	if !strings.Contains(d.board.Unit(), " apply "+mode+" --yes ") {
		t.Fatalf("the unit is %q", d.board.Unit())
	}
	d.sees("every boot sets "+mode, "u undo")
	d.press("u")
	d.bootSettled()
	if d.board.Unit() != "" || d.board.Mode() != d.board.Found {
		t.Fatalf("after undo the unit is %q", d.board.Unit())
	}
	plan()
	d.press("W")
	d.bootSettled()
	plan()
	d.sees("now at boot: " + mode)
	d.press("x")
	d.bootSettled()
	d.sees("removed: no mode is applied at boot")
	must.Equal(t, d.board.Unit(), "")
	d.press("u")
	d.bootSettled()
	must.Contain(t, d.board.Unit(), " apply "+mode+" ")
}

func TestBootModeThatCannotBeWrittenIsShownWithItsReason(t *testing.T) {
	t.Parallel()
	for why, err := range map[string]error{
		"on a Jetson this would be written": tegra.ErrUnsupported,
		"must be root":                      tegra.ErrPermission,
	} {
		d := drive(t, func(b *fakeHost, _ *deps) {
			if b.NoBoot = err; err == tegra.ErrPermission {
				b.NoBoot = permission{}
			}
		})
		d.size(100, 30)
		d.press("6", "W")
		d.until("the unit shows", func() bool { return d.bootShows() })
		d.sees(why, "ExecStart=", "W write it (see above)")
		d.press("W", "x")
		must.Equal(t, d.board.Unit(), "", err)
		d.press("tab", "6", "esc")
		if d.bootShows() || d.quit {
			t.Error("the dialog does not close")
		}
	}
}

type permission struct{}

func (permission) Error() string { return "must be root" }

func (permission) Is(target error) bool { return target == tegra.ErrPermission }

func TestBootModeIsNotChangedByAPaste(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("6", "W")
	d.until("the unit shows", func() bool { return d.bootShows() })
	for _, k := range []string{"W", "x", "W"} {
		d.now = d.now.Add(rush / 10)
		d.send(pagetest.Key(k))
	}
	d.drain()
	if !d.bootShows() || d.board.Unit() != "" {
		t.Error("keys that came too fast were taken")
	}
}

func TestPresetOnTrialIsKeptInTheScreensWithAYesAlone(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"y": "kept: nvpmodel sets MODE_30W at every boot", "n": ""} {
		kept := 0
		d := drive(t, func(_ *fakeHost, deps *deps) {
			deps.tried = dialog.AskToKeepBy("MODE_30W", func() error { kept++; return nil })
		})
		d.sees("keep MODE_30W? y / n", "it came up after the reboot")
		d.press(key)
		if want != "" {
			d.until("it is kept", func() bool { return strings.Contains(d.screen(), want) })
		}
		must.Equal(t, kept == 1, want != "", key)
	}
}
