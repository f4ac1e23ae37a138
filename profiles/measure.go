package profiles

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"jtune/internal/units"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/telemetry/sources"
)

// How one mode is measured (PowerTrain, section 3.1; docs/method.md, "Energy and power"):
//
//	apply, read back ──► steady power (window over 1 s samples) ──► 40 clean
//	minibatches, and the power samples during them ──► means, with their errors
//
// A minibatch is clean when it began after power had settled and after the
// first one of the new mode, which is slow. Minibatches and samples are put
// in order by the device's clock alone, so it does not matter when they are
// processed. Where we differ from the papers: collection continues past 40
// minibatches until there are three valid power samples, because a fast mode
// finishes 40 between two samples; time and power are means over the same time,
// stalls included, where the published data have medians.
const (
	// extraSamples is how many sampling intervals collection may continue to get valid power samples.
	extraSamples = 30
	// restarts is how often a job that ends by itself is restarted in the same mode.
	restarts = 2
	// rounding is the tolerance of a minibatch's start, which is its end less its time.
	rounding = 10 * time.Microsecond
)

var errModeTimeout = errors.New("mode time-out")

// measurement is one mode being measured.
type measurement struct {
	b    *Bench
	set  record.Settings
	step Step

	began     time.Duration // of the whole mode
	applied   tegra.Applied
	since     time.Duration // minibatches that began earlier belong to another mode
	ready     bool          // the job trains in this mode, so power is meaningful
	toDiscard int           // minibatches still to discard
	clean     []harness.Event
	lookAt    int // how many clean minibatches there must be before their errors are estimated again
	leftOut   int // minibatches of this mode that do not count
	raised    bool
	raisedAt  int // power samples at that moment
	flood     int // minibatches reported since floodFrom
	floodFrom time.Duration
	samples   []telemetry.Sample
	base      Base          // idle in this mode
	late      string        // why there are fewer minibatches than requested; "" when there are enough
	pair      ofPair        // of two jobs that share the GPU
	inForce   time.Duration // when the mode was applied
	watch     overWatch
	end       tegra.Val[telemetry.Sample] // after the last minibatch, for its clocks

	mu      sync.Mutex
	monitor *Monitor         // of the current job in this mode; nil before it starts
	settle  *Settle          // of the same
	lost    error            // a sample could not be recorded
	sources *sources.Sources // from the first sample
	cancel  context.CancelCauseFunc
}

func newMeasurement(b *Bench, step Step) *measurement {
	return &measurement{b: b, set: SettingsFor(b.Workload, b.Settings), step: step, began: b.Clock.Now(),
		settle: &Settle{}}
}

// untilEnough measures until there is enough, or a fault.
func (m *measurement) untilEnough(ctx context.Context) (*fault, error) {
	if m.b.batch != m.step.Batch || m.b.Workload.Restarts() { // needs a new job
		m.b.consecutiveEmptyRuns = 0
		if err := m.b.stop(ctx); err != nil {
			return nil, err
		}
	}
	m.notify(Applying)
	applied, fault, err := m.b.apply(ctx, m.step, m.set)
	m.applied = applied
	if err == nil && m.b.Raw != nil {
		err = m.b.Raw.Knobs(m.step.Setting, m.step.variant(), applied)
	}
	if fault != nil || err != nil {
		return fault, err
	}
	if m.set.Base > 0 && m.b.job == nil {
		if m.base, err = BaseLoad(ctx, m.b.Sampler, m.b.Clock, m.set.Base, true); err != nil {
			return nil, err
		}
	}
	whole := ctx
	ctx, m.cancel = context.WithCancelCause(ctx)
	defer m.cancel(nil)
	m.inForce, m.watch.mostW = m.b.Clock.Now(), m.step.MostW
	defer m.b.measureClocks()()
	defer m.b.Sampler.Measure(m.set.SampleEvery, m.addSample)()
	for try := 0; ; try++ {
		monitor := func() *Monitor {
			return NewMonitor(m.b.Workload.AtBatch(m.step.Batch), m.b.Device, m.b.Clock, m.b.System, m.base)
		}
		first := monitor() // before the job starts: the page cache at that moment is part of the result
		if err := m.b.start(ctx, m.step.Batch); err != nil {
			return nil, err
		}
		if m.step.Mode != (tegra.Mode{}) {
			m.b.expect(m.step.Setting)
		}
		err := m.collectParts(ctx, first, monitor)
		if err == nil {
			m.readEnd()
			return cmp.Or(m.verdict(), m.fewRequests()), nil
		}
		if why := context.Cause(ctx); why == errModeTimeout || why == errEnded {
			return m.timedOut(), nil
		}
		var over *overLimit
		if errors.As(context.Cause(ctx), &over) && whole.Err() == nil {
			return m.tooMuch(whole, over)
		}
		if m.beginsAgain(err) {
			continue
		}
		var raw *rawError
		if ctx.Err() != nil || errors.As(err, &raw) || errors.Is(err, ErrFixedBatch) ||
			errors.Is(err, harness.ErrOver) || isWithdrawn(err) {
			return nil, err
		}
		again := errors.Is(err, io.EOF) && m.b.warm && try < restarts
		if fault, err := m.b.lost(ctx, err); err != nil || !again {
			return fault, err
		}
	}
}

// clocksEvery is the time between two readings of the real clock of a core, which run on that core, while a mode is
// measured. Others are at its start and at its end.
const clocksEvery = 5 * time.Second

// clockMeter is a board that reads the real clocks of its cores.
type clockMeter interface{ MeasureClocks(every time.Duration) }

// measureClocks reads the real clocks as long as a mode is measured; usual ends that.
func (b *Bench) measureClocks() (usual func()) {
	board, ok := b.Device.(clockMeter)
	if !ok {
		return func() {}
	}
	board.MeasureClocks(clocksEvery)
	return func() { board.MeasureClocks(0) }
}

// readEnd reads the clocks at the end of the measurement.
func (m *measurement) readEnd() {
	board, ok := m.b.Device.(clockMeter)
	if !ok {
		return
	}
	board.MeasureClocks(clocksEvery)
	if s, err := m.b.Sampler.Read(); err == nil {
		m.end = tegra.Some(s)
	}
}

// begin starts the mode, or a new job in the mode, at this moment.
func (m *measurement) begin(w *Monitor) {
	m.mu.Lock()
	epochs := m.set.Epochs > 0
	m.monitor, m.settle = w, &Settle{Each: m.keepSample, steady: steadyBy(m.set, m.step.Change), epochs: epochs,
		whole: epochs || m.b.Workload.Restarts()} // a whole run begins before its power settles
	m.mu.Unlock()
	for _, e := range m.b.lastEvents {
		w.Event(e)
	}
	m.since = m.b.Clock.Now()
	m.toDiscard = max(0, m.set.Discard)
	m.clean, m.samples, m.leftOut, m.lookAt = nil, nil, 0, 0
	m.flood, m.floodFrom = 0, m.since
	// A running job already shows the new mode's power; a new job must train first.
	if m.ready = m.b.warm; m.ready {
		m.startSettling(m.since)
	}
}

func (m *measurement) startSettling(from time.Duration) {
	m.ready = true
	m.settle.Begin(from)
}

// addSample queues a sample. It runs on the goroutine of the clock.
func (m *measurement) addSample(s telemetry.Sample) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sources == nil {
		m.sources = sources.New(s.Reading, m.b.Sources, m.applied.Settings())
	}
	s.Faults = m.sources.Look(s.T, s.Reading)
	m.settle.Sample(s)
	if m.monitor != nil {
		m.monitor.Sample(s)
	}
	if over := m.watch.add(s, m.inForce); over != nil {
		m.cancel(over)
	}
	if s.T-m.began > m.set.ModeTimeout {
		m.cancel(errModeTimeout)
	}
}

// collect reads the events of the job until there are enough minibatches.
func (m *measurement) collect(ctx context.Context) error {
	for {
		e, err := m.b.job.Next(ctx)
		if errors.Is(err, io.EOF) && m.set.Epochs > 0 && len(m.clean) > 0 {
			return nil
		}
		if err != nil {
			return err
		}
		if ctx.Err() != nil { // there may be events without end
			return ctx.Err()
		}
		switch e.Kind {
		case harness.Request:
			m.request(e)
		case harness.Gone:
			return errors.New(e.Message)
		case harness.Withdrawn:
			return m.withdrawn(e)
		case harness.Minibatch, harness.Infer:
			if err := m.minibatch(e); err != nil {
				return err
			}
			if m.enough(e) {
				return nil
			}
		case harness.EpochEnd:
			if m.set.Epochs > 0 && e.Epoch+1 >= m.set.Epochs {
				return nil
			}
		case harness.Cache:
			m.keepEvent(e)
		case harness.Hello:
			if e.Job == harness.JobTrain { // only the inference job's settings are checked
				continue
			}
			m.keepEvent(e)
			if err := m.b.checkBatchSize(e.Info); err != nil {
				return err
			}
			m.b.jobNote = m.b.settingsNote(e.Info, m.b.Workload.AtBatch(m.step.Batch))
			if m.b.jobNote != "" && m.b.jobNote != m.b.notedJob {
				m.b.notify(Progress{Phase: m.phase(), Step: m.step, Line: m.b.jobNote})
			}
		case harness.Note:
			m.b.notify(Progress{Phase: m.phase(), Step: m.step, Line: e.Message})
		case harness.Failure:
			m.b.notify(Progress{Phase: m.phase(), Step: m.step, Line: "harness: " + e.Message})
		}
	}
}

// keepEvent keeps a hello or cache event for this mode and the next ones.
func (m *measurement) keepEvent(e harness.Event) {
	m.b.lastEvents[e.Kind] = e
	m.monitor.Event(e)
}

// floodLen minibatches within a second cannot come from training: the fastest known workload reaches a hundred, and a
// job with buffered output writes fewer before its pipe is full.
const floodLen = 20000

// flooded returns an error when a job reports minibatches at an impossible rate, before they
// fill memory and disk.
func (m *measurement) flooded(e harness.Event) error {
	if m.flood++; m.flood < floodLen {
		return nil
	}
	took := e.T - m.floodFrom
	m.flood, m.floodFrom = 0, e.T
	if took < time.Second {
		return fmt.Errorf(
			"the job reports %d minibatches in %s: does it print in a loop of its own?",
			floodLen,
			units.Span(took),
		)
	}
	return nil
}

func (m *measurement) minibatch(e harness.Event) error {
	m.b.warm, m.b.consecutiveEmptyRuns = true, 0
	if err := m.flooded(e); err != nil {
		return err
	}
	if e.T <= m.since || !m.counts(e) {
		return nil // of the previous mode or part
	}
	if e.Summary != nil {
		return m.summary(e)
	}
	began := e.Began() + rounding
	if !m.ready {
		m.startSettling(max(m.since, began))
	}
	if m.settle.Until(e.T); m.lost != nil {
		return m.lost
	}
	why := m.leaveOut(e, began)
	if why == "" {
		m.clean = append(m.clean, e)
	} else {
		m.leftOut++
	}
	if why == "" && (m.b.Pairing == nil || e.Job == harness.JobInfer) {
		m.monitor.Minibatch(e)
	} else {
		m.monitor.Skip(e)
	}
	if share := m.monitor.Ready(); share.OK && !m.b.notedReady {
		m.b.notedReady = true
		m.b.notify(Progress{Phase: m.phase(), Step: m.step, Line: PreloadNote(share.V)})
	}
	m.progress(e)
	if m.b.Raw != nil {
		if err := m.b.Raw.Minibatch(m.step.Setting, e, why); err != nil {
			return &rawError{err}
		}
	}
	return nil
}

// leaveOut returns why a minibatch does not count; "" when it does.
func (m *measurement) leaveOut(e harness.Event, began time.Duration) string {
	switch {
	case e.Unclean:
		return record.WhyJob
	case e.Earliest()+rounding < m.since:
		return record.WhyBefore
	case m.beyondEpochs(e):
		return record.WhyEpoch
	case m.toDiscard > 0 && e.Previous == 0: // a watched server's are all left out above
		m.toDiscard--
		return record.WhyFirst
	case m.set.Epochs == 0 && (m.settle.Verdict() == telemetry.Settling || began < m.settle.At()):
		return record.WhySettling
	}
	return ""
}

// summary takes the result that a program prints at its end: the samples in its span count.
func (m *measurement) summary(e harness.Event) error {
	m.startSettling(m.since)
	if m.settle.Until(m.b.Clock.Now()); m.lost != nil {
		return m.lost
	}
	m.clean = []harness.Event{e}
	m.monitor.Minibatch(e)
	m.progress(e)
	if m.b.Raw != nil {
		if err := m.b.Raw.Minibatch(m.step.Setting, e, ""); err != nil {
			return &rawError{err}
		}
	}
	return nil
}

// rawError means that the record cannot be written.
type rawError struct{ err error }

func (e *rawError) Error() string { return e.err.Error() }
func (e *rawError) Unwrap() error { return e.err }

// keepSample takes a sample of this mode; settled: power was steady before.
func (m *measurement) keepSample(s telemetry.Sample, settled bool) {
	m.samples = append(m.samples, s)
	if m.b.Raw == nil || m.lost != nil {
		return
	}
	if err := m.b.Raw.Sample(m.step.Setting, record.Settled(s, settled)); err != nil {
		m.lost = &rawError{err}
	}
}

// cleanSamples returns the samples taken while clean minibatches ran.
func (m *measurement) cleanSamples() (out []telemetry.Sample) {
	for _, s := range m.samples {
		if m.duringClean(s.T) {
			out = append(out, s)
		}
	}
	return out
}

// duringClean reports whether clean minibatches had begun and had not ended at a time.
func (m *measurement) duringClean(at time.Duration) bool {
	n := len(m.clean)
	return n > 0 && at >= m.clean[0].Began() && at <= m.clean[n-1].T
}

// validSamples counts those of cleanSamples that are valid, without copying them: it is called at every minibatch.
func (m *measurement) validSamples() (n int) {
	for i := range m.samples {
		if s := &m.samples[i]; s.Valid && m.duringClean(s.T) {
			n++
		}
	}
	return n
}

// beyondEpochs reports whether a minibatch belongs to an epoch after the requested ones.
func (m *measurement) beyondEpochs(e harness.Event) bool {
	return m.set.Epochs > 0 && e.Epoch >= m.set.Epochs
}

func (m *measurement) phase() Phase {
	switch {
	case m.set.Epochs == 0 && m.settle.Verdict() == telemetry.Settling:
		return Settling
	case len(m.clean) == 0:
		return WarmingUp
	}
	return Measuring
}

func (m *measurement) notify(p Phase) {
	m.b.notify(Progress{Phase: p, Step: m.step, Of: m.target()})
}

// target returns the number of minibatches to collect; 0 when unknown.
func (m *measurement) target() int {
	if m.set.Epochs > 0 {
		return max(0, m.set.Epochs*m.b.Workload.AtBatch(m.step.Batch).MinibatchesPerEpoch()-max(0, m.set.Discard))
	}
	if m.set.Requests == 0 && m.set.Precision > 0 {
		return m.preciseTarget()
	}
	return cmp.Or(m.set.Requests, m.set.Minibatches)
}

// counted returns how much of the target has been collected.
func (m *measurement) counted() int {
	if m.set.Requests > 0 && m.monitor != nil {
		return m.monitor.requests()
	}
	return len(m.clean)
}

func (m *measurement) progress(e harness.Event) {
	if m.b.Observe == nil {
		return
	}
	p := Progress{Phase: m.phase(), Step: m.step, Minibatch: m.counted(), Of: m.target(), TimeMS: e.TimeMS,
		Event: &e, Pair: m.soFar(e), Dropped: m.settle.Dropped(), LeftOut: m.leftOut}
	if m.set.Epochs == 0 && m.settle.Verdict() != telemetry.Settling {
		p.Settled = tegra.Some((m.settle.At() - m.settle.from).Seconds())
	}
	if n := len(m.samples); n > 0 {
		p.PowerW, p.Samples = m.samples[n-1].PowerW(), n
	}
	if n := len(m.clean); n > 0 {
		p.Span = m.clean[n-1].T - m.clean[0].Began()
	}
	m.b.notify(p)
}
