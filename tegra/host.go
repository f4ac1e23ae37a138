package tegra

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// Host is a machine other than a Jetson that runs workloads: its times can be compared, but jtune sets no modes on it.
// Power comes from Intel's RAPL counters below /sys/class/powercap (Linux, Documentation/power/powercap) and from GPU.
// UNVERIFIED: both follow documents and recorded output, not a measurement of such a machine.
//
//	/proc, /sys ──► Host.Read ──► Reading without a mode
type Host struct {
	// GPU returns an NVIDIA GPU's power and load from nvidia-smi; nil: no GPU is read. Set it before the first Read.
	GPU func() (powerW, loadPct Val[float64])

	clock   Clock
	board   Board
	stat    *source
	meminfo *source
	loads   loadMeter
	clocks  map[int]*source // cpufreq's current clock by core
	rapl    []raplZone
	lastT   time.Duration // time of the last reading with energies
}

var _ Device = (*Host)(nil)

// raplZone is an energy counter.
type raplZone struct {
	name   string
	energy *source // µJ
	most   int64   // largest value before the counter wraps, µJ
	last   Val[int64]
}

// raplDir holds the RAPL zones.
const raplDir = "/sys/class/powercap"

// mostHostW is an upper bound for the power of a machine with several GPUs, in watts.
const mostHostW = 20_000

// OpenHost opens the machine whose files fsys holds; gpu is the rail name of its GPU, "" for none.
func OpenHost(fsys FS, clock Clock, name, gpu string) (*Host, error) {
	h := &Host{clock: clock, stat: newTable(fsys, "/proc/stat"), meminfo: newTable(fsys, "/proc/meminfo"),
		clocks: map[int]*source{}}
	cores, err := fsys.Glob("/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq")
	if err != nil {
		return nil, err
	}
	for _, c := range cores {
		_, n := trailing(path.Dir(path.Dir(c)))
		h.clocks[n] = newSource(fsys, c)
	}
	h.findRAPL(fsys)
	h.board = Board{Name: name, Model: hostModel(fsys)}
	if h.board.Name == "" {
		h.board.Name = h.board.Model
	}
	for _, z := range h.rapl {
		h.board.Rails = append(h.board.Rails, z.name)
	}
	if gpu != "" {
		h.board.Rails = append(h.board.Rails, gpu)
	}
	switch len(h.board.Rails) {
	case 0:
	case 1:
		h.board.TotalRule = h.board.Rails[0]
	default:
		h.board.TotalRule = "SUM:" + strings.Join(h.board.Rails, ",")
	}
	if len(h.board.Rails) > 0 {
		h.board.TotalCovers = "what these counters know (UNVERIFIED): not the whole machine, and no Jetson module"
	}
	return h, nil
}

// hostModel returns the machine's model name.
func hostModel(fsys FS) string {
	for _, file := range []string{"/proc/device-tree/model", "/sys/class/dmi/id/product_name"} {
		if text, err := readText(fsys, file); err == nil && strings.Trim(text, "\x00 ") != "" {
			model := strings.Trim(text, "\x00 ")
			if cpu := hostCPU(fsys); cpu != "" {
				model += " (" + cpu + ")"
			}
			return model
		}
	}
	if cpu := hostCPU(fsys); cpu != "" {
		return cpu
	}
	return "a machine that does not say its model"
}

// hostCPU returns the processor name from /proc/cpuinfo.
func hostCPU(fsys FS) string {
	data, err := newTable(fsys, "/proc/cpuinfo").bytes()
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// findRAPL finds the zones of whole processor packages and of the memory, which the packages exclude.
func (h *Host) findRAPL(fsys FS) {
	dirs, err := fsys.Glob(raplDir + "/*-rapl:*")
	if err != nil {
		return
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		name, err := readText(fsys, dir+"/name")
		if err != nil || !strings.HasPrefix(name, "package-") && name != "dram" {
			continue
		}
		if strings.HasPrefix(path.Base(dir), "intel-rapl-mmio") {
			continue // the same package under another path
		}
		z := raplZone{name: fmt.Sprintf("RAPL %s", name), energy: newSource(fsys, dir+"/energy_uj")}
		if n := len(h.rapl); name == "dram" {
			z.name = fmt.Sprintf("RAPL dram %d", n)
		}
		if z.most, err = newSource(fsys, dir+"/max_energy_range_uj").int(); err != nil {
			z.most = 0
		}
		h.rapl = append(h.rapl, z)
	}
}

// Board implements Device.
func (h *Host) Board() Board { return h.board }

// Space implements Device: it has no modes.
func (h *Host) Space() *Space { return emptySpace(nil, nil, nil, nil) }

// Presets implements Device.
func (h *Host) Presets() []Preset { return nil }

// Read implements Device. Power is the mean since the last reading; the first reading has none.
func (h *Host) Read() (Reading, error) {
	r := Reading{T: h.clock.Now(), MaxW: mostHostW}
	miss := func(name string, err error) { r.Missing = append(r.Missing, Missing{name, reason(err)}) }
	loads := h.loads.percent(h.stat, miss)
	cores := map[int]bool{}
	for n := range h.clocks {
		cores[n] = true
	}
	for n := range loads { // their clock may be unknown
		cores[n] = true
	}
	for _, n := range slices.Sorted(maps.Keys(cores)) {
		core := CoreReading{Online: true}
		if v, ok := loads[n]; ok {
			core.LoadPct = Some(v)
		}
		if f := h.clocks[n]; f != nil {
			if khz, err := f.int(); err == nil && khz > 0 {
				core.Freq = Some(Freq(khz) * KHz)
				r.CPU.Actual = Some(max(core.Freq.V, r.CPU.Actual.Or(0)))
			}
		}
		r.Cores = append(r.Cores, core)
	}
	r.CPU.LoadPct = meanLoad(loads)
	readMemory(h.meminfo, &r, miss)
	total, all := 0.0, true
	for i := range h.rapl {
		w, err := h.rapl[i].watts(r.T - h.lastT)
		if err != nil {
			miss(h.rapl[i].name, err)
		}
		r.Rails = append(r.Rails, RailReading{Name: h.rapl[i].name, PowerW: w})
		total, all = total+w.V, all && w.OK
	}
	h.lastT = r.T
	if h.GPU != nil {
		w, load := h.GPU()
		r.GPU.LoadPct = load
		r.Rails = append(r.Rails, RailReading{Name: h.board.Rails[len(h.board.Rails)-1], PowerW: w})
		total, all = total+w.V, all && w.OK
	}
	if all && len(r.Rails) > 0 {
		r.TotalW = Some(total)
	}
	return r, nil
}

func meanLoad(loads map[int]float64) Val[float64] {
	if len(loads) == 0 {
		return Val[float64]{}
	}
	sum := 0.0
	for _, v := range loads {
		sum += v
	}
	return Some(sum / float64(len(loads)))
}

// watts returns the mean power over span, the time since the last call.
func (z *raplZone) watts(span time.Duration) (Val[float64], error) {
	now, err := z.energy.int()
	if err != nil {
		z.last = Val[int64]{}
		return Val[float64]{}, err
	}
	was := z.last
	z.last = Some(now)
	if !was.OK || span <= 0 {
		return Val[float64]{}, nil
	}
	used := now - was.V
	if used < 0 && z.most > 0 { // the counter wrapped
		used += z.most
	}
	if used < 0 {
		return Val[float64]{}, nil
	}
	return Some(float64(used) / 1e6 / span.Seconds()), nil
}

// Close closes the machine's files.
func (h *Host) Close() error {
	for _, f := range slices.AppendSeq([]*source{h.stat, h.meminfo}, maps.Values(h.clocks)) {
		f.close()
	}
	for _, z := range h.rapl {
		z.energy.close()
	}
	return nil
}
