package virtual

import (
	"time"

	"jtune/tegra"
	"jtune/tegra/virtual/physics"
)

// Governor behaviour while a job trains, as published for an AGX Xavier (the 2022 study on DVFS). Shares that no law
// determines are settings. So is all behaviour while a job answers requests, one after another, as published for a Nano
// (slides on the energy of inference); it is no evidence for the laws.
const (
	headroom    = 1.25                  // schedutil: ratio of clock to what the load needs
	burstShare  = 0.53                  // share of the computing process's working time at the top clock
	stepDownAt  = 0.40                  // nvhost_podgov steps down while the load is below this
	restingGPU  = 318750 * tegra.KHz    // but not below the step nearest to this
	spareMemory = 0.40                  // share of time: with less GPU execution the memory has spare capacity
	memoryLow   = 0.16                  // share of time that spare memory is a step lower
	otherTime   = 1.005                 // time factor with other than the default governors (published: under 1 %)
	glance      = 10 * time.Millisecond // interval between two governor decisions

	answeringCPU    = 0.89  // share of answering time with the CPU at the top, else a step lower
	answeringGPU    = 0.83  // likewise for the GPU
	answeringTime   = 1.005 // time factor against locked clocks
	answeringEnergy = 0.995
)

// scaling is the governors' choice of the free clocks. The zero value leaves all at the top.
type scaling struct {
	low   []tegra.Freq // per policy, between bursts of work
	burst float64      // share of the time at the top
	gpu   tegra.Freq   // settled clock; 0: the top
	lower float64      // share of time that the GPU is a step below that
	emc   float64      // share of time that the memory is a step lower
}

// topClock, topGPU and topEMC return the highest clocks that limits, load and heat allow.
func (b *Board) topClock(p int) tegra.Freq {
	g := &b.knobs.policy[p]
	return b.heatLimit(g.list, g.actual(b.job != nil))
}

func (b *Board) topGPU() tegra.Freq {
	return b.heatLimit(b.knobs.gpu.list, b.knobs.gpu.actual(b.job != nil))
}

func (b *Board) topEMC() tegra.Freq { return b.knobs.emcActual(b.job != nil) }

// policyClock, gpuClock and emcClock return the current clocks.
func (b *Board) policyClock(p int) tegra.Freq {
	if low := b.steady.scaling.low; low != nil && b.chance(uint64(p)) >= b.steady.scaling.burst {
		return min(low[p], b.topClock(p))
	}
	return b.topClock(p)
}

func (b *Board) gpuClock() tegra.Freq {
	f := b.topGPU()
	if settled := b.steady.scaling.gpu; settled > 0 {
		f = min(settled, f)
	}
	if b.chance(uint64(len(b.knobs.policy)+1)) < b.steady.scaling.lower {
		f = max(b.knobs.gpu.min, below(b.knobs.gpu.list, f-1))
	}
	return f
}

func (b *Board) emcClock() tegra.Freq {
	if b.chance(uint64(len(b.knobs.policy))) < b.steady.scaling.emc {
		return b.lowerEMC()
	}
	return b.topEMC()
}

// lowerEMC returns the memory clock a step below the top.
func (b *Board) lowerEMC() tegra.Freq { return below(b.knobs.emcList, b.topEMC()-1) }

// chance is uniform in [0, 1) and changes at the governors' interval.
func (b *Board) chance(of uint64) float64 { return uniform(b.seed, uint64(b.at/glance), 55, of) }

// govern computes the steady state of a job under governors.
func (s *steady) govern(b *Board, w physics.Workload) {
	if w.Infers() {
		s.answer(b, w)
		return
	}
	read := b.reading(w, b.coldLater(w))
	if b.knobs.gpu.free() {
		s.conditions.GPU, s.scaling.gpu = b.settledGPU(w, s.conditions, read)
	}
	s.steps = w.Run(b.chip, s.conditions, read)
	low, mean := s.conditions, s.conditions
	s.scaling.burst = burstShare * s.steps.WorkBusy
	s.scaling.low = make([]tegra.Freq, len(b.knobs.policy))
	for p := range b.knobs.policy {
		g, top := &b.knobs.policy[p], b.topClock(p)
		s.scaling.low[p] = top
		if g.free() {
			need := above(g.list, tegra.Freq(headroom*s.steps.WorkBusy*float64(top)))
			s.scaling.low[p] = min(top, max(g.min, need))
		}
	}
	low.CPU = b.meanCPU(func(p int) tegra.Freq { return s.scaling.low[p] }).GHz()
	mean.CPU = s.scaling.burst*s.conditions.CPU + (1-s.scaling.burst)*low.CPU
	if b.knobs.emcFree() && s.steps.GPUBusy < spareMemory {
		s.scaling.emc = memoryLow
	}
	s.steps = w.Governed(b.chip, s.conditions, low, mean, read)
	if b.unusual() {
		s.steps = scaled(s.steps, otherTime, 1)
	}
}

// answer computes the steady state of an inference job under governors.
func (s *steady) answer(b *Board, w physics.Workload) {
	s.steps = scaled(w.Run(b.chip, s.conditions, physics.Reading{}), answeringTime, answeringEnergy/answeringTime)
	s.scaling.burst = answeringCPU
	s.scaling.low = make([]tegra.Freq, len(b.knobs.policy))
	for p := range b.knobs.policy {
		g, top := &b.knobs.policy[p], b.topClock(p)
		if s.scaling.low[p] = top; g.free() {
			s.scaling.low[p] = max(g.min, below(g.list, top-1))
		}
	}
	if b.knobs.gpu.free() {
		s.scaling.lower = 1 - answeringGPU
	}
	if b.unusual() {
		s.steps = scaled(s.steps, otherTime, 1)
	}
}

// settledGPU returns the GPU clock at which its governor settles, in GHz and from the list.
func (b *Board) settledGPU(w physics.Workload, c physics.Conditions, read physics.Reading) (float64, tegra.Freq) {
	g := &b.knobs.gpu
	f, floor := b.topGPU(), max(g.min, tegra.Nearest(g.list, restingGPU))
	for f > floor && w.Run(b.chip, c, read).GPULoad() < stepDownAt {
		f = max(floor, below(g.list, f-1))
		c.GPU = f.GHz()
	}
	return f.GHz(), f
}

// unusual reports whether a free clock has a governor other than the default one.
func (b *Board) unusual() bool {
	if g := &b.knobs.gpu; g.free() && g.governor != usualGPU {
		return true
	}
	for p := range b.knobs.policy {
		if g := &b.knobs.policy[p]; b.knobs.policyOnline(p) && g.free() && g.governor != usualCPU {
			return true
		}
	}
	return false
}
