package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/telemetry"
	"jtune/tui/page"
)

// message handles everything that is not input. Readings and a task's progress
// wait while the view is frozen; the streams are read on.
func (r *root) message(msg tea.Msg) tea.Cmd {
	var more tea.Cmd
	switch msg := msg.(type) {
	case rereadMsg:
		if now := &r.sh.Readings; !r.sh.Look.Frozen && now.OK && msg.T >= now.Sample.T {
			now.Sample = msg.Sample
		}
		return r.message(msg.about)
	case sampleMsg:
		if r.watch != nil {
			more = nextReadings(r.sh.ctx, r.watch)
		}
	case taskChangedMsg:
		more = msg.task.next(r.sh)
	case taskDoneMsg: // no end without what came before it
		return tea.Batch(r.thaw(), r.fold(msg))
	default:
		return r.fold(msg)
	}
	if r.sh.Look.Frozen {
		r.hold(msg)
		return more
	}
	if j := r.sh.task; r.sh.Busy() && j.run != nil { // one drawing for both
		j.run.Subscribe().Take()
		j.fold(j.run.Now())
	}
	return tea.Batch(more, r.fold(msg))
}

// hold keeps a message for later: of readings no more than the pages show.
func (r *root) hold(msg tea.Msg) {
	r.held = append(r.held, msg)
	reading := func(m tea.Msg) bool { _, ok := m.(sampleMsg); return ok }
	n := 0
	for _, m := range r.held {
		if reading(m) {
			n++
		}
	}
	if n > telemetry.MaxReadings {
		at := slices.IndexFunc(r.held, reading)
		r.held = slices.Delete(r.held, at, at+1)
	}
}

// thaw handles the messages that waited.
func (r *root) thaw() tea.Cmd {
	held := r.held
	r.held = nil
	var cmds []tea.Cmd
	for _, msg := range held {
		cmds = append(cmds, r.fold(msg))
	}
	return tea.Batch(cmds...)
}

// fold brings a message into the state that the pages show.
func (r *root) fold(msg tea.Msg) tea.Cmd {
	sh := r.sh
	switch msg := msg.(type) {
	case sampleMsg:
		sh.foldSample(msg)
		return tea.Batch(r.broadcast(page.Sampled{}), sh.followNext(), sh.previewOwn())
	case workloadsMsg:
		sh.Work.List, sh.Work.Fixed, sh.Work.Suggested = msg.list, msg.fixed, msg.suggested
		sh.fail("workloads", msg.err)
		return tea.Batch(sh.serve(), r.broadcast(page.WorkloadsListed{}))
	case joinedMsg:
		sh.joined(msg)
	case modelLoadedMsg:
		sh.say("loaded %s: Front and Modes show its predictions", msg.name)
		return r.show(msg.view, false)
	case sizedMsg:
		if sh.asked(msg.view) {
			return r.show(msg.view, true)
		}
	case renewedMsg:
		if sh.Outlook.Model == msg.old.Model {
			return r.show(msg.view, true)
		}
		return sh.renew(msg.list) // of what shows by now
	case servedMsg:
		return r.foldServed(msg)
	case page.ModelsListed:
		return tea.Batch(r.broadcast(msg), sh.renew(msg.List))
	case exportedMsg:
		sh.say("written: %s", msg.path)
		sh.fail("export", msg.err)
	default:
		return r.foldTask(msg)
	}
	return nil
}

// foldTask is fold for tasks, those of other processes too.
func (r *root) foldTask(msg tea.Msg) tea.Cmd {
	sh := r.sh
	switch msg := msg.(type) {
	case taskChangedMsg:
		msg.task.fold(msg.now)
		return tea.Batch(r.broadcast(page.TaskChanged{Task: &msg.task.Task}), sh.previewOwn())
	case taskDoneMsg:
		cmd := r.taskDone(msg)
		return tea.Batch(cmd, r.broadcast(page.TaskDone{Task: &msg.task.Task}))
	case campaignsMsg:
		sh.foldCampaigns(msg)
	case page.Managed:
		if msg.Err == nil {
			sh.say("%s", msg.Said)
		}
		sh.fail(msg.What, msg.Err)
		return tea.Batch(sh.listCampaigns(), listModels(sh.host))
	case followedMsg:
		return tea.Batch(sh.foldFollowed(msg.found), sh.foldModels(msg.models), sh.campaignsSince(msg.campaigns))
	case orderedMsg:
		sh.lookedAt = time.Time{} // to see what comes of it
		if msg.err == nil {
			sh.say("%s: told %s", msg.do, msg.to.By())
		}
		sh.fail(string(msg.do), msg.err)
	case previewMsg:
		return sh.foldPreview(msg)
	default:
		return r.foldGuard(msg)
	}
	return nil
}

// foldGuard is fold for what the guard has done; other messages are a page's own.
func (r *root) foldGuard(msg tea.Msg) tea.Cmd {
	sh := r.sh
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
		if msg.Err == nil {
			sh.Applied.Set(msg.Request, msg.From, sh.now())
		}
	case page.ModeKept:
		if msg.Err == nil {
			sh.Applied.Keep()
		}
	case page.ModeReverted:
		if msg.Err == nil {
			sh.Applied.Revert(msg.Why)
		}
	case boardLeftMsg:
		r.boardLeft(msg)
	case bootChangedMsg:
		sh.bootChanged(msg)
		return nil
	}
	return r.broadcast(msg)
}

// broadcast passes a message on to the pages, to the dialog that applies modes, and to one that waits for an answer.
func (r *root) broadcast(msg tea.Msg) tea.Cmd {
	if f, ok := r.form.(interface{ Update(msg tea.Msg) }); ok {
		f.Update(msg)
	}
	cmds := []tea.Cmd{r.do(r.apply.Update(msg))}
	for _, p := range r.pages {
		cmds = append(cmds, r.do(p.Update(msg)))
	}
	return tea.Batch(cmds...)
}

// taskDone records a task's outcome.
func (r *root) taskDone(msg taskDoneMsg) tea.Cmd {
	sh, j := r.sh, msg.task
	j.Snapshot = msg.now
	text := j.Ending(j.Snapshot)
	if len(j.Answers) > 0 && j.Err == nil && !j.Stopped && sh.Look.Shown != page.Profile {
		text += "; 3 shows the answer"
	}
	if j == sh.task {
		sh.say("%s", text)
	} else { // another one runs already
		sh.notices.log(sh.now(), text)
	}
	sh.hand(j.Workload.Name, j.Readings...)
	if f := j.Paired; f != nil && f.Mixes != nil {
		sh.Mixes = f.Mixes
	} else if f != nil {
		sh.Mixes = sh.Mixes.With(j.TaskSpec, *f)
	}
	if r.gone {
		return tea.Quit
	}
	again := tea.Batch(sh.listCampaigns(), listModels(sh.host), r.pulse())
	if msg.view == nil {
		return tea.Batch(sh.serve(), again)
	}
	sh.Limit, sh.Load, sh.LoadErr = j.Limit, j.Serving, nil
	view := msg.view
	for _, a := range j.Answers {
		if a.Batch == view.Batch {
			view = view.Answering(a.Limit, a.Result)
		}
	}
	return tea.Batch(r.show(view, false), again)
}
