package session

import (
	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/record"
)

// Event is progress of a running task. Exactly one of Progress, Probe, Character
// and Note is set; Minibatch may come with a Progress, Surrogate with a Probe.
type Event struct {
	Progress *profiles.Progress // every phase, minibatch and finished row of the bench
	// Minibatch is what the harness reported; it comes with the Progress of a Run.
	Minibatch *harness.Event
	Probe     *optimize.Probe // tune: a mode was measured
	// Surrogate is the model that knows the probe; nil while there is none. It
	// may be used from any goroutine.
	Surrogate *learn.Surrogate
	// Character is what a Run is like so far, with each reading of the device.
	Character *record.Character
	Advice    []string // what Character and the model of the workload say in words
	Note      string   // one line for the log
}

// observer is called from the job's goroutine and must not block.
type observer func(Event)

func (f observer) send(e Event) {
	if f != nil {
		f(e)
	}
}

func (f observer) note(texts ...string) {
	for _, text := range texts {
		if text != "" {
			f.send(Event{Note: text})
		}
	}
}

func (f observer) progress(p profiles.Progress) { f.send(Event{Progress: &p}) }

func (f observer) probe(p optimize.Probe, s *learn.Surrogate) { f.send(Event{Probe: &p, Surrogate: s}) }
