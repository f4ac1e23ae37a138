package page

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"jtune/profiles/workload"
	"jtune/tegra"
)

// Jobs are the workloads that cannot run on this machine. They are looked for when a search is to be asked for.
type Jobs struct {
	// Look returns by name what a workload lacks; names that lack nothing are absent.
	Look    func(ctx context.Context) (map[string]string, error)
	lacks   map[string]string // nil: not known yet
	looking bool
}

// JobsFound says what workloads lack, before the dialog for a search opens.
type JobsFound struct {
	Lacks map[string]string
	Err   error
}

// Tune opens the dialog for a search. On a board whose jobs are real, it looks first for those that can run.
func (k Work) Tune(b tegra.Board) Intent {
	j := k.Jobs
	switch {
	case b.Virtual || j == nil || j.lacks != nil && k.anyReady():
		return AskTune{}
	case j.looking:
		return Say("checking which jobs can run here")
	}
	j.looking = true
	return Run(func(ctx context.Context) tea.Msg {
		lacks, err := j.Look(ctx)
		return JobsFound{lacks, err}
	})
}

// Found takes what workloads lack. It reports whether any can run.
func (k Work) Found(m JobsFound) (any bool) {
	k.Jobs.looking = false
	if m.Err != nil { // the search says what is wrong
		return true
	}
	k.Jobs.lacks = m.Lacks
	return k.anyReady()
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

func (k Work) anyReady() bool {
	for _, w := range k.List {
		if k.ready(w) {
			return true
		}
	}
	return false
}
