package virtual

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"jtune/tegra"
)

// Clock is a virtual board's clock. At a finite speed it runs at a multiple of the machine's clock. At full speed
// (+Inf) it never waits: Sleep itself advances it, and the calls of Every happen inside Sleep at their exact times, in
// order of time and then of registration; without a sleeper it stands still. With one driver every run is the same;
// several drivers are safe.
type Clock struct {
	mu      sync.Mutex
	start   time.Time     // calendar time at clock time zero
	speed   float64       // +Inf: full speed
	at      time.Duration // clock time at mark
	mark    time.Time     // machine time at the last change; unused at full speed
	changed chan struct{} // closed and replaced when the speed changes
	events  []*event      // active ones, in order of registration
	asleep  time.Duration // total of Suspend
	set     time.Duration // total of Set
}

// event is one registration of Every or EveryNext.
type event struct {
	due        time.Duration
	next       func() time.Duration // returns the interval after due
	call       func(now time.Duration)
	running    bool
	stopped    bool
	quit, idle chan struct{} // closed by stop; closed after the last call
}

var _ tegra.Clock = (*Clock)(nil)

func newClock(speed float64) *Clock {
	now := time.Now()
	c := &Clock{start: now, mark: now, changed: make(chan struct{})}
	c.speed = validSpeed(speed)
	return c
}

// Fastest is the highest finite speed, at which a machine can still follow events once per clock second. Higher finite
// speeds are reduced to it.
const Fastest = 1000

// validSpeed replaces values that are not positive numbers by 1.
func validSpeed(x float64) float64 {
	switch {
	case math.IsNaN(x) || x <= 0:
		return 1
	case !math.IsInf(x, 1):
		return min(x, Fastest)
	}
	return x
}

// now returns the clock time. The caller holds c.mu.
func (c *Clock) now() time.Duration {
	if math.IsInf(c.speed, 1) {
		return c.at
	}
	return c.at + time.Duration(float64(time.Since(c.mark))*c.speed)
}

// Now returns the clock time since the board started.
func (c *Clock) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

// Wall returns the calendar time.
func (c *Clock) Wall() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.start.Add(c.now() + c.asleep + c.set)
}

// Asleep returns the total of Suspend.
func (c *Clock) Asleep() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asleep
}

// Suspend lets d pass as in a suspended board, where no clock runs but the calendar's.
func (c *Clock) Suspend(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asleep += d
}

// Set moves the calendar time by d.
func (c *Clock) Set(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set += d
}

// Speed returns clock seconds per second; +Inf at full speed.
func (c *Clock) Speed() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.speed
}

// SetSpeed changes the speed from now on, also for sleepers.
func (c *Clock) SetSpeed(x float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.mark = c.now(), time.Now()
	c.speed = validSpeed(x)
	close(c.changed)
	c.changed = make(chan struct{})
}

// Sleep waits for d of this clock's time, or until ctx ends. At full speed it advances the clock and makes the due
// calls of Every.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	c.mu.Lock()
	target := c.now() + d
	c.mu.Unlock()
	for {
		arrived, wait, changed := c.approach(target)
		if err := ctx.Err(); arrived || err != nil {
			return err
		}
		if wait == 0 {
			continue // full speed: one call of Every was made
		}
		if err := pause(ctx, wait, changed); err != nil {
			return err
		}
	}
}

// approach takes one step towards target: at full speed to the next due call, or to target; at a finite speed it
// returns how long to wait.
func (c *Clock) approach(target time.Duration) (arrived bool, wait time.Duration, changed chan struct{}) {
	c.mu.Lock()
	if !math.IsInf(c.speed, 1) {
		defer c.mu.Unlock()
		left := target - c.now()
		return left <= 0, c.real(left), c.changed
	}
	e := c.nextDue(target)
	if e == nil {
		c.at = max(c.at, target)
		c.mu.Unlock()
		return true, 0, nil
	}
	c.at = max(c.at, e.due)
	c.run(e)
	return false, 0, nil
}

// real converts clock time to machine time, rounded up. The caller holds c.mu.
func (c *Clock) real(d time.Duration) time.Duration {
	return max(time.Duration(math.Ceil(float64(d)/c.speed)), 1)
}

// nextDue returns the earliest event up to target that is not running.
func (c *Clock) nextDue(target time.Duration) *event {
	var first *event
	for _, e := range c.events {
		if !e.running && e.due <= target && (first == nil || e.due < first.due) {
			first = e
		}
	}
	return first
}

// run makes the due call of e. It is entered with c.mu held and releases it.
func (c *Clock) run(e *event) {
	now := c.now()
	e.running = true
	due := e.due
	c.mu.Unlock()
	for due <= now {
		due += e.next()
	}
	c.mu.Lock()
	e.due = due
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		e.running = false
		if e.stopped {
			close(e.idle)
		}
		c.mu.Unlock()
	}()
	e.call(now)
}

func pause(ctx context.Context, wait time.Duration, changed chan struct{}) error {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
	case <-changed:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// Every calls f at intervals of d of this clock's time until stop is called. Calls never overlap; late ones are
// skipped. f must not call stop.
func (c *Clock) Every(d time.Duration, f func(now time.Duration)) (stop func()) {
	if d <= 0 {
		panic("virtual: non-positive interval for Every")
	}
	return c.EveryNext(func() time.Duration { return d }, f)
}

// EveryNext is Every with the intervals that next returns.
func (c *Clock) EveryNext(next func() time.Duration, f func(now time.Duration)) (stop func()) {
	first := next()
	c.mu.Lock()
	e := &event{due: c.now() + first, next: next, call: f, quit: make(chan struct{}), idle: make(chan struct{})}
	c.events = append(c.events, e)
	c.mu.Unlock()
	go c.tick(e)
	return func() { c.stop(e) }
}

// tick makes e's calls at a finite speed; at full speed Sleep makes them.
func (c *Clock) tick(e *event) {
	for {
		c.mu.Lock()
		if e.stopped {
			c.mu.Unlock()
			return
		}
		changed := c.changed
		var timer <-chan time.Time
		if !math.IsInf(c.speed, 1) {
			left := e.due - c.now()
			if left <= 0 && !e.running {
				c.run(e)
				continue
			}
			t := time.NewTimer(c.real(max(left, time.Microsecond)))
			timer = t.C
		}
		c.mu.Unlock()
		select {
		case <-timer:
		case <-changed:
		case <-e.quit:
			return
		}
	}
}

func (c *Clock) stop(e *event) {
	c.mu.Lock()
	if !e.stopped {
		e.stopped = true
		close(e.quit)
		if !e.running {
			close(e.idle)
		}
		c.events = slices.DeleteFunc(c.events, func(o *event) bool { return o == e })
	}
	c.mu.Unlock()
	<-e.idle
}
