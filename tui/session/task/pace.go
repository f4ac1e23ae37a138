package task

import (
	"jtune/internal/cpubudget"
	"jtune/profiles"
	"jtune/tui/session/measure"
)

// Pace applies the CPU budget to one job, whose goroutine uses it: all cores between two modes, when the last
// measurement is evaluated and the next mode chosen, and one thread while a mode is measured.
type Pace struct {
	Budget *cpubudget.Budget // nil: this process must not be limited
	rest   func()            // nil while it measures
}

// Compute sets whether the job is computing.
func (p *Pace) Compute(now bool) {
	switch {
	case now && p.rest == nil:
		p.rest = p.Budget.Compute()
	case !now && p.rest != nil:
		p.rest()
		p.rest = nil
	}
}

// Observe derives the phases of the job from its events.
func (p *Pace) Observe(e measure.Event) {
	if e, ok := e.(measure.ProgressEvent); ok {
		p.Compute(e.Progress.Phase == profiles.Finished || e.Progress.Phase == profiles.Restoring)
	}
}
