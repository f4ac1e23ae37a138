package tui

import (
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/profiles/workload"
	"jtune/tui/page"
)

// workloadsMsg carries the known workloads.
type workloadsMsg struct {
	list      []workload.Workload
	suggested string
	fixed     map[string]string // by name: why the batch size cannot be chosen
	err       error
}

// listWorkloads lists the workloads. It reads a job's files to see whether it takes a batch size.
func (d deps) listWorkloads() tea.Msg {
	msg := workloadsMsg{fixed: map[string]string{}}
	msg.list, msg.err = d.host.Workloads()
	msg.suggested = d.host.Suggested(msg.list)
	for _, w := range msg.list {
		if d.fixedBatch != nil {
			msg.fixed[w.Name] = d.fixedBatch(w)
		}
	}
	return msg
}

func (m workloadsMsg) fold(r *root) (told []tea.Msg, cmd tea.Cmd) {
	sh := r.sh
	for i, w := range m.list { // running jobs stay joined
		if old, _ := sh.Work.Find(w.Name); old.Elsewhere != nil && w.Elsewhere == nil && old.Name == w.Name {
			m.list[i].Elsewhere, m.list[i].Attached = old.Elsewhere, old.Attached
			m.fixed[w.Name] = sh.Work.Fixed[w.Name]
		}
	}
	sh.Work.List, sh.Work.Fixed, sh.Work.Suggested = m.list, m.fixed, m.suggested
	sh.fail("workloads", m.err)
	return []tea.Msg{page.WorkloadsListed{}}, sh.serve()
}

// joinedMsg carries a workload of a running job, or of one that jtune starts again.
type joinedMsg struct {
	workload workload.Workload
	fixed    string // why its batch size cannot be chosen
	err      error
}

// join looks for a running job in a command.
func (sh *shared) join(i page.Join) tea.Cmd {
	at := slices.IndexFunc(sh.Work.List, func(w workload.Workload) bool { return w.Name == i.Workload })
	if at < 0 {
		return nil
	}
	d, w := sh.deps, sh.Work.List[at]
	return func() tea.Msg {
		msg := joinedMsg{workload: w}
		msg.workload.Elsewhere, msg.workload.Attached = nil, false
		if i.From != "" {
			msg.workload, msg.err = d.host.JoinFrom(msg.workload, i.From)
		}
		if d.fixedBatch != nil {
			msg.fixed = d.fixedBatch(msg.workload)
		}
		return msg
	}
}

// fold replaces the listed workload for all pages and dialogs.
func (m joinedMsg) fold(r *root) (told []tea.Msg, cmd tea.Cmd) {
	sh, w := r.sh, m.workload
	switch {
	case m.err != nil:
		sh.fail("job of "+w.Name, m.err)
		return nil, nil
	case w.Elsewhere != nil:
		sh.say("%s: %v is read, and never signalled", w.Name, w.Elsewhere)
	default:
		sh.say("%s: jtune starts its job", w.Name)
	}
	sh.Work.List, sh.Work.Fixed = slices.Clone(sh.Work.List), maps.Clone(sh.Work.Fixed)
	for i, old := range sh.Work.List {
		if old.Name == w.Name {
			sh.Work.List[i], sh.Work.Fixed[w.Name] = w, m.fixed
		}
	}
	return nil, nil
}
