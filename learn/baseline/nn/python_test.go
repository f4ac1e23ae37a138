package nn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/stats"
	"jtune/tegra/sweep/sweeptest"
)

// python finds an interpreter with PyTorch and scikit-learn: the first of the
// path, or Debian's own, whose packages another one does not see.
func python(b *testing.B) string {
	b.Helper()
	for _, command := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(command, "-c", "import torch, sklearn").Run() == nil {
			return command
		}
	}
	b.Skip("no python3 with torch and sklearn (Debian: python3-torch python3-sklearn)")
	return ""
}

// pythonSeeds is how many splits, with newly drawn networks, are compared.
const pythonSeeds = 3

// BenchmarkAgainstPython trains the reference's time network, 100 passes over
// 3,931 of the 4,368 rows at batch 64, here and with what Python has of PyTorch
// (one thread, two, and as many as there are cores) and scikit-learn: the same
// network on the same rows with the same ones held out, three splits one after
// another, all in one run. The first split finds PyTorch's best number of
// threads, the others use that alone. It logs the times and errors of each, and
// reports how many times as long the others take (medians) beside each one's
// error on the rows held out. It skips without them.
// On two idle cores it takes two minutes; on busy ones PyTorch with two threads
// takes many by itself, and go test wants a longer -timeout:
//
//	go test -run '^$' -bench AgainstPython ./learn/nn
func BenchmarkAgainstPython(b *testing.B) {
	interpreter := python(b)
	x, y := columns(sweeptest.Load(b, sweeptest.ResNet), timeMS)
	for b.Loop() {
		logLoad(b)
		runs, threads := map[string][]trained{}, 0
		for seed := range uint64(pythonSeeds) {
			c := must.Get(Config{Batch: 64, Seed: seed}.withDefaults())(b)
			held := heldBy(c, x)
			both := append(
				[]trained{trainHere(b, x, y, c, held)},
				trainInPython(b, interpreter, x, y, c, held, threads)...)
			for _, r := range both {
				b.Logf("split %d: %-26s %6.1f s, %6.1f s of processor, squared error %.4f, absolute %.1f %%",
					seed, r.Name, r.Seconds, r.CPU, r.Loss, r.MAPE)
				runs[r.Name] = append(runs[r.Name], r)
			}
			threads = runs[quickest(runs)][0].Threads
		}
		report(b, runs)
	}
}

// trained is one training: what bench_torch.py prints.
type trained struct {
	Name    string
	Threads int
	Seconds float64
	CPU     float64 // seconds of processor
	Loss    float64 // squared error of the standardised target on the rows held out
	MAPE    float64 // there, %
}

const here = "here"

// heldBy are the rows that a training with these settings holds out.
func heldBy(c Config, x [][inputs]float64) []int {
	n := &Net{Config: c, w: newParams(PaperLayers())}
	t := newTraining(n)
	n.w.drawAll(t.rand) // comes before the split
	t.split(x)
	return t.held
}

func trainHere(b *testing.B, x [][inputs]float64, y []float64, c Config, held []int) trained {
	start, cpu := time.Now(), processor(b)
	n := must.Get(Train(b.Context(), x, y, c))(b)
	r := trained{Name: here, Seconds: time.Since(start).Seconds(), CPU: processor(b) - cpu, Loss: n.Report.BestLoss}
	for _, i := range held {
		r.MAPE += 100 * math.Abs(n.Predict(x[i : i+1])[0]-y[i]) / y[i] / float64(len(held))
	}
	return r
}

// processor is what this process used of the processors [s].
func processor(b *testing.B) float64 {
	var u syscall.Rusage
	must.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// trainInPython returns bench_torch.py the same rows and split.
func trainInPython(
	b *testing.B,
	interpreter string,
	x [][inputs]float64,
	y []float64,
	c Config,
	held []int,
	threads int,
) (out []trained) {
	b.Helper()
	var rows strings.Builder
	for i, row := range x {
		out := 0
		if slices.Contains(held, i) {
			out = 1
		}
		fmt.Fprintf(&rows, "%v,%v,%v,%v,%v,%d\n", row[0], row[1], row[2], row[3], y[i], out)
	}
	path := filepath.Join(b.TempDir(), "rows.csv")
	must.NoError(b, os.WriteFile(path, []byte(rows.String()), 0o644))
	command := exec.Command(interpreter, "bench_torch.py", path, "--batch", strconv.Itoa(c.Batch), "--epochs",
		strconv.Itoa(c.Epochs), "--seed", strconv.FormatUint(c.Seed, 10), "--threads", strconv.Itoa(threads))
	var problems bytes.Buffer
	command.Stderr = &problems
	text, err := command.Output()
	if err != nil {
		b.Fatalf("bench_torch.py: %v: %s", err, problems.Bytes())
	}
	for line := range bytes.Lines(text) {
		var r trained
		if err := json.Unmarshal(line, &r); err != nil {
			b.Fatalf("bench_torch.py printed %q: %v", line, err)
		}
		if r.Threads > 0 {
			r.Name = fmt.Sprintf("%s, threads: %d", r.Name, r.Threads)
		}
		out = append(out, r)
	}
	return out
}

// quickest is PyTorch by the number of threads with which it took the least time
// in the first split.
func quickest(runs map[string][]trained) string {
	best := ""
	for name, r := range runs {
		if r[0].Threads > 0 && (best == "" || r[0].Seconds < runs[best][0].Seconds) {
			best = name
		}
	}
	return best
}

// report tells medians over the splits.
func report(b *testing.B, runs map[string][]trained) {
	of := func(name string, value func(trained) float64) float64 {
		var v []float64
		for _, r := range runs[name] {
			v = append(v, value(r))
		}
		return stats.Median(v)
	}
	seconds := func(r trained) float64 { return r.Seconds }
	processors := func(r trained) float64 { return r.CPU }
	mape := func(r trained) float64 { return r.MAPE }
	b.ReportMetric(of(here, seconds), "here-s")
	b.ReportMetric(of(here, mape), "here-error-%")
	for name := range runs {
		short := "sklearn"
		switch {
		case name == quickest(runs):
			short = "torch"
		case name == here || runs[name][0].Threads > 0:
			continue
		}
		b.ReportMetric(of(name, seconds)/of(here, seconds), short+"/here-time")
		b.ReportMetric(of(name, processors)/of(here, processors), short+"/here-processor")
		b.ReportMetric(of(name, mape), short+"-error-%")
	}
}

// logLoad tells how busy the machine is, which times are to be read with.
func logLoad(b *testing.B) {
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		b.Logf("load averages at the start: %s", strings.TrimSpace(string(text)))
	}
}
