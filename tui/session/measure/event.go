package measure

import (
	"fmt"
	"time"

	"jtune/internal/text"
	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/harness/detect"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/answers"
)

// Event is progress of a running task: one of the types below, of a PairStage and of a PairProbe.
type Event interface{ event() }

// ProgressEvent is a phase, a minibatch or a finished row of the bench.
type ProgressEvent struct {
	Progress  profiles.Progress
	Minibatch *harness.Event  // of a Run: what the harness reported
	Best      *answers.Answer // so far, of a campaign with a limit, after a finished row; nil: not looked for
}

// StepEvent comes before a search measures a mode: which one, and why.
type StepEvent struct{ Step optimize.Step }

// ProbeEvent comes after a search has measured a mode.
type ProbeEvent struct {
	Probe optimize.Probe
	Best  *answers.Answer // so far: without a reading while none keeps the limit
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

// ToldEvent is what a command of the user's own has printed, and how it is read so far.
type ToldEvent struct {
	Lines   []string        // the last ones, as they came
	Reading *detect.Reading // nil: none can be taken
	Why     error           // none can; nil before anything is known
	// Candidates are the ways to read it, also where none can be taken.
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

// FinishedRow is the row that an event brings; nil for every other event.
func FinishedRow(e Event) *record.Row {
	p, _ := e.(ProgressEvent)
	return p.Progress.Row
}

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

func (f Observer) Halved(h optimize.Halving) { f.Send(HalvingEvent{h}) }

func (f Observer) Step(s optimize.Step) { f.Send(StepEvent{s}) }

// ReadCost is what the reading of sensors costs a job: in blocks of one run the sensors were read and not read by
// turns, so that neither the start of a job, the page cache nor a board that warms up counts as a cost.
type ReadCost struct {
	IntervalS   float64 `json:"interval_s"`     // between two readings
	Minibatches int     `json:"minibatches"`    // while sensors were read
	TimeMS      float64 `json:"time_ms"`        // of these, the median
	MeanMS      float64 `json:"time_mean_ms"`   // of these
	UnreadMS    float64 `json:"unread_mean_ms"` // the mean while they were not
	Blocks      int     `json:"blocks"`         // of each kind
	// CostMS is the difference of the means, CostPct the mean difference of neighbouring blocks in per cent of the time
	// without reading; absent without a pair of blocks.
	CostMS  tegra.Val[float64] `json:"cost_ms"`
	CostPct tegra.Val[float64] `json:"cost_pct"`
	// LowPct and HighPct are the 95 % interval of CostPct; absent with one pair of blocks.
	LowPct  tegra.Val[float64] `json:"cost_lo_pct"`
	HighPct tegra.Val[float64] `json:"cost_hi_pct"`
}

// String says it in a sentence.
func (c *ReadCost) String() string {
	every := time.Duration(c.IntervalS * float64(time.Second)).String()
	if !c.CostPct.OK {
		return "The workload ended before sensors had been read every " + every + " for long enough to compare: " +
			"let it run longer."
	}
	s := fmt.Sprintf("Reading sensors every %s: %s ms per minibatch with, %s ms without, %+.2f %% of the time", every,
		text.Of(c.MeanMS), text.Of(c.UnreadMS), c.CostPct.V)
	if !c.LowPct.OK {
		return s + "; one block of each kind, so nobody knows how far times scatter."
	}
	s += fmt.Sprintf(" (95 %%: %+.2f to %+.2f; means of %d blocks of each kind by turns)", c.LowPct.V, c.HighPct.V,
		c.Blocks)
	if c.LowPct.V <= 0 && c.HighPct.V >= 0 {
		s += ": no more than the times scatter by"
	}
	return s + "."
}
