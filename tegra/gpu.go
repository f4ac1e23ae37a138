package tegra

import (
	"path"
	"strconv"
	"strings"
)

// gpuGroup is the GPU's devfreq folder and device folder.
type gpuGroup struct {
	dir           string // devfreq folder; "" while the node is missing
	device        string // folder of load, power/control and masks; "" if unknown
	freqs         []Freq
	cur, min, max *source
	target        *source // nil: no such file
	steer         *source // governor
	load          *source
}

// gpuGlobs find a GPU's devfreq folder that /sys/class/devfreq does not list.
var gpuGlobs = []string{
	"/sys/class/devfreq/*",
	"/sys/devices/platform/17000000.gpu/devfreq_dev",
	"/sys/devices/17000000.*/devfreq/*",
	"/sys/devices/platform/17000000.*/devfreq/*",
	"/sys/devices/platform/bus@0/17000000.gpu/devfreq/*",
	"/sys/devices/57000000.gpu/devfreq/*",
	"/sys/devices/gpu.0/devfreq/*",
}

// gpuNames are the device names of GPUs in devfreq (Maxwell, Pascal, Volta, Ampere).
var gpuNames = []string{"gm20b", "gp10b", "gv11b", "ga10b", "gpu-gpc-0"}

func (f *finder) isGPU(dir string) bool {
	name := path.Base(dir)
	if strings.HasSuffix(name, ".gpu") || name == "devfreq_dev" || containsAny(name, gpuNames) {
		return true
	}
	for _, file := range []string{"/device/of_node/compatible", "/device/of_node/name"} {
		if text, err := readText(f.fs, dir+file); err == nil && containsAny(text, gpuNames) {
			return true
		}
	}
	return false
}

func containsAny(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

func (f *finder) gpu() *gpuGroup {
	g := &gpuGroup{}
	for _, pattern := range gpuGlobs {
		for _, dir := range f.glob(pattern) {
			if g.dir == "" && f.isGPU(dir) && f.exists(dir+gpuMax) {
				g.dir = f.real(dir)
			}
		}
	}
	if g.dir != "" {
		f.found("GPU clock", g.dir, "")
		g.cur = newSource(f.fs, g.dir+"/cur_freq")
		g.min, g.max = newSource(f.fs, g.dir+gpuMin), newSource(f.fs, g.dir+gpuMax)
		g.steer = newSource(f.fs, g.dir+gpuGovernor)
		if f.exists(g.dir + "/target_freq") {
			g.target = newSource(f.fs, g.dir+"/target_freq")
		}
		g.freqs = f.gpuFreqs(g.dir)
	}
	for _, device := range []string{"/sys/devices/platform/gpu.0", "/sys/devices/gpu.0", g.dir + "/device"} {
		if f.exists(device+"/power/control") || f.exists(device+"/load") {
			g.device = device
			break
		}
	}
	switch {
	case g.dir != "":
	case g.device != "":
		f.missing("GPU clock", "/sys/class/devfreq", "it has not been powered since boot: run something on it once")
	default:
		f.missing("GPU clock", "/sys/class/devfreq", "its driver is not loaded")
	}
	if g.device != "" {
		g.load = f.source("GPU load", g.device+"/load")
	} else {
		f.missing("GPU load", "/sys/devices/platform/gpu.0/load", "no such file")
	}
	return g
}

func (f *finder) gpuFreqs(dir string) []Freq {
	name := dir + "/available_frequencies"
	text, err := readText(f.fs, name)
	list := freqList(text)
	switch {
	case err != nil:
		f.missing("GPU frequencies", name, reason(err))
	case len(list) == 0:
		f.missing("GPU frequencies", name, "the list is empty")
	default:
		f.found("GPU frequencies", name, strconv.Itoa(len(list))+" steps")
	}
	return list
}

// clock reads a clock, in whatever unit the kernel prints it.
func clock(s *source) (Freq, error) {
	v, err := s.within(int64(maxFreq), " is not a plausible clock")
	return ClockOf(v), err
}

// set stores a clock in v; if it cannot be read, it reports it missing.
func set(v *Val[Freq], s *source, name string, miss func(string, error)) {
	if s == nil {
		return
	}
	f, err := clock(s)
	if err != nil {
		miss(name, err)
		return
	}
	*v = Some(f)
}

func (g *gpuGroup) read(r *Reading, miss func(string, error)) {
	set(&r.GPU.Actual, g.cur, "GPU clock", miss)
	set(&r.GPU.Min, g.min, "GPU min", miss)
	set(&r.GPU.Max, g.max, "GPU max", miss)
	set(&r.GPU.Target, g.target, "GPU target", miss)
	if n := len(g.freqs); n > 0 {
		r.GPU.Cap = Some(g.freqs[n-1])
	}
	if r.GPU.Actual.OK && r.GPU.Actual.V == 0 {
		// Rail-gated: clock and load are absent, not zero.
		r.GPU.Actual = Val[Freq]{}
		miss("GPU clock", errPoweredDown)
		return
	}
	if g.load == nil {
		return
	}
	tenths, err := g.load.within(1000, " is not a load in tenths of a percent")
	if err != nil {
		miss("GPU load", err)
		return
	}
	r.GPU.LoadPct = Some(float64(tenths) / 10)
}

func (g *gpuGroup) close() {
	for _, s := range []*source{g.cur, g.min, g.max, g.target, g.load, g.steer} {
		s.close()
	}
}
