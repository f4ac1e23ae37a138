package virtual

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"syscall"

	"jtune/tegra"
)

const cpuDir = "/sys/devices/system/cpu"

// build creates the file tree: files driven by knobs, job and clock, then the other recorded files of such a board.
func (b *Board) build() {
	b.identity()
	b.cpuFiles()
	b.gpuFiles()
	if b.facts.Memory.Rates != "" || b.thor() {
		b.emcFiles()
	} else {
		b.oldEMCFiles()
	}
	b.emcLimits()
	b.railFiles()
	b.eventFiles()
	b.thermalFiles()
	b.fanFiles()
	b.procFiles()
	for name, content := range b.facts.Raw {
		b.recorded(name, content)
	}
	for name, content := range b.facts.Files {
		b.recorded(name, content+"\n")
	}
	for name, target := range b.facts.Links {
		if !b.files.Has(name) {
			b.link(name, target)
		}
	}
}

// recorded adds a file of fixed content unless it exists.
func (b *Board) recorded(name, content string) {
	if !b.files.Has(name) {
		b.text(name, content)
	}
}

// thor reports whether the chip is an AGX Thor's.
func (b *Board) thor() bool { return strings.HasSuffix(b.facts.Compatible, "tegra264") }

func (b *Board) identity() {
	const tree = "/sys/firmware/devicetree/base"
	b.text(tree+"/compatible", strings.ReplaceAll(b.facts.Compatible, " ", "\x00")+"\x00")
	model := b.facts.Model
	if b.table != nil && b.table.foreign {
		model = "Replay of " + b.table.name
	}
	b.text(tree+"/model", model+"\x00")
	b.link("/proc/device-tree", tree)
	b.text("/etc/nv_tegra_release", b.facts.Release+"\n")
	b.knob(b.facts.Conf.Path, func() string { return b.knobs.conf },
		func(v string) error { b.knobs.conf = v + "\n"; return nil })
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
		dir, policy := fmt.Sprintf("%s/cpu%d", cpuDir, i), b.knobs.policyOf[i]
		if name := dir + "/online"; i > 0 || b.facts.Files[name] != "" {
			b.knob(name, func() string { return flag(b.knobs.online[i]) }, func(v string) error {
				return b.changed(func() error { return b.switchCore(i, v) })
			})
		}
		link := b.link(dir+"/cpufreq", b.policyDir(policy))
		link.Gone = func() bool { return !b.knobs.policyOnline(policy) }
		for s, name := range b.model.idle {
			state := fmt.Sprintf("%s/cpuidle/state%d", dir, s)
			b.text(state+"/name", name+"\n")
			b.cell(state+"/disable", &b.knobs.idleStates[len(b.model.idle)*i+s], "0", "1")
		}
	}
}

func (b *Board) policyDir(p int) string {
	return fmt.Sprintf("%s/cpufreq/policy%d", cpuDir, b.knobs.leader[p])
}

func flag(on bool) string {
	if on {
		return "1\n"
	}
	return "0\n"
}

// switchCore handles a write to cpuN/online.
func (b *Board) switchCore(core int, text string) error {
	for _, pinned := range b.faults.PinnedCores {
		if pinned == core && text == "0" {
			return syscall.EBUSY
		}
	}
	return b.knobs.setOnline(core, text)
}

// policyFiles adds the limit files of a policy; they vanish while none of its cores is online.
func (b *Board) policyFiles(p int) {
	dir := b.policyDir(p)
	g := &b.knobs.policy[p]
	khz := func(f tegra.Freq) string { return f.In(tegra.KHz) + "\n" }
	online := func(i int) bool { return b.knobs.online[i] }
	for _, n := range []*tegra.Node{
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
		b.show(dir+"/cpuinfo_cur_freq", func() string { return khz(b.policyClock(p)) }),
		b.limit(dir+"/scaling_min_freq", g, tegra.KHz, tegra.Nearest, true),
		b.limit(dir+"/scaling_max_freq", g, tegra.KHz, tegra.Nearest, false),
		b.place(dir+"/stats", &tegra.Node{}),
		b.show(dir+"/stats/time_in_state", func() string { return timeInState(g.list, b.spent.policy[p]) }),
	} {
		n.Gone = func() bool { return !b.knobs.policyOnline(p) }
	}
}

// coresOf prints the cores of a policy for which on is true.
func (b *Board) coresOf(p int, on func(int) bool) string {
	var out []string
	for i, policy := range b.knobs.policyOf {
		if policy == p && on(i) {
			out = append(out, strconv.Itoa(i))
		}
	}
	return strings.Join(out, " ") + "\n"
}

// choice is a cell whose text affects clocks and power.
func (b *Board) choice(name string, value *string, known ...string) *tegra.Node {
	n := b.cell(name, value, known...)
	n.Set = b.changing(n.Set)
	return n
}

// limit adds a min or max file of a clock. snap moves a request to the list; one beyond the other limit is rejected.
func (b *Board) limit(name string, g *governed, unit tegra.Freq, snap func([]tegra.Freq, tegra.Freq) tegra.Freq,
	isMin bool) *tegra.Node {
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
	g, f := &b.knobs.gpu, b.facts.GPU
	b.text(f.Dir+"/available_frequencies", list(g.list, tegra.Hz))
	b.limit(f.Dir+"/min_freq", g, tegra.Hz, above, true)
	b.limit(f.Dir+"/max_freq", g, tegra.Hz, above, false)
	b.show(f.Dir+"/cur_freq", func() string { return hertz(b.gpuClock()) })
	b.show(f.Dir+"/target_freq", func() string { return hertz(b.gpuClock()) })
	b.show(f.Dir+"/trans_stat", func() string { return transStat(g.list, b.gpuClock(), b.spent.gpu) })
	b.choice(f.Dir+"/governor", &g.governor, "wmark_simple", "nvhost_podgov", "userspace", "performance",
		"simple_ondemand")
	b.text(f.Dir+"/available_governors", "wmark_simple nvhost_podgov userspace performance simple_ondemand \n")
	device := path.Dir(path.Dir(f.Dir)) // device folder of the GPU
	b.link("/sys/class/devfreq/"+f.Class, f.Dir)
	if b.thor() { // its driver shows no load, masks or rail gating
		b.choice(device+"/power/control", &b.knobs.gpuControl, "on", "auto")
		b.link(f.Dir+"/device", device)
		return
	}
	b.link(f.Dir+"/device", device)
	chip := strings.TrimPrefix(path.Ext(device), ".")
	b.text(device+"/of_node/name", chip+"\x00")
	b.text(device+"/of_node/compatible", "nvidia,"+chip+"\x00")
	b.show(device+"/load", func() string { return strconv.Itoa(int(1000*b.gpuBusy())) + "\n" })
	b.choice(device+"/railgate_enable", &b.knobs.railgate, "0", "1")
	b.choice(device+"/power/control", &b.knobs.gpuControl, "on", "auto")
	b.cell(device+"/enable_3d_scaling", &b.knobs.scaling3D, "0", "1")
	for mask, now := range f.Masks {
		b.knob(device+"/"+mask, func() string { return now + "\n" }, func(v string) error {
			if v == now {
				return nil
			}
			return syscall.EBUSY // units can be gated only before the first use after boot
		})
	}
	for _, name := range []string{f.Device, "/sys/devices/gpu.0", "/sys/devices/platform/gpu.0",
		"/sys/devices/platform/" + path.Base(device)} {
		if !b.files.Has(name) {
			b.link(name, device)
		}
	}
	b.link(device+"/devfreq_dev", f.Dir)
	if b.facts.Memory.Rates != "" {
		b.show(bpmpDir+"/clk/nafll_gpc0/pto_counter", func() string { return hertz(b.gpuClock() - b.gpuClock()/300) })
	}
}

// hertz prints a clock in Hz.
func hertz(f tegra.Freq) string { return f.In(tegra.Hz) + "\n" }

// gpuBusy returns the GPU's load with short-term noise, 0 to 1.
func (b *Board) gpuBusy() float64 {
	busy := b.steady.steps.GPULoad()
	if busy == 0 {
		return 0
	}
	return max(0, min(1, busy*(1+0.04*b.scatter()*normal(b.seed, uint64(b.at/refresh), 77))))
}

const (
	bpmpDir = "/sys/kernel/debug/bpmp/debug"
	emcDir  = bpmpDir + "/clk/emc"
)

// changing wraps a write that affects clocks and power.
func (b *Board) changing(set func(string) error) func(string) error {
	return func(v string) error { return b.changed(func() error { return set(v) }) }
}

// emcFiles adds BPMP's memory files.
func (b *Board) emcFiles() {
	k := &b.knobs
	b.knob(emcDir+"/rate", func() string { return hertz(b.emcClock()) }, b.changing(k.setEMCRate))
	b.text(emcDir+"/min_rate", hertz(k.emcList[0]))
	b.text(emcDir+"/max_rate", hertz(k.emcList[len(k.emcList)-1]))
	for name, cell := range map[string]*string{"/mrq_rate_locked": &k.emcLocked, "/state": &k.emcState} {
		b.choice(emcDir+name, cell, "0", "1")
	}
	if halt := bpmpDir + "/bwmgr/bwmgr_halt"; b.facts.Files[halt] != "" {
		b.choice(halt, &k.emcHalt, "0", "1")
	}
	if b.thor() { // no list of rates; a devfreq folder without one
		b.show("/sys/class/devfreq/bwmgr/cur_freq", func() string { return hertz(b.emcClock()) })
		return
	}
	rates := list(k.emcList, tegra.KHz)
	b.text(bpmpDir+"/emc/possible_rates", rates[:len(rates)-1]+"(kHz)\n")
}

// oldEMCFiles adds the memory files of a Tegra X1's clock framework: one switch locks the rate, and only the lowest and
// highest rate are shown.
func (b *Board) oldEMCFiles() {
	const dir, manager = "/sys/kernel/debug/clk/override.emc", "/sys/kernel/debug/tegra_bwmgr"
	k := &b.knobs
	b.show(dir+"/clk_rate", func() string { return hertz(b.emcClock()) })
	b.knob(dir+"/clk_update_rate", func() string { return hertz(k.emcRate) }, b.changing(k.setEMCRate))
	b.knob(dir+"/clk_state", func() string { return k.emcLocked + "\n" }, b.changing(func(v string) error {
		if v != "0" && v != "1" {
			return syscall.EINVAL
		}
		k.emcLocked, k.emcState = v, v
		return nil
	}))
	b.text(manager+"/emc_min_rate", hertz(k.emcList[0]))
	b.text(manager+"/emc_max_rate", hertz(k.emcList[len(k.emcList)-1]))
}

// emcCapFile returns the file of the memory's cap: since L4T 36 another, in which the top rate is no cap.
func (b *Board) emcCapFile() string {
	if newer := b.facts.Conf.Caps[1]; b.facts.Files[newer] != "" {
		return newer
	}
	return b.facts.Conf.Caps[0]
}

// emcLimits adds the memory's cap and its load counter.
func (b *Board) emcLimits() {
	k := &b.knobs
	older := b.facts.Files[b.emcCapFile()] == "0" || b.facts.Files[b.emcCapFile()] == ""
	b.knob(b.emcCapFile(), func() string {
		if older {
			return hertz(k.emcCap)
		}
		return hertz(k.emcLimit())
	}, b.changing(func(v string) error {
		if f, err := number(v); err == nil && !older && tegra.Freq(f) >= k.emcList[len(k.emcList)-1] {
			v = "0"
		}
		return k.setEMCCap(v)
	}))
	for name := range b.facts.Files {
		if path.Base(name) == "mc_all" || path.Base(name) == "mc_all_avg_activity" {
			b.show(name, func() string {
				return strconv.FormatInt(int64(100*b.steady.steps.EMCBusy*float64(b.emcClock().KHz())), 10) + "\n"
			})
		}
	}
}
