package profiles

import (
	"math"
	"slices"
	"strconv"
	"time"

	"jtune/internal/text"
	"jtune/profiles/harness"
	"jtune/profiles/harness/torch"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
)

// Monitor follows a run and computes its Character. Samples may come from any goroutine; minibatches come from one, in
// order.
type Monitor struct {
	system   System
	space    *tegra.Space
	clock    tegra.Clock
	workload workload.Workload
	base     Base

	begin, end  snapshot // at the first and the last minibatch that count
	latest      snapshot
	kernel      string
	uptime      tegra.Val[time.Duration] // when the run ended
	before      tegra.Val[float64]
	cacheShare  tegra.Val[float64] // the newest that the job reported
	ready       tegra.Val[float64] // of preloaded data, before the first minibatch that counts
	lookedReady bool
	cacheWhy    string
	facts       []string // of the job's hello
	all         tally
	first       tally
	later       tally
	epochs      []tally
	drop        telemetry.Drop
	serving     serving
	cpu, gpu    telemetry.Tally
	emc         telemetry.Tally
	pending     sampleQueue
	begun       bool
	cachePolled time.Time
	after       tegra.Val[float64]
}

// snapshot holds the counters at one moment.
type snapshot struct {
	at     time.Duration
	taken  bool
	disk   tegra.Val[telemetry.DiskCount]
	clocks tegra.ClockTimes
}

// keptEpochs is the most single epochs kept: more than 15 hours of the shortest.
const keptEpochs = 5000

// NewMonitor must be called before the job starts, because the page cache at that moment is
// part of the result. base is the idle power of the device, see BaseLoad.
func NewMonitor(w workload.Workload, d tegra.Device, c tegra.Clock, s System, base Base) *Monitor {
	out := &Monitor{system: s, space: d.Space(), clock: c, workload: w, base: base, kernel: s.kernel()}
	out.before, out.cacheWhy = s.cached()
	out.after = out.before
	return out
}

// Again forgets the minibatches so far: another counter turned out to be the job.
func (w *Monitor) Again() {
	w.begin, w.end, w.begun = snapshot{}, snapshot{}, false
	w.all, w.first, w.later, w.epochs = tally{}, tally{}, tally{}, nil
	w.drop, w.serving = telemetry.Drop{}, serving{}
}

// poll takes a new snapshot.
func (w *Monitor) poll() snapshot {
	l := snapshot{at: w.clock.Now(), taken: true}
	if w.system.Disk != nil {
		l.disk = w.system.Disk.Count()
	}
	if w.system.Clocks != nil {
		l.clocks = w.system.Clocks()
	}
	w.latest = l
	return l
}

// pollEvery is the maximum age of the counters of an intermediate Character: one poll reads
// dozens of files of the machine that is being measured.
const pollEvery = 5 * time.Second

// recent returns the final snapshot, or one at most pollEvery old.
func (w *Monitor) recent() snapshot {
	switch {
	case w.end.taken:
		return w.end
	case w.latest.taken && w.clock.Now()-w.latest.at < pollEvery:
		return w.latest
	}
	return w.poll()
}

// Sample takes a reading of the device.
func (w *Monitor) Sample(s telemetry.Sample) {
	w.pending.push(s)
}

// present returns the parts of the run to which its newest minibatch belongs.
func (w *Monitor) present() []*tally {
	last := &w.epochs[len(w.epochs)-1]
	if last.part.Epoch == 0 {
		return []*tally{&w.all, last, &w.first}
	}
	return []*tally{&w.all, last, &w.later}
}

// Event handles an event that is not a minibatch: hello, request and cache.
func (w *Monitor) Event(e harness.Event) {
	switch e.Kind {
	case harness.Hello:
		if n, err := strconv.Atoi(e.Info["samples"]); err == nil &&
			n > 0 { // counted by the job; the workload has the papers' number
			w.workload.Samples = n
		}
		w.facts = nil
		for _, key := range []string{"framework", "runtime", "precision", "cuda", "os", "jetpack"} {
			if v := e.Info[key]; v != "" && v != "none" {
				if key == "cuda" {
					v = "CUDA " + v
				}
				w.facts = append(w.facts, text.OneLine(v))
			}
		}
	case harness.Request:
		if w.begun && e.Start >= w.all.from {
			w.serving.request(e)
		}
	case harness.Cache:
		if w.cacheShare = e.Share; !w.before.OK && w.system.Data == nil {
			w.before = e.Share
		}
	}
}

// requests returns how many counted requests were answered.
func (w *Monitor) requests() int { return w.serving.answers() }

// Ready returns the share of preloaded data in the page cache, checked once at the first minibatch; absent if the
// workload preloads none.
func (w *Monitor) Ready() tegra.Val[float64] {
	if w.lookedReady || w.workload.Torch.Cache != torch.Preload {
		return w.ready
	}
	if w.lookedReady = true; w.system.Data == nil {
		w.ready = w.cacheShare
	} else {
		w.ready, _ = w.system.cached()
	}
	return w.ready
}

// Skip handles a minibatch that does not count.
func (w *Monitor) Skip(e harness.Event) {
	w.Ready()
	if !w.begun {
		w.pending.popUntil(e.T)
		if !w.begin.taken || w.clock.Now()-w.begin.at > time.Second {
			w.begin = w.poll()
		}
	}
}

// Minibatch handles a minibatch that counts.
func (w *Monitor) Minibatch(e harness.Event) {
	if !w.begun {
		w.Ready()
		if !w.begin.taken {
			w.begin = w.poll()
		}
		w.begun = true
		w.all.open(e, w.begin)
		w.all.part.Epochs = 0 // epoch counts them
	}
	if n := len(w.epochs); n == 0 || w.epochs[n-1].part.Epoch != e.Epoch {
		w.epoch(e)
	}
	parts := w.present()
	for _, p := range parts {
		p.minibatch(e)
	}
	w.drop.Minibatch(e.T, e.TimeMS)
	if w.workload.Infers() {
		w.serving.batch(e)
	}
	for _, s := range w.pending.popUntil(e.T) {
		if s.T < w.all.from {
			continue
		}
		for _, p := range parts {
			p.power(s)
			if !w.system.NoLoads {
				p.loads(s.Reading)
			}
		}
		w.serving.power(e, s.T, s.PowerW())
		if p := s.PowerW(); p.OK {
			w.drop.Power(s.T, p.V)
		}
		w.cpu.Add(nearest(w.space.CPU, s.Reading.CPU.Actual))
		w.gpu.Add(nearest(w.space.GPU, s.Reading.GPU.Actual))
		w.emc.Add(nearest(w.space.EMC, s.Reading.EMC.Actual))
	}
}

// nearest returns the listed clock that is closest to a reading: readings are slightly off.
func nearest(list []tegra.Freq, f tegra.Val[tegra.Freq]) tegra.Val[tegra.Freq] {
	best := f
	off := record.ClockTolerance * float64(f.V)
	for _, listed := range list {
		if d := math.Abs(float64(f.V - listed)); f.OK && d <= off {
			best, off = tegra.Some(listed), d
		}
	}
	return best
}

// cacheEvery is the minimum time between two checks of the page cache while a job runs:
// checking thousands of files takes a tenth of a second of one core.
const cacheEvery = time.Minute

// epoch begins an epoch.
func (w *Monitor) epoch(e harness.Event) {
	now := w.begin
	if n := len(w.epochs); n > 0 {
		now = w.poll()
		w.epochs[n-1].close(now)
		if w.epochs[n-1].part.Epoch == 0 {
			w.first.close(now)
		}
		w.epochs[n-1].finish()
		if w.system.Data != nil && time.Since(w.cachePolled) > cacheEvery {
			w.after, w.cacheWhy = w.system.cached()
			w.cachePolled = time.Now()
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

// Character returns the result so far; Finish adds the final state of the page cache and the uptime.
func (w *Monitor) Character() record.Character {
	now := w.recent()
	out := record.Character{
		Workers:     w.workload.Workers,
		Batch:       w.workload.Batch,
		PerEpoch:    w.workload.MinibatchesPerEpoch(),
		All:         w.all.result(now),
		BaseW:       w.base.PowerW,
		BaseWhy:     w.base.Why,
		CacheBefore: w.before,
		CacheReady:  w.ready,
		CacheAfter:  w.after,
		CacheWhy:    w.cacheWhy,
		Uptime:      w.uptime,
	}
	out.LoaderFault, _ = w.workload.LoaderFault()
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
		if out.CacheAfter = w.cacheShare; w.cacheShare.OK {
			out.CacheWhy = ""
		} else if out.CacheWhy == "" {
			out.CacheWhy = "the job does not report where its data are"
		}
	}
	if now.disk.OK {
		out.Disk = w.system.Disk.Name()
	}
	out.CPU = known(telemetry.ResidencyBetween(w.begin.clocks.CPU, now.clocks.CPU), &w.cpu)
	out.GPU = known(telemetry.ResidencyBetween(w.begin.clocks.GPU, now.clocks.GPU), &w.gpu)
	out.EMC = w.emc.Residency()
	if w.workload.Infers() && out.All.Minibatches > 0 {
		out.Serving = w.serving.result(w.workload, out.All)
		out.Latency = tegra.Val[record.Latency]{V: out.Serving.Latency, OK: out.Serving.Requests > 0}
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

// End must be called after the last minibatch, before the job is stopped.
func (w *Monitor) End() { w.end = w.poll() }

// Finish checks the page cache of the dataset once more and returns the result.
func (w *Monitor) Finish() record.Character {
	w.after, w.cacheWhy = w.system.cached()
	w.uptime = w.system.Uptime()
	return w.Character()
}

// known returns the residency counted by the kernel, or else by our samples.
func known(kernel telemetry.Residency, own *telemetry.Tally) telemetry.Residency {
	if kernel.OK() {
		return kernel
	}
	return own.Residency()
}
