package session

import (
	"jtune/optimize"
	"jtune/profiles"
)

// Event is news of a running job. Exactly one of Progress, Probe and Note
// leads; Front comes with a Probe.
type Event struct {
	Progress *profiles.Progress // every phase, minibatch and finished row of the bench
	Probe    *optimize.Probe    // tune: a mode was measured
	Front    []optimize.Point   // tune: the front the model believes in now, power ascending
	Note     string             // one line for the log
}

// observer is called from the job's goroutine and must not block.
type observer func(Event)

func (f observer) note(text string) {
	if f != nil && text != "" {
		f(Event{Note: text})
	}
}

func (f observer) progress(p profiles.Progress) {
	if f != nil {
		f(Event{Progress: &p})
	}
}
