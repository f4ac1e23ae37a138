package virtual

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"jtune/internal/must"
)

func TestFullSpeedCallsAreExactAndInOrder(t *testing.T) {
	c := newClock(math.Inf(1))
	var got []string
	note := func(name string) func(time.Duration) {
		return func(now time.Duration) {
			if c.Now() != now {
				t.Errorf("%s called with %v while the clock says %v", name, now, c.Now())
			}
			got = append(got, fmt.Sprint(name, " ", now))
		}
	}
	stopA := c.Every(2*time.Second, note("a"))
	stopB := c.Every(3*time.Second, note("b"))
	began := time.Now()
	c.Sleep(context.Background(), 6500*time.Millisecond)
	stopA()
	c.Sleep(context.Background(), 3*time.Second)
	stopB()
	c.Sleep(context.Background(), time.Hour)
	want := []string{"a 2s", "b 3s", "a 4s", "a 6s", "b 6s", "b 9s"}
	if !slices.Equal(got, want) {
		t.Errorf("calls %v, want %v", got, want)
	}
	if got, want := c.Now(), time.Hour+9500*time.Millisecond; got != want {
		t.Errorf("clock says %v, want %v", got, want)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("full speed took %v", took)
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	for _, speed := range []float64{1, 1e6, math.Inf(1)} {
		c := newClock(speed)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := c.Sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("speed %g: %v, want canceled", speed, err)
		}
		ctx, cancel = context.WithCancel(context.Background())
		stop := c.Every(time.Millisecond, func(time.Duration) { cancel() })
		if err := c.Sleep(ctx, 1000*time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("speed %g: %v when a call cancels, want canceled", speed, err)
		}
		stop()
	}
}

func TestSlowCallSkipsWhatIsLate(t *testing.T) {
	c := newClock(math.Inf(1))
	var at []time.Duration
	stop := c.Every(time.Second, func(now time.Duration) {
		at = append(at, now)
		if len(at) == 1 {
			c.Sleep(context.Background(), 2500*time.Millisecond) // the call itself takes time
		}
	})
	c.Sleep(context.Background(), 5*time.Second)
	stop()
	want := []time.Duration{time.Second, 3500 * time.Millisecond, 4 * time.Second, 5 * time.Second}
	if !slices.Equal(at, want) {
		t.Errorf("calls at %v, want %v", at, want)
	}
}

func TestFiniteSpeedScalesTime(t *testing.T) {
	c := newClock(1e5)
	var calls atomic.Int64
	stop := c.Every(time.Minute, func(time.Duration) { calls.Add(1) })
	before := c.Now()
	must.NoError(t, c.Sleep(context.Background(), time.Hour))
	if slept := c.Now() - before; slept < time.Hour {
		t.Errorf("slept %v of an hour", slept)
	}
	stop()
	if n := calls.Load(); n < 1 || n > int64(c.Now()/time.Minute) {
		t.Errorf("%d calls in %v", n, c.Now())
	}
	if d := c.Wall().Sub(c.start); d < time.Hour {
		t.Errorf("calendar moved %v, want an hour at least", d)
	}
}

func TestChangingTheSpeedWakesSleepers(t *testing.T) {
	c, done := newClock(1e-6), make(chan error)
	go func() { done <- c.Sleep(context.Background(), time.Hour) }()
	var calls atomic.Int64
	defer c.Every(time.Minute, func(time.Duration) { calls.Add(1) })()
	c.SetSpeed(math.Inf(1))
	must.NoError(t, <-done)
	if c.Speed() != math.Inf(1) || c.Now() < time.Hour {
		t.Errorf("speed %v, clock %v", c.Speed(), c.Now())
	}
	was := c.Now()
	c.SetSpeed(1)
	if now := c.Now(); now < was {
		t.Errorf("the clock went back from %v to %v", was, now)
	}
	for _, wrong := range []float64{0, -3, math.NaN()} {
		if c.SetSpeed(wrong); c.Speed() != 1 {
			t.Errorf("SetSpeed(%g) gives %g, want 1", wrong, c.Speed())
		}
	}
}

func TestStopWaitsForTheCallInProgress(t *testing.T) {
	for _, speed := range []float64{1e4, math.Inf(1)} {
		c := newClock(speed)
		entered, leave := make(chan bool, 1), make(chan bool)
		var after atomic.Bool
		stop := c.Every(time.Second, func(time.Duration) {
			select {
			case entered <- true:
			default: // on a busy machine many calls may come before stop does
			}
			<-leave
			after.Store(true)
		})
		go c.Sleep(context.Background(), 1500*time.Millisecond)
		<-entered
		stopped := make(chan bool)
		go func() { stop(); close(stopped) }()
		close(leave) // permanently: another call may start before stop does
		<-stopped
		if !after.Load() {
			t.Errorf("speed %g: stop came back before the call did", speed)
		}
		stop() // a second time is harmless
	}
}

func TestClockOfManyDriversIsSafe(t *testing.T) {
	c := newClock(math.Inf(1))
	var busy atomic.Int32
	defer c.Every(100*time.Millisecond, func(time.Duration) {
		if busy.Add(1) > 1 {
			t.Error("calls overlap")
		}
		busy.Add(-1)
	})()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				before := c.Now()
				c.Sleep(context.Background(), 70*time.Millisecond)
				if c.Now()-before < 70*time.Millisecond {
					t.Error("slept too short")
				}
				defer c.Every(time.Second, func(time.Duration) {})()
			}
		})
	}
	group.Wait()
}
