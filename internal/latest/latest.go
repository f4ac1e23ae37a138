// Package latest carries a stream from the goroutine that makes it to one that
// looks at it now and then. What comes between two looks is folded into one
// value: memory is bounded and the producer never waits.
//
//	Put(fold), Put(fold), … ──► one value ──► Next ──► the screen
package latest

import (
	"context"
	"sync"
	"time"
)

// Value holds what its reader has not seen yet. Make one with New.
type Value[T any] struct {
	mu      sync.Mutex
	pending T
	fresh   bool // pending holds something
	closed  bool
	taken   time.Time     // when pending was last taken
	wake    chan struct{} // holds a token when Next should look again
	end     chan struct{} // closed with the stream: what is left need not wait
}

// New returns an empty Value.
func New[T any]() *Value[T] {
	return &Value[T]{wake: make(chan struct{}, 1), end: make(chan struct{})}
}

// Put folds something new into what has not been taken yet.
func (v *Value[T]) Put(fold func(pending *T)) {
	v.mu.Lock()
	fold(&v.pending)
	v.fresh = true
	v.mu.Unlock()
	v.signal()
}

// Close ends the stream after what is in it.
func (v *Value[T]) Close() {
	v.mu.Lock()
	if !v.closed {
		v.closed = true
		close(v.end)
	}
	v.mu.Unlock()
	v.signal()
}

func (v *Value[T]) signal() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

func (v *Value[T]) state() (fresh, closed bool, taken time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.fresh, v.closed, v.taken
}

// Take returns what is there now, the zero value when nothing is.
func (v *Value[T]) Take() T {
	v.mu.Lock()
	defer v.mu.Unlock()
	pending := v.pending
	var zero T
	v.pending, v.fresh, v.taken = zero, false, time.Now()
	return pending
}

// Next waits for something new and takes it, not sooner than every after the
// last time; ok is false when the stream or ctx has ended.
func (v *Value[T]) Next(ctx context.Context, every time.Duration) (pending T, ok bool) {
	for ctx.Err() == nil {
		fresh, closed, taken := v.state()
		early := every - time.Since(taken)
		switch {
		case fresh && (closed || early <= 0):
			return v.Take(), true
		case fresh:
			v.pause(ctx, early)
		case closed:
			return pending, false
		default:
			select {
			case <-v.wake:
			case <-ctx.Done():
			}
		}
	}
	return pending, false
}

// pause lets values gather until it is time, or nothing more can come.
func (v *Value[T]) pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-v.end:
	case <-ctx.Done():
	}
}
