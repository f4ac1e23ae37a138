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

// BenchmarkAgainstPython trains the reference's time network here and with what
// python3 has of PyTorch and scikit-learn, and logs how many times as long
// those take. It skips without them. One run takes about a minute:
//
//	go test -run '^$' -bench AgainstPython -benchtime 1x -v ./learn/nn
func BenchmarkAgainstPython(b *testing.B) {
	if err := exec.Command("python3", "-c", "import torch, sklearn").Run(); err != nil {
		b.Skipf("python3 with torch and sklearn: %v (Debian: python3-torch python3-sklearn)", err)
	}
	file := sweeptest.Shared(b, sweeptest.ResNet)
	x, y := columns(sweeptest.Load(b, sweeptest.ResNet), timeMS)
	for _, batch := range []int{16, 64} {
		b.Run("batch="+strconv.Itoa(batch), func(b *testing.B) {
			for b.Loop() {
				start := time.Now()
				n, err := Train(x, y, Config{Batch: batch})
				if err != nil {
					b.Fatal(err)
				}
				ours := time.Since(start).Seconds()
				b.Logf("batch %d: here %.1f s, loss %.4f", batch, ours, n.Report.BestLoss)
				compare(b, file, batch, ours)
			}
		})
	}
}

// compare runs bench_torch.py and logs its times against ours [s].
func compare(b *testing.B, file string, batch int, ours float64) {
	b.Helper()
	command := exec.Command("python3", "bench_torch.py", file, "--batch", strconv.Itoa(batch))
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
