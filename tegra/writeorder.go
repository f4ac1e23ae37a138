package tegra

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"jtune/internal/sorted"
)

// ordering orders the writes between two states so that the kernel never has to refuse one (as jetson_clocks and
// nvpmodel do):
//
//	preset → cores online → CPU limits → GPU on, limits, auto → EMC → fan → cores offline
//
// Core 0 is never switched. A range rises max first and falls min first. The memory's cap stays above its rate
// throughout.
type ordering struct {
	c         *Planner
	now, want map[string]string
	all       bool     // also write files that already hold their value
	owed      []string // files whose last write had no effect
	out       []Write
	transient []int // offline cores that come online briefly to restore their policy's limits
}

func (p *ordering) plan() []Write {
	p.preset()
	p.coresOn()
	p.cpuLimits()
	p.gpuLimits()
	p.memory()
	p.fanDuty()
	p.coresOff()
	return p.out
}

// add appends a write unless the file already holds the value and no earlier write touches it. It returns the write so
// that the caller can change it; a dummy if nothing was appended.
func (p *ordering) add(knob, path string) *Write {
	value, ok := p.want[path]
	if !ok {
		return new(Write)
	}
	written := slices.ContainsFunc(p.out, func(w Write) bool { return w.Path == path })
	if now, known := p.now[path]; p.all || written || !known || now != value {
		return p.put(Write{Knob: knob, Path: path, Value: value})
	}
	return new(Write)
}

func (p *ordering) put(w Write) *Write {
	p.out = append(p.out, w)
	return &p.out[len(p.out)-1]
}

func (p *ordering) step(knob, path, value string) *Write {
	return p.put(Write{Knob: knob, Path: path, Value: value, Loose: true})
}

func (p *ordering) differs(paths ...string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		want, ok := p.want[path]
		now, known := p.now[path]
		return ok && (!known || now != want)
	})
}

// preset comes first, because it makes nvpmodel's limits apply again.
func (p *ordering) preset() {
	if p.add("nvpmodel id", PresetFile); p.differs(PresetFile) {
		p.out[len(p.out)-1].Enables = true
	}
}

func (p *ordering) coresOn() {
	for _, core := range p.c.s.cpu.cores {
		if core.n == 0 {
			continue
		}
		if p.want[core.online.path] == "1" {
			p.add(fmt.Sprintf("core %d", core.n), core.online.path).Enables = p.now[core.online.path] != "1"
		}
	}
	for _, core := range p.c.s.cpu.cores {
		dir := p.c.s.cpu.dir(core.n)
		if p.offThroughout(dir) && p.differs(dir+minFile, dir+maxFile, dir+governorFile) && dir == cpufreqDir(core.n) &&
			core.n != 0 {
			p.transient = append(p.transient, core.n)
			p.step(fmt.Sprintf("core %d", core.n), core.online.path, "1").Enables = true
		}
	}
}

// offThroughout reports whether every core of a policy is offline before and after; its files are then inaccessible.
func (p *ordering) offThroughout(dir string) bool {
	for _, core := range p.c.s.cpu.cores {
		if p.c.s.cpu.dir(core.n) != dir {
			continue
		}
		if core.n == 0 || p.now[core.online.path] != "0" || p.want[core.online.path] == "1" {
			return false
		}
	}
	return true
}

func (p *ordering) cpuLimits() {
	for _, core := range p.c.s.cpu.cores {
		if dir := p.c.s.cpu.dir(core.n); dir == cpufreqDir(core.n) {
			knob := fmt.Sprintf("CPU %d", core.n)
			p.limits(knob, dir+minFile, dir+maxFile, p.c.s.cpu.freqs, KHz)
			p.governor(knob, dir+governorFile)
		}
	}
}

// limits writes a range so that min ≤ max always holds. If the current range is unknown, it first writes the lowest
// clock to the minimum.
func (p *ordering) limits(knob, min, max string, list []Freq, unit Freq) {
	if !p.all && !p.differs(min, max) {
		return
	}
	wantMin, ok := p.want[min]
	if !ok {
		return
	}
	nowMax, err := strconv.ParseInt(p.now[max], 10, 64)
	if err != nil && len(list) > 0 {
		p.step(knob+" min", min, list[0].In(unit))
	}
	if err != nil {
		nowMax = -1
	}
	if newMin, err := strconv.ParseInt(wantMin, 10, 64); err == nil && newMin <= nowMax {
		p.add(knob+" min", min)
		p.add(knob+" max", max)
		return
	}
	p.add(knob+" max", max)
	p.add(knob+" min", min)
}

// governor writes only a changed governor, since every write restarts it.
func (p *ordering) governor(knob, path string) {
	if p.differs(path) {
		p.add(knob+" governor", path)
	}
}

// gpuLimits sets power/control to on, writes the limits and restores power/control, as nvpmodel does: a powered-down
// GPU may refuse limits.
func (p *ordering) gpuLimits() {
	g := p.c.s.gpu
	if g.dir == "" {
		return
	}
	control := g.device + gpuPower
	back, bracket := p.want[control]
	if !bracket {
		back, bracket = p.now[control]
	}
	if !p.all && !p.differs(g.min.path, g.max.path, control, g.dir+gpuGovernor) {
		return
	}
	if bracket {
		p.step("GPU power control", control, "on")
	}
	p.limits("GPU", g.min.path, g.max.path, g.freqs, Hz)
	p.governor("GPU", g.dir+gpuGovernor)
	if bracket {
		p.put(Write{Knob: "GPU power control", Path: control, Value: back})
	}
}

// memory locks, moves and frees the rate: it writes the locks first to lock, last to free.
func (p *ordering) memory() {
	emc := p.c.s.emc
	var paths []string
	for _, lock := range emc.locks {
		paths = append(paths, lock.path)
	}
	if emc.cap != nil {
		paths = append(paths, emc.cap.path)
	}
	lockedNow, lockedWant := p.locked(p.now), p.locked(p.want)
	rateCounts := lockedNow || lockedWant || slices.Contains(p.owed, emc.setRate) // while free, the rate is a reading
	if rateCounts && emc.setRate != "" {
		paths = append(paths, emc.setRate)
	}
	if !p.all && !p.differs(paths...) {
		return
	}
	raise := emc.cap == nil || p.capOf(p.want) >= p.capOf(p.now)
	if rateCounts && !lockedWant && p.opensCap() {
		raise = false
	}
	if lockedWant {
		p.emcLocks()
	}
	if raise {
		p.emcCap()
	}
	if rateCounts {
		p.emcRate(lockedWant)
	}
	if !lockedWant {
		p.emcLocks()
	}
	if !raise {
		p.emcCap()
	}
}

// opensCap lifts the cap briefly if the rate to restore, a reading of the free clock, lies above the caps before and
// after.
func (p *ordering) opensCap() bool {
	emc := p.c.s.emc
	rate, err := strconv.ParseInt(p.want[emc.setRate], 10, 64)
	if err != nil || emc.cap == nil || len(emc.freqs) == 0 || rate <= max(p.capOf(p.now), p.capOf(p.want)) {
		return false
	}
	none := Freq(0)
	if !emc.capZero {
		none = last(emc.freqs)
	}
	p.step("EMC cap", emc.cap.path, none.In(Hz))
	return true
}

func (p *ordering) locked(state map[string]string) bool {
	l := p.c.s.emc.locked
	return l != nil && state[l.path] == "1"
}

// capOf returns the highest rate that a state's cap allows, in Hz.
func (p *ordering) capOf(state map[string]string) int64 {
	v, err := strconv.ParseInt(state[p.c.s.emc.cap.path], 10, 64)
	if err != nil || v <= 0 {
		return math.MaxInt64
	}
	return v
}

func (p *ordering) emcLocks() {
	for _, lock := range p.c.s.emc.locks {
		p.add(lock.knob, lock.path)
	}
}

func (p *ordering) emcCap() {
	if p.c.s.emc.cap != nil {
		p.add("EMC cap", p.c.s.emc.cap.path)
	}
}

// emcRate writes the rate. Its read-back counts only if the rate stays held.
func (p *ordering) emcRate(held bool) {
	if path := p.c.s.emc.setRate; path != "" {
		p.add("EMC rate", path).Loose = !held
	}
}

func (p *ordering) fanDuty() {
	fan := p.c.s.fan
	if fan.pwm == nil {
		return
	}
	if fan.control != "" {
		p.add("fan control", fan.control)
	}
	full := strconv.Itoa(fanFull)
	p.add(FanKnob, fan.pwm.path).Loose = p.want[fan.pwm.path] != full // the system may change it at once
}

// coresOff takes cores offline from the highest down.
func (p *ordering) coresOff() {
	cores := slices.Clone(p.c.s.cpu.cores)
	sorted.By(cores, func(a, b core) int { return cmp.Compare(b.n, a.n) })
	for _, core := range cores {
		if core.n == 0 {
			continue
		}
		knob := fmt.Sprintf("core %d", core.n)
		switch {
		case slices.Contains(p.transient, core.n):
			p.put(Write{Knob: knob, Path: core.online.path, Value: "0"})
		case p.want[core.online.path] == "0":
			p.add(knob, core.online.path)
		}
	}
}
