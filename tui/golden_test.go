package tui

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/profiles/record/remarks"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/page/models"
	"jtune/tui/page/pagetest"
	"jtune/tui/page/train"
	"jtune/tui/session/control"
	modelsroom "jtune/tui/session/models"
	"jtune/tui/session/task"
)

// draws skips a test when only data races are tested: one goroutine draws all of its screens.
func draws(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("draws many screens in one goroutine")
	}
}

var update = flag.Bool("update", false, "renew the golden screens")

// sizes returns the sizes of golden screens: the usual window and a tiny one. One goroutine draws all of them, so the
// short form only uses the first.
func sizes() [][2]int {
	if testing.Short() {
		return [][2]int{{80, 24}}
	}
	return [][2]int{{80, 24}, {40, 12}}
}

// roomySizes are larger windows.
var roomySizes = [][2]int{{120, 35}, {200, 50}}

// roomy lists the scenes that have golden screens in larger windows too. keepsItsWords checks the others there.
var roomy = map[string]bool{"live": true, "front": true, "train-run": true, "tune": true, "welcome": true}

// golden compares a screen with its file, and checks what every frame needs: the exact size, and a badge that
// identifies the board.
func golden(t *testing.T, d *driver, name string) {
	t.Helper()
	drawn := sizes()
	if roomy[name] && !testing.Short() {
		drawn = append(drawn, roomySizes...)
	}
	for _, s := range drawn {
		compare(t, fmt.Sprintf("%s-%dx%d", name, s[0], s[1]), trimmed(framed(t, d, name, s)))
	}
}

// framed returns a screen of a size, after checking what every frame needs.
func framed(t *testing.T, d *driver, name string, s [2]int) string {
	t.Helper()
	d.size(s[0], s[1])
	got := d.screen()
	lines := strings.Split(got, "\n")
	must.Equal(t, len(lines), s[1], name, s[0])
	for i, line := range lines {
		must.Equal(t, ansi.StringWidth(line), s[0], name, s[1], i+1, line)
	}
	must.Contain(t, lines[0], "VIRTUAL ×60")
	return got
}

// trimmed returns a screen without trailing spaces.
func trimmed(screen string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(screen, "\n") {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		must.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./tui -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs from its golden file (-want +got):\n%s", name, diff)
	}
}

// listed shows campaigns of the board, one interrupted, one of another program.
func listed(d *driver) {
	list, deleted := pagetest.Campaigns(d.board.pageBoard)
	d.send(campaignsMsg{List: list, Deleted: deleted})
}

// runningJob returns a campaign in progress, without a goroutine.
func runningJob(b *fakeHost, kind task.TaskKind) *shownTask {
	return &shownTask{Task: *pagetest.Task(b.pageBoard, kind)}
}

// searchedJob returns a search that has ended.
func searchedJob(b *fakeHost, watts ...float64) *shownTask {
	return &shownTask{Task: *pagetest.Searched(b.pageBoard, watts...)}
}

// studied lists an assessed model and a broken one.
func studied(d *driver) {
	samples := d.board.Samples()
	info := modelsroom.Info{Name: "resnet18", Path: "/m/resnet18", Model: d.board.Fitted(samples),
		Modified: pagetest.Start.Add(-3 * time.Hour)}
	space := d.board.Space()
	s := outlook.Assessment{
		Model:   info.Model,
		Effects: learn.Importance(pagetest.Predictor{}, space, space.Max(), math.Inf(1)),
		Decides: "halving one setting of 12c/2.20C/1.30G/3.20M: GPU 625 MHz +63 % time, -48 % power; " +
			"CPU 1.11 GHz +19 % time, -25 % power; 6 cores +2 % time, -8 % power (predicted)",
	}
	for i, m := range samples {
		p := pagetest.Predictor{}.Predict([]tegra.Mode{m.Mode})[0]
		if i == 1 { // far off in one corner
			p.TimeMS, p.TimeLoMS, p.TimeHiMS = p.TimeMS*1.3, p.TimeLoMS*1.2, p.TimeHiMS*1.4
		}
		s.Left = append(s.Left, learn.LeftOut{Measured: m, Prediction: p})
	}
	d.send(models.Assessed{Of: info, Assessment: s})
	d.withView()
	d.send(page.ModelsListed{List: []modelsroom.Info{info,
		{Name: "broken", Err: os.ErrInvalid, Modified: pagetest.Start.Add(-72 * time.Hour)}}})
}

// hot makes the board throttle: a sensor near its trip point, a clock below its setting, memory nearly full,
// over-currents, more power than the preset's budget.
func hot(d *driver) {
	r := &d.r.sh.Readings
	trip := tegra.Some(tegra.Trip{Kind: "passive", C: 99})
	change := func(now *tegra.Reading) {
		now.Temps = []tegra.TempReading{{Name: "cpu-thermal", C: 86, Trip: trip},
			{Name: "gpu-thermal", C: 71, Trip: trip}, {Name: "tj-thermal", C: 97, Trip: trip}}
		now.Signals = tegra.Signals{{Name: tegra.InstantCurrent, Count: tegra.Some(int64(5))}}
		now.GPU.Actual = tegra.Some(tegra.Freq(828750000))
		now.Judge()
		now.RAMUsed = tegra.Some(int64(30e9))
		now.Mode = tegra.Some(d.r.sh.Device.Presets[2].Mode)
	}
	change(&r.Sample.Reading)
	for i := range r.History {
		change(&r.History[i].Reading)
	}
}

// scenes returns the states of pages and dialogs, by the names of their golden files.
func scenes() map[string]func(d *driver) {
	return map[string]func(d *driver){
		"live":        func(d *driver) { d.press("1") },
		"live-clocks": func(d *driver) { d.press("1", "e") },
		"live-hot":    func(d *driver) { hot(d); d.press("1") },
		"train":       func(d *driver) { d.press("2") },
		"train-run": func(d *driver) {
			d.shows(runningJob(d.board, task.Training))
			d.r.sh.task.Last = &harness.Event{FetchMS: tegra.Some(9.0), CopyMS: tegra.Some(1.2),
				StallMS: tegra.Some(6.0), ComputeMS: tegra.Some(50.0), OverheadMS: tegra.Some(6.0)}
			d.r.sh.task.Character = character()
			d.r.sh.task.Advice = remarks.About(d.r.sh.task.Character)
			d.press("2")
		},
		"train-pair": func(d *driver) {
			d.shows(&shownTask{Task: *pagetest.Pairing(d.board.pageBoard, false)})
			d.press("2")
		},
		"train-pair-answer": func(d *driver) {
			d.shows(&shownTask{Task: *pagetest.Pairing(d.board.pageBoard, true)})
			d.press("2")
		},
		"profile-idle": func(d *driver) { d.press("3") },
		"profile-stop": func(d *driver) { d.shows(runningJob(d.board, task.Tuning)); d.press("3", "x") },
		"profile-paused": func(d *driver) {
			j := runningJob(d.board, task.Tuning)
			j.State, j.By = task.Paused, "anna (jtune 4242)"
			d.shows(j)
			d.press("3")
		},
		"profile-followed": func(d *driver) {
			list, _ := pagetest.Campaigns(d.board.pageBoard)
			at := list[0] // of another program
			d.send(followedMsg{found: &control.Followed{Running: record.Running{PID: at.PID, Dir: at.Dir},
				Header: *at.Header, Rows: at.Rows(), Space: d.board.Space(), Newest: pagetest.Start,
				Reach: &control.Reach{Task: 1, State: "running", User: "anna", Whole: "a run cannot be paused"}}})
			d.press("3", "space")
		},
		"palette":      func(d *driver) { d.press("1", ":") },
		"profile":      func(d *driver) { d.shows(runningJob(d.board, task.Tuning)); d.press("3") },
		"profile-card": func(d *driver) { d.shows(searchedJob(d.board, 30)); d.press("3") },
		"profile-soak": func(d *driver) {
			d.shows(&shownTask{Task: *soaking(d.board.pageBoard, false)})
			d.press("3")
		},
		"profile-soaked": func(d *driver) {
			d.shows(&shownTask{Task: *soaking(d.board.pageBoard, true)})
			d.press("3")
		},
		"soak":              func(d *driver) { d.press("1", "S") },
		"profile-limits":    func(d *driver) { d.shows(searchedJob(d.board, 20, 25, 30)); d.press("3", "down") },
		"profile-campaigns": func(d *driver) { listed(d); d.press("3") },
		"profile-deleted":   func(d *driver) { listed(d); d.press("3", "U") },
		"profile-delete":    func(d *driver) { listed(d); d.press("3", "D") },
		"profile-opened":    func(d *driver) { listed(d); d.press("3", "home", "enter") },
		"profile-compare":   func(d *driver) { listed(d); d.press("3", "d", "down", "d") },
		"profile-new": func(d *driver) {
			d.press("3", "n", "right", "6", "enter", "c", "o", "r", "e", "s", ">", "=", "8")
		},
		"profile-new-wrong": func(d *driver) { d.press("3", "n", "enter", "enter", "c", "o", "e", "r", "s", ">", "2") },
		"profile-order": func(d *driver) {
			j := runningJob(d.board, task.Profiling)
			j.Plan, j.Planned, j.Best, j.Step = "30 random modes of cores>=4", 30, nil, nil
			j.Order = tegra.Settings(d.board.Space().Sample(22, 9), tegra.Own)
			d.shows(j)
			d.press("3", "e", "e", "e")
		},
		"messages": func(d *driver) {
			d.press("m", "m", "e", "!")
		},
		"models":         func(d *driver) { studied(d); d.press("4") },
		"models-bars":    func(d *driver) { studied(d); d.press("4", "X", "X") },
		"models-regions": func(d *driver) { studied(d); d.press("4", "X", "X", "X") },
		"models-delete":  func(d *driver) { studied(d); d.press("4", "D") },
		"models-rename":  func(d *driver) { studied(d); d.press("4", "M") },
		"models-deleted": func(d *driver) {
			studied(d)
			info := modelsroom.Info{Name: "resnet18-quick", Path: "/m/resnet18-quick",
				Model: d.board.Fitted(d.board.Samples()[:4]), Modified: pagetest.Start.Add(-5 * time.Hour)}
			d.send(models.Assessed{Of: info, Assessment: outlook.Assessment{Model: info.Model}})
			d.send(page.ModelsListed{Deleted: []modelsroom.Info{info}})
			d.press("4", "U")
		},
		"front-mixes": func(d *driver) { d.r.sh.Mixes = pagetest.Mixes(d.board.pageBoard, true); d.press("5") },
		"front-mixes-table": func(d *driver) {
			d.r.sh.Mixes = pagetest.Mixes(d.board.pageBoard, true)
			d.press("5", "b", "left")
		},
		"front-mixes-none": func(d *driver) {
			d.r.sh.Mixes = pagetest.Mixes(d.board.pageBoard, false)
			d.press("5", "left")
		},
		"front-map":      func(d *driver) { d.withView().press("5", "V") },
		"front-curves":   func(d *driver) { d.withView().press("5", "V", "V", "right") },
		"front-idle":     func(d *driver) { d.press("5") },
		"front":          func(d *driver) { d.withView().press("5") },
		"front-zoom":     func(d *driver) { d.withView().press("5", "+", "+", "+", "K", "K") },
		"front-energy":   func(d *driver) { d.withView().press("5", "X", "X", "L") },
		"front-enlarged": func(d *driver) { d.withView().press("5", "e", "right", "right") },
		"front-measured": func(d *driver) {
			d.withView().press("5", "v")
			d.until("the mode is measured", func() bool { return d.r.sh.task.Done() })
		},
		"front-load": func(d *driver) {
			d.serves()
			d.underALoad("30 W, p99 60 ms, 20/s")
		},
		"front-load-table": func(d *driver) {
			d.serves()
			d.underALoad("30 W, p99 60 ms, 20/s")
			d.press("b")
		},
		"front-study": func(d *driver) {
			d.send(campaignsMsg{List: []task.Listed{pagetest.Study(d.board.pageBoard, "resnet18")}})
			d.press("5", "V")
			d.until("the study is read", func() bool { return !strings.Contains(d.screen(), "reading") })
		},
		"modes-load": func(d *driver) {
			d.serves()
			d.underALoad("30 W, p99 60 ms, 20/s")
			d.press("6", "s", "t")
		},
		"front-table": func(d *driver) { d.withView().press("5", "b") },
		"front-apply": func(d *driver) { d.withView().press("5", "a") },
		"modes":       func(d *driver) { d.press("6") },
		"modes-sorted": func(d *driver) {
			d.withView().press("6", "/")
			for _, c := range "power<20" {
				d.press(string(c))
			}
			d.press("enter", "s", "c")
		},
		"modes-compare": func(d *driver) { d.withView().press("6", "p", "space", "space", "space", "d", "down") },
		"modes-boot": func(d *driver) {
			d.board.Root, d.board.NoBoot = "", tegra.ErrUnsupported // as on a virtual board: nothing is written
			d.press("6", "W")
			d.until("the unit shows", func() bool { return d.bootShows() })
		},
		"modes-compose": func(d *driver) { d.withView().press("6", "C", "down", "left") },
		"tune":          func(d *driver) { d.press("t") },
		"tune-limits":   func(d *driver) { d.press("t", "2", "0", ",", "2", "5", ",", "0") },
		"tune-help":     func(d *driver) { d.press("t", "?") },
		"help":          func(d *driver) { d.press("5", "?") },
		"train-log": func(d *driver) {
			d.shows(runningJob(d.board, task.Training))
			for i := range 60 {
				d.send(train.LogRead{Lines: []string{fmt.Sprintf("step %d loss %.2f", i, 3-float64(i)/40)}})
			}
			d.press("2", "o")
			d.screen()
			d.press("up")
		},
		"train-settings": func(d *driver) { d.press("2", "C", "down") },
	}
}

// TestGoldenPagesAtEverySize draws every scene: as its golden screens, in larger windows, in all sizes of a window, and
// with fewer characters. The help explains its numbers and its keys.
func TestGoldenPagesAtEverySize(t *testing.T) {
	t.Parallel()
	for name, scene := range scenes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := drive(t)
			scene(d)
			golden(t, d, name)
			keepsItsWords(t, d, name)
			fitsEveryWindow(t, d)
			if !testing.Short() {
				isExplained(t, d)
				drawsTheLevelsGlyphs(t, d)
			}
		})
	}
}

// keepsItsWords draws a scene without golden screens in larger windows: they contain the words of the usual window, and
// no more words are cut.
func keepsItsWords(t *testing.T, d *driver, name string) {
	t.Helper()
	if roomy[name] {
		return
	}
	usual := framed(t, d, name, [2]int{80, 24})
	for _, s := range roomySizes {
		wide := framed(t, d, name, s)
		for _, word := range words.FindAllString(usual, -1) {
			if !strings.Contains(wide, word) && !slices.Contains(whereLittleFits, word) &&
				!slices.Contains(hiddenByADialog[name], word) {
				t.Errorf("%dx%d lacks %q\n%s", s[0], s[1], word, wide)
			}
		}
		cuts := cutWord.FindAllString(wide, -1)
		if len(cuts) > len(cutWord.FindAllString(usual, -1))+listsCut[name] {
			t.Errorf("%dx%d cuts %q\n%s", s[0], s[1], cuts, wide)
		}
	}
}

var (
	words   = regexp.MustCompile(`\p{L}{4,}`)
	cutWord = regexp.MustCompile(`\p{L}+…`)

	// whereLittleFits are the words of hints about missing room: "e enlarge", "e shows the rest", "2 more lines", "line
	// 40 of 60".
	whereLittleFits = []string{"enlarge", "shows", "rest", "more", "lines", "line"}

	// hiddenByADialog are words that a dialog covers in larger windows, by scene.
	hiddenByADialog = map[string][]string{"models-rename": {"predictions"}, "tune-limits": {"python", "Xorg"},
		"soak": {"Xorg"}}

	// listsCut is the number of texts that only a larger window shows, and cuts, by scene: Live's processes on the GPU,
	// and why a mode of a campaign has no reading.
	listsCut = map[string]int{"live-hot": 1, "profile": 1, "profile-stop": 1, "profile-paused": 1}
)

func TestGoldenKeepQuestionCountsDown(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	d.press("5", "a", "a")
	d.settle()
	d.now = d.now.Add(4 * time.Second)
	d.r.frame = ""
	golden(t, d, "front-keep")
	j := pagetest.Task(d.board.pageBoard, task.Verifying) // its job runs: two readings, and 31 steps of the next
	j.Rows = []record.Row{{Measured: d.board.Samples()[3], Status: record.OK}, {Measured: d.board.Samples()[3],
		Status: record.OK}}
	d.r.sh.dropped, d.r.sh.Tasks.Drop, d.r.frame = nil, j, ""
	golden(t, d, "front-drop")
}

// fitsEveryWindow shrinks a window to 10×4 and back: every frame has exactly its size.
func fitsEveryWindow(t *testing.T, d *driver) {
	t.Helper()
	widths, heights := []int{200, 130, 110, 80, 70, 60, 59, 44, 40, 30, 20, 19, 10},
		[]int{50, 36, 30, 24, 17, 16, 12, 10, 8, 6, 5, 4}
	look := func(w, h int) {
		d.size(w, h)
		lines := strings.Split(d.screen(), "\n")
		must.Equal(t, len(lines), h, w)
		for i, line := range lines {
			must.Equal(t, ansi.StringWidth(line), w, h, i+1, line)
		}
	}
	for i := range max(len(widths), len(heights)) {
		look(widths[min(i, len(widths)-1)], heights[min(i, len(heights)-1)])
	}
	if testing.Short() {
		return
	}
	step := 3 // of the way back, over the other pairs of a width and a height
	if os.Getenv("JTUNE_LONG") != "" {
		step = 1
	}
	for i := 0; i < len(widths); i += step {
		look(widths[len(widths)-1-i], 24)
	}
	for i := 0; i < len(heights); i += step {
		look(80, heights[len(heights)-1-i])
	}
}

// TestGoldenScreensHaveAScene finds golden screens that no test writes any more.
func TestGoldenScreensHaveAScene(t *testing.T) {
	t.Parallel()
	scene := maps.Clone(scenes())
	for _, name := range slices.Collect(maps.Keys(scene)) {
		for _, g := range []string{"ascii", "blocks"} {
			scene[name+"-"+g] = nil
		}
	}
	for _, name := range []string{"front-keep", "front-drop", "front-group-ascii", "front-group-blocks", "welcome"} {
		scene[name] = nil
	}
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden screens: %v", err)
	}
	for _, file := range files {
		base := strings.TrimSuffix(filepath.Base(file), ".golden")
		at := strings.LastIndexByte(base, '-')
		name, size := base[:at], base[at+1:]
		_, known := scene[name]
		if drawn := size == "80x24" || size == "40x12" || roomy[name]; !known || !drawn {
			t.Errorf("%s: no test compares a screen with it", file)
		}
	}
}
