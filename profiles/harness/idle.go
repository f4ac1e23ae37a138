package harness

import (
	"context"
	"io"
	"time"

	"jtune/tegra"
)

// idle is not a job: each of its minibatches is a second in which nothing runs.
type idle struct {
	clock   tegra.Clock
	count   int
	stopped bool
}

// idleStep is one "minibatch" of idling.
const idleStep = time.Second

// Idle returns a harness that does nothing and reports every second as a minibatch, so that a device's base load can be
// measured like a workload.
func Idle(c tegra.Clock) Harness { return &idle{clock: c} }

// Next waits a second of the device's clock.
func (i *idle) Next(ctx context.Context) (Event, error) {
	if i.stopped {
		return Event{}, io.EOF
	}
	if err := i.clock.Sleep(ctx, idleStep); err != nil {
		return Event{}, err
	}
	i.count++
	return Event{
		Kind:   Minibatch,
		T:      i.clock.Now(),
		Batch:  i.count - 1,
		TimeMS: float64(idleStep / time.Millisecond),
	}, nil
}

// Stop stops it.
func (i *idle) Stop(context.Context) error {
	i.stopped = true
	return nil
}
