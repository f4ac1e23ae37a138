package session

import (
	"runtime"
	"sync"

	"jtune/profiles"
)

// Effort is how many goroutines of this process may run at a time
// (GOMAXPROCS). A reading, a minibatch and a frame are a chain of goroutines
// that wake each other: alone they take turns on one thread, where with more
// each link wakes another core of the machine that is being measured. While
// something is computed it is one for every core, and one more, so that a key
// does not wait for a computation. A nil Effort leaves everything as it is.
type Effort struct {
	mu    sync.Mutex
	cores int
	tasks int // being computed
	ended bool
}

// NewEffort begins with one. It is for who owns the process.
func NewEffort() *Effort { return &Effort{cores: runtime.GOMAXPROCS(1)} }

// End gives back what NewEffort found, for good: something may still be computed.
func (e *Effort) End() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
	runtime.GOMAXPROCS(e.cores)
}

// Compute lets all cores work until rest is called.
func (e *Effort) Compute() (rest func()) {
	e.change(1)
	return sync.OnceFunc(func() { e.change(-1) })
}

func (e *Effort) change(by int) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	before := e.tasks > 0
	e.tasks += by
	switch now := e.tasks > 0; {
	case e.ended:
	case now && !before:
		runtime.GOMAXPROCS(e.cores + 1)
	case !now && before:
		runtime.GOMAXPROCS(1)
	}
}

// Pace makes the effort for one job, whose goroutine uses it: all cores between
// two modes, when it is worked out what follows from the last one, and no more
// than need be while a mode is measured.
type Pace struct {
	Effort *Effort
	rest   func() // nil while it measures
}

// Compute says whether the job computes now.
func (p *Pace) Compute(now bool) {
	switch {
	case now && p.rest == nil:
		p.rest = p.Effort.Compute()
	case !now && p.rest != nil:
		p.rest()
		p.rest = nil
	}
}

// Observe learns it from the job's events.
func (p *Pace) Observe(e Event) {
	if e.Progress != nil {
		p.Compute(e.Progress.Phase == profiles.Finished || e.Progress.Phase == profiles.Restoring)
	}
}
