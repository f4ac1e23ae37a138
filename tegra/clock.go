package tegra

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// Clock is a device's clock: the machine's monotonic clock for a real board, a clock that may run fast for a virtual
// one. All waits and sample timestamps use it.
type Clock interface {
	// Now returns the time since the clock started. It never decreases.
	Now() time.Duration
	// Wall returns the calendar time for records.
	Wall() time.Time
	// Asleep returns for how long the device was suspended since it started: its clock does not count that time,
	// whatever the time of day does.
	Asleep() time.Duration
	// Sleep waits for d on this clock, or until ctx ends.
	Sleep(ctx context.Context, d time.Duration) error
	// Every calls f at intervals of d on this clock until stop is called. Calls never overlap; a late call is skipped.
	// A virtual clock at full speed makes the calls inside Sleep, at their exact times. stop waits for a call in
	// progress; f must not call it.
	Every(d time.Duration, f func(now time.Duration)) (stop func())
	// EveryNext is Every with intervals that may differ: next returns each of them, above zero.
	EveryNext(next func() time.Duration, f func(now time.Duration)) (stop func())
}

// RealClock is the machine's own monotonic clock.
func RealClock() Clock { return realClock{start: time.Now()} }

type realClock struct{ start time.Time }

func (c realClock) Now() time.Duration { return time.Since(c.start) }
func (c realClock) Wall() time.Time    { return time.Now().Round(0) }

// Asleep is the difference of CLOCK_BOOTTIME and CLOCK_MONOTONIC (clock_gettime(2)).
func (c realClock) Asleep() time.Duration {
	var boot, awake unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &awake) != nil || unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil {
		return 0
	}
	return time.Duration(boot.Nano() - awake.Nano())
}

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
	return c.EveryNext(func() time.Duration { return d }, f)
}

func (c realClock) EveryNext(next func() time.Duration, f func(time.Duration)) func() {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		due := c.Now() + next()
		wake := time.NewTimer(due - c.Now())
		defer wake.Stop()
		for {
			select {
			case <-wake.C:
				f(c.Now())
			case <-quit:
				return
			}
			for now := c.Now(); due <= now; {
				due += next()
			}
			wake.Reset(due - c.Now())
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}
