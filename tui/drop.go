package tui

import (
	tea "charm.land/bubbletea/v2"

	"jtune/tui/page"
	"jtune/tui/session/measure"
	"jtune/tui/session/task"
)

// drop measures the mode that waits to be kept with the job that it answers, until the answer to the question. Nothing
// is measured if no job belongs to the mode, or another one runs.
func (sh *shared) drop(m page.SetMode, err error) tea.Cmd {
	sh.dropped, sh.Tasks.Drop = nil, nil
	if err != nil || m.Asked == nil || sh.Blocked(m.Asked.Workload) != "" {
		return nil
	}
	t := task.Verify(measure.ModeRequest{Workload: m.Asked.Workload, Mode: m.Mode, Limit: m.Asked.Limit, InForce: true,
		Free: m.DVFS}, 0)
	if sh.tasks.Start(sh.ctx, t) != nil {
		return nil
	}
	j := &shownTask{Task: page.Task{Spec: t.Spec}, run: t}
	sh.dropped, sh.Tasks.Drop = j, &j.Task
	return func() tea.Msg {
		<-t.Ended()
		return taskDoneMsg{task: j, now: t.Now()}
	}
}

// running lists what runs: the shown task, or the job of a question.
func (sh *shared) running() (list []*shownTask) {
	for _, j := range []*shownTask{sh.task, sh.dropped} {
		if j != nil && j.run != nil && !j.Done() {
			list = append(list, j)
		}
	}
	return list
}
