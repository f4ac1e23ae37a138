package virtual

import (
	"fmt"
	"slices"

	"jtune/tegra"
	"jtune/tegra/virtual/physics"
)

// steady is the board's steady state under its knobs and job.
type steady struct {
	conditions physics.Conditions
	mode       tegra.Mode // nearest to the conditions
	scaling    scaling    // governors' choice while a job runs
	steps      physics.Steps
	totalW     float64   // of the module; the table's value in a replay
	coreBusy   []float64 // per core, 0 to 1
}

// gated reports whether the GPU is off for lack of work.
func (b *Board) gated() bool {
	return b.job == nil && b.knobs.railgate == "1" && b.knobs.gpuControl == "auto"
}

// idleBusy is the load of each core of an idle board.
const idleBusy = 0.03

// tendency computes the steady state.
func (b *Board) tendency() (s steady) {
	var free bool
	s.conditions, s.mode, free = b.conditions()
	switch {
	case b.job == nil:
		s.steps.Power = b.chip.Idle(s.conditions, b.gated())
		s.steps.CPUBusy = idleBusy * float64(s.conditions.Cores)
	case b.pair != nil:
		b.pair.tendency(b, &s)
	default:
		w := b.job.workload
		if free && b.table == nil {
			s.govern(b, w)
		} else {
			s.steps = w.Run(b.chip, s.conditions, b.reading(w, b.coldLater(w)))
		}
		s.steps = b.deviating(s.steps, w, b.job.label, s.mode)
	}
	s.totalW = s.steps.Power.Total()
	if b.job != nil && b.table != nil {
		s.totalW = b.table.row(s.mode, b.job.workload.Batch).PowerW
	}
	s.coreBusy = b.spread(s.steps)
	return s
}

// conditions returns the cores and the highest clocks that limits, load and heat allow, with the mean clock of the
// online policies, and the mode nearest to them.
func (b *Board) conditions() (c physics.Conditions, m tegra.Mode, free bool) {
	m = tegra.Mode{Cores: b.knobs.cores(), GPU: b.topGPU(), EMC: b.topEMC()}
	free = b.knobs.gpu.free() || b.knobs.emcFree()
	for p := range b.knobs.policy {
		free = free || b.knobs.policyOnline(p) && b.knobs.policy[p].free()
	}
	mean := b.meanCPU(b.topClock)
	m.CPU = tegra.Nearest(b.lists.cpu, mean)
	return physics.Conditions{Cores: m.Cores, CPU: mean.GHz(), GPU: m.GPU.GHz(), EMC: m.EMC.GHz()}, m, free
}

// meanCPU returns the mean over the online cores of their policies' clock.
func (b *Board) meanCPU(of func(policy int) tegra.Freq) (mean tegra.Freq) {
	for i, on := range b.knobs.online {
		if on {
			mean += of(b.knobs.policyOf[i])
		}
	}
	return mean / tegra.Freq(b.knobs.cores())
}

// deviating returns a minibatch with this unit's and mode's deviation from the laws, without noise.
func (b *Board) deviating(s physics.Steps, w physics.Workload, label string, m tegra.Mode) physics.Steps {
	if b.table != nil {
		row := b.table.row(m, w.Batch)
		return scaled(s, row.TimeMS/s.TimeMS, row.PowerW/s.Power.Total())
	}
	time, power := b.quirks(label, m)
	return scaled(s, time*b.unit[0], power*b.unit[1])
}

// quirks returns mean-zero deviations from the laws, as factors: fixed for a seed, a workload and a mode.
func (b *Board) quirks(label string, m tegra.Mode) (time, power float64) {
	scale := quirkSD * b.noise.Or(1)
	key := []uint64{b.seed, hashOf(label), uint64(m.Cores), uint64(m.CPU), uint64(m.GPU), uint64(m.EMC)}
	return 1 + scale*clamp(normal(append(key, 1)...), 3), 1 + scale*clamp(normal(append(key, 2)...), 3)
}

func clamp(x, most float64) float64 { return max(-most, min(most, x)) }

// scaled multiplies a minibatch's time and power.
func scaled(s physics.Steps, time, power float64) physics.Steps {
	for _, ms := range []*float64{&s.FetchMS, &s.StallMS, &s.HandMS, &s.ComputeMS, &s.OverheadMS, &s.TimeMS,
		&s.ExecuteMS, &s.KernelMS, &s.PrepareMS, &s.CopyMS, &s.LaunchMS} {
		*ms *= time
	}
	s.Power = s.Power.Scale(power)
	return s
}

// spread distributes the CPU's work over the online cores: the computing process on the first, the loaders on the
// available others.
func (b *Board) spread(s physics.Steps) []float64 {
	busy := make([]float64, len(b.knobs.online))
	var on []int
	for i, online := range b.knobs.online {
		if online {
			on = append(on, i)
		}
	}
	left := s.CPUBusy
	if b.job == nil || len(on) <= b.job.workload.Workers {
		for _, i := range on {
			busy[i] = min(1, left/float64(len(on)))
		}
		return busy
	}
	busy[on[0]] = min(left, max(s.MainBusy, 0.05))
	left -= busy[on[0]]
	active := on[1:min(len(on), 2+max(1, b.job.workload.Workers))]
	for k, i := range active {
		busy[i] = min(1, left/float64(len(active)-k))
		left -= busy[i]
	}
	for _, i := range on {
		extra := min(left, 1-busy[i])
		busy[i], left = busy[i]+extra, left-extra
	}
	return busy
}

// cold returns the share of a workload's reads that currently go to the drive; coldLater, after its first epoch.
func (b *Board) cold(w physics.Workload) float64 {
	if w.InMemory || b.table != nil {
		return 0
	}
	return 1 - CacheHits(b.cached[w.Name])
}

func (b *Board) coldLater(w physics.Workload) float64 {
	if w.InMemory || b.table != nil {
		return 0
	}
	return 1 - CacheHits(b.cacheable(w))
}

// reading returns the cost of reading a share of a minibatch's data from the drive.
func (b *Board) reading(w physics.Workload, cold float64) physics.Reading {
	return physics.Reading{MS: cold * w.DatasetMB / float64(w.Minibatches(w.Batch)) * b.drive.msPerMB,
		Queue: b.drive.queue, Reclaim: !w.InMemory && b.table == nil && b.cacheable(w) < 0.5}
}

// Truth returns the steady time per minibatch and module power of a workload in a mode with locked clocks, without
// noise. A replay with one batch size answers the modes of its table, whatever the workload's name.
func (b *Board) Truth(workload string, m tegra.Mode) (timeMS, powerW float64, err error) {
	if b.table != nil {
		a, ok := b.table.of(0)
		if !ok {
			return 0, 0, fmt.Errorf("%s has several batch sizes", b.table.name)
		}
		row, ok := a.rows[m]
		if !ok {
			return 0, 0, fmt.Errorf("power mode %s is not in %s", m, b.table.name)
		}
		return row.TimeMS, row.PowerW, nil
	}
	w, ok := physics.Find(workload)
	if !ok {
		return 0, 0, unknown(workload)
	}
	s, err := b.Steady(w, m, false)
	return s.TimeMS, s.Power.Total(), err
}

// Steady returns one minibatch of a job in a mode with locked clocks, without noise; cold: in the first epoch, when all
// data come from the drive. A replay returns an error.
func (b *Board) Steady(w physics.Workload, m tegra.Mode, cold bool) (physics.Steps, error) {
	if m.Cores < 1 || m.Cores > b.lists.cores || !slices.Contains(b.lists.cpu, m.CPU) ||
		!slices.Contains(b.lists.gpu, m.GPU) || !slices.Contains(b.lists.emc, m.EMC) {
		return physics.Steps{}, fmt.Errorf("power mode %s is not one of this board's", m)
	}
	share := b.coldLater(w)
	if cold && !w.InMemory {
		share = 1
	}
	return b.deviating(w.Run(b.chip, physics.At(m), b.reading(w, share)), w, w.Name, m), nil
}

// IdleW returns the idle power in a mode with locked clocks, watts.
func (b *Board) IdleW(m tegra.Mode) float64 { return b.chip.Idle(physics.At(m), false).Total() }
