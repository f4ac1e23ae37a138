package tui

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
)

// frameEvery is the least time between two messages of one stream: the screen
// is drawn ten times a second at most.
const frameEvery = 100 * time.Millisecond

// feed carries a stream from the goroutine that makes it to the screen. What
// comes between two looks is folded into one value; the producer never waits.
type feed[T any] struct {
	mu     sync.Mutex
	news   T
	fresh  bool
	closed bool
	told   time.Time // when the screen last heard
	wake   chan struct{}
	end    chan struct{} // closed with the stream: the last news need not wait
}

func newFeed[T any]() *feed[T] {
	return &feed[T]{wake: make(chan struct{}, 1), end: make(chan struct{})}
}

// put folds something new into what the screen has not seen yet.
func (f *feed[T]) put(fold func(news *T)) {
	f.mu.Lock()
	fold(&f.news)
	f.fresh = true
	f.mu.Unlock()
	f.signal()
}

// close ends the stream after what is in it.
func (f *feed[T]) close() {
	f.mu.Lock()
	if !f.closed {
		f.closed = true
		close(f.end)
	}
	f.mu.Unlock()
	f.signal()
}

func (f *feed[T]) signal() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *feed[T]) state() (fresh, closed bool, told time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fresh, f.closed, f.told
}

func (f *feed[T]) take() T {
	f.mu.Lock()
	defer f.mu.Unlock()
	news := f.news
	var zero T
	f.news, f.fresh, f.told = zero, false, time.Now()
	return news
}

// pause lets news gather until it is time, or nothing more can come.
func (f *feed[T]) pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-f.end:
	case <-ctx.Done():
	}
}

// next waits for news and gives it as one message, not sooner than every after
// somebody took the news before; nil when the stream or ctx has ended. Ask
// again after each.
func (f *feed[T]) next(ctx context.Context, every time.Duration, wrap func(T) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		for {
			fresh, closed, told := f.state()
			early := every - time.Since(told)
			switch {
			case fresh && (closed || early <= 0):
				return wrap(f.take())
			case fresh:
				f.pause(ctx, early)
				if ctx.Err() != nil {
					return nil
				}
				continue
			case closed:
				return nil
			}
			select {
			case <-f.wake:
			case <-ctx.Done():
				return nil
			}
		}
	}
}

func pauseFor(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
