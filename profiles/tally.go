package profiles

import (
	"math"
	"slices"
	"time"

	"jtune/internal/stats"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
)

// tally adds up a part of a run.
type tally struct {
	part                     record.Part
	from, to                 time.Duration
	opened, closed           snapshot
	stall, compute, overhead adder
	time                     float64
	energy                   telemetry.Energy
	cpu, gpu, ram            utilization
	meter                    adder
	done                     bool // part is the result of an epoch that is over
}

// utilization is the usage of a part of the device. The newest values are kept for the median, both in order of time
// and sorted: a caller wants a result each second, however long the run.
type utilization struct {
	adder
	values, sorted []float64
}

// keptUsages bounds the values of which a median is taken: nearly three hours of them.
const keptUsages = 10000

func (u *utilization) add(v tegra.Val[float64]) {
	if u.adder.add(v); !v.OK || math.IsNaN(v.V) || math.IsInf(v.V, 0) {
		return
	}
	if len(u.values) >= 2*keptUsages {
		u.values = append(u.values[:0], u.values[keptUsages:]...)
		u.sorted = slices.Sorted(slices.Values(u.values))
	}
	u.values = append(u.values, v.V)
	i, _ := slices.BinarySearch(u.sorted, v.V)
	u.sorted = slices.Insert(u.sorted, i, v.V)
}

func (u *utilization) median() tegra.Val[float64] {
	return tegra.Finite(stats.SortedQuantile(u.sorted, 0.5))
}

// adder sums values that may be absent.
type adder struct {
	sum float64
	n   int
}

func (a *adder) add(v tegra.Val[float64]) {
	if v.OK {
		a.sum, a.n = a.sum+v.V, a.n+1
	}
}

// mean is absent when there were fewer than least values, or none.
func (a adder) mean(least int) tegra.Val[float64] {
	if a.n == 0 || a.n < least {
		return tegra.Val[float64]{}
	}
	return tegra.Some(a.sum / float64(a.n))
}

// meanMS is the mean of n times; absent when one of them is.
func (a adder) meanMS(n int) tegra.Val[float64] {
	v := a.mean(n)
	v.V = harness.RoundMS(v.V)
	return v
}

func (t *tally) open(e harness.Event, l snapshot) {
	t.part.Epoch, t.part.Epochs = e.Epoch, t.part.Epochs+1
	t.from, t.opened = e.Began(), l
	t.energy.Begin(t.from)
}

func (t *tally) close(l snapshot) { t.closed = l }

func (t *tally) minibatch(e harness.Event) {
	t.part.Minibatches++
	t.to, t.time = e.T, t.time+e.TimeMS
	t.stall.add(e.StallMS)
	t.compute.add(e.ComputeMS)
	t.overhead.add(e.OverheadMS)
}

func (t *tally) power(s telemetry.Sample) {
	t.energy.Sample(s)
	t.meter.add(s.MeterW)
}

func (t *tally) loads(r tegra.Reading) {
	var cores adder
	for _, c := range r.Cores {
		if c.Online {
			cores.add(c.LoadPct)
		}
	}
	t.cpu.add(cores.mean(1))
	t.gpu.add(r.GPU.LoadPct)
	if r.RAMUsed.OK {
		t.ram.add(tegra.Some(float64(r.RAMUsed.V)))
	}
}

func (t *tally) result(now snapshot) record.Part {
	p := t.part
	if p.Minibatches == 0 || t.done {
		return p
	}
	p.Span, p.End = t.to-t.from, t.to
	p.TimeMS = t.time / float64(p.Minibatches)
	p.StallMS, p.ComputeMS = t.stall.meanMS(p.Minibatches), t.compute.meanMS(p.Minibatches)
	p.OverheadMS = t.overhead.meanMS(p.Minibatches)
	if t.energy.Span() > 0 {
		p.PowerW = tegra.Some(t.energy.MeanW())
		p.EnergyJ = tegra.Some(t.energy.MeanW() * p.TimeMS / 1000)
		p.PowerError = t.energy.Error()
	}
	p.CPUPct, p.GPUPct, p.RAMBytes = t.cpu.mean(1), t.gpu.mean(1), t.ram.mean(1)
	p.CPUMedianPct, p.GPUMedianPct, p.RAMMedianBytes = t.cpu.median(), t.gpu.median(), t.ram.median()
	p.MeterW = t.meter.mean(1)
	if t.closed.taken {
		now = t.closed
	}
	if t.opened.disk.OK && now.disk.OK {
		rates := telemetry.RatesBetween(t.opened.disk.V, now.disk.V, now.at-t.opened.at)
		p.ReadsPerS, p.ReadBytesPerS = rates.ReadsPerS, rates.BytesPerS
	}
	return p
}

// finish keeps only the result of an epoch that is over.
func (t *tally) finish() { *t = tally{part: t.result(t.closed), done: true} }
