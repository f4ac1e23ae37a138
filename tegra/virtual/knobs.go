package virtual

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"jtune/tegra"
)

// lists holds a board's settings, ascending, and its number of cores.
type lists struct {
	cores         int
	cpu, gpu, emc []tegra.Freq
}

// governed is a clock domain: its limits and its governor.
type governed struct {
	list     []tegra.Freq
	min, max tegra.Freq
	governor string
	stuckAt  tegra.Freq // hardware clock while stuck
}

// knobs is the state of everything writable.
type knobs struct {
	online   []bool
	policy   []governed
	policyOf []int // per core: index in policy
	leader   []int // per policy: first core
	gpu      governed

	emcList    []tegra.Freq
	emcRate    tegra.Freq // last requested rate
	emcLocked  string     // mrq_rate_locked
	emcState   string
	emcHalt    string     // bwmgr_halt, since L4T 36
	emcCap     tegra.Freq // 0: none
	emcStuckAt tegra.Freq
	emcIdle    tegra.Freq // rate while free and idle

	railgate, gpuControl, scaling3D string
	idleStates                      []string // "disable" of each core's idle states, core by core
	conf, status                    string   // nvpmodel's files
}

// Governors after boot.
const (
	usualCPU = "schedutil"
	usualGPU = "nvhost_podgov"
)

// newKnobs returns a board's state after boot in a preset.
func newKnobs(l lists, leaders []int, low tegra.Freq, idleStates int, start preset, conf string) knobs {
	k := knobs{
		emcList: l.emc, emcLocked: "0", emcState: "0", emcHalt: "0", railgate: "1", gpuControl: "auto", scaling3D: "1",
		emcRate: l.emc[len(l.emc)-1], emcIdle: l.emc[len(l.emc)-1],
		idleStates: slices.Repeat([]string{"0"}, idleStates*l.cores),
		conf:       conf, status: fmt.Sprintf("pmode:%04d", start.id),
		gpu: governed{list: l.gpu, min: l.gpu[0], max: l.gpu[len(l.gpu)-1], governor: usualGPU},
	}
	top := start.mode(l)
	least := l.cpu[0]
	if low <= l.cpu[len(l.cpu)-1] {
		least = above(l.cpu, low)
	}
	for i, leader := range leaders[:l.cores] {
		k.online = append(k.online, true)
		if !slices.Contains(k.leader, leader) {
			k.leader = append(k.leader, leader)
			k.policy = append(k.policy, governed{list: l.cpu, min: least, max: max(least, above(l.cpu, top.CPU)),
				governor: usualCPU})
		}
		k.policyOf = append(k.policyOf, slices.Index(k.leader, leaders[i]))
	}
	k.gpu.max = above(l.gpu, top.GPU)
	if top.EMC < l.emc[len(l.emc)-1] {
		k.emcCap = top.EMC
	}
	return k
}

// cores returns the number of online cores.
func (k *knobs) cores() (n int) {
	for _, on := range k.online {
		if on {
			n++
		}
	}
	return n
}

// policyOnline reports whether any core of the policy is online.
func (k *knobs) policyOnline(p int) bool {
	for i, on := range k.online {
		if on && k.policyOf[i] == p {
			return true
		}
	}
	return false
}

// number parses a value written to a knob.
func number(text string) (int64, error) {
	v, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || v < 0 {
		return 0, syscall.EINVAL
	}
	return v, nil
}

// above returns the first entry ≥ f, or the highest.
func above(list []tegra.Freq, f tegra.Freq) tegra.Freq {
	i, _ := slices.BinarySearch(list, f)
	return list[min(i, len(list)-1)]
}

// below returns the last entry ≤ f, or the lowest.
func below(list []tegra.Freq, f tegra.Freq) tegra.Freq {
	i, exact := slices.BinarySearch(list, f)
	if !exact {
		i--
	}
	return list[max(i, 0)]
}

// setMin and setMax set a limit already moved to the list. They reject crossing limits.
func (g *governed) setMin(f tegra.Freq) error {
	if f > g.max {
		return syscall.EINVAL
	}
	g.min = f
	return nil
}

func (g *governed) setMax(f tegra.Freq) error {
	if f < g.min {
		return syscall.EINVAL
	}
	g.max = f
	return nil
}

// actual returns the domain's clock: at a limit, according to its governor.
func (g *governed) actual(busy bool) tegra.Freq {
	switch {
	case g.stuckAt != 0:
		return g.stuckAt
	case g.governor == "performance", g.min == g.max:
		return g.max
	case g.governor == "powersave", !busy:
		return g.min
	}
	return g.max
}

// free reports whether the governor has a choice.
func (g *governed) free() bool {
	return g.min != g.max && g.stuckAt == 0 &&
		!slices.Contains([]string{"performance", "powersave", "userspace"}, g.governor)
}

// setOnline switches a core. Core 0 stays online.
func (k *knobs) setOnline(core int, text string) error {
	if text != "0" && text != "1" {
		return syscall.EINVAL
	}
	if core == 0 && text == "0" {
		return syscall.EBUSY
	}
	k.online[core] = text == "1"
	return nil
}

// setEMCRate requests a memory clock from the firmware: off-list requests round up, requests above the list are
// silently ignored.
func (k *knobs) setEMCRate(text string) error {
	v, err := number(text)
	if err != nil {
		return err
	}
	if f := tegra.Freq(v); f <= k.emcList[len(k.emcList)-1] {
		k.emcRate = above(k.emcList, f)
	}
	return nil
}

// setEMCCap caps the memory clock; 0 removes the cap. On this release the top rate is no valid cap: it is written as 0.
func (k *knobs) setEMCCap(text string) error {
	v, err := number(text)
	if err != nil {
		return err
	}
	if top := k.emcList[len(k.emcList)-1]; tegra.Freq(v) >= top && len(k.emcList) > 1 {
		return syscall.EINVAL
	}
	k.emcCap = tegra.Freq(v)
	return nil
}

// emcLimit returns the highest rate that the cap allows.
func (k *knobs) emcLimit() tegra.Freq {
	if k.emcCap == 0 {
		return k.emcList[len(k.emcList)-1]
	}
	return below(k.emcList, k.emcCap)
}

// emcFixed reports whether the requested rate is in force.
func (k *knobs) emcFixed() bool { return k.emcLocked == "1" && k.emcState == "1" }

// emcFree reports whether the load chooses the rate.
func (k *knobs) emcFree() bool { return !k.emcFixed() && k.emcStuckAt == 0 }

// emcActual returns the memory clock: the locked rate, else what the load needs.
func (k *knobs) emcActual(busy bool) tegra.Freq {
	switch limit := k.emcLimit(); {
	case k.emcStuckAt != 0:
		return k.emcStuckAt
	case k.emcFixed():
		return min(k.emcRate, limit)
	case busy:
		return limit
	default:
		return below(k.emcList, min(limit, k.emcIdle))
	}
}

// list prints frequencies in the kernel's format, in the given unit.
func list(freqs []tegra.Freq, unit tegra.Freq) string {
	var b strings.Builder
	for _, f := range freqs {
		b.WriteString(f.In(unit))
		b.WriteByte(' ')
	}
	return b.String() + "\n"
}

// ranges prints the indices for which on is true: "0-3,8".
func ranges(n int, on func(int) bool) string {
	var parts []string
	for i := 0; i < n; i++ {
		if !on(i) {
			continue
		}
		first := i
		for i+1 < n && on(i+1) {
			i++
		}
		part := strconv.Itoa(first)
		if i > first {
			part += "-" + strconv.Itoa(i)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ",") + "\n"
}
