package session

import (
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"jtune/internal/usage"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
)

// openHost opens this machine as a place where workloads run, without power modes.
func openHost(o Options) (*Session, error) {
	if o.Device != "" && o.Device != "auto" {
		return nil, usage.NoDevice.Errorf("%s means this machine, %s %s does not", usage.NoDevice, usage.Device,
			o.Device).
			Advise("give one of them")
	}
	fsys, bundled, err := deviceFiles(o.Sysroot)
	if err != nil {
		return nil, err
	}
	if bundled {
		return nil, usage.NoDevice.Errorf("%s means this machine, a bundle is of another", usage.NoDevice)
	}
	s := &Session{Clock: tegra.RealClock(), Options: o, fs: fsys, Which: HostName(o.Sysroot),
		finder: record.Finder{Parents: []string{o.CampaignsDir()}}}
	gpuName := ""
	if s.gpu = findGPU(); s.gpu != nil {
		gpuName = "GPU (nvidia-smi)"
	}
	host, err := tegra.OpenHost(fsys, s.Clock, s.Which, gpuName)
	if err != nil {
		return nil, errors.Join(err, s.gpu.close())
	}
	if s.gpu != nil {
		host.GPU = s.gpu.read
	}
	s.host, s.Device, s.Sampler = host, host, telemetry.NewSampler(host, s.Clock)
	b := host.Board()
	s.Notice = "no device: this machine, " + b.Model + ": times alone, no source of power was found"
	if b.TotalRule != "" {
		s.Notice = fmt.Sprintf("no device: this machine, %s: power of %s, %s", b.Model, strings.Join(b.Rails, " and "),
			b.TotalCovers)
	}
	return s, s.useMeter()
}

// gpuReader is nvidia-smi, started once: it prints a line for each GPU twice a second. UNVERIFIED: by recorded output.
type gpuReader struct {
	stream *harness.Stream

	mu  sync.Mutex
	now map[int]gpuLine
}

type gpuLine struct {
	powerW, loadPct tegra.Val[float64]
	at              time.Time
}

// gpuQuery asks for index, watts and load.
var gpuQuery = []string{"--query-gpu=index,power.draw,utilization.gpu", "--format=csv,noheader,nounits", "-lms", "500"}

// staleGPU is how old a line may be.
const staleGPU = 5 * time.Second

// findGPU starts nvidia-smi; nil where there is none.
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

// parseGPU reads "0, 112.37, 87"; what is not told is "[N/A]" or "[Not Supported]".
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

// mostGPUs is more than a machine has.
const mostGPUs = 64

// read is the power of all GPUs together, and the load of the busiest.
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
