package nn

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os/exec"
	"strconv"
	"testing"
	"time"

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

// BenchmarkAgainstPython trains the reference's time network here and with what
// Python has of PyTorch and scikit-learn, and logs how many times as long
// those take. It skips without them. One run takes about a minute:
//
//	go test -run '^$' -bench AgainstPython -benchtime 1x -v ./learn/nn
func BenchmarkAgainstPython(b *testing.B) {
	interpreter := python(b)
	file := sweeptest.Shared(b, sweeptest.ResNet)
	x, y := columns(sweeptest.Load(b, sweeptest.ResNet), timeMS)
	for _, batch := range []int{16, 64} {
		b.Run("batch="+strconv.Itoa(batch), func(b *testing.B) {
			for b.Loop() {
				start := time.Now()
				n, err := Train(b.Context(), x, y, Config{Batch: batch})
				if err != nil {
					b.Fatal(err)
				}
				ours := time.Since(start).Seconds()
				b.Logf("batch %d: here %.1f s, loss %.4f", batch, ours, n.Report.BestLoss)
				compare(b, interpreter, file, batch, ours)
			}
		})
	}
}

// compare runs bench_torch.py and logs its times against ours [s].
func compare(b *testing.B, interpreter, file string, batch int, ours float64) {
	b.Helper()
	command := exec.Command(interpreter, "bench_torch.py", file, "--batch", strconv.Itoa(batch))
	var problems bytes.Buffer
	command.Stderr = &problems
	out, err := command.Output()
	if err != nil {
		b.Fatalf("bench_torch.py: %v: %s", err, problems.Bytes())
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var theirs struct {
			Name    string
			Seconds float64
			Loss    float64
			Missing string
		}
		if err := json.Unmarshal(lines.Bytes(), &theirs); err != nil {
			b.Fatalf("bench_torch.py printed %q: %v", lines.Text(), err)
		}
		if theirs.Missing == "" {
			b.Logf("batch %d: %s %.1f s (%.1f times), loss %.4f", batch, theirs.Name, theirs.Seconds, theirs.Seconds/ours, theirs.Loss)
		}
	}
}
