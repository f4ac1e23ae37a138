package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
)

func TestImportReadsModesInCompactNotationIntoTheDataDirectory(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	path := write(t, "mode,time_ms,power_w\n12c/2.20C/1.30G/3.20M,50,49\n8c/1.04C/0.73G/3.20M,95,30\n")
	for _, c := range []struct{ device, row, note string }{
		{"virtual:agx-orin", "12,2201600,1300500000,3199000000,", ""},
		{"", "12,2200000,1300000000,3200000000,", "--device"},
	} {
		args := []string{"import", path, "--data-dir", data, "--json"}
		if c.device != "" {
			args = append(args, "--device", c.device)
		}
		o := jtune(t, args...).done(t)
		dir, _ := o.object(t, "path rows workload device virtual")["path"].(string)
		rows, err := os.ReadFile(filepath.Join(dir, "modes.csv"))
		if err != nil || !strings.Contains(string(rows), c.row) || filepath.Dir(filepath.Dir(dir)) != data {
			t.Errorf("%v: %s: %v\n%s", c, dir, err, rows)
		}
		must.Equal(t, strings.Contains(o.err, "rounded"), c.note != "", c)
		must.Contain(t, o.err, c.note)
	}
	bad := write(t, "mode,time,power\n12c/2.20C/1.30G/3.20M,50,49\n")
	jtune(t, "import", bad, "--data-dir", data).fails(t, exitFailed, "time_ms is missing")
	if left, _ := filepath.Glob(filepath.Join(data, "campaigns", "*")); len(left) != 2 {
		t.Errorf("a file that cannot be read left a folder: %v", left)
	}
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
		must.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	out := filepath.Join(dir, "c")
	jtune(t, "import", power, "--epochs", times, "--mode", "12,2201600,1300500000,3199000000", "--out", out).done(t)
	must.Equal(t, modesIn(t, out), 1)
	jtune(t, "import", power, "--epochs", times, "--mode", "12c/2.20C", "--out", out+"2").fails(t, exitUsage, "--mode",
		"not a mode")
	jtune(t, "import", power, "--epochs", times, "--per-epoch", "0", "--out", out+"2").fails(t, exitUsage,
		"--per-epoch")
	jtune(t, "import", power, "--epochs", times, "--out", out+"2").fails(t, exitFailed, "--mode")
	o := jtune(t, "import", power, "--mode", "12,2201600,1300500000,3199000000", "--out", out+"2")
	o.fails(t, exitFailed, power, "20.00 W", "--epochs FILE")
	must.Equal(t, strings.Count(o.err, "\n"), 1)
}

// partOf measures a part of a plan on the made-up board, and returns its folder.
func partOf(t *testing.T, board string, args ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "part")
	jtune(t, with(with(replay(board), "profile", "label", "--out", out), args...)...).done(t)
	return out
}

func TestMergeJoinsThePartsOfOnePlan(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	profile := func(args ...string) string { return partOf(t, path, args...) }
	a, b := profile("--sample", "9", "--shard", "1/2"), profile("--sample", "9", "--shard", "2/2")
	out := filepath.Join(t.TempDir(), "whole")
	o := jtune(t, "merge", a, b, "--out", out).done(t)
	must.Equal(t, strings.Count(o.err, "\n"), 2)
	must.Equal(t, strings.Count(o.err, "too few to compare"), 2)
	must.Equal(t, modesIn(t, out), 9)
	jtune(t, "merge", a, b, "--out", out).fails(t, exitFailed, out)
	jtune(t, "merge", a, profile("--modes", "3"), "--out", out+"2").fails(t, exitFailed, "selection")
	jtune(t, "merge", a, profile("--sample", "3", "--seed", "7"), "--out", out+"3").fails(t, exitFailed, "seed")
	jtune(t, "merge", a, t.TempDir(), "--out", out+"4").fails(t, exitFailed)
	jtune(t, "merge", a, "--out", out+"5").fails(t, exitUsage, "DIR DIR…")
	rows := filepath.Join(b, "modes.csv")
	text := must.Read(t, rows)
	// one mode less
	must.NoError(t, os.WriteFile(rows, text[:bytes.LastIndexByte(text[:len(text)-1], '\n')+1], 0o644))
	must.Contain(t, jtune(t, "merge", a, b, "--out", out+"6").done(t).err,
		b+" is not finished: 1 of its 4 modes are missing")
}

func TestMergeTellsOfADeviceThatDisagrees(t *testing.T) {
	t.Parallel()
	computes(t)
	top := t.TempDir()
	parts := func(seed string) []string {
		var dirs []string
		for _, part := range []string{"1/3", "2/3", "3/3"} {
			dirs = append(dirs, filepath.Join(top, seed+strings.ReplaceAll(part, "/", "-")))
			jtune(t, with(smallBoard, "profile", "resnet", "--sample", "75", "--minibatches", "10", "--shard", part,
				"--out", dirs[len(dirs)-1])...).done(t)
		}
		return dirs
	}
	dirs := parts("a")
	must.Lack(t, jtune(t, with([]string{"merge", "--out", filepath.Join(top, "same")}, dirs...)...).done(t).err,
		"disagree")
	scale := func(dir, column string, factor float64) {
		file := filepath.Join(dir, "modes.csv")
		edit(t, file, func(text string) string {
			lines := strings.Split(strings.TrimSpace(text), "\n")
			at := slices.Index(strings.Split(lines[0], ","), column)
			for i := 1; i < len(lines); i++ {
				f := strings.Split(lines[i], ",")
				v := must.Get(strconv.ParseFloat(f[at], 64))(t)
				f[at] = strconv.FormatFloat(v*factor, 'f', -1, 64)
				lines[i] = strings.Join(f, ",")
			}
			return strings.Join(lines, "\n") + "\n"
		})
	}
	scale(dirs[1], "time_ms", 1.12)
	o := jtune(t, with([]string{"merge", "--out", filepath.Join(top, "other")}, dirs...)...).done(t)
	must.Equal(t, strings.Count(o.err, "disagree"), 1)
	must.Contain(t, o.err, dirs[1]+" disagrees with the others: time +1")
	list := filepath.Join(dirs[0], "modes.csv")
	for _, name := range []string{"x", "y"} { // the same modes on both
		jtune(t, with(smallBoard, "profile", "resnet", "--minibatches", "10", "--list", list,
			"--out", filepath.Join(top, name))...).done(t)
	}
	scale(filepath.Join(top, "y"), "power_w", 0.9)
	o = jtune(t, "merge", filepath.Join(top, "x"), filepath.Join(top, "y"), "--out", filepath.Join(top, "xy")).done(t)
	if !strings.Contains(o.err, "power -10 %") && !strings.Contains(o.err, "power +11 %") {
		t.Errorf("one device draws 10 %% less: %s", o.err)
	}
}

func TestMergeTellsWhatIsTwiceAndWhatIsMissing(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	part := func(args ...string) string { return partOf(t, path, args...) }
	a, b := part("--sample", "9", "--shard", "1/3"), part("--sample", "9", "--shard", "2/3")
	out := filepath.Join(t.TempDir(), "whole")
	jtune(t, "merge", a, a+"/.", "--out", out).fails(t, exitUsage, "one folder")
	jtune(t, "merge", a, part("--sample", "9", "--shard", "1/3"), "--out", out).fails(t, exitFailed, "shard 1/3",
		"once")
	jtune(t, "merge", a, part("--sample", "9", "--shard", "2/2"), "--out", out).fails(t, exitFailed,
		"shard 3; kind sample, shard 2")
	if o := jtune(t, "merge", a, b, "--out", out).done(t); !strings.Contains(o.err, "shard 3/3") ||
		strings.Contains(o.err, "1/3") {
		t.Errorf("stderr %q does not name the missing shard 3/3", o.err)
	}
	for _, args := range [][]string{{"merge", a, b}, {"import", path},
		with(replay(path), "tune", "label", "--energy")} {
		o := jtune(t, with(args, "--out", out)...)
		o.fails(t, exitFailed, out, "give a new folder")
		must.Lack(t, o.err, "--resume")
	}
}

func TestImportSpeaksOfItsGridAndNoBoard(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	dir, model := filepath.Join(t.TempDir(), "campaign"), filepath.Join(t.TempDir(), "m")
	must.Contain(t, jtune(t, "import", path, "--out", dir).done(t).out, "72 rows of toy, imported")
	must.Contain(t, jtune(t, "fit", "--samples", dir, "--out", model).done(t).err, "grid that the samples span")
	v := jtune(t, "choose", "--model", model, "--energy", "--json").done(t).object(t, answerKeys)
	must.Equal(t, v["device"], nil)
	jtune(t, "fit", "--samples", dir, "--out", model, "--device", "virtual:agx-orin").done(t)
	has(t, jtune(t, "choose", "--model", model, "--energy", "--json").done(t).object(t, answerKeys), "device != null")
}
