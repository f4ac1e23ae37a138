package experiment

import (
	"jtune/profiles/record"
)

// Run is one run of an experiment.
type Run struct {
	Setting
	Repeat int  // from 1
	Shared bool // its job goes on in the next shared run, which differs in the mode alone
}

// Runs chooses what an experiment runs next, given the rows so far: in rounds over settings that are known before
// (Plan.Rounds), or by what was measured.
type Runs interface {
	Next(done []record.Row) (Run, bool)
	Len() int // how many there are in all, or about
}

// Energy is the experiment that no fixed plan describes: its next setting depends on what was measured. All leaves it
// out, as it needs a workload of inference.
func Energy() Experiment {
	return Experiment{Name: "energy", Title: "the clocks of least energy for a request, against the governors"}
}

// rounds runs every setting once, then all of them again: what drifts falls on all alike.
type rounds struct {
	settings []Setting
	repeat   int
}

// Rounds are the runs of a plan, each setting that many times.
func (p *Plan) Rounds(repeat int) Runs { return rounds{p.Settings, repeat} }

func (r rounds) Len() int { return r.repeat * len(r.settings) }

func (r rounds) Next(done []record.Row) (Run, bool) {
	for k := 1; k <= r.repeat; k++ {
		for _, s := range r.settings {
			if !WasRun(done, s.Name, k) {
				return Run{Setting: s, Repeat: k}, true
			}
		}
	}
	return Run{}, false
}

// WasRun reports whether a run has a row.
func WasRun(rows []record.Row, setting string, repeat int) bool {
	_, ok := newest(rows, setting, repeat)
	return ok
}
