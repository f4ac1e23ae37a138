package session

import (
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"jtune/profiles/harness"
	"jtune/tegra"
)

// gpuReader runs nvidia-smi, which prints a line for each GPU twice a second. UNVERIFIED: tested with recorded output.
type gpuReader struct {
	stream *harness.Stream

	mu  sync.Mutex
	now map[int]gpuLine
}

type gpuLine struct {
	powerW, loadPct tegra.Val[float64]
	at              time.Time
}

// gpuQuery requests index, watts and load.
var gpuQuery = []string{"--query-gpu=index,power.draw,utilization.gpu", "--format=csv,noheader,nounits", "-lms", "500"}

// staleGPU is the maximum age of a line.
const staleGPU = 5 * time.Second

// findGPU starts nvidia-smi; nil if it is not installed.
func findGPU() *gpuReader {
	program, err := exec.LookPath("nvidia-smi")
	if err != nil {
		return nil
	}
	g := &gpuReader{now: map[int]gpuLine{}}
	if g.stream, err = harness.StartStream(append([]string{program}, gpuQuery...), g.line); err != nil {
		return nil
	}
	return g
}

func (g *gpuReader) line(text string) {
	index, line, ok := parseGPU(text)
	if !ok {
		return
	}
	line.at = time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now[index] = line
}

// parseGPU parses "0, 112.37, 87"; unknown values are "[N/A]" or "[Not Supported]".
func parseGPU(text string) (index int, line gpuLine, ok bool) {
	f := strings.Split(text, ",")
	if len(f) != 3 {
		return 0, line, false
	}
	index, err := strconv.Atoi(strings.TrimSpace(f[0]))
	if err != nil || index < 0 || index > mostGPUs {
		return 0, line, false
	}
	number := func(text string, most float64) (out tegra.Val[float64]) {
		if v, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil && v >= 0 && v <= most {
			out = tegra.Some(v)
		}
		return out
	}
	line.powerW, line.loadPct = number(f[1], mostMeterW), number(f[2], 100)
	return index, line, true
}

// mostGPUs is more than any machine has.
const mostGPUs = 64

// read returns the total power of all GPUs, and the load of the busiest.
func (g *gpuReader) read() (powerW, loadPct tegra.Val[float64]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, line := range g.now {
		if time.Since(line.at) > staleGPU || !line.powerW.OK {
			return tegra.Val[float64]{}, tegra.Val[float64]{}
		}
		powerW = tegra.Some(powerW.V + line.powerW.V)
		if line.loadPct.OK && line.loadPct.V >= loadPct.V {
			loadPct = line.loadPct
		}
	}
	return powerW, loadPct
}

func (g *gpuReader) close() error {
	if g == nil {
		return nil
	}
	return g.stream.Close()
}
