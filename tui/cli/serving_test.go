package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/record"
)

const servingKeys = " kind unit phase units units_per_s served_per_s unit_j p50_ms p95_ms p99_ms requests ttft_ms " +
	"tpot_ms phases reps cv_pct"

func TestRunOfInferenceTellsUnitsEnergyAndLatency(t *testing.T) {
	t.Parallel()
	o := jtune(t, with(virtualBoard, "run", "alexnet-infer", "--batch", "4", "--minibatches", "250",
		"--json")...).done(t)
	v := o.object(t, runKeys+servingKeys)
	n := func(k string) float64 { return v[k].(float64) }
	has(t, v, "kind = infer", "unit = inference", "units = 1000", "requests = 250")
	if off := n("units_per_s")*n("time_mean_ms")/4000 - 1; off > 1e-9 || off < -1e-9 {
		t.Errorf("%g units/s at %g ms of 4", n("units_per_s"), n("time_mean_ms"))
	}
	if off := 4*n("unit_j")/n("energy_j") - 1; off > 1e-9 || off < -1e-9 {
		t.Errorf("%g J per unit, %g per batch", n("unit_j"), n("energy_j"))
	}
	if v["p99_ms"] != nil || n("p95_ms") < n("p50_ms") {
		t.Errorf("p95 %v, p99 %v: want none of 250 requests", v["p95_ms"], v["p99_ms"])
	}
}

// The study of inference: 3,200 inferences, ten times.
func TestRunOfFixedWorkAnswersExactlySoMany(t *testing.T) {
	t.Parallel()
	o := jtune(t, with(virtualBoard, "run", "mobilenet-infer", "--batch", "7", "--inferences", "3200", "--repeat", "10",
		"--json")...).done(t)
	v := o.object(t, runKeys+servingKeys)
	has(t, v, "minibatches = 4580", "units = 32000", "reps = 10")
	o = jtune(t, with(virtualBoard, "run", "mobilenet-infer", "--inferences", "3200", "--repeat", "7",
		"--no-record")...).done(t)
	must.Contain(t, o.out, " of 12,400, the newest of 22,400\n")
	if cv, ok := v["cv_pct"].(float64); !ok || cv <= 0 || cv > 3 {
		t.Errorf("energies vary by %v %%", v["cv_pct"])
	}
}

// trtexec prints its numbers at its end; here after 2 s of work, as samples of a campaign are up to 1.5 s apart.
const trtexecJob = `sleep 2
echo '[I] Timing trace has 100 queries over 1.00 s'
echo '[I] Throughput: 100 qps'
echo '[I] Latency: min = 9 ms, max = 13 ms, mean = 10 ms, median = 10 ms, percentile(95%) = 11 ms, percentile(99%) = 12 ms'
`

func TestRunOfAProgramThatTellsAtItsEnd(t *testing.T) {
	t.Parallel()
	args := jobOf(t, trtexecJob, "kind = \"infer\"\npattern = \"trtexec\"\n")
	v := jtune(t, with(args, "run", "job", "--json", "--base", "0", "--interval", "100ms")...).done(t).object(t,
		runKeys+servingKeys)
	has(t, v, "units_per_s = 100", "time_ms = 10", "p50_ms = 10", "p95_ms = null", "requests = 100")
	if j, ok := v["unit_j"].(float64); !ok || j <= 0 {
		t.Errorf("%v J per inference", v["unit_j"])
	}
	dir := filepath.Join(t.TempDir(), "c")
	jtune(t, with(args, "profile", "job", "--sample", "2", "--out", dir)...).done(t)
	rows := must.Read(t, filepath.Join(dir, "modes.csv"))
	must.Equal(t, strings.Count(string(rows), ",ok,"), 2)
	must.Equal(t, strings.Count(string(rows), ",infer,inference,,100,100,10,11,12,"), 2)
}

// jobOf returns a job on a board of files, with additional lines in its table.
func jobOf(t *testing.T, script, lines string) []string {
	t.Helper()
	args, _ := fakeBoard(t, script)
	edit(t, following(args, "--config"), func(text string) string { return text + lines })
	return args
}

// Tools that misbehave: one line says what is wrong.
func TestRunOfAnInferenceToolThatMisbehaves(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script, tool string
		code         int
		words        string
	}{
		"another version's lines": {"echo '&&&& RUNNING TensorRT.trtexec [TensorRT v99]'\n" +
			"echo 'Average on 10 runs - 3.2 ms'\n", "trtexec", exitFailed,
			"is it another version, or too short a run? its last line: Average on 10 runs"},
		"ends at once":      {"echo 'no kernel image' >&2\nexit 1\n", "trtexec", exitFailed, "no kernel image"},
		"is not there":      {"exec /nowhere/trtexec\n", "trtexec", exitFailed, "/nowhere/trtexec"},
		"runs on the CPU":   {llamaOnCPU, "llama-bench", exitOK, "llama-bench runs on the CPU"},
		"binary rubbish":    {"head -c 100000 /dev/urandom\n", "llama-bench", exitFailed, "found no result"},
		"the benchmark":     {"yolo benchmark model=x.pt\n", "ultralytics-predict", exitFailed, ""},
		"half of a summary": {"echo '[I] Throughput: 100 qps'\n", "trtexec", exitFailed, "found no result"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := jobOf(t, c.script, fmt.Sprintf("kind = \"infer\"\npattern = %q\n", c.tool))
			o := jtune(t, with(args, "run", "job", "--base", "0", "--interval", "100ms", "--no-record")...)
			if o.code != c.code || !strings.Contains(o.err, c.words) || strings.ContainsAny(o.err, "\x1b\x00") {
				t.Errorf("exit %d, %q; want %d and %q", o.code, o.err, c.code, c.words)
			}
		})
	}
}

// llamaOnCPU prints a result of llama-bench without a layer on the GPU.
const llamaOnCPU = `sleep 1
echo '{"backends":"CPU","n_gpu_layers":0,"n_prompt":0,"n_gen":32,"samples_ns":[400000000,500000000]}'
`

// A p99 of too few requests is unreliable: it is printed only with a mark, and neither keeps nor breaks a limit.
func TestRunDoesNotJudgeAQuantileOfTooFewRequests(t *testing.T) {
	t.Parallel()
	args := jobOf(t, trtexecJob, "kind = \"infer\"\npattern = \"trtexec\"\n"+
		"limit = { latency_ms = 5, quantile = 0.99 }\n")
	o := jtune(t, with(args, "run", "job", "--base", "0", "--interval", "100ms", "--no-record")...).done(t)
	must.Contain(t, o.out, "p99 within 5.00 ms: unknown from 100 requests", "p99 ~12.0 ms", "p95 needs 200, p99 1,000")
}

func TestLatencyLimitTextNamesTheQuantileThatWasRead(t *testing.T) {
	t.Parallel()
	l := record.Latency{N: 1000, P50: 10, P95: 20, P99: 30}
	for want, ask := range map[string][2]float64{
		"p95 is 20.0 ms, within 25.0 ms": {0.9, 25}, "p90 within 15.0 ms: unknown from 1000 requests": {0.9, 15},
		"p95 is 20.0 ms, over 15.0 ms": {0.95, 15}, "p99.9 within 25.0 ms: unknown from 1000 requests": {0.999, 25}} {
		must.Equal(t, latencyLimitText(l, ask[0], ask[1]), want)
	}
}
