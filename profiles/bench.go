package profiles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/telemetry"
)

// Bench measures single modes with one workload. The harness keeps running
// from mode to mode and is started again when it ended or died, or when another
// minibatch size is asked for.
type Bench struct {
	Device  tegra.Device
	Applier tegra.Applier
	Sampler *telemetry.Sampler // reads Device
	Clock   tegra.Clock
	// NewHarness starts the job with minibatches of so many samples; 0 means the
	// workload's own size.
	NewHarness func(ctx context.Context, batch int) (harness.Harness, error)
	Workload   Workload
	Settings   Settings
	Observe    func(Progress) // called on the measuring goroutine; may be nil
	Raw        RawLog         // gets every sample and minibatch; may be nil
	System     System         // what the device's readings do not tell

	job    harness.Harness                // nil: not running
	batch  int                            // that it was started with
	warm   bool                           // the job has trained a minibatch
	barren int                            // jobs in a row that ended without one
	doubt  string                         // about the running job: a note for its rows
	told   map[harness.Kind]harness.Event // by the running job: the newest hello and cache
}

// RawLog takes what rows are made of.
type RawLog interface {
	Knobs(s Step, a tegra.Applied) error // what was asked for and read back when the mode was set
	Minibatch(s Step, e harness.Event, clean bool) error
	Sample(s Step, t time.Duration, powerW tegra.Val[float64], valid bool, why string) error
}

// Phase is what the bench is doing.
type Phase int

// Phases of one mode, and of a campaign between modes.
const (
	Applying Phase = iota
	Settling
	WarmingUp
	Measuring
	Restoring
	Finished
)

func (p Phase) String() string {
	return [...]string{"applying", "settling", "warm-up", "measuring", "restoring", "finished"}[p]
}

// Progress is where measuring stands.
type Progress struct {
	Phase     Phase
	Step      Step
	Minibatch int // clean ones so far
	Of        int
	TimeMS    float64 // of the latest minibatch; 0 before
	PowerW    tegra.Val[float64]
	SpreadPct tegra.Val[float64] // range of the latest power samples, of their mean
	Row       *Row               // when a mode has finished
	// Of the campaign; zero when a single mode is measured.
	Done, Total  int // Total 0: not known
	Elapsed      time.Duration
	ETALo, ETAHi time.Duration // time left, between these; 0 while not known
	Line         string        // something to tell, in words
}

// maxBarren is how many jobs in a row may end without one minibatch before
// measuring is given up: the command does not work.
const maxBarren = 3

// Measure applies a mode, waits until power is steady, and measures. The row
// holds the reason when the mode failed; the error is for what ends a
// campaign: ctx done, no permission, a job that cannot be started, a record
// that cannot be written.
func (b *Bench) Measure(ctx context.Context, step Step) (Row, error) {
	row, err := b.measure(ctx, step)
	if err == nil {
		b.tell(Progress{Phase: Finished, Step: step, Minibatch: row.Minibatches, Row: &row})
	}
	return row, err
}

func (b *Bench) measure(ctx context.Context, step Step) (Row, error) {
	m := newMeasurement(b, step)
	fault, err := m.run(ctx)
	if err != nil {
		return Row{}, err
	}
	return m.row(fault), nil
}

// fault is why a mode has no usable result.
type fault struct {
	status Status
	why    string
}

func failed(format string, args ...any) *fault { return &fault{Failed, fmt.Sprintf(format, args...)} }

func (b *Bench) tell(p Progress) {
	if b.Observe != nil {
		b.Observe(p)
	}
}

// apply sets the mode and checks what was read back.
func (b *Bench) apply(ctx context.Context, step Step, set Settings) (tegra.Applied, *fault, error) {
	applied, err := b.Applier.Apply(ctx, set.request(step.Mode))
	switch {
	case ctx.Err() != nil:
		return applied, nil, ctx.Err()
	case errors.Is(err, tegra.ErrPermission) || errors.Is(err, tegra.ErrGone):
		return applied, nil, err
	case err != nil:
		return applied, &fault{Rejected, raiseHint(step, err.Error())}, nil
	case !applied.OK():
		why := differences(applied)
		if _, err := b.Applier.Revert(ctx); err != nil {
			return applied, nil, fmt.Errorf("mode %s was not taken (%s), nor the one before put back: %w", step.Mode, why, err)
		}
		return applied, &fault{Rejected, raiseHint(step, why)}, nil
	}
	return applied, nil, nil
}

func differences(a tegra.Applied) string {
	for _, f := range a.Files {
		if f.Asked != f.Actual {
			return fmt.Sprintf("%s: asked %s, read back %s (%s)", f.Knob, f.Asked, f.Actual, f.Path)
		}
	}
	return ""
}

// raiseHint adds what is known of boards that take no raised clock (method
// note d.2).
func raiseHint(step Step, why string) string {
	if step.Raise {
		return why + "; the clocks rise here, which some boards take only after a reboot"
	}
	return why
}

// start makes sure that a job runs at a minibatch size.
func (b *Bench) start(ctx context.Context, batch int) error {
	if b.job != nil {
		return nil
	}
	job, err := b.NewHarness(ctx, batch)
	if err != nil {
		return err
	}
	b.job, b.batch, b.warm, b.doubt, b.told = job, batch, false, "", map[harness.Kind]harness.Event{}
	return nil
}

// ErrDictated: the job trains with a minibatch size of its own, whatever it is
// asked for.
var ErrDictated = errors.New("its job does not take the minibatch size from JTUNE_BATCH")

// heeds tells why a job cannot be measured at the size that it was started with:
// it says that it trains at another.
func (b *Bench) heeds(info map[string]string) error {
	if said := info["batch_size"]; b.batch > 0 && said != "" && said != strconv.Itoa(b.batch) {
		return fmt.Errorf("workload %s: %w: it says minibatches of %s where %d was asked for", b.Workload.Name, ErrDictated, said, b.batch)
	}
	return nil
}

// at is the workload with the minibatch size of a step.
func (w Workload) at(s Step) Workload {
	if s.Batch > 0 {
		w.Batch = s.Batch
	}
	return w
}

// hello compares what the job says of itself with the workload.
func (b *Bench) hello(info map[string]string, w Workload) (note string) {
	for _, c := range []struct {
		key, name string
		set       int
	}{{"batch_size", "minibatch size", w.Batch}, {"num_workers", "workers", w.Workers}} {
		if said := info[c.key]; said != "" && said != strconv.Itoa(c.set) {
			return fmt.Sprintf("note: the job says %s %s, workload %s has %d", c.name, said, w.Name, c.set)
		}
	}
	return ""
}

// lost puts away a job that ended with err. The error result is for a command
// that never works.
func (b *Bench) lost(ctx context.Context, err error) (*fault, error) {
	if b.warm {
		b.barren = 0
	} else {
		b.barren++
	}
	stopErr := b.stop(ctx)
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("workload %s ends by itself: it must train until it is stopped (JTUNE_EPOCHS=0)", b.Workload.Name)
	}
	if b.barren >= maxBarren {
		with := ""
		if b.batch > 0 {
			with = fmt.Sprintf(" with minibatches of %d", b.batch)
		}
		return nil, fmt.Errorf("workload %s%s ended %d times without a minibatch: %w", b.Workload.Name, with, b.barren, errors.Join(err, stopErr))
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
