package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra/tegratest"
)

// TestCommandsPrintNoControlCharactersOfOthers covers names in a board, a configuration file and a campaign from
// another user's archive.
func TestCommandsPrintNoControlCharactersOfOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const evil = "x\x1b]52;c;ZXZpbA==\ay\u009b2Jz\u202e"
	tree := tegratest.New("agx-orin-36")
	tree.Set("/proc/device-tree/model", evil+"\x00")
	tree.Set("/etc/nvpmodel/nvpmodel_p3701.conf",
		"< POWER_MODEL ID=0 NAME="+evil+" >\nCPU_ONLINE CORE_0 1\n< PM_CONFIG DEFAULT=0 >\n")
	root := tree.Write(t)
	config := filepath.Join(dir, "workloads.toml")
	campaign := filepath.Join(dir, "camp")
	for name, text := range map[string]string{
		config:                                   "[workload.a]\ncommand = [\"sh\"]\n'" + evil + "' = 1\n",
		filepath.Join(campaign, "campaign.toml"): "format = 1\nx = \"\x1b[2J\"\n",
		filepath.Join(dir, "a\x1b[2J.model"):     "not a model",
	} {
		must.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	for _, args := range [][]string{
		{"--sysroot", root, "device"}, {"--sysroot", root, "device", "--json"}, {"--sysroot", root, "doctor"},
		{"--config", config, "workloads"},
		{"merge", campaign, "--out", filepath.Join(dir, "out")},
		{"models", "show", filepath.Join(dir, "a\x1b[2J.model")},
		{"no\x1b[2Jsuch"},
	} {
		o := jtune(t, args...)
		if all := o.out + o.err; all == "" || strings.ContainsAny(all, "\x1b\a\u009b\u202e") {
			t.Errorf("%q prints %q", args, all)
		}
	}
}

// TestRowsAreRefusedAlikeByEveryDoor covers rows that no Jetson can have measured.
func TestRowsAreRefusedAlikeByEveryDoor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lines := func(row func(i int, time, power float64) string) string {
		text := "cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w\n"
		for i := 1; i <= 10; i++ {
			text += row(i, 400/float64(i), 10+float64(i)) + "\n"
		}
		return text
	}
	const clocks = "%d,1190400,420750000,2133000000,"
	for name, c := range map[string]struct {
		row  func(i int, time, power float64) string
		want string
	}{
		"milliwatts": {func(i int, time, power float64) string {
			return fmt.Sprintf(clocks+"%g,%g", i, time, 1000*power)
		}, "line 2: power_w is 11000: too much for a Jetson; is the power in mW?"},
		"no time at all": {func(i int, _, power float64) string {
			return fmt.Sprintf(clocks+"1e300,%g", i, power)
		}, "line 2: time_ms is 1e+300"},
		"clocks": {func(i int, time, power float64) string {
			return fmt.Sprintf("%d,1190400000,420750000,2133000000,%g,%g", i, time, power)
		}, "line 2: cpu_khz is 1190400000: looks like Hz where kHz belongs"},
		"swapped": {func(i int, time, power float64) string {
			return fmt.Sprintf(clocks+"%g,%g", i, power, time)
		}, "swapped"},
	} {
		file := filepath.Join(dir, safe(name)+".csv")
		must.NoError(t, os.WriteFile(file, []byte(lines(c.row)), 0o644))
		for _, args := range [][]string{
			{"import", file, "--out", filepath.Join(dir, safe(name))},
			{"fit", "--samples", file, "--out", filepath.Join(dir, "m")},
			{"front", "--samples", file},
			{"device", "--device", "replay:" + file},
		} {
			if o := jtune(t, args...); o.code == exitOK || !strings.Contains(o.err, c.want) {
				t.Errorf("%s, %s: exit code %d, %q; want %q", name, args[0], o.code, o.err, c.want)
			}
		}
	}
}

// safe returns a name without spaces.
func safe(name string) string { return strings.ReplaceAll(name, " ", "-") }

// A resumed campaign checks its own rows against the same limits, and against the modes of its board.
func TestResumeTakesNoRowThatCannotBe(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "campaign")
	args := with(virtualBoard, "profile", "resnet", "--sample", "4", "--minibatches", "3", "--out", out)
	jtune(t, args...).done(t)
	file := filepath.Join(out, "modes.csv")
	edit(t, file, func(text string) string {
		rows := strings.SplitAfter(text, "\n")
		cells := func(i, at int, v string) {
			fields := strings.Split(rows[i], ",")
			fields[at] = v
			rows[i] = strings.Join(fields, ",")
		}
		cells(1, 5, "1000000")  // 1 MW
		cells(2, 4, "1e300")    // ms
		cells(3, 1, "20000000") // kHz, not a clock of the board
		return strings.Join(rows, "")
	})
	o := jtune(t, with(args, "--resume")...).done(t)
	must.Contain(t, o.out+o.err, "3 new", "line 2", "line 3", "no mode of this device")
}

// A copy of a measurement does not count twice.
func TestMergeTakesCopiesOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	base, double, both := filepath.Join(dir, "base"), filepath.Join(dir, "copy"), filepath.Join(dir, "both")
	jtune(t, with(virtualBoard, "profile", "resnet", "--sample", "6", "--minibatches", "3", "--out", base)...).done(t)
	must.NoError(t, os.CopyFS(double, os.DirFS(base)))
	o := jtune(t, "merge", base, double, "--out", both).done(t)
	must.Contain(t, o.err, "6 rows are copies of others")
	rowsIn(t, both, 6)
	runs, _, err := record.ReadRuns(both)
	must.NoError(t, err)
	must.Equal(t, len(runs), 6)
	file := filepath.Join(base, "modes.csv")
	text := must.Read(t, file)
	_, below, _ := strings.Cut(string(text), "\n")
	must.NoError(t, os.WriteFile(file, append(text, below...), 0o644))
	for _, samples := range []string{base, write(t, string(text)+below)} {
		o := jtune(t, "fit", "--device", "virtual:agx-orin", "--samples", samples, "--no-cv", "--out",
			filepath.Join(dir, "m")).done(t)
		must.Contain(t, o.err, "6 rows are copies of others")
	}
}
