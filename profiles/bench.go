package profiles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"jtune/internal/text"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/telemetry/sources"
)

// Bench measures single modes with one workload. The job keeps running from mode to mode. It is restarted when it has
// ended or failed, and for another batch size.
type Bench struct {
	Device  tegra.Device
	Applier tegra.Applier      // nil: of a plan that writes nothing
	Sampler *telemetry.Sampler // reads Device
	Clock   tegra.Clock
	// NewHarness starts the job at a batch size; 0 means the workload's own.
	NewHarness func(ctx context.Context, batch int) (harness.Harness, error)
	Workload   workload.Workload
	Settings   record.Settings
	Governors  tegra.Governors // of clocks that Settings.DVFS leaves free
	Observe    func(Progress)  // called on the measuring goroutine; may be nil
	Raw        RawLog          // gets every sample and minibatch; may be nil
	System     System          // sources beyond the device's readings
	Sources    sources.Funcs   // followed while a mode is measured
	// Known are settings measured before with this workload; they predict how long a job may be silent in a slow mode.
	Known []tegra.Measured
	// Pairing is how the workload shares the GPU with a training job; the harness is then a *turns.Pair. nil: the
	// workload has the GPU to itself.
	Pairing *Pairing

	job                  harness.Harness                // nil: not running
	batch                int                            // the running job's
	warm                 bool                           // the job has finished a minibatch
	consecutiveEmptyRuns int                            // consecutive jobs that ended without a minibatch
	jobNote              string                         // note on the running job
	notedJob             string                         // note on a job that is already in a row
	notedReady           bool                           // jtune has reported how much preloaded data is in memory
	confirmed            bool                           // jtune has reported the values read back of fan and clocks
	notedFast            bool                           // jtune has reported that fast modes get more minibatches
	rows                 int                            // measured by this bench
	hot                  string                         // why the board is too hot to continue; "" when it is not
	lastEvents           map[harness.Kind]harness.Event // the running job's newest hello and cache events
}

var _ RawLog = (*record.Record)(nil)

// RawLog receives the data behind the rows.
type RawLog interface {
	Knobs(s tegra.Setting, v *record.Variant, a tegra.Applied) error // requested and read-back value of each knob
	Minibatch(s tegra.Setting, e harness.Event, why string) error    // why it does not count; "" when it does
	Sample(s tegra.Setting, of telemetry.Sample) error
}

// Phase is what the bench is doing.
type Phase int

// Phases of a mode, and of a campaign between modes.
const (
	Applying Phase = iota
	Settling
	WarmingUp
	Measuring
	Restoring
	Finished
	Soaking // the answer of a search
)

func (p Phase) String() string {
	return [...]string{"applying", "settling", "warm-up", "measuring", "restoring", "finished", "soaking"}[p]
}

// Progress is the progress of a measurement.
type Progress struct {
	Phase     Phase
	Step      Step
	Minibatch int // clean ones so far
	Of        int
	Span      time.Duration // time covered by these
	Samples   int           // power samples in that time
	TimeMS    float64       // of the latest minibatch; 0 before the first
	PowerW    tegra.Val[float64]
	Settled   tegra.Val[float64] // seconds until power was steady, or waiting was given up; absent before
	Dropped   int                // power samples before that
	LeftOut   int                // minibatches that do not count
	Event     *harness.Event     // the latest minibatch; nil before
	Pair      *PairProgress      // of two jobs, once per sampling interval; otherwise nil
	Row       *record.Row        // once a mode has finished
	// For the campaign; zero when a single mode is measured.
	Done, Total  int           // Total 0: not known
	ETALo, ETAHi time.Duration // range of the remaining time; 0 while unknown
	Line         string        // a message for the user
}

// Collected describes how much of the current mode has been measured: minibatches out of the target, or, once these are
// complete, the elapsed time and the number of power readings. With brief the text is short.
func (p Progress) Collected(brief bool) string {
	switch {
	case p.Minibatch <= p.Of && brief:
		return fmt.Sprintf("%d/%d", p.Minibatch, p.Of)
	case p.Minibatch <= p.Of:
		return fmt.Sprintf("%d of %d minibatches", p.Minibatch, p.Of)
	case brief:
		return fmt.Sprintf("%.0f s", p.Span.Seconds())
	}
	return fmt.Sprintf("%.0f s, %s", p.Span.Seconds(), text.Count(p.Samples, "power sample"))
}

// maxEmptyRuns is how many consecutive jobs without a minibatch end the campaign: the command does not work.
const maxEmptyRuns = 3

// Measure applies a mode, waits until power is steady, and measures. When the mode failed, the row holds the reason.
// The error is for conditions that end a campaign: ctx done, no permission, a job that cannot be started, a record that
// cannot be written.
func (b *Bench) Measure(ctx context.Context, step Step) (record.Row, error) {
	row, err := b.measure(ctx, step)
	if err == nil {
		b.notify(Progress{Phase: Finished, Step: step, Minibatch: row.Minibatches, Row: &row})
	}
	return row, err
}

// measure measures a step, and repeats it once when its clocks differ from their settings.
func (b *Bench) measure(ctx context.Context, step Step) (record.Row, error) {
	row, err := b.once(ctx, step)
	if err != nil || row.Status != record.Misset {
		return row, err
	}
	b.notify(Progress{Step: step, Line: fmt.Sprintf("%s: %s; measured once more", step.Mode, row.Why)})
	if row, err = b.once(ctx, step); err == nil && row.Status == record.Misset {
		row.Why += " (2 tries)"
	}
	return row, err
}

func (b *Bench) once(ctx context.Context, step Step) (record.Row, error) {
	m := newMeasurement(b, step)
	fault, err := m.run(ctx)
	if err != nil {
		return record.Row{}, err
	}
	row := m.row(fault)
	b.rows++
	if row.Status.Usable() && !step.AsFound {
		b.Known = append(b.Known, row.Measured)
	}
	return row, nil
}

// fault is why a mode has no usable result.
type fault struct {
	status record.Status
	why    string
	over   *overLimit // why the mode was ended early; otherwise nil
}

func failed(format string, args ...any) *fault {
	return &fault{status: record.Failed, why: fmt.Sprintf(format, args...)}
}

func (b *Bench) notify(p Progress) {
	if b.Observe != nil {
		b.Observe(p)
	}
}

// apply sets the mode and checks the values read back.
func (b *Bench) apply(ctx context.Context, step Step, set record.Settings) (tegra.Applied, *fault, error) {
	if step.AsFound {
		return b.inForce(step.Mode)
	}
	r := request(set, step.Mode)
	r.Governors = b.Governors
	applied, err := b.Applier.Apply(ctx, r)
	switch {
	case ctx.Err() != nil:
		return applied, nil, ctx.Err()
	case errors.Is(err, tegra.ErrPermission) || errors.Is(err, tegra.ErrGone):
		return applied, nil, err
	case err != nil:
		return applied, &fault{status: record.Rejected, why: raiseHint(step, err.Error())}, nil
	case !applied.OK():
		why := applied.Mismatch()
		if _, err := b.Applier.Revert(ctx); err != nil {
			return applied, nil, fmt.Errorf("mode %s was not taken (%w), and the mode before could not be restored: %w",
				step.Mode, why, err)
		}
		return applied, &fault{status: record.Rejected, why: raiseHint(step, why.Error())}, nil
	}
	b.confirm(step, applied, set)
	return applied, nil, nil
}

// inForce checks that the board is in a mode, if there is one.
func (b *Bench) inForce(m tegra.Mode) (a tegra.Applied, _ *fault, err error) {
	if m == (tegra.Mode{}) {
		return a, nil, nil
	}
	now, err := b.Device.Read()
	if a.Asked, a.Actual = m, now.Mode; err == nil && now.Mode != tegra.Some(m) {
		return a, &fault{status: record.Rejected, why: "the board has left the mode"}, nil
	}
	return a, nil, err
}

// confirm reports once the values read back of fan and clocks.
func (b *Bench) confirm(step Step, a tegra.Applied, set record.Settings) {
	if b.confirmed {
		return
	}
	b.confirmed = true
	fan, clocks := "no fan that can be set", "clocks locked (DVFS off)"
	for _, f := range a.Files {
		if f.Knob == tegra.FanKnob {
			fan = "fan at maximum"
		}
	}
	if set.KeepFan {
		fan = "fan left unchanged"
	}
	if set.DVFS {
		clocks = "clocks free below the mode's (DVFS on)"
	}
	b.notify(Progress{Step: step, Line: fmt.Sprintf("confirmed by reading back %s: %s, %s",
		text.Count(len(a.Files), "file"), fan, clocks)})
}

// raiseHint adds a hint for boards that reject rising clocks (docs/boards.md).
func raiseHint(step Step, why string) string {
	if step.Raise {
		return why + "; the clocks rise here, which some boards take only after a reboot"
	}
	return why
}

// start starts the job at a batch size unless it is already running.
func (b *Bench) start(ctx context.Context, batch int) error {
	if b.job != nil {
		return nil
	}
	job, err := b.NewHarness(ctx, batch)
	if err != nil {
		return err
	}
	b.job, b.batch, b.warm, b.jobNote, b.lastEvents = job, batch, false, "", map[harness.Kind]harness.Event{}
	b.notedReady = false
	return nil
}

// expect tells the job the longest time that a minibatch can take in a setting, estimated from those measured before.
func (b *Bench) expect(s tegra.Setting) {
	job, ok := b.job.(harness.Expecting)
	if !ok {
		return
	}
	least := math.Inf(1)
	for _, k := range b.Known {
		least = min(least, k.TimeMS*b.slowdown(k.Setting, s))
	}
	if math.IsInf(least, 1) {
		least = 0
	}
	job.Expect(time.Duration(least * float64(time.Millisecond)))
}

// slowdown returns an upper bound of how many times longer a minibatch takes in setting to than in from: each of its
// parts waits for one of the clocks, and loader processes share the cores.
func (b *Bench) slowdown(from, to tegra.Setting) float64 {
	ratio := func(a, b float64) float64 { return max(1, a/b) }
	samples := func(s tegra.Setting) float64 { return float64(b.Workload.AtBatch(s.Batch).Batch) }
	a, z := from.Mode, to.Mode
	cpu := ratio(float64(a.CPU), float64(z.CPU)) * ratio(float64(a.Cores), float64(z.Cores))
	return max(cpu, ratio(float64(a.GPU), float64(z.GPU)), ratio(float64(a.EMC), float64(z.EMC))) *
		ratio(samples(to), samples(from))
}

// ErrFixedBatch: the job uses a batch size of its own and ignores JTUNE_BATCH.
var ErrFixedBatch = errors.New("its command has a fixed batch size: let it read $JTUNE_BATCH")

// checkBatchSize returns an error when a job reports a batch size other than the one it was started with.
func (b *Bench) checkBatchSize(info map[string]string) error {
	if said := info["batch_size"]; b.batch > 0 && said != "" && said != strconv.Itoa(b.batch) {
		return fmt.Errorf(
			"workload %s: %w: it reports batch size %s where %d was requested",
			b.Workload.Name,
			ErrFixedBatch,
			said,
			b.batch,
		)
	}
	return nil
}

// settingsNote compares the settings that the job reports with those of the workload.
func (b *Bench) settingsNote(info map[string]string, w workload.Workload) (note string) {
	for _, c := range []struct {
		key, name string
		set       int
	}{{"batch_size", "batch size", w.Batch}, {"num_workers", "workers", w.Workers}} {
		if said := info[c.key]; said != "" && said != strconv.Itoa(c.set) {
			return fmt.Sprintf("note: the job says %s %s, workload %s has %d", c.name, said, w.Name, c.set)
		}
	}
	return ""
}

// lost discards a job that ended with err. The returned error is for a command that never works.
func (b *Bench) lost(ctx context.Context, err error) (*fault, error) {
	if b.warm {
		b.consecutiveEmptyRuns = 0
	} else {
		b.consecutiveEmptyRuns++
	}
	stopErr := b.stop(ctx)
	if stopErr != nil { // another job must not run beside it
		return nil, errors.Join(err, stopErr)
	}
	if !b.warm && errors.Is(err, harness.ErrNotUnderstood) { // it would print the same lines in every mode
		return nil, err
	}
	if errors.Is(err, io.EOF) && !errors.Is(err, harness.ErrOver) {
		err = fmt.Errorf(
			"workload %s ended before the mode was measured: "+
				"let it run longer, or until it is stopped (JTUNE_EPOCHS=0)",
			b.Workload.Name,
		)
	}
	if b.consecutiveEmptyRuns >= maxEmptyRuns {
		return nil, fmt.Errorf(
			"workload %s%s ended %d times without a minibatch: %w",
			b.Workload.Name,
			text.IfAny(" at batch size %d", b.batch),
			b.consecutiveEmptyRuns,
			err,
		)
	}
	return failed("%v", err), nil
}

func (b *Bench) stop(ctx context.Context) error {
	if b.job == nil {
		return nil
	}
	job := b.job
	b.job = nil
	return job.Stop(ctx)
}

// Close stops the harness. It does not restore the device.
func (b *Bench) Close() error { return b.stop(context.Background()) }
