package virtual

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"jtune/tegra"
)

// Folders of an AGX Orin on L4T 35.1.
const (
	cpuDir     = "/sys/devices/system/cpu"
	gpuDir     = "/sys/devices/gpu.0"
	gpuReal    = "/sys/devices/17000000.ga10b"
	gpuFreqDir = gpuReal + "/devfreq/17000000.ga10b"
	bpmpDir    = "/sys/kernel/debug/bpmp/debug"
	emcDir     = bpmpDir + "/clk/emc"
	emcCapFile = "/sys/kernel/nvpmodel_emc_cap/emc_iso_cap"
)

// agxOrin lists the settings of a 12-core AGX Orin with the kernel of L4T 34
// and 35.1, which has 13 GPU clocks: 12 × 29 × 13 × 4 = 18,096 modes. Later
// releases have 11.
func agxOrin() lists {
	l := lists{cores: 12, emc: []tegra.Freq{204 * tegra.MHz, 665600 * tegra.KHz, 2133 * tegra.MHz, 3199 * tegra.MHz}}
	for k := range tegra.Freq(28) {
		l.cpu = append(l.cpu, (115200+76800*k)*tegra.KHz)
	}
	l.cpu = append(l.cpu, 2201600*tegra.KHz)
	for k := range tegra.Freq(12) {
		l.gpu = append(l.gpu, (114750+102000*k)*tegra.KHz)
	}
	l.gpu = append(l.gpu, 1300500*tegra.KHz)
	return l
}

// build makes the file tree.
func (b *Board) build() {
	b.identity()
	b.cpuFiles()
	b.gpuFiles()
	b.emcFiles()
	b.railFiles()
	b.thermalFiles()
	b.fanFiles()
	b.procFiles()
}

func (b *Board) identity() {
	const tree = "/sys/firmware/devicetree/base"
	b.text(tree+"/compatible", "nvidia,p3737-0000+p3701-0000\x00nvidia,tegra234\x00")
	model := "Jetson AGX Orin"
	if b.table != nil && b.table.foreign {
		model = "Replay of " + b.table.name
	}
	b.text(tree+"/model", model+"\x00")
	b.link("/proc/device-tree", tree)
	b.text("/etc/nv_tegra_release",
		"# R35 (release), REVISION: 1.0, GCID: 0, BOARD: t186ref, EABI: aarch64, DATE: Thu Aug 11 00:00:00 UTC 2022\n")
	b.knob("/etc/nvpmodel/nvpmodel_p3701_0000.conf", func() string { return b.knobs.conf },
		func(v string) error { b.knobs.conf = v + "\n"; return nil })
	b.link("/etc/nvpmodel.conf", "/etc/nvpmodel/nvpmodel_p3701_0000.conf")
	b.cell("/var/lib/nvpmodel/status", &b.knobs.status)
}

func (b *Board) cpuFiles() {
	cores := b.lists.cores
	every := func(int) bool { return true }
	online := func(i int) bool { return b.knobs.online[i] }
	b.text(cpuDir+"/present", ranges(cores, every))
	b.text(cpuDir+"/possible", ranges(cores, every))
	b.show(cpuDir+"/online", func() string { return ranges(cores, online) })
	b.show(cpuDir+"/offline", func() string { return ranges(cores, func(i int) bool { return !online(i) }) })
	for p := range b.knobs.policy {
		b.policyFiles(p)
	}
	for i := range cores {
		dir := fmt.Sprintf("%s/cpu%d", cpuDir, i)
		b.knob(dir+"/online", func() string { return flag(b.knobs.online[i]) }, func(v string) error {
			return b.changed(func() error { return b.switchCore(i, v) })
		})
		link := b.link(dir+"/cpufreq", fmt.Sprintf("%s/cpufreq/policy%d", cpuDir, i/coresPerPolicy*coresPerPolicy))
		link.gone = func() bool { return !b.knobs.policyOnline(i / coresPerPolicy) }
		for s, name := range []string{"WFI", "c7"} {
			state := fmt.Sprintf("%s/cpuidle/state%d", dir, s)
			b.text(state+"/name", name+"\n")
			b.cell(state+"/disable", &b.knobs.idleStates[2*i+s], "0", "1")
		}
	}
}

func flag(on bool) string {
	if on {
		return "1\n"
	}
	return "0\n"
}

// switchCore is a write to cpuN/online.
func (b *Board) switchCore(core int, text string) error {
	for _, pinned := range b.faults.PinnedCores {
		if pinned == core && text == "0" {
			return syscall.EBUSY
		}
	}
	return b.knobs.setOnline(core, text)
}

// policyFiles are the limits of four cores; they vanish while none is online.
func (b *Board) policyFiles(p int) {
	dir := fmt.Sprintf("%s/cpufreq/policy%d", cpuDir, p*coresPerPolicy)
	g := &b.knobs.policy[p]
	khz := func(f tegra.Freq) string { return f.In(tegra.KHz) + "\n" }
	online := func(i int) bool { return b.knobs.online[i] }
	for _, n := range []*node{
		b.text(dir+"/scaling_available_frequencies", list(g.list, tegra.KHz)),
		b.text(dir+"/cpuinfo_min_freq", khz(g.list[0])),
		b.text(dir+"/cpuinfo_max_freq", khz(g.list[len(g.list)-1])),
		b.text(dir+"/related_cpus", b.coresOf(p, func(int) bool { return true })),
		b.show(dir+"/affected_cpus", func() string { return b.coresOf(p, online) }),
		b.text(dir+"/scaling_available_governors",
			"conservative ondemand userspace powersave performance schedutil \n"),
		b.choice(dir+"/scaling_governor", &g.governor, "conservative", "ondemand", "userspace", "powersave",
			"performance",
			"schedutil"),
		b.show(dir+"/scaling_cur_freq", func() string { return khz(b.policyClock(p)) }),
		b.show(dir+"/cpuinfo_cur_freq", func() string { return khz(b.policyClock(p) - 1*tegra.MHz) }),
		b.limit(dir+"/scaling_min_freq", g, tegra.KHz, nearest, true),
		b.limit(dir+"/scaling_max_freq", g, tegra.KHz, nearest, false),
		b.place(dir+"/stats", &node{kids: map[string]*node{}}),
		b.show(dir+"/stats/time_in_state", func() string { return timeInState(g.list, b.spent.policy[p]) }),
	} {
		n.gone = func() bool { return !b.knobs.policyOnline(p) }
	}
}

// coresOf prints the cores of a policy for which on holds.
func (b *Board) coresOf(p int, on func(int) bool) string {
	var out []string
	for i := p * coresPerPolicy; i < min((p+1)*coresPerPolicy, b.lists.cores); i++ {
		if on(i) {
			out = append(out, strconv.Itoa(i))
		}
	}
	return strings.Join(out, " ") + "\n"
}

// choice is a cell whose text counts for clocks and power.
func (b *Board) choice(name string, value *string, known ...string) *node {
	n := b.cell(name, value, known...)
	set := n.set
	n.set = func(v string) error { return b.changed(func() error { return set(v) }) }
	return n
}

// limit is a min or max file of a clock. A request is moved to the list by
// snap; one beyond the other limit is refused.
func (b *Board) limit(name string, g *governed, unit tegra.Freq, snap func([]tegra.Freq, tegra.Freq) tegra.Freq,
	isMin bool) *node {
	get := func() string {
		if isMin {
			return g.min.In(unit) + "\n"
		}
		return g.max.In(unit) + "\n"
	}
	return b.knob(name, get, func(text string) error {
		v, err := number(text)
		if err != nil {
			return err
		}
		f := snap(g.list, tegra.Freq(min(v, int64(100*tegra.GHz/unit)))*unit)
		return b.changed(func() error {
			switch {
			case isMin:
				return g.setMin(f)
			case !b.mayRaise(g.max, f):
				return syscall.EINVAL
			}
			return g.setMax(f)
		})
	})
}

func (b *Board) gpuFiles() {
	g := &b.knobs.gpu
	b.text(gpuFreqDir+"/available_frequencies", list(g.list, tegra.Hz))
	b.limit(gpuFreqDir+"/min_freq", g, tegra.Hz, above, true)
	b.limit(gpuFreqDir+"/max_freq", g, tegra.Hz, above, false)
	b.show(gpuFreqDir+"/cur_freq", func() string { return hertz(b.gpuClock()) })
	b.show(gpuFreqDir+"/target_freq", func() string { return hertz(b.gpuClock()) })
	b.show(gpuFreqDir+"/trans_stat", func() string { return transStat(g.list, b.gpuClock(), b.spent.gpu) })
	b.choice(gpuFreqDir+"/governor", &g.governor, "wmark_simple", "nvhost_podgov", "userspace", "performance",
		"simple_ondemand")
	b.text(gpuFreqDir+"/available_governors", "wmark_simple nvhost_podgov userspace performance simple_ondemand \n")
	b.link(gpuFreqDir+"/device", gpuReal)
	b.text(gpuReal+"/of_node/name", "ga10b\x00")
	b.text(gpuReal+"/of_node/compatible", "nvidia,ga10b\x00")
	b.show(gpuReal+"/load", func() string { return strconv.Itoa(int(1000*b.gpuBusy())) + "\n" })
	b.choice(gpuReal+"/railgate_enable", &b.knobs.railgate, "0", "1")
	b.choice(gpuReal+"/power/control", &b.knobs.gpuControl, "on", "auto")
	b.cell(gpuReal+"/enable_3d_scaling", &b.knobs.scaling3D, "0", "1")
	for _, mask := range []string{"/tpc_pg_mask", "/fbp_pg_mask"} {
		b.knob(gpuReal+mask, func() string { return "0\n" }, func(v string) error {
			if v == "0" {
				return nil
			}
			return syscall.EBUSY // units can be gated before the first use after boot only
		})
	}
	b.link(gpuDir, gpuReal)
	b.link("/sys/devices/platform/gpu.0", gpuReal)
	b.link("/sys/devices/platform/17000000.ga10b", gpuReal)
	b.link(gpuReal+"/devfreq_dev", gpuFreqDir)
	b.link("/sys/class/devfreq/17000000.ga10b", gpuFreqDir)
	b.show(bpmpDir+"/clk/nafll_gpc0/pto_counter", func() string { return hertz(b.gpuClock() - b.gpuClock()/300) })
}

// hertz is a file with a clock.
func hertz(f tegra.Freq) string { return f.In(tegra.Hz) + "\n" }

// gpuBusy is the GPU's load with the scatter of a short look, 0 to 1.
func (b *Board) gpuBusy() float64 {
	busy := b.steady.steps.GPUBusy
	if busy == 0 {
		return 0
	}
	return max(0, min(1, busy*(1+0.04*b.scatter()*normal(b.seed, uint64(b.at/refresh), 77))))
}

func (b *Board) emcFiles() {
	k := &b.knobs
	changing := func(set func(string) error) func(string) error {
		return func(v string) error { return b.changed(func() error { return set(v) }) }
	}
	b.knob(emcDir+"/rate", func() string { return hertz(b.emcClock()) }, changing(k.setEMCRate))
	b.text(emcDir+"/min_rate", hertz(k.emcList[0]))
	b.text(emcDir+"/max_rate", hertz(k.emcList[len(k.emcList)-1]))
	for name, cell := range map[string]*string{"/mrq_rate_locked": &k.emcLocked, "/state": &k.emcState} {
		b.choice(emcDir+name, cell, "0", "1")
	}
	rates := list(k.emcList, tegra.KHz)
	b.text(bpmpDir+"/emc/possible_rates", rates[:len(rates)-1]+"(kHz)\n")
	b.knob(emcCapFile, func() string { return hertz(k.emcCap) }, changing(k.setEMCCap))
	b.show("/sys/kernel/debug/cactmon/mc_all", func() string {
		return strconv.FormatInt(int64(100*b.steady.steps.EMCBusy*float64(b.emcClock().KHz())), 10) + "\n"
	})
}
