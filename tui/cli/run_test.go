package cli

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tui/session/measure"
)

const (
	// fixedRunKeys are the keys that scripts rely on; characterKeys follow them.
	fixedRunKeys  = "minibatches time_ms stall_ms compute_ms overhead_ms power_w energy_j"
	characterKeys = "device virtual bound workers batch epoch_s all first_epoch later_epochs base_w base_why " +
		"base_share_pct cpu_residency gpu_residency mem_residency cache_before_pct cache_after_pct cache_why disk " +
		"uptime_s versions advice latency_ms cache_ready_pct epoch_zero_included sampling peak least"
	runKeys = fixedRunKeys + " mode mode_from restored reading time_mean_ms time_median_ms time_error_pct " +
		"power_error_pct energy_error_pct minibatches_per_s epochs steady settle_s hot_reason " +
		characterKeys
)

func TestRunReportsThePresentMode(t *testing.T) {
	t.Parallel()
	o := jtune(t, with(virtualBoard, "run", "resnet", "--minibatches", "50", "--json")...).done(t)
	must.Contain(t, o.err, "no model learns from it: models describe locked clocks, and these were free")
	v := o.object(t, runKeys)
	n := func(k string) float64 { return v[k].(float64) }
	has(t, v, "device = AGX Orin", "virtual = true")
	must.Equal(t, n("minibatches"), 50)
	if sum := n("stall_ms") + n("compute_ms") + n("overhead_ms"); math.Abs(sum-n("time_ms")) > 0.05*n("time_ms") {
		t.Errorf("stall, compute and overhead sum to %g ms of %g", sum, n("time_ms"))
	}
	if off := n("minibatches_per_s")*n("time_mean_ms")/1000 - 1; math.Abs(off) > 1e-9 {
		t.Errorf("%g minibatches/s at %g ms", n("minibatches_per_s"), n("time_mean_ms"))
	}
	if e := n("power_w") * n("time_mean_ms") / 1000; n("power_w") < 5 || math.Abs(e-n("energy_j")) > 1e-9*e {
		t.Errorf("got %g W and %g J", n("power_w"), n("energy_j"))
	}
}

// 40 minibatches of LSTM take 0.4 s: too short for steady power.
func TestRunWaitsForSteadyPower(t *testing.T) {
	t.Parallel()
	run := func(args ...string) map[string]any {
		all := with(virtualBoard, with([]string{"run", "lstm", "--json"}, args...)...)
		return jtune(t, all...).done(t).object(t, runKeys)
	}
	long := run("--minibatches", "2000")
	for _, args := range [][]string{nil, {"--interval", "100ms"}, {"--interval", "3s"}} {
		v := run(args...)
		if off := v["power_w"].(float64)/long["power_w"].(float64) - 1; math.Abs(off) > 0.015 || v["steady"] != true {
			t.Errorf("%v: %.2f W, %.1f %% off a long run; steady %v", args, v["power_w"], 100*off, v["steady"])
		}
		if s := v["settle_s"].(float64); v["minibatches"].(float64) < 200 || s < 2 || s > 14 {
			t.Errorf("%v: %v minibatches after %v s", args, v["minibatches"], s)
		}
		if all := hasKeys(t, v["all"], partKeys); all["cpu_pct"] == nil || v["base_share_pct"] == nil {
			t.Errorf("%v: loads %v, share of the base load %v", args, all["cpu_pct"], v["base_share_pct"])
		}
	}
	short := run("--minibatches", "40")
	has(t, short, "minibatches = 40", "steady = false", "settle_s = null")
	text := jtune(t, with(virtualBoard, "run", "lstm", "--minibatches", "40")...).done(t).out
	must.Contain(t, text, ", not steady", "Power was not steady when the run ended", " ms ± ")
}

const partKeys = "epochs minibatches span_s time_ms stall_ms compute_ms overhead_ms power_w energy_j cpu_pct gpu_pct " +
	"ram_bytes reads_per_s read_bytes_per_s cpu_median_pct gpu_median_pct ram_median_bytes meter_w"

func TestRunOfEpochsCountsTheirMinibatches(t *testing.T) {
	t.Parallel()
	v := jtune(t, with(virtualBoard, "run", "lstm", "--epochs", "1", "--json")...).done(t).object(t, runKeys)
	if got := v["minibatches"].(float64); got < 2200 || got > 2260 || v["epochs"] != "all" {
		t.Errorf("got %g minibatches of %v epochs, want those of one epoch, about 2250", got, v["epochs"])
	}
}

func TestRunKeepsEpochZeroApart(t *testing.T) {
	t.Parallel()
	v := jtune(t, with(virtualBoard, "run", "mobilenet", "--epochs=2", "--json")...).done(t).object(t, runKeys)
	first, later := hasKeys(t, v["first_epoch"], partKeys), hasKeys(t, v["later_epochs"], partKeys)
	must.Equal(t, v["epochs"], "later")
	must.Equal(t, v["energy_j"], later["energy_j"])
	must.Equal(t, v["time_mean_ms"], later["time_ms"])
	must.Equal(t, v["power_w"], later["power_w"])
	// 1.1 GB come from the disk within an epoch of 145 s; then the page cache holds them.
	cold, warm := first["read_bytes_per_s"].(float64), later["read_bytes_per_s"].(float64)
	if cold < 1e6 || warm != 0 || v["cache_after_pct"] != 100.0 {
		t.Errorf("read %g and then %g B/s, %v %% cached", cold, warm, v["cache_after_pct"])
	}
	text := jtune(t, with(virtualBoard, "run", "mobilenet", "--epochs=2")...).done(t).out
	disk := regexp.MustCompile(`disk +all disks: epoch 0 [1-9][0-9]* reads/s, [0-9.]+ MB/s; later epochs 0 reads/s`)
	if !disk.MatchString(text) {
		t.Errorf("the disk's line:\n%s", text)
	}
	times := regexp.MustCompile(`(?m)^time +[0-9.]+ ms( ± [0-9.]+ %)?$`)
	if !times.MatchString(text) {
		t.Errorf("the mean is not named:\n%s", text)
	}
	must.Contain(t, text, "2,885; the numbers below count the 1,443 after epoch 0")
}

func TestRunCountsEpochZeroWhereAskedTo(t *testing.T) {
	t.Parallel()
	args := with(virtualBoard, "run", "lenet", "--epochs=2", "--include-epoch-zero")
	v := jtune(t, with(args, "--json")...).done(t).object(t, runKeys)
	all := hasKeys(t, v["all"], partKeys)
	has(t, v, "epochs = all", "epoch_zero_included = true")
	must.Equal(t, v["time_mean_ms"], all["time_ms"])
	if median := all["gpu_median_pct"]; median == nil || median.(float64) <= 0 {
		t.Errorf("median of the GPU's load: %v", median)
	}
	s := hasKeys(t, v["sampling"], "asked_ms median_ms least_ms most_ms jitter_ms samples")
	if m := s["median_ms"].(float64); s["asked_ms"] != 500.0 || m < 400 || m > 625 { // at random moments
		t.Errorf("sampling %v", s)
	}
	text := jtune(t, args...).done(t).out
	must.Contain(t, text, "; epoch 0 is included, as asked for", "sampling ", "jitter", "(medians ")
}

func TestRunTakesEpochsWithAndWithoutANumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args   []string
		epochs int
	}{
		{[]string{"lenet", "--epochs"}, defaultEpochs}, {[]string{"--epochs", "lenet"}, defaultEpochs},
		{[]string{"lenet", "--epochs", "2"}, 2}, {[]string{"--epochs", "2", "lenet"}, 2},
		{[]string{"lenet", "--epochs=2"}, 2},
	} {
		must.Equal(t, requestOf[measure.RunRequest](t, with(with(virtualBoard, "run"), c.args...)...).Epochs, c.epochs,
			c.args)
	}
}

func TestRunTakesWorkers(t *testing.T) {
	t.Parallel()
	run := func(n string) (workers, ms float64) {
		v := jtune(t, with(virtualBoard, "run", "lenet", "--workers", n, "--json")...).done(t).object(t, runKeys)
		return v["workers"].(float64), v["time_ms"].(float64)
	}
	none, slow := run("0")
	two, quick := run("2")
	if none != 0 || two != 2 || slow < 1.2*quick {
		t.Errorf("%g workers %g ms, %g workers %g ms", none, slow, two, quick)
	}
}

func TestRunPrintsNoRoundingErrors(t *testing.T) {
	t.Parallel()
	for ms, want := range map[float64]string{7.78e-08: "0 ms", -1e-12: "0 ms", 1.02: "1.02 ms"} {
		must.Equal(t, msText(tegra.Some(ms)), want, ms)
	}
}

// Reading the rails slows the virtual board's job: published are more than 2 % at 10 ms, and less than 0.5 % at 100 ms.
func TestRunWithoutInstrumentShowsWhatReadingCosts(t *testing.T) {
	t.Parallel()
	run := func(flags ...string) map[string]any {
		all := with(virtualBoard, "run", "lenet", "--no-instrument", "--json")
		v := jtune(t, append(all, flags...)...).done(t).object(t, runKeys+" reading")
		must.Equal(t, v["power_w"], nil)
		return v
	}
	cost := func(flags ...string) (pct, low, high float64) {
		r := run(flags...)["reading"].(map[string]any)
		return r["cost_pct"].(float64), r["cost_lo_pct"].(float64), r["cost_hi_pct"].(float64)
	}
	if pct, low, _ := cost("--interval", "10ms"); pct < 2 || pct > 6 || low <= 0 {
		t.Errorf("reading every 10 ms costs %.2f %% of the time, at least %.2f; want 2 to 6", pct, low)
	}
	if pct, low, _ := cost("--interval", "100ms", "--minibatches", "6000"); pct <= 0 || low > 0.5 {
		t.Errorf("reading every 100 ms costs %.2f %% of the time, at least %.2f; want less than 0.5", pct, low)
	}
	v := run("--minibatches", "20")
	r := v["reading"].(map[string]any)
	must.Equal(t, v["minibatches"], 20.0)
	has(t, r, "minibatches = 20", "interval_s = 0.5")
	if low, high := r["cost_lo_pct"].(float64), r["cost_hi_pct"].(float64); low >= 0 || high <= 0 {
		t.Errorf("20 minibatches show a cost of %.2f to %.2f %% at two readings a second", low, high)
	}
	o := jtune(t, with(virtualBoard, "run", "lenet", "--no-instrument", "--interval", "10ms")...).done(t)
	must.Contain(t, o.out, "Reading sensors every 10ms: ")
	must.Lack(t, o.out, "within the scatter")
}

// ranLines are command lines that several checks look at: documented ones and those of docs/features.toml. Each runs
// once in their data directory.
type ranLines struct {
	dir   string             // {dir} of the lines
	done  map[string]outcome // by the line without what changes nothing
	fresh int                // {new} is a new path for each run
}

// tutorial has run the lines of docs/tutorial.md, once for all tests.
var tutorial struct {
	sync.Once
	ranLines
}

// afterTutorial returns lines on a copy of the data directory after those of the tutorial.
func afterTutorial(t *testing.T) *ranLines {
	t.Helper()
	tutorial.Do(func() {
		tutorial.dir, tutorial.done = filepath.Join(os.Getenv("XDG_DATA_HOME"), "tutorial"), map[string]outcome{}
		for _, c := range shownCommands(docPages(t)[filepath.Join(checkout, "docs/tutorial.md")]) {
			tutorial.run(t, c.line).done(t)
		}
	})
	w := &ranLines{t.TempDir(), maps.Clone(tutorial.done), 0}
	must.NoError(t, os.CopyFS(w.data(), os.DirFS(tutorial.data())))
	return w
}

func (w *ranLines) data() string { return filepath.Join(w.dir, "data", "jtune") }

// known returns what a line printed when it ran.
func (w *ranLines) known(line string) (o outcome, ok bool) {
	o, ok = w.done[strings.Join(wordsOf(line), " ")]
	return o, ok
}

// run runs a line, on the tutorial's board unless it names another one, or returns what it printed before.
func (w *ranLines) run(t *testing.T, line string) outcome {
	t.Helper()
	if o, ok := w.known(line); ok {
		return o
	}
	w.fresh++
	fill := strings.NewReplacer("{dir}", w.dir, "{new}", filepath.Join(w.dir, fmt.Sprint("new", w.fresh)))
	args := append(wordsOf(fill.Replace(line)), "--speed", "max", "--data-dir", w.data(), "--log-file",
		filepath.Join(w.dir, "log"))
	if !slices.Contains(args, "--device") {
		args = append(args, "--device", "virtual:agx-orin")
	}
	o := jtuneWith(t, t.Context(), strings.NewReader("y\n"), args...)
	w.done[strings.Join(wordsOf(line), " ")] = o
	return o
}

// wordsOf returns the arguments of a line, without its comment and the speed.
func wordsOf(line string) []string {
	line, _, _ = strings.Cut(strings.TrimPrefix(line, "jtune "), " #")
	return quotedWords(strings.ReplaceAll(line, " --speed max", ""))
}
