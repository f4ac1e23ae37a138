package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"jtune/internal/must"
)

// steps returns a script that prints n steps of about 20 ms, then more.
func steps(n, more string) []string {
	return []string{"--", "sh", "-c", "i=0; while [ $i -lt " + n +
		" ]; do echo step $i; i=$((i+1)); sleep 0.02; done; " +
		more}
}

var noDevice = []string{"run", "--no-device", "--no-record", "--json"}

func TestRunOfACommandReadsItToItsEnd(t *testing.T) {
	t.Parallel()
	o := jtune(t, with(noDevice, steps("50", "echo all done")...)...).done(t)
	v := o.object(t, runKeys+ownKeys)
	r := hasKeys(
		t,
		v["reading"],
		"form what steps time_ms mean_ms median_ms time_error_pct unit left_out output candidates",
	)
	has(t, r, "form = step", "unit = minibatch", "steps >= 30")
	has(t, v, "wall_s >= 0.2")
	must.Contain(t, o.err, "all done\n")
	must.Lack(t, o.out, "all done")
}

const ownKeys = " wall_s total_energy_j mean_w peak_w rails cpu_ghz gpu_ghz emc_ghz throttled left_running " +
	"mode mode_from restored"

func TestRunOfACommandThatPrintsNothingIsMeasuredAsAWhole(t *testing.T) {
	t.Parallel()
	v := jtune(t, with(noDevice, "--", "sleep", "0.2")...).done(t).object(t, runKeys+ownKeys)
	has(t, v, "reading.form = whole", "wall_s >= 0.2", "time_ms = null", "time_mean_ms = null")
}

// A search that does not understand its command prints what it saw and what that cost.
func TestTuneOfACommandThatIsNotUnderstoodPrintsItsCost(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"tune", "--energy"}, {"profile", "--sample", "2"}} {
		args = with(with([]string{"--device", "virtual:agx-orin"}, args...), "--json", "--", "sleep", "0.2")
		o := jtune(t, args...)
		o.fails(t, exitNoDevice, "must take at least")
		v := o.object(t, runKeys+ownKeys)
		r, _ := v["reading"].(map[string]any)
		list, ok := r["candidates"].([]any)
		if !ok || len(list) != 0 || v["total_energy_j"] == nil || v["wall_s"] == 0.0 {
			t.Errorf("%q: %v", args, v)
		}
	}
}

// A command that is measured as a whole is a campaign too.
func TestRunOfAWholeCommandIsRecorded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := jtune(t, "--data-dir", dir, "run", "--no-device", "--", "sleep", "0.2").done(t)
	must.Contain(t, o.err, "recorded in ")
	list := array(t, jtune(t, "--data-dir", dir, "campaigns", "list", "--json").done(t).out)
	if len(list) != 1 || list[0]["state"] != "finished" {
		t.Fatalf("%v", list)
	}
	name := list[0]["name"].(string)
	must.Contain(t, string(must.Read(t, filepath.Join(dir, "campaigns", name, "runs.csv"))),
		"measured from start to end")
	jtune(t, "--data-dir", dir, "campaigns", "show", name).done(t)
}

func TestRunOfACommandWithTooFewStepsNamesItsCounter(t *testing.T) {
	t.Parallel()
	script := []string{"--", "sh", "-c", "echo step 1; sleep .05; echo step 2"}
	jtune(t, with(with(noDevice, "--minibatches", "5"), script...)...).fails(t, exitNoDevice, "fewer than 3 steps")
	o := jtune(t, with(noDevice, script...)...).done(t) // without a number of steps none is needed
	v := o.object(t, runKeys+ownKeys)
	reading := v["reading"].(map[string]any)
	list := reading["candidates"].([]any)
	if len(list) != 1 || reading["form"] != "whole" || v["minibatches"] != 0. ||
		!strings.Contains(o.err, "fewer than 3 steps") {
		t.Fatalf("%v, %s", v, o.err)
	}
	has(t, hasKeys(t, list[0], "form what share time_ms"), "what = step", "time_ms = null")
}

func TestRunOfACommandThatCountsSamplesTakesTheBatchSizeGiven(t *testing.T) {
	t.Parallel()
	script := "i=0; while [ $i -lt 25 ]; do echo \"Train Epoch: 1 [$((i*160))/60000 ($((i/4))%)] Loss: 2.3\"; " +
		"i=$((i+1)); sleep 0.1; done" // long enough for a busy machine to read each line by itself
	for flags, assumed := range map[string]bool{"": true, "--batch 16": false} {
		args := with([]string{"run", "--no-device", "--no-record"}, strings.Fields(flags)...)
		o := jtune(t, with(args, "--", "sh", "-c", script)...).done(t)
		must.Equal(t, strings.Contains(o.out, "assumed"), assumed, flags)
		must.Contain(t, o.out, "of 16 samples each")
	}
}

func TestRunOfACommandSeveralTimes(t *testing.T) {
	t.Parallel()
	count := filepath.Join(t.TempDir(), "count")
	script := []string{"--runs", "3", "--", "sh", "-c", "echo a >>" + count +
		`; n=$(grep -c a ` + count + `); sleep 0.$n`}
	v := jtune(t, with(noDevice, script...)...).done(t).object(t, runKeys+ownKeys+" runs")
	var walls []float64 // the third sleeps longest, but a busy machine may delay another one
	for _, r := range v["runs"].([]any) {
		walls = append(walls, hasKeys(t, r, "wall_s total_energy_j mean_w peak_w")["wall_s"].(float64))
	}
	if slices.Sort(walls); len(walls) != 3 || v["wall_s"] != walls[1] {
		t.Errorf("want the median of three: %v of %v", v["wall_s"], walls)
	}
	o := jtune(t, with([]string{"run", "--no-device", "--no-record", "--runs", "2"}, "--", "true")...).done(t)
	if !regexp.MustCompile(`runs +2, of \d`).MatchString(o.out) { // a busy machine may take seconds
		t.Errorf("%s", o.out)
	}
}

// A program that is read by a named pattern keeps that name, also inside a script.
func TestRunOfACommandByANamedPattern(t *testing.T) {
	t.Parallel()
	script := "i=0; while [ $i -lt 12 ]; do i=$((i+1)); sleep 0.03; " +
		"echo \"llama-bench: benchmark 1/1: generation run $i/12\"; done"
	v := jtune(t, with(noDevice, "--pattern", "llama-bench", "--", "sh", "-c", script)...).done(t).
		object(t, runKeys+ownKeys)
	// The mean, because a busy machine may read two lines at once.
	has(t, v, "reading.form = llama-bench", "reading.mean_ms >= 28")
}

func TestRunOfACommandRefusesWhatItCannotTake(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitNoDevice, "none of its 2 lines", []string{"--minibatches", "5", "--", "sh", "-c", "echo a; echo b"}},
		{exitFailed, "exit status 3", steps("5", "exit 3")},
		{3, "exit status 3", with([]string{"--exit-code"}, steps("5", "exit 3")...)},
	} {
		o := jtune(t, with([]string{"run", "--no-device", "--no-record"}, c.args...)...).ends(t, c.code)
		must.Contain(t, o.err, c.want)
	}
}

func TestRunOfACommandIsSavedAndCommentsStay(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "config.toml")
	before := "# mine\n[workload.mine]\ncommand = [\"former\"]\n# of the next\n\n[torch]\ndata = \"/x\" # there\n"
	must.NoError(t, os.WriteFile(config, []byte(before), 0o600))
	save := func(flags ...string) outcome {
		args := with([]string{"run", "--no-device", "--no-record", "--config", config, "--batch", "8"}, flags...)
		return jtune(t, with(args, steps("40", ":")...)...)
	}
	for _, taken := range []string{"mine", "resnet18", "resnet"} {
		save("--save", taken).fails(t, exitUsage, "with --force")
		if after, err := os.ReadFile(config); err != nil || string(after) != before {
			t.Fatalf("%v: %s", err, after)
		}
	}
	save("--save", "mine", "--force").done(t)
	after, err := os.ReadFile(config)
	for _, want := range []string{"# mine\n[workload.mine]\ncommand = [\"sh\", \"-c\", ", "batch = 8\n",
		"# of the next\n",
		"data = \"/x\" # there\n"} {
		if err != nil || !strings.Contains(string(after), want) {
			t.Errorf("%v, %s lacks %q", err, after, want)
		}
	}
	must.Lack(t, string(after), `"former"`)
}

// A job that is started once reads jtune's standard input. One that is started several times gets none, and data that
// it
// would miss are refused; an empty pipe (ssh, cron) is none.
func TestCommandsGetTheStandardInputOnce(t *testing.T) {
	t.Parallel()
	pipe := func(text string, open bool) *os.File {
		out, in, err := os.Pipe()
		must.NoError(t, err)
		t.Cleanup(func() { out.Close(); in.Close() })
		if fmt.Fprint(in, text); !open {
			in.Close()
		}
		return out
	}
	file := func(text string) *os.File {
		f, err := os.Open(write(t, text))
		must.NoError(t, err)
		t.Cleanup(func() { f.Close() })
		return f
	}
	for _, in := range []*os.File{pipe("1\n2\n3\n", false), file("1\n2\n3\n")} {
		o := jtuneWith(t, t.Context(), in, with(noDevice, "--", "sh", "-c", "echo it has $(wc -l) lines")...).done(t)
		must.Contain(t, o.err, "it has 3 lines")
	}
	board := with(virtualBoard, "--data-dir", t.TempDir())
	for _, c := range []struct {
		in     *os.File
		waits  bool
		starts []string
	}{
		{pipe("1\n", true), true, []string{"tune", "--power-limit", "20"}},
		{pipe("1\n", false), true, []string{"profile", "--modes", "2", "--out", filepath.Join(t.TempDir(), "a")}},
		{file("1\n"), true, []string{"soak", "--for", "1s"}},
		{file("1\n"), true, []string{"run", "--no-record", "--runs", "2"}},
		{file(""), false, []string{"run", "--no-record", "--runs", "2"}},
		{pipe("", true), false, []string{"run", "--no-record", "--runs", "2"}},
		{pipe("", false), false, []string{"run", "--no-record", "--runs", "2"}},
	} {
		o := jtuneWith(t, t.Context(), c.in, with(board, append(c.starts, "--", "true")...)...)
		must.Equal(t, o.code == exitUsage && strings.Contains(o.err, "sh -c 'COMMAND < FILE'"), c.waits, c.starts,
			o.code, o.err)
	}
}

func TestRunOfACommandSaysWhatItLeavesRunning(t *testing.T) {
	t.Parallel()
	o := jtune(t, with(noDevice, "--", "sh", "-c", "sleep 77 & setsid sleep 78 & sleep .3")...).done(t)
	left := o.object(t, runKeys+ownKeys)["left_running"].([]any)
	if len(left) != 2 || left[0] != "sleep 77" && left[1] != "sleep 77" ||
		!strings.Contains(o.err, "left 2 processes running") {
		t.Errorf("%v, %s", left, o.err)
	}
	o = jtune(t, with(noDevice, "--", "sh", "-c", "sleep .4 & sleep .3")...).done(t)
	if left := o.object(t, runKeys+ownKeys)["left_running"].([]any); len(left) > 0 {
		t.Errorf("a loader that ends by itself a moment later: %v", left)
	}
}

// A name may have a dot, which without quotes would be a table in a table.
func TestWorkloadsAddTakesNamesWithDots(t *testing.T) {
	t.Parallel()
	config := write(t, "# mine\n")
	args := with(virtualBoard, "--config", config, "workloads", "add")
	for _, command := range []string{"former", "new"} {
		jtune(t, with(args, "yolo.v8", "--", command)...).done(t)
	}
	text := must.Read(t, config)
	must.Equal(t, strings.Count(string(text), `[workload."yolo.v8"]`), 1)
	must.Lack(t, string(text), `"former"`)
	jtune(t, "config", "check", "--config", config).done(t)
	jtune(t, with(args, "", "--", "true")...).fails(t, exitUsage, "the name is empty")
}

func TestFlagsThatRunTakesForACommandAreOthersElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	board := []string{"--device", "virtual:agx-orin", "--speed", "max", "--data-dir", dir}
	jtune(t, with(board, "profile", "resnet18", "--modes", "1", "--force")...).done(t)
	o := jtune(t, with(board, "lab", "experiment", "devices", "--runs", dir)...)
	o.fails(t, exitUsage, "holds no folder of a run")
}

func TestCampaignOfACommandGoesOnWithTheSameCommandOnly(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	board := []string{"--device", "virtual:nano", "--data-dir", t.TempDir()}
	touched := filepath.Join(t.TempDir(), "touched")
	job, other := steps("100000", ":"), []string{"--", "touch", touched}
	profile := with(board, "profile", "--modes", "1", "--force", "--out", dir)
	jtune(t, with(profile, job...)...).done(t)
	o := jtune(t, with(with(profile, "--resume"), job...)...).done(t)
	must.Contain(t, o.err+o.out, "0 new")
	jtune(t, with(with(profile, "--resume"), other...)...).fails(t, exitUsage, "give the same command")
	jtune(t, with(board, with([]string{"repeat", dir}, other...)...)...).fails(t, exitUsage, "give the same command")
	jtune(t, with(board, "repeat", dir)...).fails(t, exitUsage, "give it again behind --", "--trust-command")
	must.Fail(t, must.Err(os.Stat(touched)), "no such file")
}

// An experiment resumes only with its own command: another one is rejected before it runs.
func TestExperimentOfACommandGoesOnWithTheSameCommandOnly(t *testing.T) {
	t.Parallel()
	dir, touched := filepath.Join(t.TempDir(), "e"), filepath.Join(t.TempDir(), "touched")
	study := []string{"--device", "virtual:nano", "--data-dir", t.TempDir(), "experiment", "dvfs", "--minibatches",
		"10", "--interval", "100ms", "--base", "0", "--out", dir}
	jtune(t, with(study, steps("100000", ":")...)...).done(t)
	jtune(t, with(study, "--resume", "--", "touch", touched)...).fails(t, exitUsage, "give the same command")
	must.Fail(t, must.Err(os.Stat(touched)), "no such file")
	jtune(t, with(with(study, "--resume"), steps("100000", ":")...)...).done(t)
}

// From a command to a kept mode: the search runs the command beside a virtual board, then its mode is set and kept.
func TestTuneOfACommandEndsInAKeptMode(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the command really runs, in real time")
	}
	board := []string{"--device", "virtual:nano", "--data-dir", t.TempDir()}
	o := jtune(t, with(with(board, "tune", "--power-limit", "6", "--probes", "2", "--baseline", "none"),
		steps("1000000", ":")...)...).done(t)
	mode, _, _ := strings.Cut(o.out, " ")
	must.Contain(t, o.out, "measured", "VIRTUAL")
	must.Contain(t, o.err, `reads: step "step"`)
	// The command's name finds its model, although the command was never saved.
	jtune(t, with(board, "choose", "--model", "sh", "--power-limit", "6")...).done(t)
	var kept struct{ Asked, Actual map[string]int64 }
	set := jtune(t, with(board, "apply", mode, "--yes", "--json")...).done(t)
	if err := json.Unmarshal([]byte(set.out), &kept); err != nil || !strings.Contains(set.out, `"kept": true`) ||
		len(kept.Asked) == 0 || !maps.Equal(kept.Asked, kept.Actual) {
		t.Errorf("%v, %s", err, set.out)
	}
}

func TestRunOfAnInferenceCommandPrintsWhatItServes(t *testing.T) {
	t.Parallel()
	o := jtune(t, with(with(noDevice, "--kind", "infer", "--unit", "frame"), steps("30", ":")...)...).done(t)
	v := o.object(t, runKeys+ownKeys+servingKeys)
	has(t, v, "unit = frame", "units_per_s != null")
}

func TestRunOfALogSaysHowItIsRead(t *testing.T) {
	t.Parallel()
	_, log := runsElsewhere(t, `i=0; while :; do i=$((i+1)); echo "step $i/100000"; sleep 0.03; done`)
	must.Until(t, "it writes", func() bool { s, err := os.Stat(log); return err == nil && s.Size() > 0 })
	for _, board := range [][]string{{"--no-device"}, {"--device", "virtual:agx-orin", "--base", "0"}} {
		o := jtune(t, with(with([]string{"run"}, board...), "resnet18", "--log", log, "--minibatches", "40",
			"--no-record", "--json")...)
		v := o.done(t).object(t, runKeys)
		if r, _ := v["reading"].(map[string]any); r["form"] != "counter" || r["what"] != "step" {
			t.Errorf("%q: %v", board, r)
		}
	}
}

// A running inference is read from its log: the time between its frames, not the network's time that its lines state.
func TestRunReadsAnInferenceThatRunsAlready(t *testing.T) {
	t.Parallel()
	pid, log := runsElsewhere(t, `while :; do echo "0: 384x640 3 persons, 1 bus, 1.5ms"; sleep 0.03; done`)
	must.Until(t, "it writes", func() bool { s, err := os.Stat(log); return err == nil && s.Size() > 0 })
	o := jtune(t, with(noDevice, "--minibatches", "40", "resnet18-infer", "--log", log)...).done(t)
	var v struct {
		TimeMS float64 `json:"time_ms"`
	}
	if err := json.Unmarshal([]byte(o.out), &v); err != nil || v.TimeMS < 30 { // a busy machine adds to it
		t.Errorf("%v, %v ms: %s", err, v.TimeMS, o.out)
	}
	must.NoError(t, syscall.Kill(pid, 0)) // it was not ended
}
