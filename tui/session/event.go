package session

import (
	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tegra"
)

// Event is progress of a running task. Exactly one of Progress, Step, Probe, Halving, Coming,
// Character, Stage, Pair and Note is set; Minibatch may come with a Progress, Best with a Probe or a
// finished row.
type Event struct {
	Progress *profiles.Progress // every phase, minibatch and finished row of the bench
	// Minibatch is what the harness reported; it comes with the Progress of a Run.
	Minibatch *harness.Event
	Step      *optimize.Step    // tune: a mode is about to be measured, and why
	Probe     *optimize.Probe   // tune: a mode was measured
	Best      *BestSoFar        // of a search
	Halving   *optimize.Halving // of a binary search: which half of which knob was dropped
	Coming    []tegra.Setting   // the settings of a plan that is fixed, in their order
	// Character is what a Run is like so far, with each reading of the device.
	Character *record.Character
	Advice    []string // what Character and the model of the workload say in words
	Stage     *PairStage
	Pair      *PairProbe // a pair was measured
	Note      string     // one line for the log
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

func (f observer) halved(h optimize.Halving) { f.send(Event{Halving: &h}) }

func (f observer) step(s optimize.Step) { f.send(Event{Step: &s}) }
