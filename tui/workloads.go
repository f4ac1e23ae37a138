package tui

import (
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/profiles/workload"
	"jtune/tui/page"
)

// listWorkloads lists the workloads. It reads a job's files to see whether it takes a batch size.
func (sh *shared) listWorkloads() tea.Msg {
	list, err := sh.host.Workloads()
	suggested, fixed := sh.host.Suggested(list), map[string]string{}
	for _, w := range list {
		if sh.fixedBatch != nil {
			fixed[w.Name] = sh.fixedBatch(w)
		}
	}
	return then(func(r *root) tea.Cmd {
		for i, w := range list { // running jobs stay joined
			if old, _ := sh.Work.Find(w.Name); old.Elsewhere != nil && w.Elsewhere == nil && old.Name == w.Name {
				list[i].Elsewhere, list[i].Attached = old.Elsewhere, old.Attached
				fixed[w.Name] = sh.Work.Fixed[w.Name]
			}
		}
		sh.Work.List, sh.Work.Fixed, sh.Work.Suggested = list, fixed, suggested
		sh.fail("workloads", err)
		return tea.Batch(sh.serve(), r.broadcast(page.WorkloadsListed{}))
	})
}

// join looks for a running job in a command.
func (sh *shared) join(i page.Join) tea.Cmd {
	at := slices.IndexFunc(sh.Work.List, func(w workload.Workload) bool { return w.Name == i.Workload })
	if at < 0 {
		return nil
	}
	w := sh.Work.List[at]
	return func() tea.Msg {
		w.Elsewhere, w.Attached = nil, false
		fixed, err := "", error(nil)
		if i.From != "" {
			w, err = sh.host.JoinFrom(w, i.From)
		}
		if sh.fixedBatch != nil {
			fixed = sh.fixedBatch(w)
		}
		return then(func(*root) tea.Cmd { sh.joined(w, fixed, err); return nil })
	}
}

// joined replaces the listed workload by that of a running job, or of one that jtune starts again. fixed says why its
// batch size cannot be chosen.
func (sh *shared) joined(w workload.Workload, fixed string, err error) {
	switch {
	case err != nil:
		sh.fail("job of "+w.Name, err)
		return
	case w.Elsewhere != nil:
		sh.say("%s: %v is read, and never signalled", w.Name, w.Elsewhere)
	default:
		sh.say("%s: jtune starts its job", w.Name)
	}
	sh.Work.List, sh.Work.Fixed = slices.Clone(sh.Work.List), maps.Clone(sh.Work.Fixed)
	for i, old := range sh.Work.List {
		if old.Name == w.Name {
			sh.Work.List[i], sh.Work.Fixed[w.Name] = w, fixed
		}
	}
}
