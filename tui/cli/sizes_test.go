package cli

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
)

// wholeService writes every setting of the made-up service, and returns the rows by mode and size.
func wholeService(t testing.TB, batches ...int) (path string, rows []tegra.Measured) {
	t.Helper()
	var b strings.Builder
	b.WriteString("cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w,bs\n")
	for _, m := range toyModes() {
		for _, batch := range batches {
			r := served(m, batch)
			rows = append(rows, r)
			fmt.Fprintf(&b, "%d,%d,%d,%d,%g,%g,%d\n", m.Cores, m.CPU.KHz(), int64(m.GPU), int64(m.EMC), r.TimeMS,
				r.PowerW, batch)
		}
	}
	return write(t, b.String()), rows
}

const sizedKeys = answerKeys + " batch time_per_sample_ms"

func TestTuneChoosesAmongMinibatchSizes(t *testing.T) {
	t.Parallel()
	path, rows := wholeService(t, 1, 8, 32)
	for _, c := range []struct {
		name      string
		limit     []string
		watts, ms float64
		energy    bool // the objective: least energy per sample
	}{
		{"power and latency", []string{"--power-limit", "26", "--time-limit", "25"}, 26, 25, false},
		{"energy", []string{"--energy"}, math.Inf(1), math.Inf(1), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			goal := func(m tegra.Measured) float64 {
				if c.energy {
					return m.EnergyJ() / float64(m.Batch)
				}
				return m.TimeMS / float64(m.Batch)
			}
			least := math.Inf(1)
			for _, r := range rows {
				if r.PowerW <= c.watts && r.TimeMS <= c.ms {
					least = min(least, goal(r))
				}
			}
			args := with(with(replay(path), "--data-dir", t.TempDir(), "tune", "service", "--batch", "all", "--json"),
				c.limit...)
			v := jtune(t, args...).done(t).object(t, sizedKeys)
			got := v["measured"].(map[string]any)
			m := tegra.Measured{Setting: tegra.Setting{Batch: int(v["batch"].(float64))},
				TimeMS: got["time_ms"].(float64), PowerW: got["power_w"].(float64)}
			if m.TimeMS > c.ms || m.PowerW > c.watts || v["feasible"] != true {
				t.Errorf("the answer takes %.1f ms at %.1f W", m.TimeMS, m.PowerW)
			}
			if goal(m) > 1.05*least {
				t.Errorf("minibatches of %d: %.4g, the best setting has %.4g", m.Batch, goal(m), least)
			}
			if want := m.TimeMS / float64(m.Batch); math.Abs(v["time_per_sample_ms"].(float64)-want) > 1e-9 {
				t.Errorf("%v ms a sample, want %v", v["time_per_sample_ms"], want)
			}
			for _, p := range v["probes"].([]any) {
				p := hasKeys(t, p, probeKeys+" batch time_per_sample_ms")
				mode := p["mode"].(map[string]any)
				i := slices.IndexFunc(rows, func(r tegra.Measured) bool {
					return float64(r.Batch) == p["batch"] && float64(r.Mode.Cores) == mode["cores"] &&
						float64(r.Mode.CPU.KHz()) == mode["cpu_khz"] &&
						float64(r.Mode.GPU) == mode["gpu_hz"] && float64(r.Mode.EMC) == mode["mem_hz"]
				})
				if i < 0 || math.Abs(rows[i].TimeMS-p["time_ms"].(float64)) > 1e-6 {
					t.Errorf("a probe of no row of its size: %v", p)
				}
			}
			top := served(tegra.Mode{Cores: 12, CPU: 2201600 * tegra.KHz, GPU: 1300500000, EMC: 3199000000}, m.Batch)
			maxn := v["versus"].(map[string]any)["maxn"].(map[string]any)
			want := 100 * (v["time_per_sample_ms"].(float64)/maxn["time_per_sample_ms"].(float64) - 1)
			if off := maxn["time_ms"].(float64)/top.TimeMS - 1; maxn["batch"] != v["batch"] ||
				math.Abs(maxn["time_pct"].(float64)-want) > 1e-6 || math.Abs(off) > 0.3 {
				t.Errorf("MAXN takes %v ms for %v samples (it does %.1f for %d): %v %% time per sample, want %.1f",
					maxn["time_ms"], maxn["batch"], top.TimeMS, m.Batch, maxn["time_pct"], want)
			}
		})
	}
}

func TestTuneTakesSomeOfAFilesMinibatchSizes(t *testing.T) {
	t.Parallel()
	path, _ := wholeService(t, 1, 8, 32)
	v := jtune(t, with(replay(path), "--data-dir", t.TempDir(), "tune", "service", "--batch", "1,8", "--power-limit",
		"30", "--json")...).done(t).object(t, sizedKeys)
	must.Equal(t, v["batch"], 8.0)
	one := jtune(t, with(replay(path), "--data-dir", t.TempDir(), "tune", "service", "--batch", "8", "--power-limit",
		"30", "--json")...).done(t).object(t, answerKeys)
	must.Equal(t, one["batch"], nil)
	text := jtune(t, with(replay(path), "--data-dir", t.TempDir(), "tune", "service", "--batch", "8,32",
		"--power-limit", "30")...).done(t)
	must.Contain(t, text.err, "batch sizes 8 32, compared per sample: fastest, power ≤ 30 W", "batch 32 (verify)")
	must.Contain(t, text.out, "at batch size 32", "samples per second")
}

func TestBinarySearchOverMinibatchSizesTellsItsTrace(t *testing.T) {
	t.Parallel()
	path, rows := wholeService(t, 1, 8, 32)
	o := jtune(t, with(replay(path), "--data-dir", t.TempDir(), "tune", "service", "--batch", "all", "--power-limit",
		"26", "--strategy", "binary", "--rotation", "batch,gpu,cpu,mem,cores", "--json")...).done(t)
	v := o.object(t, sizedKeys)
	if got := v["measured"].(map[string]any)["power_w"].(float64); got > 26 || len(v["probes"].([]any)) > len(rows)/5 {
		t.Errorf("%v W after %d probes", got, len(v["probes"].([]any)))
	}
	must.Contain(t, o.err, "half of batch dropped", "× sizes 1")
}

func TestTuneOverMinibatchSizesThatCannotBe(t *testing.T) {
	t.Parallel()
	path, _ := wholeService(t, 1, 8)
	for _, args := range [][]string{{"--strategy", "powertrain", "--power-limit", "30"},
		{"--strategy", "binary", "--energy"}} {
		o := jtune(t, with(with(replay(path), "--data-dir", t.TempDir(), "tune", "resnet", "--batch", "all"),
			args...)...)
		if o.fails(t, exitUsage, "strategy "+args[1]); strings.Contains(o.err, "compared per sample") {
			t.Errorf("a refused search begins: %s", o.err)
		}
	}
}

func TestTuneRejectsSizesForAFixedBatchSize(t *testing.T) {
	t.Parallel()
	args, _ := fakeBoard(t, `while :; do echo '{"event":"minibatch","time_ms":5}'; sleep 0.005; done`)
	jtune(t, with(args, "tune", "job", "--power-limit", "30", "--batch", "4,8")...).fails(t, exitUsage,
		"has a fixed batch size: give one --batch", "$JTUNE_BATCH")
	args, _ = fakeBoard(t,
		`: $JTUNE_BATCH; echo '{"event":"hello","protocol":1,"batch_size":16}'; while :; do echo `+
			`'{"event":"minibatch","time_ms":5}'; sleep 0.005; done`)
	jtune(t, with(args, "tune", "job", "--power-limit", "30", "--batch", "4,8")...).fails(t, exitUsage,
		"batch size 16 where")
}

// rowsOf reads a record's modes.csv by column name.
func rowsOf(t testing.TB, dir string) []map[string]string {
	t.Helper()
	f := must.Get(os.Open(filepath.Join(dir, "modes.csv")))(t)
	defer f.Close()
	records := must.Get(csv.NewReader(f).ReadAll())(t)
	var out []map[string]string
	for _, r := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = r[i]
		}
		out = append(out, row)
	}
	return out
}

func TestRecordOfSeveralMinibatchSizesIsTakenEverywhere(t *testing.T) {
	computes(t)
	t.Parallel()
	path, rows := wholeService(t, 1, 8, 32)
	base := with(replay(path), "--batch", "all", "--data-dir", t.TempDir())
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	jtune(t, with(base, "profile", "service", "--grid", "--out", whole)...).done(t)
	got := rowsOf(t, whole)
	seen := map[string]bool{}
	for _, r := range got {
		seen[r["cores"]+r["cpu_khz"]+r["gpu_hz"]+r["mem_hz"]+"x"+r["bs"]] = true
	}
	if len(got) == 0 || len(got)%3 != 0 || len(seen) != len(got) {
		t.Fatalf("%d rows of %d settings", len(got), len(seen))
	}
	jtune(t, with(base, "profile", "service", "--grid", "--out", whole, "--resume")...).done(t)
	must.Equal(t, len(rowsOf(t, whole)), len(got))
	jtune(t, with(replay(path), "--batch", "1,8", "profile", "service", "--grid", "--out", whole,
		"--resume")...).fails(t, exitFailed, "different selection")

	parts := []string{filepath.Join(dir, "1"), filepath.Join(dir, "2")}
	for i, part := range parts {
		jtune(t, with(base, "profile", "service", "--sample", "60", "--shard", fmt.Sprintf("%d/2", i+1), "--out",
			part)...).done(t)
	}
	joined := filepath.Join(dir, "joined")
	jtune(t, "merge", parts[0], parts[1], "--out", joined).done(t)
	must.Equal(t, len(rowsOf(t, joined)), 60)

	model := filepath.Join(dir, "m.model")
	v := jtune(t, "fit", "--samples", joined, "--out", model, "--json").done(t).object(t,
		"method samples cv reference warnings virtual batches")
	must.Equal(t, v["samples"], 60.0)
	must.Equal(t, len(v["batches"].([]any)), 3)
	// one of its sizes gives a model of one size, also for methods that support no other
	jtune(t, "fit", "--samples", whole, "--batch", "8", "--method", "linear", "--no-cv", "--out", model).done(t)
	jtune(t, "fit", "--samples", whole, "--batch", "8", "--no-cv", "--out", model, "--json").done(t).object(t,
		"method samples cv reference warnings virtual")
	jtune(t, "fit", "--samples", whole, "--batch", "4", "--out", model).fails(t, exitUsage,
		"batch sizes 1 8 32, not 4")

	// as a replay it answers with the measurements
	o := jtune(t, "tune", "service", "--device", "replay:"+whole, "--speed", "max", "--batch", "8,32", "--power-limit",
		"26", "--data-dir", t.TempDir(), "--json").done(t).object(t, sizedKeys)
	has(t, o, "measured.power_w <= 26")
	// an import of the file does the same
	imported := filepath.Join(dir, "imported")
	jtune(t, "import", path, "--batch", "all", "--out", imported).done(t)
	must.Equal(t, len(rowsOf(t, imported)), len(rows))
	jtune(t, "import", path, "--out", filepath.Join(dir, "none")).fails(t, exitUsage, "--batch all")
}

// choose states the gain over the present mode like the search, which measured that mode at its usual batch size.
func TestChooseComparesABatchSizeAsItsSearchDid(t *testing.T) {
	computes(t)
	t.Parallel()
	on := []string{"--power-limit", "8", "--device", "virtual:orin-nano", "--speed", "max", "--data-dir", t.TempDir()}
	gain := regexp.MustCompile(`(?m)^.* samples per second than .*$`)
	said := func(o outcome) string { return gain.FindString(o.done(t).out) }
	tuned := said(jtune(t, with([]string{"tune", "alexnet-infer", "--batch", "1,4,16"}, on...)...))
	chosen := said(jtune(t, with([]string{"choose", "--model", "alexnet-infer"}, on...)...))
	must.Equal(t, chosen, tuned)
	must.Contain(t, tuned, "samples per second than today")
}

// A workload's name with batch sizes means the model of those sizes, which says where their times come from; the answer
// for the workload's own size does not change.
func TestChooseOpensTheModelOfItsBatchSizesOnly(t *testing.T) {
	computes(t)
	t.Parallel()
	on := []string{"resnet18", "--power-limit", "9", "--device", "virtual:orin-nano", "--speed", "max", "--data-dir",
		t.TempDir(), "--json"}
	own := jtune(t, with([]string{"tune"}, on...)...).done(t).object(t, answerKeys)["mode"]
	for _, c := range []struct{ batch, keys string }{{"32", answerKeys}, {"8,32", sizedKeys}} {
		sized := with(on, "--batch", c.batch)
		o := jtune(t, with([]string{"tune"}, sized...)...)
		tuned := o.done(t).object(t, c.keys)
		if reflect.DeepEqual(tuned["mode"], own) {
			t.Errorf("batch sizes %s have the same mode %v: they show nothing", c.batch, own)
		}
		if sizes := c.keys == sizedKeys; sizes && (!strings.Contains(o.err, "published for an AGX Xavier") ||
			tuned["feasible"] != true || !slices.Contains([]any{8.0, 32.0}, tuned["batch"])) {
			t.Errorf("minibatches of %v, and nothing says where the times come from: %s", tuned["batch"], o.err)
		}
		o = jtune(t, with([]string{"choose", "--model"}, sized...)...)
		chosen := o.done(t).object(t, c.keys)
		for _, key := range []string{"mode", "batch", "state"} {
			must.Equal(t, chosen[key], tuned[key], c.batch, key)
		}
		must.Lack(t, o.err, "ignored")
		again := jtune(t, with([]string{"choose", "--model"}, on...)...).done(t).object(t, answerKeys)["mode"]
		must.Equal(t, again, own, c.batch)
	}
}
