package tegra

import (
	"context"
	"time"
)

// Clock is the time a device lives in: the machine's monotonic clock for a
// real board, a clock that may run fast for a virtual one. Everything that
// waits or stamps a sample does it by the device's clock.
type Clock interface {
	// Now is the time since the clock began. It never goes back.
	Now() time.Duration
	// Wall is the calendar time to print with a record.
	Wall() time.Time
	// Sleep waits for d of this clock's time, or until ctx ends.
	Sleep(ctx context.Context, d time.Duration) error
	// Every calls f each d of this clock's time until stop is called; calls
	// never overlap, a late one is skipped. A virtual clock at full speed
	// makes them from inside Sleep, at their exact times. stop waits for a
	// call in progress and must not be called from within f.
	Every(d time.Duration, f func(now time.Duration)) (stop func())
}

// RealClock is the machine's own monotonic clock.
func RealClock() Clock { return realClock{start: time.Now()} }

type realClock struct{ start time.Time }

func (c realClock) Now() time.Duration { return time.Since(c.start) }
func (c realClock) Wall() time.Time    { return time.Now() }

func (c realClock) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c realClock) Every(d time.Duration, f func(time.Duration)) func() {
	quit, done := make(chan struct{}), make(chan struct{})
	tick := time.NewTicker(d)
	go func() {
		defer close(done)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				f(c.Now())
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}
