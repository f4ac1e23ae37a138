package tui

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
	"jtune/tegra/tegratest"
	"jtune/tegra/virtual"
	"jtune/tui/page"
	"jtune/tui/page/dialog"
	"jtune/tui/session"
)

var number = regexp.MustCompile(`[0-9]+([.,][0-9]+)*`)

// numbers counts the numbers on a screen, those of the tab bar and of the key line among them.
func numbers(screen string) int { return len(number.FindAllString(screen, -1)) }

// few fails if the screen of a usual window has more numbers than can be taken in.
func (d *driver) few(what string, most int) {
	d.t.Helper()
	d.size(80, 24)
	if n := numbers(d.screen()); n > most {
		d.t.Errorf("%s: %d numbers, want %d at most:\n%s", what, n, most, d.screen())
	}
}

const liveNumbers = 45

// trees returns recorded boards: those of this repository, and those that their owners described, where they are.
func trees(t *testing.T) map[string]*tegratest.Tree {
	t.Helper()
	all := tegratest.Trees()
	t.Run("owners' trees", func(t *testing.T) {
		maps.Copy(all, tegratest.Archives(t, sweeptest.Shared(t, "tools/devices/hand")))
	})
	return all
}

// worst makes a reading of everything that Live may have to say: hot, throttled, in alarm, with all engines at work.
func worst(r *tegra.Reading) {
	r.Throttled, r.Heat = tegra.Some(true), tegra.Some(false)
	r.Slow = []tegra.SlowClock{{Name: "CPU 0", Actual: 649 * tegra.MHz, Asked: 1510 * tegra.MHz, Core: true}}
	for i := range r.Temps {
		r.Temps[i].C = 94.9 + r.Temps[i].Trip.V.C - 99
		r.Temps[i].Trip = tegra.Some(tegra.Trip{C: 99, Kind: "passive"})
	}
	for i := range r.Signals {
		r.Signals[i].Count.V += 27_390
	}
	r.Engines = nil
	for _, name := range []string{"DLA0", "DLA1", "NVDEC", "NVENC", "NVJPG", "OFA", "PVA0", "VIC"} {
		r.Engines = append(r.Engines, tegra.EngineReading{Name: name, OnPct: tegra.Some(37.5)})
	}
	r.TotalW.V *= 3 // over its preset's budget
	r.RAMUsed.V = r.RAMTotal.V * 99 / 100
}

func (d *driver) nextReading() {
	d.t.Helper()
	last := d.r.sh.Readings.Sample.T
	d.until("another reading", func() bool { return d.r.sh.Readings.Sample.T != last })
}

func TestLiveHasFewNumbersOnEveryTree(t *testing.T) {
	t.Parallel()
	for name, tree := range trees(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := driveSession(t, session.Options{Sysroot: tree.Write(t), ReadOnly: true})
			d.press("1")
			d.nextReading()
			d.few(name, liveNumbers)
			feed := d.r.sh.Device.Board.FeedRail()
			for _, rail := range d.r.sh.Readings.Sample.Reading.Rails {
				if rail.Name == feed && rail.Volts.OK && !regexp.MustCompile(feed+` +[0-9.]+ V +[0-9.]+ A`).
					MatchString(d.screen()) {
					t.Errorf("no voltage and current of %s:\n%s", feed, d.screen())
				}
			}
		})
	}
}

// TestLiveHasFewNumbersWhileAVirtualBoardWorks trains in a mode without a name, with locked clocks.
func TestLiveHasFewNumbersWhileAVirtualBoardWorks(t *testing.T) {
	t.Parallel()
	for _, name := range virtual.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s := driveSession(t, session.Options{Device: "virtual:" + name, Speed: 60, Seed: 1})
			d.press("1")
			d.nextReading()
			d.few(name, liveNumbers)
			guard, err := s.Guard(t.Context())
			if err == nil {
				_, err = guard.Apply(t.Context(), tegra.Request{Mode: s.Device.Space().At(s.Device.Space().Len() / 2)})
			}
			must.NoError(t, err)
			d.press("2", "enter", "1")
			d.until("it trains", func() bool {
				return regexp.MustCompile(`/step.*stall`).MatchString(d.screen())
			})
			d.nextReading()
			d.few(name+" at work", liveNumbers)
			r := &d.r.sh.Readings.Sample.Reading
			worst(r)
			d.few(name+" at work, hot and throttled", liveNumbers)
			r.Mode, r.Locked = tegra.Some(s.Device.Presets()[0].Mode), tegra.Some(false)
			for _, c := range []*tegra.ClockReading{&r.CPU, &r.GPU, &r.EMC} {
				c.Max.V = 2 * c.Actual.V
			}
			d.few(name+" at work in a preset, with free clocks", liveNumbers)
		})
	}
}

const (
	searchingNumbers = 90
	cardNumbers      = 60
	modesNumbers     = 100
)

// kinds has a question of each kind of goal, and the board of its default run; what a board cannot keep has a
// card too.
var kinds = []struct{ name, board, job, limit, after string }{
	{"fastest within watts", "orin-nano", "", "", ""},
	{"least power within a time", "nano", "", "", "right"},
	{"least energy", "orin-nano", "", "", "left"},
	{"watts and a time", "nano", "", "15 W, 400 ms", ""},
	{"a load", "orin-nano", "mobilenet-infer", "p99 400 ms, 4/s", ""},
}

// TestScreensHaveFewNumbersOnEveryVirtualBoard searches for each kind of goal on a board, in the long form on each, and
// counts the numbers of all screens of the search, of its card, and of Modes after it.
func TestScreensHaveFewNumbersOnEveryVirtualBoard(t *testing.T) {
	draws(t)
	t.Parallel()
	for _, name := range virtual.Names() {
		for _, q := range kinds {
			if os.Getenv("JTUNE_LONG") == "" && name != q.board {
				continue
			}
			t.Run(name+", "+q.name, func(t *testing.T) {
				// As fast as can be, a search may end before a busy machine has drawn a screen of it.
				d, _ := driveSession(t, session.Options{Device: "virtual:" + name, Speed: 200, Seed: 1})
				d.size(80, 24)
				d.r.do(page.AskTune{Workload: q.job, Limit: q.limit})
				if q.after != "" {
					d.press(q.after)
				}
				d.press("t")
				most, busiest := 0, ""
				d.until(q.name, func() bool {
					if screen := d.screen(); !d.r.sh.task.Done() && numbers(screen) > most {
						most, busiest = numbers(screen), screen
					}
					return d.r.sh.task.Done() && d.r.sh.Outlook != nil
				})
				if most > searchingNumbers || most < 20 { // fewer: nothing was seen
					t.Errorf("%d numbers, want %d at most:\n%s", most, searchingNumbers, busiest)
				}
				d.sees("the answer", "S soak")
				d.few("card", cardNumbers)
				d.press("6")
				d.few("Modes", modesNumbers)
				d.press("down")
				d.few("Modes, another mode", modesNumbers)
				if q.job != "" {
					d.until("the load is worked out", func() bool { return d.r.sh.Served.Of(d.r.sh.Outlook) })
					d.few("Modes, latencies", modesNumbers)
				}
				d.press("s", "m")
				d.few("Modes, by mode", modesNumbers)
			})
		}
	}
}

func TestProfileCardOfSeveralLimitsHasFewNumbers(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.shows(searchedJob(d.board, 20, 25, 30))
	d.press("3")
	d.sees("FITS 20 W")
	d.few("three limits", cardNumbers)
}

// TestTuneOnAFreshBoardAsksForACommand presses t twice from an empty data folder: a job that cannot run is never
// proposed, and the list does not say that it runs.
func TestTuneOnAFreshBoardAsksForACommand(t *testing.T) {
	t.Parallel()
	all := trees(t)
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i%4 > 0 && os.Getenv("JTUNE_LONG") == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := driveSession(t, session.Options{Sysroot: all[name].Write(t)})
			if why := d.r.sh.read.MayMeasure(); why != "" {
				return // the key says why
			}
			d.press("t")
			d.until(name+": a question", func() bool { return d.r.top() != nil })
			if _, tune := d.r.top().(*dialog.Tune); tune {
				return // this machine has a job that can run: it is not started here
			}
			d.press("t")
			if _, asks := d.r.top().(page.Question); !asks || len(d.r.sh.notices.list) > 0 {
				t.Errorf("%s: %v\n%s", name, d.r.sh.notices.list, d.screen())
			}
			if list := d.screen(); strings.Contains(list, " yes ") || !strings.Contains(list, " no ") ||
				!strings.Contains(list, "jtune doctor") {
				t.Errorf("%s: the list says that a job can run, t that none can:\n%s", name, list)
			}
		})
	}
}
