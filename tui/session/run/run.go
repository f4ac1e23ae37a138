package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"jtune/internal/conclusion"
	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
	"jtune/tui/session/doctor"
	"jtune/tui/session/measure"
	"jtune/tui/session/preflight"
	"jtune/tui/session/readiness"
	"jtune/tui/session/workloads"
)

const (
	// longestWait bounds how long a run continues to get readings of steady power.
	longestWait = 30 * time.Second
	// sampleEvery is the mean interval between power samples: half the papers', because the energy of a run of half a
	// minute whose power swings between two levels would otherwise be known to ± 40 % only.
	sampleEvery = 500 * time.Millisecond
)

// Run runs a workload in the device's present mode, or in the mode that the request sets and takes back. Without a
// number of minibatches or epochs in the request, it counts minibatches from when power is steady until there are
// enough. An interrupted run returns what it has.
func Run(ctx context.Context, s *session.Session, r measure.RunRequest, observe func(measure.Event)) (
	out measure.RunResult, err error) {
	if err := workloads.CanRun(s, r.Workload); err != nil {
		return out, err
	}
	what := "run of " + r.Workload.Name
	if r.Mode.Sets() {
		what += " in mode " + r.Mode.Name
	}
	release, err := preflight.Claim(s, what, r.Mode.Sets())
	if err != nil {
		return out, err
	}
	defer release()
	in, err := setMode(ctx, s, &r)
	if err != nil {
		return out, err
	}
	defer func() {
		err = errors.Join(err, in.end(ctx))
		out.Mode, out.ModeFrom, out.Restored = in.mode, in.from, in.restored
	}()
	return inPresentMode(ctx, s, r, observe)
}

// inPresentMode runs a workload and changes nothing.
func inPresentMode(ctx context.Context, s *session.Session, r measure.RunRequest, observe func(measure.Event)) (
	measure.RunResult, error) {
	beside := watchBeside(s)
	defer beside()
	if r.Every <= 0 {
		r.Every = sampleEvery
	}
	measure.EndOrphans(s, r.Workload, observe)
	if r.Uninstrumented {
		r.Base, r.NoRecord = 0, true
	}
	base := profiles.Base{}
	if r.Workload.Elsewhere != nil {
		r.Base, base.Why = 0, "the job ran already"
	}
	if r.Base > 0 && !s.Replays() { // a replayed table has no idle power
		var err error
		if base, err = profiles.BaseLoad(ctx, s.Sampler, s.Clock, r.Base, false); err != nil {
			return measure.RunResult{}, err
		}
	}
	rec := recordOfRun(s, r, observe)
	defer rec.close()
	monitor := profiles.NewMonitor(r.Workload, s.Device, s.Clock, doctor.System(s, r.Workload), base)
	advise := newAdviser(s, r.Workload)
	if r.Inferences > 0 {
		r.Repeat = max(1, r.Repeat)
		r.Epochs = r.Repeat
	}
	r.Workload.ToEnd = r.Own && r.Minibatches == 0 && r.Epochs == 0
	r.Workload.FromStart = r.Own
	heard := listen(&r, observe)
	whole := meterWhole(s, r)
	h, err := measure.NewHarness(s, r.Workload, record.Settings{}, cmp.Or(r.Log, rec.log()), r.Epochs,
		r.Inferences)(ctx, 0)
	if err != nil {
		whole.end()
		return measure.RunResult{}, err
	}
	meter := &meter{clock: s.Clock, monitor: monitor, settle: profiles.NewSettle(r.Workload)}
	meter.raw = rec.raw()
	meter.settle.Each = meter.raw.sample
	if !r.Uninstrumented {
		meter.start(s, h, r.Every)
	}
	measure.Observer(observe).Note(workloads.LoaderNote(r.Workload))
	if !r.Uninstrumented {
		measure.Observer(observe).Note(s.AwaitMeter(ctx))
	}
	c := &collector{meter: meter, observe: observe, want: r.Minibatches, allEpochs: r.AllEpochs, advise: advise,
		toEnd: r.Workload.ToEnd, listen: heard}
	if r.Own && !c.toEnd {
		c.own, c.patience = time.Now(), r.Workload.Patience
	}
	if r.Uninstrumented {
		c.turns = &readTurns{sampler: s.Sampler, clock: s.Clock, every: r.Every, each: r.Minibatches}
		defer c.turns.end()
	}
	switch {
	case c.want > 0 || c.turns != nil:
	case r.Inferences > 0:
		c.want = r.Repeat * ((r.Inferences-1)/max(1, r.Workload.Batch) + 1)
	case r.Epochs > 0:
		c.want = r.Epochs * r.Workload.MinibatchesPerEpoch() // 0: until the job ends
	case c.toEnd: // until the job ends
	default:
		c.want = profiles.SettingsFor(r.Workload, record.Settings{}).Minibatches
		c.patient = s.Device.Board().TotalRule != ""
	}
	err = c.collect(ctx, h)
	heard.end()
	heard.tell(h)
	spent := whole.end()
	if c.turns != nil {
		c.turns.end()
	}
	monitor.End()
	power := c.meter.stop()
	if stopErr := h.Stop(context.WithoutCancel(ctx)); err == nil {
		err = stopErr
	}
	out := c.result(monitor.Finish(), power)
	out.Whole = spent
	if child, ok := h.(harness.Child); ok {
		out.Left, out.Output = child.Left(), child.Output()
	}
	err = readOf(&out, r, h, err)
	if v := out.Character.Serving; v != nil && r.Inferences > 0 {
		v.Reps, v.CVPct = record.Repetitions(out.Character.Epochs)
	}
	if out.Dir = rec.keep(out, err); out.Dir == "" {
		out.Dir = rec.cannot(err)
	} else {
		advise = newAdviser(s, r.Workload) // with the model that includes this run
	}
	out.Advice = advise.of(out.Character)
	out.Advice = append(out.Advice, text.Said(
		readiness.CachingOf(s, r.Workload, out.Character.All.RAMBytes, out.StallMS, out.ComputeMS),
		unsimulated.Say(ignored{s.Simulated(r.Workload), r.Workload.Torch.NoGC, r.Workload.Env[lazyLoading] != ""}))...)
	for _, job := range beside() {
		line := job + " measured on this board too: times and power include both jobs"
		measure.Observer(observe).Note(line)
		out.Advice = append(out.Advice, line)
	}
	return out, err
}

// besideEvery is the time between two looks for other jobs on the board.
const besideEvery = 2 * time.Second

// watchBeside looks for other jobs on the board until end is called, which names them.
func watchBeside(s *session.Session) (end func() []string) {
	var mu sync.Mutex
	var seen []string
	look := preflight.Sources(s, nil).Beside
	if look == nil {
		return func() []string { return nil }
	}
	note := func(time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		for _, job := range look() {
			if !slices.Contains(seen, job) {
				seen = append(seen, job)
			}
		}
	}
	note(0)
	stop := sync.OnceFunc(s.Clock.Every(besideEvery, note))
	return func() []string {
		stop()
		note(0)
		return seen
	}
}

// NewLog prepares the path of a run's log; "" if that fails.
func NewLog(path string) string {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if gone := os.Remove(path); err != nil || gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		return "" // another user's file: the run has no log
	}
	return path
}

// timings holds clean minibatches; only the newest are kept for the medians, so that a run may last for days.
type timings struct{ time []float64 }

// keptTimings bounds what a run keeps: two epochs of BERT, the papers' longest.
const keptTimings = 10000

func (t *timings) add(e harness.Event) {
	if len(t.time) >= 2*keptTimings {
		t.time = append(t.time[:0], t.time[keptTimings:]...)
	}
	t.time = append(t.time, e.TimeMS)
}

// collector counts the minibatches of a run.
type collector struct {
	meter     *meter
	observe   measure.Observer
	want      int // minibatches; 0: until the job ends
	advise    adviser
	patient   bool          // wait until power is steady, and for enough samples of it
	allEpochs bool          // epoch 0 counts too
	told      bool          // the share of preloaded data in memory has been reported
	listen    *listener     // to the command's output; nil: not requested
	toEnd     bool          // the run ends with its command, whatever that prints
	turns     *readTurns    // of a run that measures the cost of reading sensors; else nil
	own       time.Time     // start of a user's command whose steps are awaited; zero: not awaited
	patience  time.Duration // how long they are; 0: by default

	count   int
	summed  bool // the program reported its times itself
	leftOut int
	all     timings
	later   timings // of those, after epoch 0
	began   time.Duration
	verdict telemetry.Verdict
	full    time.Duration // when there were enough minibatches; 0: not yet
}

// collect takes minibatches until there are enough, or the job ends or fails. The first minibatch does not count.
func (c *collector) collect(ctx context.Context, h harness.Harness) error {
	first := true
	for !c.enough() {
		e, err := c.next(ctx, h)
		switch {
		case errors.Is(err, io.EOF) && (c.count > 0 || c.toEnd):
			return nil
		case errors.Is(err, io.EOF) && !first && c.patient:
			return fmt.Errorf("the workload ended before its power was steady: let it run longer, or take %s or %s",
				usage.Epochs, usage.Minibatches)
		case errors.Is(err, io.EOF):
			return errors.New("the workload ended before its second minibatch: let it run longer")
		case err != nil:
			return err
		case e.Kind == harness.Failure:
			return fmt.Errorf("the workload reports: %s", e.Message)
		case e.Kind == harness.Note:
			c.observe.Note(e.Message)
		case e.Kind == harness.Withdrawn:
			c.observe.Note(e.Message)
			first, c.count, c.all, c.later = true, 0, timings{}, timings{}
			c.meter.monitor.Again()
		case e.Summary != nil:
			c.summary(e)
			return nil
		case !e.Timed():
			c.meter.monitor.Event(e)
		case first || e.Unclean:
			why := record.WhyJob
			if first {
				first, c.began, why = false, e.Began(), record.WhyFirst
				c.meter.settle.Begin(c.began)
			}
			c.skip(e, why)
		case c.turns != nil && !c.turns.counts(e):
			c.meter.monitor.Skip(e)
		default:
			c.minibatch(e)
		}
	}
	return nil
}

// lookEvery is how often a command's output is checked before its first step.
const lookEvery = 2 * time.Second

// next waits for the next event; before a command's first step only as long as its lines may still count steps.
func (c *collector) next(ctx context.Context, h harness.Harness) (harness.Event, error) {
	for !c.own.IsZero() && c.count+c.leftOut == 0 {
		soon, cancel := context.WithTimeout(ctx, lookEvery)
		e, err := c.listen.next(soon, h)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return e, err
		}
		if err := measure.TooLong(h, time.Since(c.own), c.patience); err != nil {
			return harness.Event{}, err
		}
	}
	return c.listen.next(ctx, h)
}

// skip takes a minibatch that does not count.
func (c *collector) skip(e harness.Event, why string) {
	c.leftOut++
	c.meter.monitor.Skip(e)
	c.meter.raw.minibatch(e, why)
	if share := c.meter.monitor.Ready(); share.OK && !c.told {
		c.told = true
		c.observe.Note(profiles.PreloadNote(share.V))
	}
}

// summary takes what a program prints about itself at its end; power is averaged over that span.
func (c *collector) summary(e harness.Event) {
	c.began = e.Began()
	c.meter.settle.Begin(c.began)
	c.verdict = c.meter.settle.Until(e.T)
	c.meter.monitor.Minibatch(e)
	c.count, c.summed = 1, true
	e.TimeMS = e.Summary.TimeMS
	c.all.add(e)
}

func (c *collector) minibatch(e harness.Event) {
	c.verdict = c.meter.settle.Until(e.T)
	settled := c.verdict != telemetry.Settling
	p := profiles.Progress{Phase: profiles.Measuring, Of: c.want, TimeMS: e.TimeMS, PowerW: c.meter.last(),
		LeftOut: c.leftOut, Dropped: c.meter.settle.Dropped()}
	if settled {
		p.Settled = tegra.Some((c.meter.settle.At() - c.began).Seconds())
	}
	if c.patient && (!settled || e.Began() < c.meter.settle.At()) {
		c.skip(e, record.WhySettling)
		p.Phase = profiles.Settling
		c.observe.Send(measure.ProgressEvent{Progress: p, Minibatch: &e})
		return
	}
	c.count++
	c.all.add(e)
	if e.Epoch > 0 {
		c.later.add(e)
	}
	if c.count == c.want {
		c.full = e.T
	}
	c.meter.monitor.Minibatch(e)
	c.meter.raw.minibatch(e, "")
	p.Minibatch = c.count
	c.observe.Send(measure.ProgressEvent{Progress: p, Minibatch: &e})
	if c.meter.fresh.Swap(false) && c.observe != nil {
		soFar := c.meter.monitor.Character()
		c.observe(measure.CharacterEvent{Character: soFar, Advice: c.advise.of(soFar)})
	}
}

// enough reports whether the run is complete.
func (c *collector) enough() bool {
	if c.turns != nil {
		return c.turns.done()
	}
	if c.want == 0 || c.count < c.want {
		return false
	}
	if !c.patient || c.verdict == telemetry.Unstable || c.meter.settle.Enough() {
		return true
	}
	return c.meter.clock.Now()-c.full > longestWait
}

func (c *collector) result(ch record.Character, latestW tegra.Val[float64]) measure.RunResult {
	ch.AllEpochs = c.allEpochs
	part, t := ch.Steady(), &c.all
	if ch.SteadyIsLater() {
		t = &c.later
	}
	units := make([]float64, len(t.time))
	for i := range units {
		units[i] = 1
	}
	took := stats.MeanOf(t.time, units)
	timeMS := part.TimeMS
	if c.summed {
		timeMS = stats.OrZero(took.Mean)
	}
	out := measure.RunResult{
		Minibatches: c.count,
		TimeMS:      timeMS,
		MedianMS:    stats.OrZero(took.Median),
		StallMS:     part.StallMS,
		ComputeMS:   part.ComputeMS,
		OverheadMS:  part.OverheadMS,
		PowerW:      part.PowerW,
		EnergyJ:     tegra.Val[float64]{V: part.PowerW.V * timeMS / 1000, OK: part.PowerW.OK},
		Error:       tegra.Errors{Time: tegra.Finite(took.Relative()), Power: part.PowerError},
		Sampling:    c.meter.sampling(),
		Settled:     c.verdict,
		Hot:         c.meter.settle.Hot(),
		Peaks:       c.meter.extremes(),
		Character:   ch,
	}
	if c.verdict != telemetry.Settling {
		out.SettleS = tegra.Some((c.meter.settle.At() - c.began).Seconds())
	}
	if c.turns != nil {
		out.ReadCost = c.turns.cost()
	}
	if !out.PowerW.OK && latestW.OK {
		out.PowerW = latestW
		out.EnergyJ = tegra.Val[float64]{V: latestW.V * out.TimeMS / 1000, OK: out.TimeMS > 0}
	}
	return out
}

// Counted returns how many minibatches the numbers of a run describe.
func Counted(r measure.RunResult) int {
	if r.Character.SteadyIsLater() {
		return r.Character.Later.V.Minibatches
	}
	return r.Minibatches
}

// steadiness is whether the power of a run was known, and steady by its end or never.
type steadiness struct {
	Known, Settled, Unstable bool
	SettleS                  float64 `shown:"1 100"`
}

var powerSettles = conclusion.New("run: power is not steady", 3, func(s steadiness) string {
	switch {
	case !s.Known || s.Settled:
		return ""
	case s.Unstable:
		return fmt.Sprintf("Power was not steady within %.0f s of the first minibatch: power and energy are in doubt.",
			s.SettleS)
	}
	return "Power was not steady when the run ended: power and energy are in doubt; let it run longer."
})

// repetitions are how often the work of an inference was done, and how much the energies vary.
type repetitions struct {
	Reps  int                `shown:"2 10"`
	CVPct tegra.Val[float64] `turn:"0 10"`
}

var repetitionsVary = conclusion.New("run: repetitions vary", 2, func(r repetitions) string {
	if r.CVPct.Or(0) <= record.MostCVPct {
		return ""
	}
	return fmt.Sprintf("Unsteady: the energies of the %d repetitions vary by %.1f %% (standard deviation over mean; "+
		"more than %d %%): let the board rest and cool, end other programs, and repeat.", r.Reps, r.CVPct.V,
		record.MostCVPct)
})

// Doubts returns what reading the sensors cost, if the run measured it, and the reasons not to trust its power.
func Doubts(r measure.RunResult) (lines []string) {
	lines = text.Said(sayCost(r.ReadCost), powerSettles.Say(steadiness{r.PowerW.OK, r.Settled == telemetry.Settled,
		r.Settled == telemetry.Unstable, r.SettleS.V}))
	if v := r.Character.Serving; v != nil {
		lines = append(lines, text.Said(repetitionsVary.Say(repetitions{v.Reps, v.CVPct}))...)
	}
	if r.Hot != "" {
		lines = append(lines, "The board was hot: "+r.Hot+". It may have slowed itself: these "+
			"numbers are not those of a cool board.")
	}
	return lines
}
