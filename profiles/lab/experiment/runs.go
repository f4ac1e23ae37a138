package experiment

import (
	"jtune/profiles/record"
)

// Run is one run of an experiment.
type Run struct {
	Setting
	Repeat int  // from 1
	Shared bool // its job continues in the next shared run, which differs only in the mode
}

// Runs chooses an experiment's next run, given the rows so far: in rounds over fixed settings (Plan.Rounds), or
// depending on the measurements.
type Runs interface {
	Next(done []record.Row) (Run, bool)
	Len() int // exact or estimated number of runs
}

// Energy is the experiment without a fixed plan: its next setting depends on the measurements. All leaves it out
// because it needs an inference workload.
func Energy() Experiment {
	return Experiment{Name: "energy", Title: "the clocks of least energy for a request, against the governors"}
}

// rounds runs every setting once, then all of them again, so that drift affects all settings alike.
type rounds struct {
	settings []Setting
	repeat   int
}

// Rounds returns the runs of a plan, each setting repeated that many times.
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
	_, ok := record.RunOf(rows, nil, setting, repeat)
	return ok
}
