package cli

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionPrintsOneLine(t *testing.T) {
	t.Parallel()
	o := jtune(t, "version").done(t)
	if !strings.HasPrefix(o.out, "jtune ") || strings.Count(o.out, "\n") != 1 || o.err != "" {
		t.Errorf("got %q and %q on stderr, want one line", o.out, o.err)
	}
}

func TestRevisionComesFromTheBuild(t *testing.T) {
	t.Parallel()
	set := func(pairs ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{}
		for i := 0; i < len(pairs); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return info
	}
	for _, c := range []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"of a clean tree", set("vcs.revision", "0123456789abcdef0123", "vcs.time", "2026-11-20T10:00:00Z",
			"vcs.modified", "false"), "0123456789ab of 2026-11-20"},
		{"of a changed tree", set("vcs.revision", "0123456789abcdef0123", "vcs.modified", "true"),
			"0123456789ab+changes"},
		{"of no repository", set(), "revision unknown"},
	} {
		if got := revisionOf(c.info); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestManualNamesEveryCommandAndExitCode(t *testing.T) {
	t.Parallel()
	page := jtune(t, "man").done(t).out
	for _, want := range []string{".TH JTUNE 1", ".SS tune (WORKLOAD", ".SS lab convert export MODE",
		`\-\-power\-limit`,
		"130 interrupted"} {
		if !strings.Contains(page, want) {
			t.Errorf("the manual lacks %q", want)
		}
	}
	if strings.Contains(page, ".SS guard") {
		t.Error("the manual names the internal guard")
	}
}

func TestCompletionKnowsTheShells(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if o := jtune(t, "completion", shell).done(t); !strings.Contains(o.out, "jtune") {
			t.Errorf("%s: no script", shell)
		}
	}
}

func TestUsageErrorsExitWithTwoAndSayWhatToDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		args  []string
		words []string
	}{
		{"an unknown command", []string{"tunee"}, []string{"tunee", "help"}},
		{"an unknown command of a group", []string{"config", "chek"}, []string{`config: unknown command "chek"`,
			"the nearest is check", "show"}},
		{"an unknown figure without its model", []string{"plot", "foo"}, []string{"plot foo", "one of front, heat"}},
		{"completion for an unknown shell", []string{"completion", "tcsh"}, []string{"tcsh", "bash"}},
		{"completion for no shell", []string{"completion"}, []string{"which shell", "zsh"}},
		{"completion with more than a shell", []string{"completion", "bash", "extra"}, []string{"extra"}},
		{"help on an unknown command", []string{"help", "tunee"}, []string{"tunee", "jtune help"}},
		{"help on an unknown sub-command", []string{"help", "convert", "jtop"}, []string{"convert jtop"}},
		{"a profile of negative minibatches", []string{"profile", "resnet", "--sample", "3", "--minibatches", "-5"},
			[]string{"--minibatches -5"}},
		{"a search with no minibatches", []string{"tune", "resnet", "--energy", "--minibatches", "0"},
			[]string{"--minibatches 0"}},
		{"a missing argument", []string{"tune"}, []string{"tune", "no argument", "WORKLOAD"}},
		{"an unknown flag", []string{"watch", "--intervall", "1s"}, []string{"intervall"}},
		{"no limit", []string{"tune", "resnet"}, []string{"--power-limit"}},
		{"a negative limit", []string{"tune", "resnet", "--power-limit", "-3"}, []string{"--power-limit", "above 0"}},
		{"a limit that is not a number", []string{"tune", "resnet", "--power-limit", "NaN"}, []string{"--power-limit"}},
		{"a limit that is a word", []string{"tune", "resnet", "--power-limit", "ten"},
			[]string{`--power-limit "ten": want a number`}},
		{"a time of another unit", []string{"watch", "--interval", "5W"}, []string{`--interval "5W"`, "500ms"}},
		{"a knee beside a limit", []string{"choose", "--model", "none", "--limit", "20 W, knee, least energy"},
			[]string{"knee"}},
		{"no probes", []string{"tune", "resnet", "--energy", "--probes", "0"}, []string{"--probes"}},
		{"an unknown strategy", []string{"tune", "resnet", "--energy", "--strategy", "luck"},
			[]string{"luck", "binary"}},
		{"an unknown coverage", []string{"tune", "resnet", "--energy", "--coverage", "half"},
			[]string{`--coverage "half": want limit or front`}},
		{"an unknown depth by its former name", []string{"tune", "resnet", "--energy", "--effort", "some"},
			[]string{`--depth "some": want quick or thorough`}},
		{"a risk of a half", []string{"tune", "resnet", "--power-limit", "20", "--risk", "0.5"},
			[]string{`--risk "0.5"`, "above 0 and below 0.5"}},
		{"no chance of a risk to choose with", []string{"choose", "--model", "m", "--power-limit", "20", "--risk", "0"},
			[]string{`--risk "0"`, "above 0 and below 0.5"}},
		{"a rotation of one knob", []string{"tune", "resnet", "--energy", "--strategy", "binary", "--rotation", "gpu"},
			[]string{"--rotation", "each of gpu, cpu, mem, cores and batch once"}},
		{"an unknown workload", []string{"tune", "gpt9", "--energy", "--device", "virtual:agx-orin"},
			[]string{"gpt9", "jtune workloads lists all"}},
		{"a speed that is not a number", []string{"watch", "--speed", "fast"}, []string{"--speed", "max"}},
		{"a fit without samples", []string{"fit", "--out", "x"}, []string{"--samples"}},
		{"a fit without a place for the model", []string{"fit", "--samples", "x"}, []string{"--out"}},
		{"an unknown method", []string{"fit", "--samples", "x", "--out", "y", "--method", "magic"},
			[]string{"magic", "gp"}},
		{"a prediction without a model", []string{"predict"}, []string{"--model"}},
		{"a front of nothing", []string{"front"}, []string{"--model", "--samples"}},
		{"a front of nonsense", []string{"front", "--samples", "x", "--x", "love"}, []string{"--x love"}},
		{"a demo without a terminal", []string{"demo"}, []string{"demo", "needs a terminal"}},
		{"a plot of nothing", []string{"plot"}, []string{"plot", "no argument"}},
		{"a plot without numbers", []string{"plot", "heat"}, []string{"--model", "--samples"}},
		{"an unknown plot", []string{"plot", "pie", "--model", "x"}, []string{"plot pie", "heat", "curves", "loss"}},
		{"a learning curve of samples", []string{"plot", "learning", "--samples", "x"},
			[]string{"plot learning", "--model"}},
		{"a plot over nothing known", []string{"plot", "curves", "--model", "x", "--over", "love"},
			[]string{"--over love", "cores, cpu, gpu or mem"}},
		{"a plot over one knob twice", []string{"plot", "heat", "--model", "x", "--x", "gpu"},
			[]string{"--x", "--y", "two different"}},
		{"a plot of nonsense", []string{"plot", "heat", "--model", "x", "--of", "love"},
			[]string{"--of love", "energy"}},
		{"a plot into a picture of another kind", []string{"plot", "heat", "--model", "x", "--out", "x.png"},
			[]string{"--out x.png", ".svg"}},
		{"a binary search without a limit", []string{"tune", "lstm", "--energy", "--strategy", "binary", "--device",
			"virtual:agx-orin", "--speed", "max"}, []string{"strategy binary", "--power-limit or --time-limit"}},
		{"a profile without modes", []string{"profile", "resnet"}, []string{"--modes", "--grid"}},
		{"a profile of no modes", []string{"profile", "resnet", "--modes", "0"}, []string{"--modes 0"}},
		{"a run of no minibatches", []string{"run", "resnet", "--minibatches", "0"}, []string{"--minibatches 0"}},
		{"a run of negative epochs", []string{"run", "resnet", "--epochs=-1"}, []string{"--epochs -1"}},
		{"a run of a readings' storm", []string{"run", "resnet", "--interval", "1ms"}, []string{"--interval 1ms"}},
		{"a run of many workers", []string{"run", "resnet", "--workers", "65"}, []string{"--workers 65"}},
		{"a profile with two selections", []string{"profile", "resnet", "--grid", "--modes", "3"},
			[]string{"exactly one"}},
		{"a shard of nothing", []string{"profile", "resnet", "--grid", "--shard", "3/2"}, []string{"--shard"}},
		{"a bad filter", []string{"modes", "--filter", "cores>>8", "--device", "virtual:agx-orin"},
			[]string{"--filter"}},
		{"an argument too many", []string{"watch", "extra"}, []string{"extra", "jtune watch"}},
		{"no modes drawn", []string{"modes", "--sample", "0"}, []string{"--sample", "positive"}},
		{"a negative number of modes drawn", []string{"modes", "--sample", "-1"}, []string{"--sample", "positive"}},
		{"a clock in the unit of another knob", []string{"modes", "--filter", "gpu<900M", "--device",
			"virtual:agx-orin"},
			[]string{"gpu<900M", "is not a value for gpu"}},
		{"a mode's name that nvpmodel does not take", []string{"export", "nvpmodel", "MAXN", "--name", "bad name>"},
			[]string{"--name", "bad name>", "letters"}},
		{"failed modes to redo in a new campaign", []string{"profile", "resnet", "--grid", "--redo-failed"},
			[]string{"--redo-failed", "--resume"}},
		{"an unknown format", []string{"convert", "jtop"}, []string{"jtop", "jtune lab convert"}},
		{"a filter on power, which no bare mode has", []string{"modes", "--filter", "power<20"},
			[]string{"power", "predict"}},
		{"a filter on nothing known", []string{"modes", "--filter", "love>8", "--device", "virtual:agx-orin"},
			[]string{"love"}},
		{"an evaluation without a truth", []string{"evaluate"}, []string{"--truth"}},
		{"a merge without a place", []string{"merge", "x", "y"}, []string{"--out"}},
		{"a bad fan", []string{"apply", "MAXN", "--fan", "loud"}, []string{"--fan"}},
		{"a bad countdown", []string{"apply", "MAXN", "--keep-after", "0s"}, []string{"--keep-after"}},
		{"a countdown of two days", []string{"apply", "MAXN", "--keep-after", "48h"},
			[]string{"--keep-after 48h", "24h"}},
		{"a configuration that is not there", []string{"device", "--config", "/nowhere.toml"},
			[]string{"/nowhere.toml"}},
		{"a sysroot with a virtual board", []string{"device", "--sysroot", "/tmp", "--device", "virtual:agx-orin"},
			[]string{"--sysroot"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := jtune(t, c.args...)
			o.fails(t, exitUsage, c.words...)
			if o.out != "" || strings.Count(o.err, "\n") != 1 {
				t.Errorf("got %q on stdout and %q on stderr, want nothing and one line", o.out, o.err)
			}
		})
	}
}

func TestUnknownDevicesExitWithFour(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		device string
		words  []string
	}{
		{"virtual:toaster", []string{"toaster", "virtual:agx-orin, virtual:agx-xavier", "virtual:tx2"}},
		{"virtual:", []string{"agx-orin"}},
		{"replay:/nowhere.csv", []string{"/nowhere.csv"}},
		{"replay:", []string{"replay:FILE.csv"}},
		{"replay:/tmp/..", []string{"folder", "no modes.csv"}},
		{"toaster", []string{"toaster", "virtual:NAME"}},
	} {
		t.Run(c.device, func(t *testing.T) {
			t.Parallel()
			jtune(t, "device", "--device", c.device).fails(t, exitNoDevice, c.words...)
		})
	}
	t.Run("a sysroot without a board", func(t *testing.T) {
		dir := t.TempDir()
		jtune(t, "device", "--sysroot", dir).fails(t, exitNoDevice)
	})
}
