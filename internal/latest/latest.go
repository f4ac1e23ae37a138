// Package latest carries a stream from its producer to a goroutine that reads it
// occasionally. Events between two reads are folded into one value: memory is
// bounded and the producer never waits.
//
//	Put(fold), Put(fold), … ──► one value ──► Next ──► the screen
package latest

import (
	"context"
	"sync"
	"time"
)

// Value holds what its reader has not taken yet. Create one with New.
type Value[T any] struct {
	mu      sync.Mutex
	pending T
	fresh   bool // pending is not empty
	closed  bool
	taken   time.Time     // when pending was last taken
	wake    chan struct{} // holds a token if Next should check again
	end     chan struct{} // closed with the stream: the rest need not wait
}

// New returns an empty Value.
func New[T any]() *Value[T] {
	return &Value[T]{wake: make(chan struct{}, 1), end: make(chan struct{})}
}

// Put folds an event into the pending value.
func (v *Value[T]) Put(fold func(pending *T)) {
	v.mu.Lock()
	fold(&v.pending)
	v.fresh = true
	v.mu.Unlock()
	v.signal()
}

// Close ends the stream; the pending value can still be taken.
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

// Take returns the pending value, or the zero value.
func (v *Value[T]) Take() T {
	v.mu.Lock()
	defer v.mu.Unlock()
	pending := v.pending
	var zero T
	v.pending, v.fresh, v.taken = zero, false, time.Now()
	return pending
}

// Next waits for a new value and takes it, at the earliest every after the last one; ok is false once the stream or ctx
// has ended.
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

// pause waits d so that events can accumulate, or until the stream or ctx ends.
func (v *Value[T]) pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-v.end:
	case <-ctx.Done():
	}
}
