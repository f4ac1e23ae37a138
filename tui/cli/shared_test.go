package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// The closed loop on the measured MobileNet sweep: with at most 15 measurements it finds a mode within 30 W whose
// numbers are the file's. The optimum is found in the 4,368 measured modes.
func TestTuneOnTheMeasuredSweepIsNearTheOptimum(t *testing.T) {
	t.Parallel()
	path := sweeptest.Shared(t, sweeptest.MobileNet)
	truth, best := map[tegra.Mode]tegra.Measured{}, math.Inf(1)
	for _, m := range sweeptest.Load(t, sweeptest.MobileNet) {
		truth[m.Mode] = m
		if m.PowerW <= 30 {
			best = min(best, m.TimeMS)
		}
	}
	o := jtune(t, with(replay(path), "tune", "mobilenet", "--power-limit", "30", "--probes", "15", "--json")...).done(t)
	v := o.object(t, answerKeys)
	got := truth[modeOf(t, v["mode"])]
	if got.PowerW == 0 || got.PowerW > 30 {
		t.Fatalf("chose %v, which draws %g W", got.Mode, got.PowerW)
	}
	if m := hasKeys(t, v["measured"], measuredKeys); math.Abs(m["time_ms"].(float64)-got.TimeMS) > 1e-6*got.TimeMS {
		t.Errorf("measured %v ms, the file says %g", m["time_ms"], got.TimeMS)
	}
	// recipe 8: p90 of the gap is below 5 % for this limit; a single run is allowed more.
	if gap := 100 * (got.TimeMS/best - 1); gap > 15 {
		t.Errorf("%.1f %% slower than the optimum of %.1f ms", gap, best)
	}
	checkProbes(t, v, 15)
}

// Fits on 10, 20 and 50 random rows of the measured MobileNet sweep, scored on all of it. The thresholds come from
// docs/results.md, with a margin for a single draw.
func TestFitAndPredictTheMeasuredSweep(t *testing.T) {
	computes(t)
	t.Parallel()
	path := sweeptest.Shared(t, sweeptest.MobileNet)
	all := sweeptest.Load(t, sweeptest.MobileNet)
	space, err := tegra.NewSubspace(modesOf(all))
	must.NoError(t, err)
	truth := map[tegra.Mode]tegra.Measured{}
	for _, m := range all {
		truth[m.Mode] = m
	}
	for _, c := range []struct {
		n           int
		time, power float64
	}{{10, 14, 7}, {20, 12, 5.5}, {50, 8, 4}} {
		t.Run(strconv.Itoa(c.n)+" modes", func(t *testing.T) {
			var rows []tegra.Measured
			for _, m := range space.Sample(c.n, 1) {
				rows = append(rows, truth[m])
			}
			var b bytes.Buffer
			must.NoError(t, sweeptest.Write(&b, rows))
			model := filepath.Join(t.TempDir(), "m")
			jtune(t, "fit", "--samples", write(t, b.String()), "--out", model, "--reference", "none").done(t)
			out := jtune(t, "predict", "--model", model, "--modes", path, "--csv").done(t).out
			time, power := score(t, out, all)
			t.Logf("time %.1f %%, power %.1f %%", time, power)
			if time > c.time || power > c.power {
				t.Errorf("errors %.1f and %.1f %%, want at most %g and %g", time, power, c.time, c.power)
			}
		})
	}
}

func modesOf(rows []tegra.Measured) []tegra.Mode {
	out := make([]tegra.Mode, len(rows))
	for i, r := range rows {
		out[i] = r.Mode
	}
	return out
}

// score compares predictions with measurements row by row.
func score(t testing.TB, predictions string, truth []tegra.Measured) (timePct, powerPct float64) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(predictions)).ReadAll()
	if err != nil || len(rows) != len(truth)+1 {
		t.Fatalf("%d prediction rows for %d modes: %v", len(rows)-1, len(truth), err)
	}
	var tp, to, pp, po []float64
	for i, r := range rows[1:] {
		time, _ := strconv.ParseFloat(r[4], 64)
		power, _ := strconv.ParseFloat(r[7], 64)
		if r[0] != strconv.Itoa(truth[i].Mode.Cores) {
			t.Fatalf("row %d is of another mode", i+1)
		}
		tp, to, pp, po = append(tp, time), append(to, truth[i].TimeMS), append(pp, power), append(po, truth[i].PowerW)
	}
	return learn.MAPE(tp, to), learn.MAPE(pp, po)
}

func TestEvaluateReportsTheContractsRows(t *testing.T) {
	t.Parallel()
	path, _ := toySweep(t)
	o := jtune(t, "evaluate", "--truth", path, "--methods", "gp,linear,tune,maxn", "--sizes", "8,16", "--seeds", "2",
		"--budgets", "15:30:5", "--json").done(t)
	if strings.Contains(o.err, "minutes") {
		t.Errorf("stderr %q promises minutes of a comparison of 72 modes", o.err)
	}
	var v struct{ Rows []any }
	must.NoError(t, json.Unmarshal([]byte(o.out), &v))
	rows := v.Rows
	if len(rows) == 0 {
		t.Fatal("no rows")
	}
	seen := map[string]bool{}
	for _, r := range rows {
		row := r.(map[string]any)
		for _, k := range strings.Fields("method size seeds time_mape_pct power_mape_pct minutes penalty_pct area_w " +
			"over_pct over1w_pct probes") {
			if _, ok := row[k]; !ok {
				t.Errorf("%v: key %q is missing", row["method"], k)
			}
		}
		seen[row["method"].(string)] = true
	}
	for _, m := range []string{"gp", "linear", "tune", "maxn"} {
		if !seen[m] {
			t.Errorf("no row of %s", m)
		}
	}
	text := jtune(t, "evaluate", "--truth", path, "--methods", "linear", "--sizes", "8", "--seeds", "1", "--budgets",
		"15:30:5").done(t).out
	if !strings.Contains(text, "linear") {
		t.Errorf("got %s", text)
	}
	table := jtune(t, "evaluate", "--truth", path, "--methods", "linear", "--sizes", "8", "--seeds", "1", "--budgets",
		"15:30:5", "--csv").done(t).out
	lines, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(lines) < 4 || lines[1][0] != "linear" || lines[1][3] != "all" || lines[2][3] == "all" {
		t.Errorf("%v, the CSV is\n%s", err, table)
	}

	var drawn []string
	for _, m := range toyModes()[:5] {
		drawn = append(drawn, fmt.Sprintf("'%d_%d_%d_%d'", m.Cores, int64(m.CPU/tegra.KHz), int64(m.GPU), int64(m.EMC)))
	}
	runs := filepath.Join(t.TempDir(), "theirs.csv")
	must.NoError(t, os.WriteFile(runs, fmt.Appendf(nil,
		"Val_MAPE_time,Val_MAPE_power,Sampled_powermodes\n9.5,9.5,\"[%s]\"\n", strings.Join(drawn, ", ")), 0o600))
	text = jtune(t, "evaluate", "--truth", path, "--methods", "gp", "--samples-of", runs, "--budgets",
		"20:30:10").done(t).out
	if !strings.Contains(text, "950.0 / 950.0") || !strings.Contains(text, "theirs.csv") {
		t.Errorf("their errors are not beside ours:\n%s", text)
	}
}

func TestConvertNvpmodelGivesTheContractsKeys(t *testing.T) {
	t.Parallel()
	path := sweeptest.Shared(t, "data/nvpmodel/nvpmodel_p3701_0000.conf")
	o := jtune(t, "convert", "nvpmodel", path, "--json").done(t)
	v := o.object(t, "default fan_default params modes mode_pairs_that_need_a_reboot errors")
	for _, m := range v["modes"].([]any) {
		hasKeys(t, m, "id name cores_on cores_off cpu_khz gpu_hz emc_max_hz masks")
	}
	data := must.Read(t, path)
	piped := jtuneWith(t, t.Context(), bytes.NewReader(data), "convert", "nvpmodel", "-", "--json").done(t)
	if piped.out != o.out {
		t.Error("reading from a pipe gives another answer")
	}
	jtune(t, "convert", "nvpmodel", "/nowhere.conf").fails(t, exitFailed, "/nowhere.conf")
	jtune(t, "convert", "nvpmodel", write(t, "cores,cpu\n1,2\n")).fails(t, exitFailed, "no power mode in it",
		"/etc/nvpmodel.conf")
}

func TestExportPrintsABlockThatReadsBack(t *testing.T) {
	t.Parallel()
	args, root := fakeBoard(t, "true")
	o := jtune(t, with(args, "export", "nvpmodel", "8c/1.34C/0.83G/2.13M", "--name", "TRY")...).done(t)
	if !strings.Contains(o.out, "\n< POWER_MODEL ID=") || !strings.Contains(o.out, "NAME=TRY >") ||
		!strings.HasPrefix(o.out, "# current limits and other parameters: from MAXN") {
		t.Errorf("got %s", o.out)
	}
	conf, err := tegra.DiskFS(root).ReadFile("/etc/nvpmodel.conf")
	must.NoError(t, err)
	joined := strings.Replace(string(conf), "< PM_CONFIG", o.out+"\n< PM_CONFIG", 1)
	v := jtune(t, "convert", "nvpmodel", write(t, joined), "--json").done(t).object(t,
		"default fan_default params modes mode_pairs_that_need_a_reboot errors")
	modes := v["modes"].([]any)
	last := modes[len(modes)-1].(map[string]any)
	if last["name"] != "TRY" || len(last["cores_on"].([]any)) != 8 || len(v["errors"].([]any)) > 0 {
		t.Errorf("got %v and errors %v, want TRY with 8 cores on and none", last, v["errors"])
	}
	jtune(t, with(args, "export", "nvpmodel", "8c/1.34C/0.83G/2.13M")...).fails(t, exitUsage, "--name")
	jtune(t, with(args, "export", "nvpmodel", "MAXN", "--name", "two words")...).fails(t, exitUsage, "name")
}
