package session

import (
	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/harness"
)

// Event is news of a running job. Exactly one of Progress, Probe, Character
// and Note is set; Minibatch may come with a Progress, Surrogate with a Probe.
type Event struct {
	Progress *profiles.Progress // every phase, minibatch and finished row of the bench
	// Minibatch is what the harness told; it comes with the Progress of a Run.
	Minibatch *harness.Event
	Probe     *optimize.Probe // tune: a mode was measured
	// Surrogate is the model that knows the probe; nil while there is none. It
	// may be asked from any goroutine.
	Surrogate *learn.Surrogate
	// Character is what a Run is like so far, with each reading of the device.
	Character *profiles.Character
	Note      string // one line for the log
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

func (f observer) minibatch(e harness.Event, p profiles.Progress) {
	if f != nil {
		f(Event{Progress: &p, Minibatch: &e})
	}
}
