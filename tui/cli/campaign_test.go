package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"jtune/profiles"
	"jtune/tegra/sweep"
	"jtune/tegra/tegratest"
)

func modesIn(t testing.TB, dir string) int {
	t.Helper()
	table, err := sweep.ReadFile(dir, sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return len(table.Measured())
}

func TestProfileRecordsTheModesItWasAskedFor(t *testing.T) {
	path, _ := toySweep(t)
	list := write(t, "cores,cpu_khz,gpu_hz,mem_hz\n2,729600,318750000,665600000\n12,2201600,1300500000,3199000000\n")
	for _, c := range []struct {
		name string
		args []string
		want int
	}{
		{"chosen as it goes", []string{"--modes", "9"}, 9},
		{"drawn at random", []string{"--sample", "6"}, 6},
		{"listed", []string{"--list", list}, 2},
		{"a part of a sample", []string{"--sample", "10", "--shard", "2/3"}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "campaign")
			o := jtune(t, with(with(replay(path), "profile", "label", "--out", out), c.args...)...).done(t)
			if got := modesIn(t, out); got != c.want {
				t.Errorf("recorded %d modes, want %d", got, c.want)
			}
			if !strings.Contains(o.out, out) || o.err == "" {
				t.Errorf("got %q on stdout and %q on stderr, want the folder and progress", o.out, o.err)
			}
		})
	}
}

func TestProfileTellsItsCostAndTakesItsSettings(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "campaign")
	args := with(virtualBoard, "profile", "resnet", "--grid", "--shard", "3/600", "--out", out)
	o := jtune(t, with(args, "--wait", "21s", "--minibatches", "5", "--dvfs", "on", "--keep-fan", "--mode-timeout", "90s", "--retries", "0")...).done(t)
	if !strings.Contains(o.err, "modes to measure, about ") || !strings.Contains(o.err, "left") {
		t.Errorf("stderr tells no cost or no time left:\n%s", o.err)
	}
	head, rows, err := profiles.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	if s := head.Settings; s.FixedWait != 21*time.Second || s.Minibatches != 5 || !s.DVFS || !s.KeepFan || s.ModeTimeout != 90*time.Second {
		t.Errorf("recorded settings %+v", s)
	}
	for _, r := range rows {
		if r.SettleS < 21 || r.SettleS > 23 {
			t.Errorf("%s: waited %v s, want 21", r.Mode, r.SettleS)
		}
	}
	for _, bad := range [][]string{{"--retries", "-1"}, {"--wait", "-1s"}, {"--dvfs", "maybe"}} {
		jtune(t, with(args, bad...)...).fails(t, exitUsage, bad[0])
	}
}

// A campaign that goes on measures as it began.
func TestAResumedCampaignKeepsItsSettings(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "campaign")
	args := with(virtualBoard, "profile", "resnet", "--sample", "4", "--out", out)
	jtune(t, with(args, "--wait", "21s", "--minibatches", "5")...).done(t)
	file := filepath.Join(out, "modes.csv")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	if err := os.WriteFile(file, []byte(strings.Join(lines[:3], "")), 0o644); err != nil {
		t.Fatal(err)
	}
	jtune(t, with(args, "--resume")...).done(t)
	_, rows, err := profiles.Read(out)
	if err != nil || len(rows) != 4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, r := range rows {
		if r.SettleS < 21 || r.Minibatches > 30 {
			t.Errorf("%s: %d minibatches after %v s", r.Mode, r.Minibatches, r.SettleS)
		}
	}
}

func TestShardsOfAGridAreAlikeInCost(t *testing.T) {
	t.Parallel()
	mean := func(part string) float64 {
		out := filepath.Join(t.TempDir(), "part")
		jtune(t, with(virtualBoard, "profile", "resnet", "--grid", "--shard", part, "--minibatches", "5", "--out", out)...).done(t)
		_, rows, err := profiles.Read(out)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, r := range rows {
			sum += r.TookS
		}
		return sum / float64(len(rows))
	}
	if a, b := mean("1/64"), mean("2/64"); a/b > 1.4 || b/a > 1.4 {
		t.Errorf("a mode takes %v s in one part and %v s in the other", a, b)
	}
}

func TestProfileFolderMustBeNewOrResumed(t *testing.T) {
	path, _ := toySweep(t)
	out := filepath.Join(t.TempDir(), "campaign")
	args := with(replay(path), "profile", "label", "--sample", "4", "--out", out)
	jtune(t, args...).done(t)
	jtune(t, args...).fails(t, exitFailed, "--resume")
	jtune(t, with(args, "--resume")...).done(t)
	o := jtune(t, with(replay(path), "profile", "label", "--sample", "5", "--out", out, "--resume")...)
	if o.code == exitOK {
		t.Error("another plan was taken for the same")
	}
	if got := modesIn(t, out); got != 4 {
		t.Errorf("got %d modes after resuming a finished plan, want 4", got)
	}
}

func TestProfileOfModesTheDeviceLacksNamesNeighbours(t *testing.T) {
	list := write(t, "cores,cpu_khz,gpu_hz,mem_hz\n2,1000000,318750000,665600000\n")
	jtune(t, with(virtualBoard, "profile", "resnet", "--list", list)...).fails(t, exitUsage, "GHz")
	jtune(t, with(virtualBoard, "profile", "resnet", "--list", write(t, "cores,cpu,gpu,mem\n"))...).fails(t, exitUsage, "no mode to measure")
}

// A list may be older than the board's software: modes that are gone are told
// and left out.
func TestAListWithModesTheBoardHasLostMeasuresTheOthers(t *testing.T) {
	t.Parallel()
	list := write(t, "cores,cpu_khz,gpu_hz,mem_hz\n2,729600,318750000,665600000\n2,1000000,318750000,665600000\n4,729600,318750000,665600000\n14,729600,318750000,665600000\n")
	out := filepath.Join(t.TempDir(), "c")
	args := with(virtualBoard, "profile", "resnet", "--minibatches", "5", "--list", list, "--out", out)
	o := jtune(t, args...).done(t)
	if got := modesIn(t, out); got != 2 || !strings.Contains(o.err, "2 of 4 modes are none of this board's") || !strings.Contains(o.err, "GHz") {
		t.Errorf("%d modes; stderr %s", got, o.err)
	}
	jtune(t, with(args, "--resume")...).done(t)
}

// An interrupt ends a campaign with 130; what was measured is kept, and
// --resume goes on.
func TestInterruptedProfileKeepsItsRowsAndResumes(t *testing.T) {
	path, _ := toySweep(t)
	out := filepath.Join(t.TempDir(), "campaign")
	args := []string{"--device", "replay:" + path, "--speed", "100", "profile", "label", "--sample", "20", "--out", out}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if data, _ := os.ReadFile(filepath.Join(out, "modes.csv")); strings.Count(string(data), "\n") >= 3 {
				cancel()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	o := jtuneWith(t, ctx, strings.NewReader(""), args...)
	o.fails(t, exitInterrupted)
	kept := modesIn(t, out)
	if kept < 1 || kept >= 20 {
		t.Fatalf("kept %d of 20 modes", kept)
	}
	jtune(t, with(replay(path), "profile", "label", "--sample", "20", "--out", out, "--resume")...).done(t)
	if got := modesIn(t, out); got != 20 {
		t.Errorf("got %d modes after resuming, want 20", got)
	}
}

func TestFailedModesAreMeasuredAgainWhenAsked(t *testing.T) {
	path, _ := toySweep(t)
	out := filepath.Join(t.TempDir(), "campaign")
	args := with(replay(path), "profile", "label", "--sample", "3", "--minibatches", "5", "--out", out)
	jtune(t, args...).done(t)
	file := filepath.Join(out, "modes.csv")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	fields := strings.Split(lines[2], ",")
	fields[4], fields[5], fields[6] = "", "", "failed"
	lines[2] = strings.Join(fields, ",")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	if o := jtune(t, with(args, "--resume")...).done(t); !strings.Contains(o.out, "3 modes recorded, 2 of them usable, 0 new") {
		t.Errorf("plain --resume: %s", o.out)
	}
	if o := jtune(t, with(args, "--resume", "--redo-failed")...).done(t); !strings.Contains(o.out, "3 modes recorded, 3 of them usable, 1 new") {
		t.Errorf("with --redo-failed: %s", o.out)
	}
}

func TestACampaignFeedsFitAndReplay(t *testing.T) {
	path, _ := toySweep(t)
	out := filepath.Join(t.TempDir(), "campaign")
	jtune(t, with(replay(path), "profile", "label", "--modes", "12", "--out", out)...).done(t)
	model := filepath.Join(t.TempDir(), "m")
	o := jtune(t, "fit", "--samples", out, "--out", model, "--json").done(t)
	if v := o.object(t, "method samples cv reference warnings"); v["samples"] != 12.0 {
		t.Errorf("got %v samples, want 12", v["samples"])
	}
	if got := array(t, jtune(t, "predict", "--model", model, "--json").done(t).out); len(got) != len(toyModes()) {
		t.Errorf("the model speaks of %d modes, want the %d of the campaign's device", len(got), len(toyModes()))
	}
	if csv := jtune(t, with(replay(filepath.Join(out, "modes.csv")), "modes", "--csv")...).done(t).out; strings.Count(csv, "\n") != 13 {
		t.Errorf("a replay of the campaign has %d lines, want 12 modes and a header", strings.Count(csv, "\n"))
	}
}

func TestImportMakesACampaign(t *testing.T) {
	path, rows := toySweep(t)
	out := filepath.Join(t.TempDir(), "campaign")
	jtune(t, "import", path, "--out", out).done(t)
	if got := modesIn(t, out); got != len(rows) {
		t.Errorf("imported %d modes, want %d", got, len(rows))
	}
	jtune(t, "import", path, "--out", out).fails(t, exitFailed, out)
}

func TestImportTakesAPowerLogAndTheTimesOfItsRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	power, times := filepath.Join(dir, "run.csv"), filepath.Join(dir, "epochs.csv")
	powerText, timesText := "time,power cur,log_time\n", "epoch,epochtime_ms,log_time\n"
	for i := range 30 {
		powerText += fmt.Sprintf("x,20000,%d\n", i)
		timesText += fmt.Sprintf("0,500,%g\n", 0.5*float64(i+1))
	}
	for file, text := range map[string]string{power: powerText, times: timesText} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "c")
	jtune(t, "import", power, "--epochs", times, "--mode", "12,2201600,1300500000,3199000000", "--out", out).done(t)
	if got := modesIn(t, out); got != 1 {
		t.Errorf("imported %d modes, want 1", got)
	}
	jtune(t, "import", power, "--epochs", times, "--mode", "12c/2.20C", "--out", out+"2").fails(t, exitUsage, "--mode", "no mode")
	jtune(t, "import", power, "--epochs", times, "--per-epoch", "0", "--out", out+"2").fails(t, exitUsage, "--per-epoch")
	jtune(t, "import", power, "--epochs", times, "--out", out+"2").fails(t, exitFailed, "--mode")
	o := jtune(t, "import", power, "--mode", "12,2201600,1300500000,3199000000", "--out", out+"2")
	o.fails(t, exitFailed, power, "20.00 W", "--epochs FILE")
	if strings.Count(o.err, "\n") != 1 {
		t.Errorf("more than one line: %s", o.err)
	}
}

func TestMergeJoinsThePartsOfOnePlan(t *testing.T) {
	path, _ := toySweep(t)
	profile := func(args ...string) string {
		out := filepath.Join(t.TempDir(), "part")
		jtune(t, with(with(replay(path), "profile", "label", "--out", out), args...)...).done(t)
		return out
	}
	a, b := profile("--sample", "9", "--shard", "1/2"), profile("--sample", "9", "--shard", "2/2")
	out := filepath.Join(t.TempDir(), "whole")
	if o := jtune(t, "merge", a, b, "--out", out).done(t); strings.Count(o.err, "\n") != 2 || strings.Count(o.err, "too few to tell whether it agrees") != 2 {
		t.Errorf("whole parts, too small to be judged: %s", o.err)
	}
	if got := modesIn(t, out); got != 9 {
		t.Errorf("joined %d modes, want 9", got)
	}
	jtune(t, "merge", a, b, "--out", out).fails(t, exitFailed, out)
	jtune(t, "merge", a, profile("--modes", "3"), "--out", out+"2").fails(t, exitFailed, "kind of plan")
	jtune(t, "merge", a, profile("--sample", "3", "--seed", "7"), "--out", out+"3").fails(t, exitFailed, "seed")
	jtune(t, "merge", a, t.TempDir(), "--out", out+"4").fails(t, exitFailed)
	jtune(t, "merge", a, "--out", out+"5").fails(t, exitUsage, "DIR DIR…")
	rows := filepath.Join(b, "modes.csv")
	text, err := os.ReadFile(rows)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(rows, text[:bytes.LastIndexByte(text[:len(text)-1], '\n')+1], 0o644); err != nil { // a mode less
		t.Fatal(err)
	}
	if o := jtune(t, "merge", a, b, "--out", out+"6").done(t); !strings.Contains(o.err, b+" is not finished: 1 of its 4 modes are missing") {
		t.Errorf("a part without its last mode: %s", o.err)
	}
}

func TestMergeTellsOfADeviceThatDisagrees(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	parts := func(seed string) []string {
		var dirs []string
		for _, part := range []string{"1/3", "2/3", "3/3"} {
			dirs = append(dirs, filepath.Join(top, seed+strings.ReplaceAll(part, "/", "-")))
			jtune(t, with(virtualBoard, "profile", "resnet", "--sample", "75", "--shard", part, "--out", dirs[len(dirs)-1])...).done(t)
		}
		return dirs
	}
	dirs := parts("a")
	if o := jtune(t, with([]string{"merge", "--out", filepath.Join(top, "same")}, dirs...)...).done(t); strings.Contains(o.err, "disagree") {
		t.Errorf("devices that are the same: %s", o.err)
	}
	edit := func(dir, column string, factor float64) {
		file := filepath.Join(dir, "modes.csv")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		at := slices.Index(strings.Split(lines[0], ","), column)
		for i := 1; i < len(lines); i++ {
			f := strings.Split(lines[i], ",")
			v, err := strconv.ParseFloat(f[at], 64)
			if err != nil {
				t.Fatal(err)
			}
			f[at] = strconv.FormatFloat(v*factor, 'f', -1, 64)
			lines[i] = strings.Join(f, ",")
		}
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	edit(dirs[1], "time_ms", 1.12)
	o := jtune(t, with([]string{"merge", "--out", filepath.Join(top, "other")}, dirs...)...).done(t)
	if strings.Count(o.err, "disagree") != 1 || !strings.Contains(o.err, dirs[1]+" disagrees with the others: time +1") {
		t.Errorf("one device is 12 %% slower: %s", o.err)
	}
	list := filepath.Join(dirs[0], "modes.csv")
	for _, name := range []string{"x", "y"} { // the same modes on both
		jtune(t, with(virtualBoard, "profile", "resnet", "--list", list, "--out", filepath.Join(top, name))...).done(t)
	}
	edit(filepath.Join(top, "y"), "power_w", 0.9)
	o = jtune(t, "merge", filepath.Join(top, "x"), filepath.Join(top, "y"), "--out", filepath.Join(top, "xy")).done(t)
	if !strings.Contains(o.err, "power -10 %") && !strings.Contains(o.err, "power +11 %") {
		t.Errorf("one device draws 10 %% less: %s", o.err)
	}
}

// A job may die, hang, print garbage, or never print: the campaign ends with
// an error that tells, and the board is as it was.
func TestBadHarnesses(t *testing.T) {
	for _, c := range []struct {
		name, script string
		words        []string
	}{
		{"that dies at once", "echo no such dataset >&2; exit 3", []string{"no such dataset"}},
		{"that prints garbage and dies", "head -c 3000 /dev/zero; echo; echo '{\"event\":'; exit 1", []string{"died"}},
	} {
		t.Run("a harness "+c.name, func(t *testing.T) {
			t.Parallel()
			args, root := fakeBoard(t, c.script)
			before := tegratest.Contents(t, root)
			o := jtune(t, with(args, "profile", "job", "--sample", "2", "--out", filepath.Join(t.TempDir(), "c"))...)
			if o.code != exitFailed {
				t.Errorf("got exit code %d, want 1; stderr %s", o.code, o.err)
			}
			for _, w := range c.words {
				if !strings.Contains(o.err, w) {
					t.Errorf("stderr %q does not say %q", o.err, w)
				}
			}
			same(t, root, before)
		})
	}
	t.Run("a harness that dies half way", func(t *testing.T) {
		t.Parallel()
		args, _ := fakeBoard(t, `for i in 1 2 3; do echo '{"event":"minibatch","time_ms":20}'; done; echo out of memory >&2; exit 9`)
		jtune(t, with(args, "run", "job")...).fails(t, exitFailed, "exit status 9", "out of memory")
	})
	t.Run("a harness that is silent for longer than it may", func(t *testing.T) {
		t.Parallel()
		args, _ := fakeBoard(t, "sleep 600")
		config := args[slices.Index(args, "--config")+1]
		text, err := os.ReadFile(config)
		if err == nil {
			err = os.WriteFile(config, append(text, "silence_s = 1\n"...), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		jtune(t, with(args, "profile", "job", "--sample", "1", "--retries", "0", "--out", filepath.Join(t.TempDir(), "c"))...).fails(t, exitFailed, "prints nothing for 1s")
	})
	t.Run("a harness that never prints is left at an interrupt", func(t *testing.T) {
		t.Parallel()
		begun := filepath.Join(t.TempDir(), "begun")
		args, root := fakeBoard(t, "touch "+begun+"; sleep 600")
		before := tegratest.Contents(t, root)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for ctx.Err() == nil {
				if _, err := os.Stat(begun); err == nil {
					cancel()
				}
				time.Sleep(5 * time.Millisecond)
			}
		}()
		o := jtuneWith(t, ctx, strings.NewReader(""), with(args, "profile", "job", "--sample", "2", "--out", filepath.Join(t.TempDir(), "c"))...)
		o.fails(t, exitInterrupted)
		same(t, root, before)
	})
	t.Run("a data folder that is not there", func(t *testing.T) {
		t.Parallel()
		out := filepath.Join(t.TempDir(), "c")
		config := write(t, "[torch]\ndata = \"/no/such/data\"\npython = \"sh\"\nbeside = true\n")
		for _, args := range [][]string{{"--sysroot", tegratest.AGXOrin35(t)}, {"--device", "virtual:agx-orin"}} {
			jtune(t, with(args, "--config", config, "profile", "lenet5", "--sample", "1", "--out", out)...).fails(t, exitFailed, "/no/such/data")
		}
		if _, err := os.Stat(out); err == nil {
			t.Error("a folder was made all the same")
		}
	})
	t.Run("a workload without a command", func(t *testing.T) {
		t.Parallel()
		args, _ := fakeBoard(t, "true")
		jtune(t, with(args, "tune", "resnet", "--energy")...).fails(t, exitNoDevice, "resnet18", "command")
	})
}

// goodJob prints minibatches in the harness protocol for ever.
const goodJob = `i=0; while :; do echo '{"event":"minibatch","epoch":0,"batch":'$i',"time_ms":20,"fetch_ms":2,"stall_ms":1,"compute_ms":18}'; i=$((i+1)); sleep 0.02; done`

func TestRunOfARealCommand(t *testing.T) {
	args, root := fakeBoard(t, goodJob)
	before := tegratest.Contents(t, root)
	v := jtune(t, with(args, "run", "job", "--minibatches", "10", "--json")...).done(t).object(t, runKeys)
	if v["minibatches"] != 10.0 || v["time_ms"] != 20.0 {
		t.Errorf("got %v minibatches of %v ms, want 10 of 20", v["minibatches"], v["time_ms"])
	}
	same(t, root, before)
}

// pipe gives a standard input that stays open without a word.
func pipe(t testing.TB) (io.Reader, io.WriteCloser) {
	r, w := io.Pipe()
	t.Cleanup(func() { w.Close() })
	return r, w
}

func TestApplyKeepsRevertsOrWaits(t *testing.T) {
	const mode = "8c/1.34C/0.83G/2.13M"
	for _, c := range []struct {
		name      string
		stdin     string
		args      []string
		code      int
		kept      bool
		leaveOpen bool
	}{
		{"yes on the command line keeps", "", []string{"--yes"}, exitOK, true, false},
		{"y keeps", "y\n", nil, exitOK, true, true},
		{"n reverts", "n\n", nil, exitReverted, false, true},
		{"silence reverts", "", []string{"--keep-after", "300ms"}, exitReverted, false, true},
		{"end of input is not an answer", "", []string{"--keep-after", "300ms"}, exitReverted, false, false},
		{"neither is another word", "maybe\n", []string{"--keep-after", "300ms"}, exitReverted, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args, root := fakeBoard(t, "true")
			before := tegratest.Contents(t, root)
			r, w := pipe(t)
			go func() {
				io.WriteString(w, c.stdin)
				if !c.leaveOpen {
					w.Close()
				}
			}()
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			o := jtuneWith(t, ctx, r, with(with(args, "apply", mode, "--json"), c.args...)...)
			if o.code != c.code {
				t.Fatalf("got exit code %d, want %d; stderr %s", o.code, c.code, o.err)
			}
			v := o.object(t, appliedKeys)
			if v["kept"] != c.kept || v["reverted"] != !c.kept {
				t.Errorf("got kept %v, reverted %v", v["kept"], v["reverted"])
			}
			if !c.kept {
				same(t, root, before)
				return
			}
			if d := tegratest.Differences(before, tegratest.Contents(t, root)); len(d) == 0 {
				t.Error("kept, but no file has changed")
			}
			jtune(t, with(args, "revert")...).done(t)
			same(t, root, before)
		})
	}
}

func TestInterruptedApplyRestores(t *testing.T) {
	args, root := fakeBoard(t, "true")
	before := tegratest.Contents(t, root)
	r, _ := pipe(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil && len(tegratest.Differences(before, tegratest.Contents(t, root))) == 0 {
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	}()
	jtuneWith(t, ctx, r, with(args, "apply", "8c/1.34C/0.83G/2.13M")...).fails(t, exitInterrupted)
	same(t, root, before)
}

// same checks that every file holds what it held.
func same(t testing.TB, root string, before map[string]string) {
	t.Helper()
	for _, d := range tegratest.Differences(before, tegratest.Contents(t, root)) {
		t.Errorf("not as it was found: %s", d)
	}
}

func TestEveryRowOfAReplayThatIsLeftOutIsTold(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	lines[2], lines[5] = "2,729600,318750000,665600000,100,\"torn\n", "x,y\n"
	o := jtune(t, with(replay(write(t, strings.Join(lines, ""))), "modes", "--csv")...).done(t)
	if !strings.Contains(o.err, "line 3") || !strings.Contains(o.err, "line 6") || strings.Count(o.out, "\n") != len(toyModes())-1 {
		t.Errorf("got %d lines on stdout, stderr %q; want the header and all but two modes, and a word on lines 3 and 6", strings.Count(o.out, "\n"), o.err)
	}
}

func TestRowsOfACampaignThatDoNotParseAreTold(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	dir := filepath.Join(t.TempDir(), "campaign")
	jtune(t, "import", path, "--out", dir).done(t)
	table := filepath.Join(dir, "modes.csv")
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	lines[3] = "4,torn\n"
	if err := os.WriteFile(table, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, samples := range []string{dir, table} {
		for _, args := range [][]string{{"front", "--samples", samples}, {"fit", "--samples", samples, "--method", "linear", "--out", filepath.Join(t.TempDir(), "m")}} {
			if o := jtune(t, args...).done(t); !strings.Contains(o.err, "line 4") {
				t.Errorf("%v: stderr %q says nothing of line 4", args, o.err)
			}
			jtune(t, with(args, "--strict")...).fails(t, exitFailed, "line 4")
		}
	}
}

func TestMergeTellsWhatIsTwiceAndWhatIsMissing(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	part := func(args ...string) string {
		out := filepath.Join(t.TempDir(), "part")
		jtune(t, with(with(replay(path), "profile", "label", "--out", out), args...)...).done(t)
		return out
	}
	a, b := part("--sample", "9", "--shard", "1/3"), part("--sample", "9", "--shard", "2/3")
	out := filepath.Join(t.TempDir(), "whole")
	jtune(t, "merge", a, a+"/.", "--out", out).fails(t, exitUsage, "one folder")
	jtune(t, "merge", a, part("--sample", "9", "--shard", "1/3"), "--out", out).fails(t, exitFailed, "shard 1/3", "once")
	jtune(t, "merge", a, part("--sample", "9", "--shard", "2/2"), "--out", out).fails(t, exitFailed, "number of shards")
	if o := jtune(t, "merge", a, b, "--out", out).done(t); !strings.Contains(o.err, "shard 3/3") || strings.Contains(o.err, "1/3") {
		t.Errorf("stderr %q does not tell that shard 3/3 alone is missing", o.err)
	}
	for _, args := range [][]string{{"merge", a, b}, {"import", path}, with(replay(path), "tune", "label", "--energy")} {
		o := jtune(t, with(args, "--out", out)...)
		o.fails(t, exitFailed, out, "give a new folder")
		if strings.Contains(o.err, "--resume") {
			t.Errorf("%s advises --resume, which it has not: %s", args[0], o.err)
		}
	}
}

func TestAListIsKnownByItsModesNotItsName(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	const modes = "cores,cpu_khz,gpu_hz,mem_hz\n2,729600,318750000,665600000\n12,2201600,1300500000,3199000000\n"
	out := filepath.Join(t.TempDir(), "campaign")
	profile := func(more ...string) outcome {
		return jtune(t, with(with(replay(path), "profile", "label", "--out", out), more...)...)
	}
	profile("--list", write(t, modes)).done(t)
	profile("--list", write(t, modes), "--resume").done(t)
	profile("--list", write(t, strings.Replace(modes, "\n2,", "\n4,", 1)), "--resume").fails(t, exitFailed, "selection")
	profile("--list", write(t, modes), "--shard", "1/2", "--resume").fails(t, exitFailed, "selection")
}

func TestAnImportSpeaksOfItsGridAndNoBoard(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	dir, model := filepath.Join(t.TempDir(), "campaign"), filepath.Join(t.TempDir(), "m")
	if o := jtune(t, "import", path, "--out", dir).done(t); !strings.Contains(o.out, "72 rows of toy, imported") {
		t.Errorf("got %q", o.out)
	}
	if o := jtune(t, "fit", "--samples", dir, "--out", model).done(t); !strings.Contains(o.err, "grid that the samples span") {
		t.Errorf("stderr %q does not warn that no device is known", o.err)
	}
	v := jtune(t, "choose", "--model", model, "--energy", "--json").done(t).object(t, answerKeys)
	if v["device"] != nil {
		t.Errorf("got device %v of an imported file, want null", v["device"])
	}
	jtune(t, "fit", "--samples", dir, "--out", model, "--device", "virtual:agx-orin").done(t)
	if v := jtune(t, "choose", "--model", model, "--energy", "--json").done(t).object(t, answerKeys); v["device"] == nil {
		t.Error("the device that was named is not that of the model")
	}
}
