// Package cpubudget limits how many threads of this process run Go code at a time (GOMAXPROCS). The program that owns
// the process creates the only Budget; libraries only request all cores while they compute.
//
// A reading, a minibatch and a frame are chains of goroutines that wake each other. With one thread they take turns on
// it; with more, each step wakes another core of the machine that is being measured.
package cpubudget

import (
	"runtime"
	"sync"
)

// Budget allows one thread, and during computations one for every core plus one, so that a key does not wait for a
// computation. A nil Budget does nothing.
type Budget struct {
	mu        sync.Mutex
	cores     int // GOMAXPROCS before New
	computing int // calls of Compute that have not rested
	ended     bool
}

// New limits GOMAXPROCS to 1. Call it once, from main.
func New() *Budget { return &Budget{cores: runtime.GOMAXPROCS(1)} }

// End restores GOMAXPROCS for good, even while something is computed.
func (b *Budget) End() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	runtime.GOMAXPROCS(b.cores)
}

// Compute allows all cores until rest is called.
func (b *Budget) Compute() (rest func()) {
	b.change(1)
	return sync.OnceFunc(func() { b.change(-1) })
}

func (b *Budget) change(by int) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.computing > 0
	b.computing += by
	switch now := b.computing > 0; {
	case b.ended || now == before:
	case now:
		runtime.GOMAXPROCS(b.cores + 1)
	default:
		runtime.GOMAXPROCS(1)
	}
}
