package page

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/profiles/workload"
	"jtune/tegra"
)

// Jobs are the workloads that cannot run on this machine. They are looked for when Train or a search needs them.
type Jobs struct {
	// Look returns by name what a workload lacks; names that lack nothing are absent.
	Look    func(ctx context.Context) (map[string]string, error)
	lacks   map[string]string // nil: not known yet
	looking bool
	tune    bool // a search is to be asked for as soon as they are known
}

// JobsFound says what workloads lack.
type JobsFound struct {
	Lacks map[string]string
	Err   error
}

// Check looks for the workloads that can run; nil if that is known, or nothing has to be looked for. On a virtual board
// jobs are simulated.
func (k Work) Check(b tegra.Board) Intent {
	j := k.Jobs
	if b.Virtual || j == nil || j.looking || j.lacks != nil {
		return nil
	}
	return j.look()
}

func (j *Jobs) look() Intent {
	j.looking = true
	return Run(func(ctx context.Context) tea.Msg {
		lacks, err := j.Look(ctx)
		return JobsFound{lacks, err}
	})
}

// Tune opens the dialog for a search. On a board whose jobs are real, it looks first for those that can run.
func (k Work) Tune(b tegra.Board) Intent {
	j := k.Jobs
	if b.Virtual || j == nil || j.lacks != nil && k.anyReady() {
		return AskTune{}
	}
	if j.tune = true; j.looking {
		return Say("checking which jobs can run here")
	}
	return j.look()
}

// Found takes what workloads lack. It reports whether any can run, and whether a search waited to be asked for.
func (k Work) Found(m JobsFound) (anyReady, tune bool) {
	tune = k.Jobs.tune
	k.Jobs.looking, k.Jobs.tune = false, false
	if m.Err != nil { // the search says what is wrong
		return true, tune
	}
	k.Jobs.lacks = m.Lacks
	return k.anyReady(), tune
}

// Lacks returns what a workload lacks to run here, "" if nothing; known is false if that was not looked for.
func (k Work) Lacks(w workload.Workload) (what string, known bool) {
	if k.Jobs == nil {
		return "", true
	}
	return k.Jobs.lacks[w.Name], k.Jobs.lacks != nil
}

func (k Work) ready(w workload.Workload) bool {
	what, _ := k.Lacks(w)
	return what == ""
}

func (k Work) anyReady() bool { return slices.ContainsFunc(k.List, k.ready) }
