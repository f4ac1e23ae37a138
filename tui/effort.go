package tui

import (
	"runtime"
	"sync"

	tea "charm.land/bubbletea/v2"
)

// effort is how many goroutines may run at a time (GOMAXPROCS). A reading, a
// minibatch and a frame are a chain of goroutines that wake each other: alone
// they take turns on one thread, where with more each link wakes another core
// of the machine that is being measured. While something is computed it is one
// for every core, and one more, so that a key does not wait for a computation.
type effort struct {
	mu    sync.Mutex
	cores int
	tasks int // being computed
}

// newEffort begins with one; end gives back what was found.
func newEffort() *effort { return &effort{cores: runtime.GOMAXPROCS(1)} }

func (e *effort) end() { runtime.GOMAXPROCS(e.cores) }

// compute lets all cores work until rest is called. A nil effort leaves them as
// they are.
func (e *effort) compute() (rest func()) {
	e.change(1)
	return sync.OnceFunc(func() { e.change(-1) })
}

func (e *effort) change(by int) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	before := e.tasks > 0
	e.tasks += by
	switch now := e.tasks > 0; {
	case now && !before:
		runtime.GOMAXPROCS(e.cores + 1)
	case !now && before:
		runtime.GOMAXPROCS(1)
	}
}

// computed is a command that computes.
func (sh *shared) computed(work func() tea.Msg) tea.Cmd {
	return func() tea.Msg {
		defer sh.effort.compute()()
		return work()
	}
}
