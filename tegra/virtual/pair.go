package virtual

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"jtune/tegra"
	"jtune/tegra/virtual/physics"
)

// Two jobs may share a board: both are in memory, and their scheduler decides which has the GPU. Their mutual slowdown
// is not based on measurements, since none of two jobs on one Jetson has been published. The constants are made up so
// that times and powers of two jobs do not simply add and measuring a pair yields something.
const (
	// crowding slows a job by the share of the cores that the other's loader processes keep busy.
	crowding = 0.35
	// refill is the relative increase of a unit's compute time if its job did not have the GPU last: the caches hold
	// the other job's data.
	refill = 0.025
	// crowdedW raises a job's power in proportion to the same share.
	crowdedW = 0.06
	// overlapped is the slowdown of two concurrent kernels relative to running them one after the other.
	overlapped = 1.15
	// shareStep is the resolution of the time shares, so that power can settle.
	shareStep = 0.01
)

// pairing is two jobs in memory.
type pairing struct {
	jobs  [2]*job            // one may be nil
	both  bool               // without turns: each may use the GPU at any time
	last  int                // job that last had the GPU
	share [2]float64         // share of time that each has it
	steps [2]physics.Steps   // a unit of each, under the current knobs and beside the other
	batch [2]map[int]float64 // time factor of other batch sizes
}

// StartPair starts two jobs on one board, or one if the other is the zero value. Spend sets how they share it. both:
// without turns.
func (b *Board) StartPair(jobs [2]Job, both bool) error {
	p := &pairing{both: both, last: -1}
	if b.table != nil {
		return fmt.Errorf("%w: a replay answers for one workload", tegra.ErrUnsupported)
	}
	var need []int64
	for i, j := range jobs {
		if j.Workload == "" {
			continue
		}
		if err := b.Start(j); err != nil {
			return err
		}
		p.jobs[i] = b.job
		need = append(need, memoryOf(b.job.workload))
	}
	if m := b.Memory(); m.Left(need...) < 0 {
		b.StopWorkload()
		return fmt.Errorf("%s and %s need %.1f GB of memory with the system: virtual:%s has %g GB", jobs[0].Workload,
			jobs[1].Workload, gigabytes(m.Total-m.Left(need...)), b.model.name, b.model.memoryGB)
	}
	defer b.enter()()
	b.job, b.pair = cmp.Or(p.jobs[0], p.jobs[1]), p
	b.retarget()
	return nil
}

// Spend sets the share of its recent time that each of two jobs had the GPU: load, power and heat follow.
func (b *Board) Spend(share [2]float64) {
	for i := range share {
		share[i] = math.Round(share[i]/shareStep) * shareStep
	}
	defer b.enter()()
	if b.pair != nil && share != b.pair.share {
		b.pair.share = share
		b.retarget()
	}
}

// Unit returns the times of the next unit of one of two jobs, a minibatch or a batch of n requests, that starts at a
// moment: how long it occupies the GPU, and how long the job then fetches. It does not advance the board's clock.
func (b *Board) Unit(which, n int, at time.Duration) (turn, fetch time.Duration, err error) {
	defer b.enter()()
	if b.pair == nil {
		return 0, 0, ErrStopped
	}
	p := b.pair
	j := p.jobs[which]
	switch f := b.faults; {
	case f.DieAfter > 0 && j.count >= f.DieAfter:
		return 0, 0, fmt.Errorf("after %d minibatches: %w", j.count, ErrDied)
	case f.HangAfter > 0 && j.count >= f.HangAfter:
		return 0, 0, fmt.Errorf("after %d minibatches: %w", j.count, ErrSilent)
	}
	s := p.steps[which]
	if j.workload.Infers() && n > 0 && n != j.workload.Batch {
		s = scaled(s, p.resized(b, which, n), 1)
	}
	m := Minibatch{FetchMS: s.FetchMS, StallMS: s.StallMS - s.HandMS, ComputeMS: s.ComputeMS,
		OverheadMS: s.OverheadMS + s.HandMS}
	switch {
	case j.count == 0:
		m.ComputeMS = m.ComputeMS*firstFactor + b.model.firstMS
	case j.last != b.steady.conditions:
		m.ComputeMS *= changedFactor
	case p.last != which && !p.both:
		m.ComputeMS *= 1 + refill
	}
	if other := 1 - which; p.both {
		m.ComputeMS *= 1 + overlapped*p.share[other]*p.steps[other].GPUBusy
	}
	now := b.at
	b.at = at // determines the noise
	b.disturb(j, &m)
	b.at = now
	j.count, j.last, p.last = j.count+1, b.steady.conditions, which
	return millis(m.ComputeMS + m.OverheadMS), millis(max(0, m.StallMS)), nil
}

// Stuck reports whether an error of Unit means that the job hangs.
func Stuck(err error) bool { return errors.Is(err, ErrSilent) }

func millis(ms float64) time.Duration {
	return time.Duration(math.Round(ms * float64(time.Millisecond)))
}

// resized returns the time of a batch of n requests relative to the job's own size.
func (p *pairing) resized(b *Board, which, n int) float64 {
	if f, ok := p.batch[which][n]; ok {
		return f
	}
	w := p.jobs[which].workload
	c := b.steady.conditions
	f := w.Sized(n).Steady(b.chip, c).TimeMS / w.Steady(b.chip, c).TimeMS
	p.batch[which][n] = f
	return f
}

// tendency computes a unit of each job beside the other, and the board's mean over their turns.
func (p *pairing) tendency(b *Board, s *steady) {
	alone := [2]physics.Steps{}
	for i, j := range p.jobs {
		if j == nil {
			continue
		}
		alone[i] = b.deviating(j.workload.Run(b.chip, s.conditions, b.reading(j.workload, b.coldLater(j.workload))),
			j.workload, j.label, s.mode)
		p.batch[i] = map[int]float64{}
	}
	waits := physics.Steps{Power: b.chip.Idle(s.conditions, false), CPUBusy: idleBusy * float64(s.conditions.Cores)}
	for i := range alone {
		other, busy := 1-i, 0.0
		if p.jobs[other] != nil {
			busy = min(1, p.share[other]*alone[other].FetchMS/alone[other].TimeMS/float64(s.conditions.Cores))
		}
		p.steps[i] = scaled(alone[i], 1+crowding*busy, 1+crowdedW*busy)
	}
	all := max(1, p.share[0]+p.share[1])
	a, z := p.share[0]/all, p.share[1]/all
	s.steps = mixed([]physics.Steps{p.steps[0], p.steps[1], waits}, []float64{a, z, max(0, 1-a-z)})
}

// running returns the jobs in memory.
func (b *Board) running() []*job {
	switch {
	case b.pair != nil:
		return slices.DeleteFunc(slices.Clone(b.pair.jobs[:]), func(j *job) bool { return j == nil })
	case b.job != nil:
		return []*job{b.job}
	}
	return nil
}

// mixed returns the mean of load and power weighted by time shares.
func mixed(parts []physics.Steps, shares []float64) (out physics.Steps) {
	for i, s := range parts {
		x, p := shares[i], s.Power.Scale(shares[i])
		out.GPUBusy += x * s.GPUBusy
		out.CPUBusy += x * s.CPUBusy
		out.MainBusy += x * s.MainBusy
		out.WorkBusy += x * s.WorkBusy
		out.EMCBusy += x * s.EMCBusy
		out.Power = physics.Power{GPU: out.Power.GPU + p.GPU, CPU: out.Power.CPU + p.CPU, SoC: out.Power.SoC + p.SoC,
			RAM: out.Power.RAM + p.RAM, Sys: out.Power.Sys + p.Sys}
	}
	return out
}
