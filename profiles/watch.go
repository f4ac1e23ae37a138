package profiles

import (
	"math"
	"slices"
	"strconv"
	"time"

	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/tegra/quantile"
	"jtune/telemetry"
)

// Watch follows a run and makes its Character. Samples may come from any
// goroutine; minibatches come from one, in order.
type Watch struct {
	system   System
	space    *tegra.Space
	clock    tegra.Clock
	workload Workload
	base     Base

	begin, end  look // of the first minibatch that counts, and of the last
	latest      look
	kernel      string
	uptime      tegra.Val[time.Duration] // when the run ended
	before      tegra.Val[float64]
	told        tegra.Val[float64] // by the job: the newest page-cache share
	cacheWhy    string
	facts       []string // of the job's hello
	all         tally
	first       tally
	later       tally
	epochs      []tally
	drop        telemetry.Drop
	latency     []float64 // ms, of the newest minibatches of an inference job
	cpu, gpu    telemetry.Tally
	emc         telemetry.Tally
	pending     inbox
	begun       bool
	lookedCache time.Time
	after       tegra.Val[float64]
}

// look is what the counters say at one moment.
type look struct {
	at     time.Duration
	taken  bool
	disk   tegra.Val[telemetry.DiskCount]
	clocks tegra.ClockTimes
}

// keptEpochs bounds how many single epochs are kept: more than 15 hours of the
// shortest.
const keptEpochs = 5000

// keptLatencies bounds what the quantiles of an inference job are taken of.
const keptLatencies = 10000

// NewWatch begins before the job does: what the page cache holds then is part
// of the outcome. base is the device's idle power, see BaseLoad.
func NewWatch(w Workload, d tegra.Device, c tegra.Clock, s System, base Base) *Watch {
	out := &Watch{system: s, space: d.Space(), clock: c, workload: w, base: base, kernel: s.kernel()}
	out.before, out.cacheWhy = s.cached()
	out.after = out.before
	return out
}

// look is a new one.
func (w *Watch) look() look {
	l := look{at: w.clock.Now(), taken: true}
	if w.system.Disk != nil {
		l.disk = w.system.Disk.Count()
	}
	if w.system.Clocks != nil {
		l.clocks = w.system.Clocks()
	}
	w.latest = l
	return l
}

// lookEvery is how old the counters of a Character so far may be: a look reads
// dozens of files of the machine that is being measured.
const lookEvery = 5 * time.Second

// soFar is the end, or a look that is not old.
func (w *Watch) soFar() look {
	switch {
	case w.end.taken:
		return w.end
	case w.latest.taken && w.clock.Now()-w.latest.at < lookEvery:
		return w.latest
	}
	return w.look()
}

// Sample takes a reading of the device.
func (w *Watch) Sample(s telemetry.Sample) {
	w.pending.put(s)
}

// Tell takes an event that is no minibatch: hello and cache tell something.
func (w *Watch) Tell(e harness.Event) {
	switch e.Kind {
	case harness.Hello:
		if n, err := strconv.Atoi(e.Info["samples"]); err == nil && n > 0 { // counted, where the workload's number is the papers'
			w.workload.Samples = n
		}
		w.facts = nil
		for _, key := range []string{"framework", "cuda", "os", "jetpack"} {
			if v := e.Info[key]; v != "" && v != "none" {
				if key == "cuda" {
					v = "CUDA " + v
				}
				w.facts = append(w.facts, oneLine(v))
			}
		}
	case harness.Cache:
		if w.told = e.Share; !w.before.OK && w.system.Data == nil {
			w.before = e.Share
		}
	}
}

// Skip passes over a minibatch that does not count.
func (w *Watch) Skip(e harness.Event) {
	if !w.begun {
		w.pending.takeUpTo(e.T)
		if !w.begin.taken || w.clock.Now()-w.begin.at > time.Second {
			w.begin = w.look()
		}
	}
}

// Minibatch takes one that counts.
func (w *Watch) Minibatch(e harness.Event) {
	if !w.begun {
		if !w.begin.taken {
			w.begin = w.look()
		}
		w.begun = true
		w.all.open(e, w.begin)
		w.all.part.Epochs = 0 // epoch counts them
	}
	if n := len(w.epochs); n == 0 || w.epochs[n-1].part.Epoch != e.Epoch {
		w.epoch(e)
	}
	parts := []*tally{&w.all, &w.epochs[len(w.epochs)-1], &w.later}
	if e.Epoch == 0 {
		parts[2] = &w.first
	}
	for _, p := range parts {
		p.minibatch(e)
	}
	w.drop.Minibatch(e.T, e.TimeMS)
	if w.workload.Torch.Infer && e.ComputeMS.OK {
		w.latency = append(w.latency, e.ComputeMS.V)
		if len(w.latency) >= 2*keptLatencies {
			w.latency = append(w.latency[:0], w.latency[keptLatencies:]...)
		}
	}
	for _, s := range w.pending.takeUpTo(e.T) {
		if s.T < w.all.from {
			continue
		}
		for _, p := range parts {
			p.power(s)
			if !w.system.NoLoads {
				p.loads(s.Reading)
			}
		}
		if p := s.PowerW(); p.OK {
			w.drop.Power(s.T, p.V)
		}
		w.cpu.Add(nearest(w.space.CPU, s.Reading.CPU.Actual))
		w.gpu.Add(nearest(w.space.GPU, s.Reading.GPU.Actual))
		w.emc.Add(nearest(w.space.EMC, s.Reading.EMC.Actual))
	}
}

// nearest is the listed clock that a reading means: it strays by a little.
func nearest(list []tegra.Freq, f tegra.Val[tegra.Freq]) tegra.Val[tegra.Freq] {
	best := f
	off := clockTolerance * float64(f.V)
	for _, listed := range list {
		if d := math.Abs(float64(f.V - listed)); f.OK && d <= off {
			best, off = tegra.Some(listed), d
		}
	}
	return best
}

// cacheEvery is the least time between two looks at the page cache while a job
// runs: a look at thousands of files takes a tenth of a second of a core.
const cacheEvery = time.Minute

// epoch begins one.
func (w *Watch) epoch(e harness.Event) {
	now := w.begin
	if n := len(w.epochs); n > 0 {
		now = w.look()
		w.epochs[n-1].close(now)
		if w.epochs[n-1].part.Epoch == 0 {
			w.first.close(now)
		}
		if w.system.Data != nil && time.Since(w.lookedCache) > cacheEvery {
			w.after, w.cacheWhy = w.system.cached()
			w.lookedCache = time.Now()
		}
	}
	if len(w.epochs) == keptEpochs {
		w.epochs = slices.Delete(w.epochs, 0, 1)
	}
	w.epochs = append(w.epochs, tally{})
	w.epochs[len(w.epochs)-1].open(e, now)
	w.all.part.Epochs++
	switch {
	case e.Epoch == 0:
		w.first.open(e, now)
	case w.later.part.Epochs == 0:
		w.later.open(e, now)
	default:
		w.later.part.Epochs++
	}
}

// Character is what is known so far; Finish looks at the page cache of the
// dataset and at the uptime too.
func (w *Watch) Character() Character {
	now := w.soFar()
	out := Character{Workers: w.workload.Workers, Batch: w.workload.Batch, PerEpoch: w.workload.MinibatchesPerEpoch(), All: w.all.result(now),
		BaseW: w.base.PowerW, BaseWhy: w.base.Why, CacheBefore: w.before, CacheAfter: w.after, CacheWhy: w.cacheWhy, Uptime: w.uptime}
	if w.first.part.Epochs > 0 {
		out.First = tegra.Some(w.first.result(now))
	}
	if w.later.part.Epochs > 0 {
		out.Later = tegra.Some(w.later.result(now))
	}
	for i := range w.epochs {
		out.Epochs = append(out.Epochs, w.epochs[i].result(now))
	}
	if w.system.Data == nil {
		if out.CacheAfter = w.told; w.told.OK {
			out.CacheWhy = ""
		} else if out.CacheWhy == "" {
			out.CacheWhy = "the job does not tell where its data lie"
		}
	}
	if now.disk.OK {
		out.Disk = w.system.Disk.Name()
	}
	out.CPU = known(telemetry.ResidencyBetween(w.begin.clocks.CPU, now.clocks.CPU), &w.cpu)
	out.GPU = known(telemetry.ResidencyBetween(w.begin.clocks.GPU, now.clocks.GPU), &w.gpu)
	out.EMC = w.emc.Residency()
	if len(w.latency) > 0 {
		out.Latency = tegra.Some(Latency{quantile.Of(w.latency, 0.50).V, quantile.Of(w.latency, 0.95).V, quantile.Of(w.latency, 0.99).V})
	}
	if out.Drop = w.drop.Found(); out.Drop.OK {
		out.Drop.V.At -= w.all.from
	}
	out.Versions = slices.Clone(w.system.Facts)
	if w.kernel != "" {
		out.Versions = append(out.Versions, "kernel "+w.kernel)
	}
	out.Versions = append(out.Versions, w.facts...)
	return out
}

// End is for the moment after the last minibatch, before the job is stopped.
func (w *Watch) End() { w.end = w.look() }

// Finish looks at the dataset's page cache once more and gives the outcome.
func (w *Watch) Finish() Character {
	w.after, w.cacheWhy = w.system.cached()
	w.uptime = w.system.uptime()
	return w.Character()
}

// known prefers what the kernel counted.
func known(kernel telemetry.Residency, own *telemetry.Tally) telemetry.Residency {
	if kernel.OK() {
		return kernel
	}
	return own.Residency()
}
