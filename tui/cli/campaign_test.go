package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/text"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/sweep"
)

func modesIn(t testing.TB, dir string) int {
	t.Helper()
	table := must.Get(sweep.ReadFile(dir, sweep.Options{}))(t)
	return len(table.Measured())
}

func TestProfileRecordsTheModesItWasAskedFor(t *testing.T) {
	t.Parallel()
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
			must.Equal(t, modesIn(t, out), c.want)
			if !strings.Contains(o.out, out) || o.err == "" {
				t.Errorf("got %q on stdout and %q on stderr, want the folder and progress", o.out, o.err)
			}
		})
	}
}

// keepRows leaves only the first rows of a record, like an interrupted campaign.
func keepRows(t testing.TB, dir string, n int) {
	t.Helper()
	edit(t, filepath.Join(dir, "modes.csv"), func(text string) string {
		return strings.Join(strings.SplitAfter(text, "\n")[:n+1], "")
	})
}

// The networks of PowerTrain's reference cover only the grid.
func TestProfileSamplesFromTheGrid(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "campaign")
	args := with(virtualBoard, "profile", "resnet", "--sample", "6", "--minibatches", "5", "--out", out)
	jtune(t, with(args, "--grid")...).done(t)
	_, rows := rowsIn(t, out, 6)
	for _, r := range rows {
		if r.Mode.Cores%2 != 0 || r.Mode.CPU < 268*tegra.MHz {
			t.Errorf("%v is not a mode of the grid", r.Mode)
		}
	}
	jtune(t, with(args, "--resume")...).fails(t, exitFailed, "sample")
}

func TestProfilePrintsItsCostAndTakesItsSettings(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "campaign")
	args := with(virtualBoard, "profile", "resnet", "--grid", "--shard", "3/600", "--out", out)
	o := jtune(t, with(args, "--wait", "21s", "--minibatches", "5", "--dvfs", "on", "--keep-fan", "--mode-timeout",
		"90s", "--retries", "0")...).done(t)
	must.Contain(t, o.err, "modes to measure, about ", "remaining", "; clocks rise ")
	head, rows, err := record.Read(out)
	must.NoError(t, err)
	if s := head.Settings; s.FixedWait != 21*time.Second || s.Minibatches != 5 || !s.DVFS || !s.KeepFan ||
		s.ModeTimeout != 90*time.Second {
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

// A resumed campaign keeps its settings.
func TestResumedCampaignKeepsItsSettings(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "campaign")
	args := with(virtualBoard, "profile", "resnet", "--sample", "4", "--out", out)
	jtune(t, with(args, "--wait", "21s", "--minibatches", "5")...).done(t)
	keepRows(t, out, 2)
	for _, other := range [][]string{{"--minibatches", "10"}, {"--dvfs", "on"}, {"--wait", "3s"}} {
		jtune(t, with(with(args, "--resume"), other...)...).fails(t, exitFailed,
			"the campaign there measures otherwise")
	}
	jtune(t, with(args, "--resume", "--minibatches", "5")...).done(t)
	_, rows := rowsIn(t, out, 4)
	for _, r := range rows {
		if r.SettleS < 21 || r.Minibatches > 30 {
			t.Errorf("%s: %d minibatches after %v s", r.Mode, r.Minibatches, r.SettleS)
		}
	}
}

// A folder's file never decides what --resume runs.
func TestResumeRunsNoCommandThatAFolderNames(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "campaign")
	args := with(virtualBoard, "profile", "resnet", "--sample", "3", "--out", out)
	jtune(t, args...).done(t)
	edit(t, filepath.Join(out, "campaign.toml"), func(text string) string {
		return strings.Replace(text, "[workload]\n", "[workload]\n"+
			"command = [\"/bin/sh\", \"-c\", \"id > PWNED\"]\n"+
			"env = { LD_PRELOAD = \"evil.so\" }\n", 1)
	})
	jtune(t, with(args, "--resume")...).fails(t, exitFailed, "id > PWNED", "evil.so", "--trust-command")
	jtune(t, with(args, "--trust-command")...).fails(t, exitUsage, "--resume")
	args[len(virtualBoard)+1] = "lstm"
	jtune(t, with(args, "--resume", "--trust-command")...).fails(t, exitUsage, "resnet18, not lstm")
	args[len(virtualBoard)+1] = "resnet"
	jtune(t, with(args, "--resume", "--trust-command")...).done(t)
}

// A campaign that was interrupted after failed modes resumes as if it had not been.
func TestResumedModesThatFailedAreNotMeasuredAgain(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "campaign")
	args := with([]string{"--device", "virtual:agx-orin", "--seed", "11", "--speed", "max", "profile", "resnet",
		"--modes", "8", "--mode-timeout", "6s", "--retries", "1"}, "--out", out)
	jtune(t, args...).done(t)
	_, whole, err := record.Read(out)
	must.NoError(t, err)
	failed := 0
	for _, row := range whole[:6] {
		if !row.Status.Usable() {
			failed++
		}
	}
	if failed == 0 || failed == 6 {
		t.Fatalf("%d of 6 failed: nothing is tested", failed)
	}
	keepRows(t, out, 6)
	jtune(t, with(args, "--resume")...).done(t)
	_, rows := rowsIn(t, out, len(whole))
	seen := map[tegra.Mode]bool{}
	for _, row := range rows {
		if seen[row.Mode] {
			t.Errorf("%s was measured again", row.Mode)
		}
		seen[row.Mode] = true
	}
}

func TestShardsOfAGridAreAlikeInCost(t *testing.T) {
	t.Parallel()
	mean := func(part string) float64 {
		out := filepath.Join(t.TempDir(), "part")
		jtune(t, with(virtualBoard, "profile", "resnet", "--grid", "--shard", part, "--minibatches", "5", "--out",
			out)...).done(t)
		_, rows, err := record.Read(out)
		must.NoError(t, err)
		sum := 0.0
		for _, r := range rows {
			sum += r.TookS
		}
		return sum / float64(len(rows))
	}
	if a, b := mean("1/128"), mean("2/128"); a/b > 1.4 || b/a > 1.4 {
		t.Errorf("a mode takes %v s in one part and %v s in the other", a, b)
	}
}

func TestProfileFolderMustBeNewOrResumed(t *testing.T) {
	t.Parallel()
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
	must.Equal(t, modesIn(t, out), 4)
}

func TestProfileOfModesTheDeviceLacksNamesNeighbours(t *testing.T) {
	t.Parallel()
	list := write(t, "cores,cpu_khz,gpu_hz,mem_hz\n2,1000000,318750000,665600000\n")
	jtune(t, with(virtualBoard, "profile", "resnet", "--list", list)...).fails(t, exitUsage, "GHz")
	jtune(t, with(virtualBoard, "profile", "resnet", "--list", write(t, "cores,cpu,gpu,mem\n"))...).fails(t, exitUsage,
		"no mode to measure")
}

// A list may be older than the board's software: modes that no longer exist are noted and skipped.
func TestProfileMeasuresTheModesOfAListThatTheBoardHas(t *testing.T) {
	t.Parallel()
	list := write(t, "cores,cpu_khz,gpu_hz,mem_hz\n2,729600,318750000,665600000\n2,1000000,318750000,665600000\n"+
		"4,729600,318750000,665600000\n14,729600,318750000,665600000\n")
	out := filepath.Join(t.TempDir(), "c")
	args := with(virtualBoard, "profile", "resnet", "--minibatches", "5", "--list", list, "--out", out)
	o := jtune(t, args...).done(t)
	must.Equal(t, modesIn(t, out), 2)
	must.Contain(t, o.err, "2 of 4 modes are not of this board", "GHz")
	jtune(t, with(args, "--resume")...).done(t)
}

func TestListSaysThatItsMinibatchSizesAreNotMeasured(t *testing.T) {
	t.Parallel()
	list := write(t, "cores,cpu_khz,gpu_hz,mem_hz,bs\n2,729600,318750000,665600000,4\n2,729600,318750000,665600000,8\n")
	out := filepath.Join(t.TempDir(), "c")
	o := jtune(t, with(virtualBoard, "profile", "resnet", "--minibatches", "5", "--list", list, "--out",
		out)...).done(t)
	must.Equal(t, modesIn(t, out), 1)
	must.Contain(t, o.err, "column bs is ignored")
}

// An interrupt ends a campaign with 130; what was measured is kept, and
// --resume goes on.
func TestInterruptedProfileKeepsItsRowsAndResumes(t *testing.T) {
	t.Parallel()
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
	must.Equal(t, modesIn(t, out), 20)
}

func TestFailedModesAreMeasuredAgainWhenAsked(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	out := filepath.Join(t.TempDir(), "campaign")
	args := with(replay(path), "profile", "label", "--sample", "3", "--minibatches", "5", "--out", out)
	jtune(t, args...).done(t)
	edit(t, filepath.Join(out, "modes.csv"), func(text string) string {
		lines := strings.Split(text, "\n")
		fields := strings.Split(lines[2], ",")
		fields[4], fields[5], fields[6] = "", "", "failed"
		lines[2] = strings.Join(fields, ",")
		return strings.Join(lines, "\n")
	})
	must.Contain(t, jtune(t, with(args, "--resume")...).done(t).out, "3 modes recorded, 2 usable, 0 new")
	must.Contain(t, jtune(t, with(args, "--resume", "--redo-failed")...).done(t).out,
		"3 modes recorded, 3 usable, 1 new")
}

func TestCampaignFeedsFitAndReplay(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	out := filepath.Join(t.TempDir(), "campaign")
	jtune(t, with(replay(path), "profile", "label", "--modes", "12", "--out", out)...).done(t)
	model := filepath.Join(t.TempDir(), "m")
	o := jtune(t, "fit", "--samples", out, "--out", model, "--json").done(t)
	must.Equal(t, o.object(t, "method samples cv reference warnings virtual")["samples"], 12.0)
	must.Equal(t, len(array(t, jtune(t, "predict", "--model", model, "--json").done(t).out)), len(toyModes()))
	must.Equal(t,
		strings.Count(jtune(t, with(replay(filepath.Join(out, "modes.csv")), "modes", "--csv")...).done(t).out, "\n"),
		13)
}

func TestReplayTellsEveryRowThatItLeavesOut(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	text := must.Read(t, path)
	lines := strings.SplitAfter(string(text), "\n")
	lines[2], lines[5] = "2,729600,318750000,665600000,100,\"torn\n", "x,y\n"
	o := jtune(t, with(replay(write(t, strings.Join(lines, ""))), "modes", "--csv")...).done(t)
	must.Equal(t, strings.Count(o.out, "\n"), len(toyModes())-1)
	must.Contain(t, o.err, "line 3", "line 6")
}

func TestRowsOfACampaignThatDoNotParseAreTold(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	dir := filepath.Join(t.TempDir(), "campaign")
	jtune(t, "import", path, "--out", dir).done(t)
	table := filepath.Join(dir, "modes.csv")
	edit(t, table, func(text string) string {
		lines := strings.SplitAfter(text, "\n")
		lines[3] = "4,torn\n"
		return strings.Join(lines, "")
	})
	for _, samples := range []string{dir, table} {
		for _, args := range [][]string{{"front", "--samples", samples},
			{"fit", "--samples", samples, "--method", "linear", "--out", filepath.Join(t.TempDir(), "m")}} {
			must.Contain(t, jtune(t, args...).done(t).err, "line 4")
			jtune(t, with(args, "--strict")...).fails(t, exitFailed, "line 4")
		}
	}
}

func TestListIsKnownByItsModesNotItsName(t *testing.T) {
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

// Rows that were recorded before a write to a file failed are counted.
func TestProfileCountsTheRowWhoseMinibatchesCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "c")
	cmd := childOfSmallFiles(8, "--device", "virtual:agx-orin",
		"--speed", "max", "--seed", "3", "--data-dir", t.TempDir(), "--log-file", filepath.Join(t.TempDir(), "log"),
		"profile", "resnet", "--sample", "6", "--minibatches", "60", "--out", dir)
	out, err := cmd.CombinedOutput()
	_, rows, readErr := record.Read(dir)
	if err == nil || readErr != nil || len(rows) == 0 {
		t.Fatalf("%v, %v, %d rows; it said\n%s", err, readErr, len(rows), out)
	}
	want := fmt.Sprintf("%s recorded", text.Count(len(rows), "mode"))
	must.Contain(t, string(out), want, "minibatches.csv: file too large")
}
