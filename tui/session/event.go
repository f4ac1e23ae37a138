package session

import (
	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tegra"
)

// Event is progress of a running task: one of the types below, of a PairStage and of a PairProbe.
type Event interface{ event() }

// ProgressEvent is a phase, a minibatch or a finished row of the bench.
type ProgressEvent struct {
	Progress  profiles.Progress
	Minibatch *harness.Event // of a Run: what the harness reported
	Best      *BestSoFar     // of a campaign with a limit, after a finished row; nil: not looked for
}

// StepEvent comes before a search measures a mode: which one, and why.
type StepEvent struct{ Step optimize.Step }

// ProbeEvent comes after a search has measured a mode.
type ProbeEvent struct {
	Probe optimize.Probe
	Best  *BestSoFar
}

// HalvingEvent is a step of a binary search: which half of which knob was dropped.
type HalvingEvent struct{ Halving optimize.Halving }

// OrderEvent are the settings of a plan that is fixed, in their order.
type OrderEvent struct{ Settings []tegra.Setting }

// CharacterEvent is what a Run is like so far, with each reading of the device.
type CharacterEvent struct {
	Character record.Character
	Advice    []string // what it and the model of the workload say in words
}

// NoteEvent is one line for the log.
type NoteEvent string

func (ProgressEvent) event()  {}
func (StepEvent) event()      {}
func (ProbeEvent) event()     {}
func (HalvingEvent) event()   {}
func (OrderEvent) event()     {}
func (CharacterEvent) event() {}
func (NoteEvent) event()      {}
func (PairStage) event()      {}
func (PairProbe) event()      {}

// FinishedRow is the row that an event brings; nil for every other event.
func FinishedRow(e Event) *record.Row {
	p, _ := e.(ProgressEvent)
	return p.Progress.Row
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
			f.send(NoteEvent(text))
		}
	}
}

func (f observer) progress(p profiles.Progress) { f.send(ProgressEvent{Progress: p}) }

func (f observer) halved(h optimize.Halving) { f.send(HalvingEvent{h}) }

func (f observer) step(s optimize.Step) { f.send(StepEvent{s}) }
