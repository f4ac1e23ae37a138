package task

import (
	"cmp"
	"context"
	"time"

	"jtune/optimize/mix"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tui/session/measure"
	"jtune/tui/session/pair"
)

// PairWatch is the state of a search for a pair, for screens.
type PairWatch struct {
	Stage  measure.PairStage
	Now    *profiles.PairProgress // of the pair being measured; nil before its first numbers
	Turns  []measure.PairTurn     // of that pair, newest last
	Rows   []PairRow              // measurements, in order
	Probes []measure.PairProbe    // those of them that the search requested

	last time.Duration // end of the newest turn
}

// PairRow is a measurement of one job, or of both.
type PairRow struct {
	Of string // the measured job; "" for both
	record.Row
}

// Probe returns the search's probe for a row; false for a single job, and for comparison runs.
func (w *PairWatch) Probe(row int) (measure.PairProbe, bool) {
	n := 0
	for _, r := range w.Rows[:row] {
		if r.Of == "" {
			n++
		}
	}
	if w.Rows[row].Of != "" || n >= len(w.Probes) {
		return measure.PairProbe{}, false
	}
	return w.Probes[n], true
}

// add applies an event.
func (w *PairWatch) add(e measure.Event) {
	switch e := e.(type) {
	case measure.PairStage:
		w.Stage, w.Now, w.Turns = e, nil, nil
	case measure.PairProbe:
		w.Probes = append(w.Probes, e)
	case measure.ProgressEvent:
		w.advance(e.Progress)
	}
}

// advance applies the bench's progress.
func (w *PairWatch) advance(p profiles.Progress) {
	if p.Phase == profiles.Applying && p.Line == "" {
		w.Now, w.Turns, w.last = nil, nil, 0
	}
	w.Now = cmp.Or(p.Pair, w.Now)
	if p.Row != nil {
		w.Rows = append(w.Rows, PairRow{w.Stage.Workload, *p.Row})
	}
	if t := p.Event; t != nil && t.Job != "" {
		turn := measure.PairTurn{Job: t.Job, MS: t.TimeMS, Late: t.Late}
		if w.last > 0 {
			turn.GapMS = max(0, float64(t.Began()-w.last)/float64(time.Millisecond))
		}
		w.last, w.Turns = t.T, newest(append(w.Turns, turn), pair.MostTurns)
	}
}

// Pair returns a search for a pair.
func Pair(r pair.Request) *Task {
	spec := Spec{Kind: Pairing, Workload: r.Infer, With: []workload.Workload{r.Train}, Questions: r.Question.List(),
		Policy: r.Policy, Planned: cmp.Or(r.Pairs, mix.MostVerified)}
	return NewTask(spec, func(ctx context.Context, on Measurer, t *Task) (Outcome, error) {
		r.Gate, r.Mixes = t.Hold, true
		found, err := on.Pair(ctx, r, t.Observe)
		if found.Row == nil {
			return Outcome{}, err
		}
		return Outcome{Paired: &found}, err
	})
}
