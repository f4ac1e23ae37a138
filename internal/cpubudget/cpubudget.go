// Package cpubudget bounds how many threads of this process run Go code at a
// time (GOMAXPROCS). The program that owns the process makes the one Budget;
// libraries only ask it for all cores while they compute.
//
// A reading, a minibatch and a frame are chains of goroutines that wake each
// other. With one thread they take turns on it; with more, each link of the
// chain wakes another core of the machine that is being measured.
package cpubudget

import (
	"runtime"
	"sync"
)

// Budget is one thread, and while something is computed one for every core and one more, so that a key does not wait
// for a computation. A nil Budget changes nothing.
type Budget struct {
	mu        sync.Mutex
	cores     int // GOMAXPROCS as New found it
	computing int // calls of Compute whose rest has not been called
	ended     bool
}

// New limits GOMAXPROCS to 1. Call it once, from main.
func New() *Budget { return &Budget{cores: runtime.GOMAXPROCS(1)} }

// End restores what New found, for good: something may still be computed.
func (b *Budget) End() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	runtime.GOMAXPROCS(b.cores)
}

// Compute lets all cores work until rest is called.
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
