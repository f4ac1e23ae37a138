package tui

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/optimize"
	"jtune/tui/page"
	"jtune/tui/session"
)

// news takes everything that is not input. Readings and a task's progress wait
// while the view is frozen; asking for the next goes on.
func (r *root) news(msg tea.Msg) tea.Cmd {
	var more tea.Cmd
	switch msg := msg.(type) {
	case rereadMsg:
		if now := &r.sh.Readings; !r.sh.Look.Frozen && now.OK && msg.T >= now.Sample.T {
			now.Sample = msg.Sample
		}
		return nil
	case sampleMsg:
		if r.watch != nil {
			more = nextReadings(r.sh.ctx, r.watch)
		}
	case taskNewsMsg:
		more = msg.task.next(r.sh)
	case taskDoneMsg: // no end without what came before it
		return tea.Batch(r.thaw(), r.take(msg))
	default:
		return r.take(msg)
	}
	if r.sh.Look.Frozen {
		r.hold(msg)
		return more
	}
	if j := r.sh.task; r.sh.Busy() && j.run != nil { // one drawing for both
		j.run.Subscribe().Take()
		j.take(j.run.Now())
	}
	return tea.Batch(more, r.take(msg))
}

// hold keeps news for later: of readings no more than the pages show.
func (r *root) hold(msg tea.Msg) {
	r.held = append(r.held, msg)
	reading := func(m tea.Msg) bool { _, ok := m.(sampleMsg); return ok }
	n := 0
	for _, m := range r.held {
		if reading(m) {
			n++
		}
	}
	if n > session.MaxReadings {
		at := slices.IndexFunc(r.held, reading)
		r.held = slices.Delete(r.held, at, at+1)
	}
}

// thaw takes the news that waited.
func (r *root) thaw() tea.Cmd {
	held := r.held
	r.held = nil
	var cmds []tea.Cmd
	for _, msg := range held {
		cmds = append(cmds, r.take(msg))
	}
	return tea.Batch(cmds...)
}

// take folds news into what the pages show.
func (r *root) take(msg tea.Msg) tea.Cmd {
	sh := r.sh
	switch msg := msg.(type) {
	case sampleMsg:
		sh.takeSample(msg)
		return tea.Batch(r.tell(page.Sampled{}), sh.followNext(), sh.previewOwn())
	case workloadsMsg:
		sh.Work.List, sh.Work.Fixed = msg.list, msg.fixed
		sh.fail("workloads", msg.err)
		return r.tell(page.WorkloadsListed{})
	case modelLoadedMsg:
		sh.say("loaded %s: Front and Modes show its predictions", msg.name)
		return r.show(msg.view)
	case sizedMsg:
		if sh.asked(msg.view) {
			return r.show(msg.view)
		}
	case exportedMsg:
		sh.say("written: %s", msg.path)
		sh.fail("export", msg.err)
	default:
		return r.takeOfTask(msg)
	}
	return nil
}

// takeOfTask folds news of tasks, of other processes too.
func (r *root) takeOfTask(msg tea.Msg) tea.Cmd {
	sh := r.sh
	switch msg := msg.(type) {
	case taskNewsMsg:
		msg.task.take(msg.now)
		return tea.Batch(r.tell(page.TaskNews{Task: &msg.task.Task}), sh.previewOwn())
	case taskDoneMsg:
		cmd := r.taskDone(msg)
		return tea.Batch(cmd, r.tell(page.TaskDone{Task: &msg.task.Task}))
	case interruptedMsg:
		sh.Tasks.Interrupted = msg.found
	case followedMsg:
		return tea.Batch(sh.takeFollowed(msg.found), sh.takeModels(msg.models))
	case previewMsg:
		return sh.takePreview(msg)
	default:
		return r.takeOfGuard(msg)
	}
	return nil
}

// takeOfGuard folds what the guard has done; other news are those of a page.
func (r *root) takeOfGuard(msg tea.Msg) tea.Cmd {
	sh := r.sh
	var again tea.Cmd
	switch msg := msg.(type) {
	case guardMsg:
		if msg.err != nil {
			r.apply.Cancel()
			sh.fail("no way to set power modes", msg.err)
			return nil
		}
		sh.sudo = false
		return msg.do()
	case page.ModeSet:
		again = sh.reread()
		if msg.Err == nil {
			sh.Applied.Set(msg.Mode, msg.From, sh.now())
		}
	case page.ModeKept:
		if msg.Err == nil {
			sh.Applied.Keep()
		}
	case page.ModeReverted:
		again = sh.reread()
		if msg.Err == nil {
			sh.Applied.Revert(msg.Why)
		}
	case bootChangedMsg:
		sh.bootChanged(msg)
		return nil
	}
	return tea.Batch(r.tell(msg), again)
}

// tell passes news on to the pages and to the dialog that applies modes.
func (r *root) tell(msg tea.Msg) tea.Cmd {
	cmds := []tea.Cmd{r.do(r.apply.Update(msg))}
	for _, p := range r.pages {
		cmds = append(cmds, r.do(p.Update(msg)))
	}
	return tea.Batch(cmds...)
}

// taskDone files a task's outcome and opens the page that shows it.
func (r *root) taskDone(msg taskDoneMsg) tea.Cmd {
	sh, j := r.sh, msg.task
	j.Snapshot = msg.now
	switch {
	case errors.Is(j.Err, optimize.ErrInfeasible):
		sh.say("%s: no power mode meets the limit; the nearest one is shown", j.Kind)
	case j.Err != nil:
		sh.fail(j.Kind.String(), j.Err)
	case j.Stopped:
		sh.say("%s stopped: the board is back as it was found", j.Kind)
	default:
		sh.say("%s finished: the board is back as it was found", j.Kind)
	}
	sh.hand(j.Workload.Name, j.Readings...)
	if r.gone {
		return tea.Quit
	}
	again := tea.Batch(sh.reread(), sh.findInterrupted(), listModels(sh.host), r.pulse())
	if msg.view == nil {
		return again
	}
	sh.Limit = j.Limit
	if sh.Look.Shown == page.Profile {
		r.open(page.Front)
	}
	return tea.Batch(r.show(msg.view.Answering(j.Limit, j.Tuned)), again)
}
