package profiles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/telemetry"
)

// How one mode is measured (method note d.3):
//
//	apply, read back ──► steady power (window over 1 s samples) ──► 40 clean
//	minibatches, and the power samples during them ──► medians
//
// A minibatch is clean when it began after power had settled and after the
// first one of the new mode, which is slow. Minibatches and samples are put
// in order by the device's clock alone, so that it does not matter when they
// are looked at. Where we differ from the papers: collection goes on past 40
// minibatches until there are three valid power samples, as a fast mode
// finishes 40 between two samples; and time and power are medians, as in the
// published data.
const (
	// extraSamples bounds how long collection goes on for want of valid power
	// samples, in sampling intervals.
	extraSamples = 30
	// restarts is how often a job that ends by itself is started again for
	// the same mode.
	restarts = 2
	// throttledPart of the samples makes a mode throttled.
	throttledPart = 0.1
	// clockTolerance: a clock this much off its set value does not follow it
	// (method note c.6 accepts 95 %).
	clockTolerance = 0.05
	// rounding of a minibatch's beginning, which is its end less its time.
	rounding = 10 * time.Microsecond
)

var errModeTimeout = errors.New("mode time-out")

// measurement is one mode being measured.
type measurement struct {
	b    *Bench
	set  Settings
	step Step

	began     time.Duration // of the whole mode
	applied   tegra.Applied
	since     time.Duration // minibatches that began earlier are of another mode
	ready     bool          // the job trains in this mode: power means something
	from      time.Duration // since then
	left      int           // minibatches still to be discarded
	steady    telemetry.Steady
	clean     []harness.Event
	flood     int // minibatches told since floodFrom
	floodFrom time.Duration
	samples   []telemetry.Sample // since power settled, or waiting was given up
	base      Base               // idle in this mode

	mu     sync.Mutex
	watch  *Watch // of the present job in this mode; nil before it is started
	inbox  inbox
	cancel context.CancelCauseFunc
}

func newMeasurement(b *Bench, step Step) *measurement {
	return &measurement{b: b, set: b.Settings.withDefaults(), step: step, began: b.Clock.Now()}
}

// run measures until there is enough, or a fault. The error ends a campaign.
func (m *measurement) run(ctx context.Context) (*fault, error) {
	if m.b.batch != m.step.Batch { // for which there is another job
		m.b.barren = 0
		if err := m.b.stop(ctx); err != nil {
			return nil, err
		}
	}
	m.tell(Applying)
	applied, fault, err := m.b.apply(ctx, m.step, m.set)
	m.applied = applied
	if err == nil && m.b.Raw != nil {
		err = m.b.Raw.Knobs(m.step, applied)
	}
	if fault != nil || err != nil {
		return fault, err
	}
	if m.set.Base > 0 && m.b.job == nil {
		if m.base, err = BaseLoad(ctx, m.b.Sampler, m.b.Clock, m.set.Base, true); err != nil {
			return nil, err
		}
	}
	ctx, m.cancel = context.WithCancelCause(ctx)
	defer m.cancel(nil)
	defer m.b.Sampler.Subscribe(m.set.SampleEvery, m.take)()
	for try := 0; ; try++ {
		watch := NewWatch(m.b.Workload.at(m.step), m.b.Device, m.b.Clock, m.b.System, m.base)
		if err := m.b.start(ctx, m.step.Batch); err != nil {
			return nil, err
		}
		m.begin(watch)
		err := m.collect(ctx)
		watch.End()
		if err == nil {
			return m.verdict(), nil
		}
		if context.Cause(ctx) == errModeTimeout {
			return m.timedOut(), nil
		}
		var raw *rawError
		if ctx.Err() != nil || errors.As(err, &raw) || errors.Is(err, ErrDictated) {
			return nil, err
		}
		again := errors.Is(err, io.EOF) && m.b.warm && try < restarts
		if fault, err := m.b.lost(ctx, err); err != nil || !again {
			return fault, err
		}
	}
}

// begin takes this moment as the beginning of the mode, or of a new job in it.
func (m *measurement) begin(w *Watch) {
	m.mu.Lock()
	m.watch = w
	m.mu.Unlock()
	for _, e := range m.b.told {
		w.Tell(e)
	}
	m.since = m.b.Clock.Now()
	m.left = max(0, m.set.Discard)
	m.steady = m.set.steady()
	m.clean, m.samples = nil, nil
	m.flood, m.floodFrom = 0, m.since
	// A job that trains already shows the new mode's power from now on; a new
	// one must first have trained.
	if m.ready = m.b.warm; m.ready {
		m.trains(m.since)
	}
	m.inbox.takeUpTo(m.since)
}

func (m *measurement) trains(from time.Duration) {
	m.ready, m.from = true, from
	m.steady.Begin(from)
}

// take puts a sample aside; it runs on the clock's goroutine.
func (m *measurement) take(s telemetry.Sample) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inbox.put(s)
	if m.watch != nil {
		m.watch.Sample(s)
	}
	if s.T-m.began > m.set.ModeTimeout {
		m.cancel(errModeTimeout)
	}
}

// collect follows the job until there is enough.
func (m *measurement) collect(ctx context.Context) error {
	for {
		e, err := m.b.job.Next(ctx)
		if errors.Is(err, io.EOF) && m.set.Epochs > 0 && len(m.clean) > 0 {
			return nil
		}
		if err != nil {
			return err
		}
		if ctx.Err() != nil { // events may never run out
			return ctx.Err()
		}
		switch e.Kind {
		case harness.Minibatch:
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
			m.hear(e)
		case harness.Hello:
			m.hear(e)
			if err := m.b.heeds(e.Info); err != nil {
				return err
			}
			if m.b.doubt = m.b.hello(e.Info, m.b.Workload.at(m.step)); m.b.doubt != "" {
				m.b.tell(Progress{Phase: m.phase(), Step: m.step, Line: m.b.doubt})
			}
		case harness.Failure:
			m.b.tell(Progress{Phase: m.phase(), Step: m.step, Line: "harness: " + e.Message})
		}
	}
}

// hear keeps what the job tells of itself for this mode and the next ones.
func (m *measurement) hear(e harness.Event) {
	m.b.told[e.Kind] = e
	m.watch.Tell(e)
}

// floodLen minibatches within a second are no training: the fastest workload
// known does a hundred, and one whose output was held back has told less before
// a pipe is full.
const floodLen = 20000

// flooded refuses a job that tells of more minibatches than can be, before they
// fill memory and disk.
func (m *measurement) flooded(e harness.Event) error {
	if m.flood++; m.flood < floodLen {
		return nil
	}
	took := e.T - m.floodFrom
	m.flood, m.floodFrom = 0, e.T
	if took < time.Second {
		return fmt.Errorf("the job tells of %d minibatches in %s: does it print in a loop of its own?", floodLen, took.Round(time.Millisecond))
	}
	return nil
}

func (m *measurement) minibatch(e harness.Event) error {
	m.b.warm, m.b.barren = true, 0
	if err := m.flooded(e); err != nil {
		return err
	}
	if e.T <= m.since {
		return nil // of the mode before
	}
	began := e.Began() + rounding
	if !m.ready {
		m.trains(max(m.since, began))
	}
	if err := m.settle(e.T); err != nil {
		return err
	}
	clean := false
	switch {
	case e.Unclean, began < m.since, m.beyond(e): // begun in the mode before, or of an epoch too many
	case m.left > 0:
		m.left--
	case m.set.Epochs > 0, m.steady.Verdict() != telemetry.Settling && began >= m.steady.At():
		m.clean, clean = append(m.clean, e), true
	}
	if clean {
		m.watch.Minibatch(e)
	} else {
		m.watch.Skip(e)
	}
	m.progress(e)
	if m.b.Raw != nil {
		if err := m.b.Raw.Minibatch(m.step, e, clean); err != nil {
			return &rawError{err}
		}
	}
	return nil
}

// rawError: the record cannot be written.
type rawError struct{ err error }

func (e *rawError) Error() string { return e.err.Error() }
func (e *rawError) Unwrap() error { return e.err }

// settle looks at the samples up to now.
func (m *measurement) settle(now time.Duration) error {
	for _, s := range m.inbox.takeUpTo(now) {
		if s.T < m.from {
			continue
		}
		if m.b.Raw != nil {
			if err := m.b.Raw.Sample(m.step, s.T, s.Reading.TotalW, s.Valid, s.Why); err != nil {
				return &rawError{err}
			}
		}
		if m.set.Epochs > 0 || m.steady.Verdict() != telemetry.Settling {
			m.samples = append(m.samples, s)
			continue
		}
		m.steady.Add(s.T, s.PowerW().Or(nan))
	}
	return nil
}

// during are the samples taken while clean minibatches ran.
func (m *measurement) during() []telemetry.Sample {
	if len(m.clean) == 0 {
		return nil
	}
	from, to := m.clean[0].Began(), m.clean[len(m.clean)-1].T
	var out []telemetry.Sample
	for _, s := range m.samples {
		if s.T >= from && s.T <= to {
			out = append(out, s)
		}
	}
	return out
}

// beyond tells that a minibatch is of an epoch that was not asked for.
func (m *measurement) beyond(e harness.Event) bool {
	return m.set.Epochs > 0 && e.Epoch >= m.set.Epochs
}

// enough tells whether collection is over with this minibatch.
func (m *measurement) enough(e harness.Event) bool {
	if m.set.Epochs > 0 {
		return m.beyond(e)
	}
	if len(m.clean) < m.set.Minibatches {
		return false
	}
	valid := 0
	for _, s := range m.during() {
		if s.Valid {
			valid++
		}
	}
	longest := time.Duration(extraSamples+m.set.MinSamples) * m.set.SampleEvery
	full := m.clean[m.set.Minibatches-1].T
	return valid >= m.set.MinSamples || e.T-full > longest
}

func (m *measurement) phase() Phase {
	switch {
	case m.set.Epochs == 0 && m.steady.Verdict() == telemetry.Settling:
		return Settling
	case len(m.clean) == 0:
		return WarmingUp
	}
	return Measuring
}

func (m *measurement) tell(p Phase) {
	m.b.tell(Progress{Phase: p, Step: m.step, Of: m.of()})
}

// of is how many minibatches are to be collected; 0 when not known.
func (m *measurement) of() int {
	if m.set.Epochs > 0 {
		return max(0, m.set.Epochs*m.b.Workload.at(m.step).MinibatchesPerEpoch()-max(0, m.set.Discard))
	}
	return m.set.Minibatches
}

func (m *measurement) progress(e harness.Event) {
	if m.b.Observe == nil {
		return
	}
	p := Progress{Phase: m.phase(), Step: m.step, Minibatch: len(m.clean), Of: m.of(), TimeMS: e.TimeMS}
	if n := len(m.samples); n > 0 {
		p.PowerW = m.samples[n-1].Reading.TotalW
	}
	if spread := m.steady.SpreadNow(); spread < 10 {
		p.SpreadPct = tegra.Some(100 * spread)
	}
	m.b.tell(p)
}

func (m *measurement) timedOut() *fault {
	why := fmt.Sprintf("%d of %d clean minibatches in %s", len(m.clean), m.set.Minibatches, m.set.ModeTimeout)
	if !m.ready {
		why = fmt.Sprintf("no minibatch in %s", m.set.ModeTimeout)
	}
	return &fault{TimedOut, why}
}
