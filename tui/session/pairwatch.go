package session

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/tegra"
)

// PairWatch is a search for a pair as it goes, for screens.
type PairWatch struct {
	Stage  PairStage
	Now    *profiles.PairProgress // of the pair that is measured; nil before its first numbers
	Turns  []PairTurn             // of it, the newest last
	Rows   []PairRow              // what was measured, in order
	Probes []PairProbe            // of these the pairs that the search asked for

	last time.Duration // end of the newest turn
}

// PairRow is a setting of one job, or of both.
type PairRow struct {
	Of string // the job that was measured; "" for both
	record.Row
}

// Probe is what the search says of a row; false of a job alone, and of what was run to compare.
func (w *PairWatch) Probe(row int) (PairProbe, bool) {
	n := 0
	for _, r := range w.Rows[:row] {
		if r.Of == "" {
			n++
		}
	}
	if w.Rows[row].Of != "" || n >= len(w.Probes) {
		return PairProbe{}, false
	}
	return w.Probes[n], true
}

// mostTurns are kept for the screens.
const mostTurns = 200

// add folds an event in.
func (w *PairWatch) add(e Event) {
	switch e := e.(type) {
	case PairStage:
		w.Stage, w.Now, w.Turns = e, nil, nil
	case PairProbe:
		w.Probes = append(w.Probes, e)
	case ProgressEvent:
		w.advance(e.Progress)
	}
}

// advance takes the bench's progress in.
func (w *PairWatch) advance(p profiles.Progress) {
	if p.Phase == profiles.Applying && p.Line == "" {
		w.Now, w.Turns, w.last = nil, nil, 0
	}
	if p.Pair != nil {
		w.Now = p.Pair
	}
	if p.Row != nil {
		w.Rows = append(w.Rows, PairRow{w.Stage.Workload, *p.Row})
	}
	if t := p.Event; t != nil && t.Job != "" {
		turn := PairTurn{Job: t.Job, MS: t.TimeMS, Late: t.Late}
		if w.last > 0 {
			turn.GapMS = max(0, float64(t.Began()-w.last)/float64(time.Millisecond))
		}
		w.last, w.Turns = t.T, newest(append(w.Turns, turn), mostTurns)
	}
}

// PairLimit is a limit of a pair, and what the pair has of it.
type PairLimit struct {
	Name  string // "power", "p99"
	Value tegra.Val[float64]
	Limit float64
	Unit  string
}

// Held reports whether the limit is kept; absent where the value is not known yet.
func (l PairLimit) Held() tegra.Val[bool] {
	return tegra.Val[bool]{V: l.Value.V <= l.Limit, OK: l.Value.OK}
}

// PairLimits are the limits of an ask, and what a pair has of each.
func PairLimits(a optimize.Ask, p record.Pair) (out []PairLimit) {
	if a.PowerW > 0 {
		l := PairLimit{Name: "power, peak", Limit: a.PowerW, Unit: "W", Value: positive(p.PeakW())}
		if a.PowerAs == optimize.Mean {
			l.Name, l.Value = "power, mean", positive(p.MeanW)
		}
		out = append(out, l)
	}
	if a.LatencyMS > 0 {
		name := fmt.Sprintf("p%.4g", 100*cmp.Or(a.Quantile, usualQuantile))
		l := PairLimit{Name: name, Limit: a.LatencyMS, Unit: "ms"}
		if p.Latency.N > 0 {
			l.Value = tegra.Finite(quantileOf(p.Latency, cmp.Or(a.Quantile, usualQuantile)))
		}
		out = append(out, l)
	}
	return out
}

func positive(v float64) tegra.Val[float64] { return tegra.Val[float64]{V: v, OK: v > 0} }

// PairTask is a search for a pair.
func PairTask(r PairSearch) *Task {
	spec := TaskSpec{Kind: Pairing, Workload: r.Infer, Pair: &r.Train, Limit: r.Limit, Serving: &r.Serving,
		Policy: r.Policy, Planned: cmp.Or(r.Most, optimize.MostVerified)}
	return newTask(spec, func(ctx context.Context, on Measurer, t *Task) (Outcome, error) {
		r.Gate, r.Mixes = t.hold, true
		found, err := on.Pair(ctx, r, t.observe)
		if found.Row == nil {
			return Outcome{}, err
		}
		return Outcome{Paired: &found}, err
	})
}
