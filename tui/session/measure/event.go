package measure

import (
	"jtune/optimize"
	"jtune/optimize/ladder"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/harness/detect"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/answers"
)

// Event is progress of a running task: one of the types below, a PairStage or a PairProbe.
type Event interface{ event() }

// ProgressEvent is a phase, a minibatch or a finished row of the bench.
type ProgressEvent struct {
	Progress  profiles.Progress
	Minibatch *harness.Event // of a Run: the harness event
}

// StepEvent is sent before a search measures a mode; it gives the mode and the reason.
type StepEvent struct{ Step optimize.Step }

// ProbeEvent is sent after a search has measured a mode.
type ProbeEvent struct {
	Probe optimize.Probe
	Best  *answers.Answer // best so far; without a reading while no mode is within the limit
}

// HalvingEvent is a step of a binary search: which half of which knob was dropped.
type HalvingEvent struct{ Halving ladder.Halving }

// OrderEvent gives the settings of a fixed plan, in order.
type OrderEvent struct{ Settings []tegra.Setting }

// CharacterEvent describes a Run so far; it is sent with each reading of the device.
type CharacterEvent struct {
	Character record.Character
	Advice    []string // conclusions from it and from the workload's model, as sentences
}

// NoteEvent is a line for the log.
type NoteEvent string

// ToldEvent holds what a user's command has printed, and how jtune reads it so far.
type ToldEvent struct {
	Lines   []string        // the last lines, unchanged
	Reading *detect.Reading // nil: the lines cannot be read
	Why     error           // why they cannot be read; nil while undecided
	// Candidates are the possible ways to read the lines, even if none is chosen.
	Candidates []detect.Candidate
}

func (ToldEvent) event() {}

func (ProgressEvent) event() {}

func (StepEvent) event() {}

func (ProbeEvent) event() {}

func (HalvingEvent) event() {}

func (OrderEvent) event() {}

func (CharacterEvent) event() {}

func (NoteEvent) event() {}

func (PairStage) event() {}

func (PairProbe) event() {}

// Observer is called from the job's goroutine and must not block.
type Observer func(Event)

func (f Observer) Send(e Event) {
	if f != nil {
		f(e)
	}
}

func (f Observer) Note(texts ...string) {
	for _, text := range texts {
		if text != "" {
			f.Send(NoteEvent(text))
		}
	}
}

func (f Observer) Progress(p profiles.Progress) { f.Send(ProgressEvent{Progress: p}) }

func (f Observer) Halved(h ladder.Halving) { f.Send(HalvingEvent{h}) }

func (f Observer) Step(s optimize.Step) { f.Send(StepEvent{s}) }

// ReadCost is what reading the sensors costs a job. Blocks with and without reading alternate within one run, so that
// the start of the job, the page cache and a warming board do not count as cost.
type ReadCost struct {
	Minibatches int                `json:"minibatches"` // while sensors were read
	TimeMS      float64            `json:"time_ms"`     // their median
	CostMS      tegra.Val[float64] `json:"cost_ms"`     // difference of the means; absent without a pair of blocks
	ReadBlocks
}

// ReadBlocks compares the blocks with and without reading.
type ReadBlocks struct {
	IntervalS float64 `json:"interval_s" shown:"0.01 10"`   // between two readings
	MeanMS    float64 `json:"time_mean_ms" shown:"1 100"`   // of a minibatch while sensors were read
	UnreadMS  float64 `json:"unread_mean_ms" shown:"1 100"` // while they were not
	Blocks    int     `json:"blocks" shown:"1 9"`           // of each kind
	// CostPct is the mean difference of neighbouring blocks, in per cent of the time without reading; absent without a
	// pair of blocks. LowPct and HighPct are its 95 % interval; absent with one pair.
	CostPct tegra.Val[float64] `json:"cost_pct" turn:"-1 5"`
	LowPct  tegra.Val[float64] `json:"cost_lo_pct" turn:"-2 2"`
	HighPct tegra.Val[float64] `json:"cost_hi_pct" turn:"-2 2"`
}
