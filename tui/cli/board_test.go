package cli

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
)

// virtualBoard is the default board; smallBoard has a tenth of its modes, for what is the same on each.
var (
	virtualBoard = []string{"--device", "virtual:agx-orin", "--speed", "max"}
	smallBoard   = []string{"--device", "virtual:orin-nano", "--speed", "max"}
)

func TestWatchPrintsOneObjectPerLine(t *testing.T) {
	t.Parallel()
	o := jtune(t, with(virtualBoard, "watch", "--count", "3", "--interval", "2s", "--json")...).done(t)
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	if len(lines) != 3 {
		t.Fatalf("got %d lines, want 3", len(lines))
	}
	last := math.Inf(-1)
	for i, line := range lines {
		v := outcome{out: line}.object(t, watchKeys)
		for _, k := range []string{"gpu", "emc"} {
			hasKeys(t, v[k], "hz asked_hz load_pct")
		}
		hasKeys(t, v["self"], "cpu_pct")
		for _, r := range v["rails"].([]any) {
			v := hasKeys(t, r, "name power_w voltage_v current_a")
			if w := v["voltage_v"].(float64) * v["current_a"].(float64); math.Abs(w-v["power_w"].(float64)) > 0.01 {
				t.Errorf("%v: %g W by voltage and current", v, w)
			}
		}
		cores := v["cpu"].([]any)
		for _, c := range cores {
			hasKeys(t, c, "online load_pct khz requested")
		}
		if v["virtual"] != true || len(cores) != 12 || v["total_power_w"].(float64) <= 0 {
			t.Errorf("got virtual %v, %d cores, %v W", v["virtual"], len(cores), v["total_power_w"])
		}
		if load := cores[0].(map[string]any)["load_pct"]; load == nil {
			t.Errorf("line %d: core 0 has no load", i+1)
		}
		now := v["t_s"].(float64)
		if i > 0 && math.Abs(now-last-2) > 0.2 {
			t.Errorf("readings %g s apart, want 2", now-last)
		}
		last = now
	}
}

func TestJtuneWithoutATerminalPrintsOneReading(t *testing.T) {
	t.Parallel()
	o := jtune(t, virtualBoard...).done(t)
	if strings.Count(o.out, "\n") != 1 || !strings.Contains(o.out, "GPU") || !strings.Contains(o.err, "jtune help") {
		t.Errorf("got %q, and %q on stderr", o.out, o.err)
	}
}

func TestAutoFallsBackToTheVirtualBoardAndSaysSo(t *testing.T) {
	t.Parallel()
	o := jtune(t, "device", "--json").done(t)
	if v := o.object(t, deviceKeys); v["virtual"] == true && !strings.Contains(o.err, "virtual:agx-orin") {
		t.Errorf("stderr %q does not say that the board is virtual", o.err)
	}
}

const deviceKeys = "model compatible soc l4t virtual space rails total_power_rule presets rights mode name locked " +
	"preset_id presets_unusable"

func TestModesAreCountedListedAndDrawn(t *testing.T) {
	t.Parallel()
	must.Contain(t, jtune(t, with(virtualBoard, "modes")...).done(t).out, "18,096 power modes")
	for _, c := range []struct {
		name string
		args []string
		want int
	}{
		{"all", nil, 18096},
		{"the grid", []string{"--grid"}, 4368},
		{"a filter", []string{"--filter", "cores>=8 gpu<900MHz"}, 5 * 29 * 8 * 4},
		{"a filter within the grid", []string{"--grid", "--filter", "cores=12"}, 14 * 13 * 4},
		{"a sample", []string{"--sample", "7"}, 7},
		{"a sample of a filter", []string{"--filter", "cores=1", "--sample", "7"}, 7},
		{"a filter that nothing passes", []string{"--filter", "cores>100"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			csv := jtune(t, with(with(virtualBoard, "modes", "--csv"), c.args...)...).done(t).out
			if got := strings.Count(csv, "\n") - 1; got != c.want || !strings.HasPrefix(csv,
				"cores,cpu_khz,gpu_hz,mem_hz,virtual\n") {
				t.Errorf("got %d modes, want %d; begins %.60q", got, c.want, csv)
			}
			must.Equal(t,
				len(array(t, jtune(t, with(with(virtualBoard, "modes", "--json"), c.args...)...).done(t).out)), c.want)
		})
	}
	a := jtune(t, with(virtualBoard, "modes", "--sample", "5", "--seed", "1", "--csv")...).out
	b := jtune(t, with(virtualBoard, "modes", "--sample", "5", "--seed", "1", "--csv")...).out
	must.Equal(t, a, b, "equal seeds draw unequal modes")
}

func TestWorkloadsAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	list := array(t, jtune(t, "workloads", "--json").done(t).out)
	known := map[string]bool{}
	for _, w := range list {
		hasKeys(t, w, "name title aliases task model dataset samples batch workers prefetch epochs command layers "+
			"parameters flops memory_mb disk_mb estimated dnr virtual")
		known[w["name"].(string)] = true
	}
	for _, name := range strings.Fields("resnet18 mobilenet yolov8n bert lstm lenet5 vgg11") {
		if !known[name] {
			t.Errorf("workload %s is missing", name)
		}
	}
}

func TestWorkloadsWithoutAMeasurementBehindThemAreMarked(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	text := jtune(t, with(virtualBoard, "workloads")...).done(t).out
	must.Contain(t, text, "lenet5*", "vgg11*", "* estimated")
	must.Lack(t, text, "resnet18*")
	config := write(t, "[workload.mine]\ncommand = [\"train\"]\n") // it is not simulated
	for _, w := range array(t, jtune(t, with(virtualBoard, "workloads", "--json", "--config", config)...).done(t).out) {
		guessed := strings.Fields("lenet5 vgg11 resnet18-cifar resnet18-gld23k mobilenet-imagenet")
		// the published figures for inference come from other boards
		infers := w["name"] == "llama" || strings.HasSuffix(w["name"].(string), "-infer")
		must.Equal(t, w["estimated"], any(infers || slices.Contains(guessed, w["name"].(string))), w["name"])
	}
	must.Lack(t, jtune(t, with(replay(path), "workloads")...).done(t).out, "*")
}

// checkProbes checks the list of measurements, and that it includes the answer.
func checkProbes(t testing.TB, v map[string]any, most int) {
	t.Helper()
	probes := v["probes"].([]any)
	if len(probes) == 0 || len(probes) > most {
		t.Fatalf("got %d probes, want 1 to %d", len(probes), most)
	}
	answer, found := modeOf(t, v["mode"]), false
	for i, p := range probes {
		probe := hasKeys(t, p, probeKeys)
		why := probe["why"].(string)
		if !slices.Contains([]string{"before", "start", "improve", "verify", "preset"}, why) ||
			(i == 0) != (why == "before") || why == "preset" && i == 0 {
			t.Errorf("probe %d: why %v", i+1, why)
		}
		found = found || modeOf(t, probe["mode"]) == answer
	}
	if !found {
		t.Errorf("the answer %v was not measured", answer)
	}
}

func TestTuneOnAReplayAnswersWithTheFilesOwnNumbers(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	for _, c := range []struct {
		name string
		args []string
	}{
		{"within a power limit", []string{"--power-limit", "20"}},
		{"within a time limit", []string{"--time-limit", "250"}},
		{"of least energy", []string{"--energy"}},
		{"by binary search", []string{"--power-limit", "20", "--strategy", "binary"}},
		{"by luck", []string{"--power-limit", "20", "--strategy", "random"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			o := jtune(t, with(with(replay(path), "tune", "label", "--probes", "15", "--json", "--data-dir", data),
				c.args...)...).done(t)
			v := o.object(t, answerKeys)
			m := hasKeys(t, v["measured"], measuredKeys)
			want := toyLaw(modeOf(t, v["mode"]))
			if got := m["time_ms"].(float64); math.Abs(got-want.TimeMS) > 1e-6*want.TimeMS {
				t.Errorf("measured %g ms, the file says %g", got, want.TimeMS)
			}
			if got := m["power_w"].(float64); math.Abs(got-want.PowerW) > 1e-3*want.PowerW {
				t.Errorf("measured %g W, the file says %g", got, want.PowerW)
			}
			checkProbes(t, v, 15)
			if kept, _ := filepath.Glob(filepath.Join(data, "campaigns", "*", "modes.csv")); len(kept) != 1 {
				t.Errorf("got %d records below the data directory, want 1", len(kept))
			}
		})
	}
}

// The result is printed below the list of files, where users see it.
func TestApplyOnAVirtualBoardReadsBack(t *testing.T) {
	t.Parallel()
	args := with(virtualBoard, "apply", "8c/1.34C/0.83G/2.13M", "--yes")
	words := jtune(t, args...).done(t).out
	files, result := strings.LastIndex(words, "/sys/"), strings.Index(words, "actual     8c/1.34C/0.83G/2.13M")
	if files < 0 || result < files || strings.Count(words[result:], "\n") > 4 ||
		!strings.Contains(words, "ends with this command") {
		t.Errorf("the result is not last, or nothing says that a virtual board forgets:\n%s", words)
	}
	for dvfs, locked := range map[string]bool{"on": false, "off": true} {
		v := jtune(t, with(args, "--json", "--dvfs", dvfs)...).done(t).object(t, appliedKeys)
		must.Equal(t, modeOf(t, v["actual"]),
			(tegra.Mode{Cores: 8, CPU: 1344000 * tegra.KHz, GPU: 828750000, EMC: 2133000000}))
		must.Equal(t, v["asked"], v["actual"], dvfs)
		has(t, v, "kept = true", "reverted = false")
		must.Equal(t, v["locked"], any(locked), dvfs)
	}
}

// A mode is often set before anything was measured: the data directory is made for the note of the kept mode.
func TestApplyMakesTheDataDirectory(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "new")
	o := jtune(t, "apply", "8c/1.34C/0.83G/2.13M", "--yes", "--device", "virtual:agx-orin", "--data-dir", data,
		"--log-file", filepath.Join(t.TempDir(), "log")).done(t)
	if _, err := os.Stat(filepath.Join(data, "kept.toml")); err != nil || strings.Contains(o.err, "verify") {
		t.Errorf("%v; it said %s", err, o.err)
	}
}

const appliedKeys = "asked actual kept reverted locked virtual files idle_before_w idle_after_w"
