package cli

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
	"jtune/tegra"
	"jtune/tegra/sweep"
)

// served is a made-up service: launches on one CPU thread, work on the GPU for
// every sample.
func served(m tegra.Mode, batch int) tegra.Measured {
	b, f, g := float64(batch), m.CPU.GHz(), m.GPU.GHz()
	ms := 1 + 6/f + b*1.5/g
	return tegra.Measured{Setting: tegra.Setting{Mode: m, Batch: batch}, TimeMS: ms,
		PowerW: 9 + 2*g*g*g + b/ms*(3+4*g*g)}
}

// servedSweep writes a sweep of the made-up service: every third setting.
func servedSweep(t testing.TB, batches ...int) (path string, rows []tegra.Measured) {
	t.Helper()
	var b strings.Builder
	b.WriteString("cores,cpu,gpu,mem,observed_time,bs,observed_power\n")
	for i, m := range toyModes() {
		for k, batch := range batches {
			if (i+k)%3 == 0 {
				r := served(m, batch)
				rows = append(rows, r)
				fmt.Fprintf(&b, "%d,%d,%d,%d,%g,%d.0,%g\n", m.Cores, m.CPU.KHz(), int64(m.GPU), int64(m.EMC), r.TimeMS,
					batch, r.PowerW)
			}
		}
	}
	return write(t, b.String()), rows
}

// fitServed fits a model of the made-up service. Its space is the made-up board's 72 modes; JTUNE_LONG=1 uses the
// default board's 18,096.
func fitServed(t testing.TB) (model string, rows []tegra.Measured) {
	t.Helper()
	batches := []int{1, 8, 32}
	path, rows := servedSweep(t, batches...)
	args := []string{"--samples", path, "--json"}
	if os.Getenv("JTUNE_LONG") == "" {
		space, _ := toySweep(t)
		args = with(args, replay(space)...)
	}
	model, o := fitOnce(t, "served", args...)
	v := o.done(t).object(t, "method samples cv reference warnings virtual batches")
	cv := hasKeys(t, v["cv"], "time_mape_pct power_mape_pct")
	must.Equal(t, v["method"], "gp")
	must.Equal(t, v["samples"], any(float64(len(rows))))
	must.Equal(t, v["reference"], nil)
	must.Equal(t, len(v["batches"].([]any)), len(batches))
	if e := cv["time_mape_pct"].(float64); !(e >= 0 && e < 5) {
		t.Errorf("cross-validated time error of a smooth law is %g %%, want below 5", e)
	}
	return model, rows
}

func TestFitLearnsTheMinibatchSizeAsAnInput(t *testing.T) {
	t.Parallel()
	model, rows := fitServed(t)
	// one size: the contract's columns, then bs
	records, err := csv.NewReader(strings.NewReader(jtune(t, "predict", "--model", model, "--batch", "8",
		"--csv").done(t).out)).ReadAll()
	must.NoError(t, err)
	must.Equal(t, strings.Join(records[0], ","), strings.Replace(predictColumns, ",virtual", ",bs,virtual", 1))
	at := map[string][]string{}
	for _, r := range records[1:] {
		if r[len(r)-2] != "8" {
			t.Fatalf("a row of minibatches of %s", r[len(r)-2])
		}
		at[strings.Join(r[:4], ",")] = r
	}
	var sum float64
	n := 0
	for _, r := range rows {
		if r.Batch != 8 {
			continue
		}
		got, err := strconv.ParseFloat(at[strings.Join(sweep.ModeFields(r.Mode), ",")][4], 64)
		must.NoError(t, err)
		sum, n = sum+math.Abs(got/r.TimeMS-1), n+1
	}
	if e := 100 * sum / float64(n); n == 0 || e > 4 {
		t.Errorf("predicted times of %d modes are %.1f %% off", n, e)
	}

	// several sizes, one not measured
	o := jtune(t, "predict", "--model", model, "--batch", "4,32,64", "--json").done(t)
	list := array(t, o.out)
	if len(list)%3 != 0 || list[0]["batch"] != 4.0 || list[len(list)-1]["batch"] != 64.0 {
		t.Errorf("%d predictions of three sizes, first %v", len(list), list[0])
	}
	if v := list[0]; math.Abs(v["time_per_sample_ms"].(float64)*4/v["time_ms"].(float64)-1) > 1e-9 {
		t.Errorf("time per sample %v of minibatches of 4 that take %v", v["time_per_sample_ms"], v["time_ms"])
	}
	must.Contain(t, o.err, "batch size 4 was not measured", "batch size 64 was not measured",
		"far from anything measured")
}

func TestFrontOverMinibatchSizesComparesBySample(t *testing.T) {
	t.Parallel()
	model, _ := fitServed(t)
	list := array(t, jtune(t, "front", "--model", model, "--batch", "1,8,32", "--json").done(t).out)
	for i := 1; i < len(list); i++ {
		if list[i]["power_w"].(float64) <= list[i-1]["power_w"].(float64) ||
			list[i]["time_per_sample_ms"].(float64) >= list[i-1]["time_per_sample_ms"].(float64) {
			t.Fatalf("point %d does not trade power for time per sample: %v after %v", i, list[i], list[i-1])
		}
	}
	if n := len(list); n < 3 || list[n-1]["batch"] != 32.0 {
		t.Errorf("%d points, the fastest with minibatches of %v, want 32", n, list[n-1]["batch"])
	}
	svg := filepath.Join(t.TempDir(), "f.svg")
	jtune(t, "front", "--model", model, "--batch", "1,8,32", "--svg", svg).done(t)
	must.Contain(t, string(must.Read(t, svg)), "time per sample")
	path, _ := servedSweep(t, 1, 8)
	if head, _, _ := strings.Cut(jtune(t, "front", "--samples", path, "--batch", "8", "--csv").done(t).out,
		"\n"); strings.Contains(head, "bs") {
		t.Errorf("measured modes of one size have the columns %s", head)
	}
}

func TestChooseAmongMinibatchSizes(t *testing.T) {
	t.Parallel()
	model, rows := fitServed(t)
	least := math.Inf(1)
	for _, r := range rows {
		least = min(least, r.PowerW)
	}
	limit := fmt.Sprint(least + 8)
	v := jtune(t, "choose", "--model", model, "--power-limit", limit, "--json").done(t).object(t,
		answerKeys+" batch time_per_sample_ms")
	has(t, v, "batch = 32", "feasible = true")
	free := v["time_per_sample_ms"].(float64)
	// a limit on the latency needs smaller minibatches, and is kept
	v = jtune(t, "choose", "--model", model, "--power-limit", limit, "--time-limit", "25", "--json").done(t).object(t,
		answerKeys+" batch time_per_sample_ms")
	if p := v["predicted"].(map[string]any); v["batch"] != 8.0 || p["time_ms"].(float64) > 25 ||
		v["time_per_sample_ms"].(float64) < free {
		t.Errorf("within 25 ms: minibatches of %v that take %v, %v a sample without that limit", v["batch"],
			p["time_ms"], free)
	}
	if l, ok := v["limit"].([]any); !ok || len(l) != 2 {
		t.Errorf("the two limits read %v", v["limit"])
	}
	// --batch excludes the others
	if v := jtune(t, "choose", "--model", model, "--power-limit", limit, "--batch", "1", "--json").done(t).object(t,
		answerKeys+" batch time_per_sample_ms"); v["batch"] != 1.0 {
		t.Errorf("--batch 1 chose minibatches of %v", v["batch"])
	}
	o := jtune(t, "choose", "--model", model, "--throughput").done(t)
	must.Contain(t, o.out, "at batch size 32", "samples per second")
}

func TestMinibatchSizesThatCannotBe(t *testing.T) {
	computes(t)
	t.Parallel()
	path, _ := servedSweep(t, 1, 8)
	out := filepath.Join(t.TempDir(), "m")
	// bad sizes are rows that do not parse
	text := must.Read(t, path)
	lines := strings.SplitAfter(string(text), "\n")
	for i, bad := range []string{"0", "-4", "NaN", "1e30", "", "2.5", "x"} {
		lines[i+1] = strings.Replace(strings.Replace(lines[i+1], ",1.0,", ","+bad+",", 1), ",8.0,", ","+bad+",", 1)
	}
	mixed := write(t, strings.Join(lines, ""))
	board, _ := toySweep(t)
	fit := with(replay(board), "fit", "--no-cv", "--out", out, "--samples")
	o := jtune(t, with(fit, mixed)...).done(t)
	must.Equal(t, strings.Count(o.err, "row skipped"), 7)
	must.Contain(t, o.err, `line 2: bs is "0", not a batch size`)
	jtune(t, with(fit, mixed, "--strict")...).fails(t, exitFailed, "line 2")

	// one size is not an input: the columns are the contract's, and --batch is ignored
	jtune(t, with(fit, path, "--batch", "8")...).done(t)
	o = jtune(t, "predict", "--model", out, "--batch", "4", "--csv").done(t)
	if head, _, _ := strings.Cut(o.out, "\n"); head != predictColumns ||
		!strings.Contains(o.err, "--batch is ignored") {
		t.Errorf("columns %s, said %s", head, o.err)
	}

	jtune(t, with(fit, path)...).done(t)
	whole := must.Read(t, out)
	for name, c := range map[string]struct{ text, words string }{
		"cut in half":     {string(whole[:len(whole)/2]), "damaged"},
		"another version": {strings.Replace(string(whole), "jtune-model 2", "jtune-model 9", 1), "version 9"},
	} {
		t.Run(name, func(t *testing.T) {
			jtune(t, "choose", "--model", write(t, c.text), "--power-limit", "30").fails(t, exitFailed, c.words)
		})
	}
	jtune(t, "fit", "--samples", path, "--batch", "8", "--out", out+"2", "--reference", out).fails(t, exitFailed,
		"a reference has one batch size")
}

func TestEvaluateASweepWithMinibatchSizes(t *testing.T) {
	computes(t)
	t.Parallel()
	path, rows := servedSweep(t, 1, 8, 32)
	v := jtune(t, "evaluate", "--truth", path, "--methods", "gp,tune", "--sizes", "30", "--seeds", "2", "--budgets",
		"14:30:8", "--latencies", "15,60", "--json").done(t).
		object(t, "truth virtual modes budgets_w budgets_dropped batches latencies_ms rows notes")
	if v["modes"] != float64(len(rows)) || len(v["batches"].([]any)) != 3 || len(v["latencies_ms"].([]any)) != 2 {
		t.Errorf("%v settings of %d, sizes %v, latencies %v", v["modes"], len(rows), v["batches"], v["latencies_ms"])
	}
	for _, r := range v["rows"].([]any) {
		row := r.(map[string]any)
		if row["method"] == "tune" && (row["over_pct"] != 0.0 || row["over_time_pct"] != 0.0 ||
			row["penalty_pct"].(map[string]any)["median"].(float64) > 5) {
			t.Errorf("the closed loop: %v", row)
		}
		if e, ok := row["time_mape_pct"].(map[string]any); row["method"] == "gp" && (!ok || e["median"].(float64) > 6) {
			t.Errorf("gp: %v", row)
		}
	}
}
