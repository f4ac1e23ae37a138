package tui

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"jtune/tegra"
	"jtune/tegra/tegratest"
	"jtune/tegra/virtual"
	"jtune/tui/session"
)

// numbers counts the numbers on a screen, those of the tab bar and of the key line among them.
func numbers(screen string) int {
	return len(regexp.MustCompile(`[0-9]+([.,][0-9]+)*`).FindAllString(screen, -1))
}

// few fails if the screen of a usual window has more numbers than can be taken in.
func (d *driver) few(what string, most int) {
	d.t.Helper()
	d.size(80, 24)
	if n := numbers(d.screen()); n > most {
		d.t.Errorf("%s: %d numbers, want %d at most:\n%s", what, n, most, d.screen())
	}
}

const liveNumbers = 45

// trees lists recorded boards: those of this repository, and those below the folder JTUNE_TREES.
func trees(t *testing.T) (roots map[string]string) {
	t.Helper()
	roots = map[string]string{}
	for _, b := range tegratest.Boards() {
		roots[b.Name] = b.New().Write(t)
	}
	more, err := filepath.Glob(os.Getenv("JTUNE_TREES") + "/*/root")
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range more {
		roots[filepath.Base(filepath.Dir(root))] = root
	}
	return roots
}

func (d *driver) nextReading() {
	d.t.Helper()
	last := d.r.sh.Readings.Sample.T
	d.until("another reading", func() bool { return d.r.sh.Readings.Sample.T != last })
}

func TestLiveHasFewNumbersOnEveryTree(t *testing.T) {
	t.Parallel()
	for name, root := range trees(t) {
		d, _ := driveSession(t, session.Options{Sysroot: root, ReadOnly: true})
		d.press("1")
		d.nextReading()
		d.few(name, liveNumbers)
		feed := d.r.sh.Device.Board.FeedRail()
		for _, rail := range d.r.sh.Readings.Sample.Reading.Rails {
			if rail.Name == feed && rail.Volts.OK && !regexp.MustCompile(feed+` +[0-9.]+ V +[0-9.]+ A`).
				MatchString(d.screen()) {
				t.Errorf("%s: no voltage and current of %s:\n%s", name, feed, d.screen())
			}
		}
	}
}

// TestLiveHasFewNumbersWhileAVirtualBoardWorks trains in a mode without a name, with locked clocks.
func TestLiveHasFewNumbersWhileAVirtualBoardWorks(t *testing.T) {
	t.Parallel()
	for _, name := range virtual.Names() {
		d, s := driveSession(t, session.Options{Device: "virtual:" + name, Speed: 60, Seed: 1})
		d.press("1")
		d.nextReading()
		d.few(name, liveNumbers)
		guard, err := s.Guard(t.Context())
		if err == nil {
			_, err = guard.Apply(t.Context(), tegra.Request{Mode: s.Device.Space().At(s.Device.Space().Len() / 2)})
		}
		if err != nil {
			t.Fatal(err)
		}
		d.press("2", "enter", "1")
		d.until("it trains", func() bool {
			return regexp.MustCompile(`/minibatch.*stall`).MatchString(d.screen())
		})
		d.nextReading()
		d.few(name+" at work", liveNumbers)
	}
}

// TestTuneOnAFreshBoardAsksForACommand presses t twice from an empty data folder: a job that cannot run is never
// proposed.
func TestTuneOnAFreshBoardAsksForACommand(t *testing.T) {
	t.Parallel()
	for name, root := range trees(t) {
		d, _ := driveSession(t, session.Options{Sysroot: root})
		if why := d.r.sh.MayMeasure(); why != "" {
			continue // the key says why
		}
		d.press("t")
		d.until(name+": a question", func() bool { return d.r.form != nil || d.r.typing() })
		if d.r.form != nil {
			continue // this machine has a job that can run: it is not started here
		}
		d.press("t")
		if d.r.form != nil || !d.r.typing() || len(d.r.sh.notices.list) > 0 {
			t.Errorf("%s: %v\n%s", name, d.r.sh.notices.list, d.screen())
		}
	}
}
