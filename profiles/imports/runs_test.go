package imports

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// derived reads the table that was made of the raw runs beside it.
func derived(t *testing.T, path string) map[tegra.Mode]map[string]float64 {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	records := must.Get(csv.NewReader(f).ReadAll())(t)
	rows := map[tegra.Mode]map[string]float64{}
	for _, r := range records[1:] {
		if r[0] != "ResNet" {
			continue
		}
		row := map[string]float64{}
		for i, name := range records[0] {
			row[name], _ = strconv.ParseFloat(r[i], 64)
		}
		rows[tegra.Mode{Cores: int(row["cores"]), CPU: tegra.Freq(row["cpu"]) * 1000, GPU: tegra.Freq(row["gpu"]),
			EMC: tegra.Freq(row["mem"])}] = row
	}
	return rows
}

func TestRunsOfRawRunsGiveTheTableThatIsPublishedWithThem(t *testing.T) {
	t.Parallel()
	raw := sweeptest.Shared(t, "data/sweeps/powertrain-orin-nano/raw_runs.tar.gz")
	want := derived(t, filepath.Join(filepath.Dir(raw), "orin_nano_train_derived.csv"))
	out := filepath.Join(t.TempDir(), "c")
	notes, err := Runs(raw, out, 0, true)
	if err != nil || len(notes) > 0 {
		t.Fatalf("%v, notes %v", err, notes)
	}
	head, rows, err := record.Read(out)
	if err != nil || len(rows) != 180 || len(want) != 180 || head.Workload.Name != "resnet" {
		t.Fatalf("%d rows of %s, %v; want 180 as in the table, which has %d", len(rows), head.Workload.Name, err,
			len(want))
	}
	for _, r := range rows {
		w, ok := want[r.Mode]
		if !ok {
			t.Errorf("%s is not in the table", r.Mode)
			continue
		}
		// The table prints 4 decimals of a ms and 1 of a mW.
		if math.Abs(r.TimeMS-w["time_ms_median"]) > 1e-4 || math.Abs(1000*r.PowerW-w["power_mw_median"]) > 0.1 ||
			r.Minibatches != int(w["n_used"]) || r.PowerSamples != int(w["n_power"]) {
			t.Errorf("%s: %.4f ms, %.1f mW of %d and %d; want %v", r.Mode, r.TimeMS, 1000*r.PowerW, r.Minibatches,
				r.PowerSamples, w)
		}
		if !r.StallMS.OK || !r.ComputeMS.OK || r.StallMS.V+r.ComputeMS.V > 1.5*r.TimeMS {
			t.Errorf("%s: stall %v and compute %v of %.1f ms", r.Mode, r.StallMS, r.ComputeMS, r.TimeMS)
		}
	}
}

// putRun writes a run of n minibatches of 100 ms with 10 W.
func putRun(t *testing.T, dir string, n int) {
	t.Helper()
	must.NoError(t, os.MkdirAll(dir, 0o755))
	epoch, power := "epoch,time,loss,accuracy,epochtime_ms,log_time\n", "time,power cur,power avg,log_time\n"
	for i := range n {
		epoch += fmt.Sprintf("0,null,\":\",null,%d,%g\n", 100+900*max(0, 1-i), 1+0.1*float64(i))
		power += fmt.Sprintf("x,10000,0,%g\n", 1+0.1*float64(i))
	}
	for name, text := range map[string]string{"mn_nw4_pf2_epoch_stats.csv": epoch, "mn_nw4_pf2_tegrastats.csv": power} {
		must.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
}

func TestRunsOneThatCannotBeReadIsLeftOutWithTheReason(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, text, want string }{
		{"a missing power log", "mn_nw4_pf2_tegrastats.csv", "", "power log: neither"},
		{"another column", "mn_nw4_pf2_tegrastats.csv", "power,log_time\n1,2\n", `has a column "power cur"`},
		{"no row", "mn_nw4_pf2_epoch_stats.csv", "epoch,epochtime_ms,log_time\n", "no minibatch"},
		{"one minibatch", "mn_nw4_pf2_epoch_stats.csv", "epoch,epochtime_ms,log_time\n0,100,1\n", "too few"},
		{"a bad number in the middle", "mn_nw4_pf2_epoch_stats.csv",
			"epoch,epochtime_ms,log_time\n0,100,1\n0,NaN,2\n0,100,3\n", "line 3: no numbers"},
		{"a negative time", "mn_nw4_pf2_epoch_stats.csv", "epoch,epochtime_ms,log_time\n0,100,1\n0,-100,2\n",
			"lasts -100 ms"},
		{"a time beyond reason", "mn_nw4_pf2_epoch_stats.csv", "epoch,epochtime_ms,log_time\n0,100,1\n0,100,1e300\n",
			"ends at 1e+300 s"},
		{"power at another time", "mn_nw4_pf2_tegrastats.csv", "power cur,log_time\n10000,0.001\n", "no power sample"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			good, bad := filepath.Join(root, "Net", "pm_2_268800_306000000_665600000"), filepath.Join(root, "Net",
				"pm_4_268800_306000000_665600000")
			putRun(t, good, 10)
			putRun(t, bad, 10)
			must.NoError(t, os.WriteFile(filepath.Join(bad, c.file), []byte(c.text), 0o644))
			out := filepath.Join(t.TempDir(), "c")
			if _, err := Runs(root, out, 0, true); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("strict: got %v, want %q", err, c.want)
			}
			notes, err := Runs(root, out, 0, false)
			if err != nil || len(notes) != 1 || !strings.Contains(notes[0], c.want) ||
				!strings.Contains(notes[0], "pm_4") {
				t.Errorf("%v, notes %v; want one with %q", err, notes, c.want)
			}
			if _, rows, err := record.Read(out); err != nil || len(rows) != 1 || rows[0].TimeMS != 100 ||
				rows[0].PowerW != 10 ||
				rows[0].Minibatches != 9 {
				t.Errorf("got %+v, %v; want the good run alone", rows, err)
			}
		})
	}
}

func TestRunsEpochLogWithARowPerEpochIsSharedOut(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := filepath.Join(root, "Net", "pm_2_268800_306000000_665600000")
	putRun(t, dir, 30) // for its power log: 10 W from 1 s to 3.9 s
	fetch, compute := "epoch,batch_idx,fetchtime,fetchtime_ms,log_time\n",
		"epoch,batch_idx,computetime,computetime_ms,log_time\n"
	for i := range 20 {
		fetch += fmt.Sprintf("%d,%d,null,20,%g\n", i/10, i%10, 1.9+0.1*float64(i))
		compute += fmt.Sprintf("%d,%d,null,70,%g\n", i/10, i%10, 2+0.1*float64(i))
	}
	for name, text := range map[string]string{"fetch.csv": fetch, "compute.csv": compute,
		"epoch_stats.csv": "epoch,time,loss,accuracy,epochtime_ms,log_time\n0,null,1,1,3000,2.9\n" +
			"1,null,1,1,1000,3.9\n"} {
		must.NoError(t, os.WriteFile(filepath.Join(dir, "mn_nw4_pf2_"+name), []byte(text), 0o644))
	}
	out := filepath.Join(t.TempDir(), "c")
	_, err := Runs(root, out, 0, true)
	must.NoError(t, err)
	_, rows, err := record.Read(out)
	if err != nil || len(rows) != 1 {
		t.Fatalf("%v, %v", rows, err)
	}
	// Epoch 1: 1000 ms over 10 minibatches of 20 ms fetch and 70 ms compute.
	if r := rows[0]; math.Abs(r.TimeMS-100) > 1e-9 || r.Minibatches != 10 || r.StallMS.V != 20 || r.ComputeMS.V != 70 ||
		math.Abs(r.OverheadMS.V-10) > 1e-9 ||
		r.PowerW != 10 {
		t.Errorf("got %+v; want 100 ms = 20 + 70 + 10 of the ten minibatches of epoch 1", r)
	}
}

func TestRunsTornLastLineOfALogIsLeftOut(t *testing.T) {
	t.Parallel()
	rows, err := numbers([]byte("a,b\n1,2\n3,"), "a", "b")
	if err != nil || len(rows) != 1 {
		t.Errorf("%v, %v", rows, err)
	}
}

func TestRunsFoldersThatHoldNoOneWorkloadAreRefused(t *testing.T) {
	t.Parallel()
	root, out := t.TempDir(), filepath.Join(t.TempDir(), "c")
	putRun(t, filepath.Join(root, "Net", "run1"), 10)
	if _, err := Runs(root, out, 0, false); err == nil || !strings.Contains(err.Error(), "no folder pm_<cores>") {
		t.Errorf("no runs: %v", err)
	}
	putRun(t, filepath.Join(root, "A", "pm_2_268800_306000000_665600000"), 10)
	putRun(t, filepath.Join(root, "B", "pm_4_268800_306000000_665600000"), 10)
	if _, err := Runs(root, out, 0, false); err == nil || !strings.Contains(err.Error(), "two workloads") {
		t.Errorf("two workloads: %v", err)
	}
	putRun(t, filepath.Join(root, "A", "deeper", "pm_2_0_306000000_665600000"), 10)
	if _, err := Runs(filepath.Join(root, "A", "deeper"), out, 0, false); err == nil ||
		!strings.Contains(err.Error(), "not a value of a power mode") {
		t.Errorf("a mode of 0 kHz: %v", err)
	}
	if _, err := Runs(filepath.Join(root, "A", "pm_2_268800_306000000_665600000"), out, 0, false); err != nil {
		t.Errorf("the folder of one run: %v", err)
	}
	packed := filepath.Join(root, "x.tar.gz")
	must.NoError(t, os.WriteFile(packed, []byte("no archive"), 0o644))
	if _, err := Runs(packed, out, 0, false); err == nil || !strings.Contains(err.Error(), "x.tar.gz") {
		t.Errorf("no archive: %v", err)
	}
}

func FuzzNumbers(f *testing.F) {
	f.Add("epoch,epochtime_ms,log_time\n0,100,1\n")
	f.Add("epoch,\":\",log_time\n\"0,100,1\n0")
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		rows, err := numbers([]byte(text), "epoch", "log_time")
		for _, r := range rows {
			if err == nil && (len(r) != 2 || math.IsNaN(r[0]) || math.IsInf(r[1], 0)) {
				t.Errorf("%v", r)
			}
		}
	})
}

// An older form of the logs has a row per epoch; without the logs of fetch and
// compute nothing in the folder tells how many minibatches one has.
func TestRunsFolderWithARowPerEpochNeedsTheirNumber(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "Net", "pm_2_268800_306000000_665600000")
	putRun(t, dir, 30)
	epochs := "epoch,epochtime_ms,log_time\n0,1900,2\n1,1000,3\n2,1000,4\n"
	must.NoError(t, os.WriteFile(filepath.Join(dir, "mn_nw4_pf2_epoch_stats.csv"), []byte(epochs), 0o644))
	out := filepath.Join(t.TempDir(), "c")
	if _, err := Runs(dir, out, 0, true); err == nil || !strings.Contains(err.Error(), "“minibatches per epoch”") {
		t.Errorf("without: %v", err)
	}
	_, err := Runs(dir, out, 10, true)
	must.NoError(t, err)
	if _, rows, err := record.Read(out); err != nil || len(rows) != 1 || rows[0].Minibatches != 20 ||
		rows[0].TimeMS != 100 ||
		rows[0].PowerW != 10 {
		t.Errorf("%v: %+v", err, rows)
	}
}
