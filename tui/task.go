package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/optimize/outlook"
	"jtune/tui/page"
	"jtune/tui/session/task"
)

// own makes a task the one that the pages show.
func (sh *shared) own(t *shownTask) {
	before := sh.Tasks.Own
	if before != nil && !slices.Contains([]task.TaskKind{task.Training, task.Verifying, task.Pairing, task.Soaking},
		before.Kind) {
		sh.Tasks.Searched = before
	}
	sh.task, sh.Tasks.Own = t, &t.Task
}

// taskChangedMsg carries the newest snapshot of a task.
type taskChangedMsg struct {
	task *shownTask
	now  task.Snapshot
}

func (m taskChangedMsg) next(r *root) tea.Cmd { return m.task.next(r.sh) }

func (m taskChangedMsg) fold(r *root) tea.Cmd {
	m.task.follow(m.now)
	return tea.Batch(r.sh.previewOwn(), r.broadcast(page.TaskChanged{Task: &m.task.Task}))
}

// catchUp shows the present state of what runs, so that its progress shares a drawing with what else arrives.
func (sh *shared) catchUp() {
	for _, j := range sh.running() {
		j.run.Subscribe().Take()
		j.follow(j.run.Now())
	}
}

// taskDoneMsg says that a task has ended and the board is restored.
type taskDoneMsg struct {
	task *shownTask
	now  task.Snapshot
	view *outlook.Outlook // of the model that was fitted; nil when none was
}

// follow shows a snapshot of the task unless it is older than the shown one; the end arrives with a taskDoneMsg.
func (j *shownTask) follow(now task.Snapshot) {
	if !now.Done() && !now.OlderThan(j.Snapshot) {
		j.Snapshot = now
	}
}

func (j *shownTask) stop() {
	if j != nil && j.run != nil {
		j.run.Stop("")
		j.follow(j.run.Now())
	}
}

// pause pauses the task after the mode in progress, or resumes it.
func (j *shownTask) pause() {
	if j.run != nil {
		j.run.Pause(j.State == task.Running, "")
		j.follow(j.run.Now())
	}
}

// taskEvery is the minimum time between two reads of a task in real time: frequent drawing uses power and cores that
// are being measured. Samples arrive more often, and the task's progress is drawn with them (root.message), so nothing
// wakes up only for progress.
const taskEvery = 5 * time.Second

// next waits for the task's next snapshot; on a virtual clock that runs ahead, as often as frames are drawn.
func (j *shownTask) next(sh *shared) tea.Cmd {
	if j.run == nil {
		return nil
	}
	every := taskEvery
	if sh.Device.Rate != nil && sh.Device.Rate.Speed() > 1 {
		every = frameEvery
	}
	changed := func(now task.Snapshot) tea.Msg { return taskChangedMsg{j, now} }
	return next(sh.ctx, j.run.Subscribe().Next, every, changed)
}

// next waits for a stream and delivers what is new as one message; nil when the stream has ended. Call it again after
// each message.
func next[T any](ctx context.Context, wait func(context.Context, time.Duration) (T, bool), every time.Duration,
	wrap func(T) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if v, ok := wait(ctx, every); ok {
			return wrap(v)
		}
		return nil
	}
}

// begin starts a task and shows it. If the task sets modes, the guard is started first.
func (sh *shared) begin(i page.Start) tea.Cmd {
	i.Task.Speed = i.Speed
	if i.Again && sh.task != nil && sh.task.run != nil {
		i.Task.Speed = sh.task.run.Speed
	}
	if i.Task.Present {
		sh.Work.Preferred = i.Task.Workload.Name
		return sh.start(i.Task)
	}
	return sh.withGuard(func() tea.Cmd { return sh.start(i.Task) })
}

func (sh *shared) start(t *task.Task) tea.Cmd {
	if err := sh.tasks.Start(sh.ctx, t); err != nil {
		sh.fail("not now", err)
		return nil
	}
	sh.notices.hush() // about earlier work
	sh.control.Show(t)
	j := &shownTask{Task: page.Task{Spec: t.Spec}, run: t}
	j.follow(t.Now()) // a short task may have ended already
	sh.own(j)
	return tea.Batch(j.next(sh), func() tea.Msg {
		<-t.Ended()
		msg := taskDoneMsg{task: j, now: t.Now()}
		if r := msg.now.Tuned; r != nil && r.Fitted != nil {
			defer sh.budget.Compute()()
			msg.view = outlook.New(t.Workload.Name, r.Fitted.At(r.Answers[0].Batch), sh.device.Space())
		}
		return sh.after(msg)
	})
}

// fold records the task's result, and shows the fitted model.
func (m taskDoneMsg) fold(r *root) tea.Cmd {
	sh, j := r.sh, m.task
	j.Snapshot = m.now
	text := j.Ending(j.Snapshot)
	if j.Tuned != nil && j.Err == nil && !j.Stopped && sh.Look.Shown != page.Profile {
		text += "; 3 shows the answer"
	}
	if j == sh.task {
		sh.say("%s", text)
	} else { // another task runs already
		sh.notices.log(sh.now(), text)
	}
	sh.hand(j.Workload.Name, j.Readings...)
	if f := j.Paired; f != nil && f.Mixes != nil {
		sh.Mixes = f.Mixes
	} else if f != nil {
		sh.Mixes = task.With(sh.Mixes, j.Spec, *f)
	}
	done := page.TaskDone{Task: &j.Task}
	if r.gone {
		return tea.Batch(tea.Quit, r.broadcast(done))
	}
	again := tea.Batch(sh.listCampaigns(), listModels(sh.host), r.pulse())
	if m.view == nil {
		return tea.Batch(sh.serve(), again, r.broadcast(done))
	}
	sh.Goal, sh.LoadErr = j.First(), nil
	view := m.view
	for _, a := range j.Tuned.Answers {
		if a.Batch == view.Batch {
			view = view.Answering(a.Limit, a.About, a.Probes)
		}
	}
	return tea.Batch(r.show(view, false), again, r.broadcast(done))
}

// campaignsMsg carries the campaigns of this board, newest first.
type campaignsMsg task.Listing

// listCampaigns reads the campaign folders, once at a time: while they are being read, again after that.
func (sh *shared) listCampaigns() tea.Cmd {
	if sh.listing++; sh.listing > 1 {
		return nil
	}
	c := sh.campaigns
	return func() tea.Msg { return campaignsMsg(c.Listing()) }
}

func (m campaignsMsg) fold(r *root) tea.Cmd {
	t := &r.sh.Tasks
	r.sh.campaignsAt, t.Campaigns, t.Deleted, t.Interrupted = m.Changed, m.List, m.Deleted, task.Offered(m.List)
	r.sh.fail("campaigns", m.Err)
	var cmd tea.Cmd
	again := r.sh.listing > 1
	if r.sh.listing = 0; again {
		cmd = r.sh.listCampaigns()
	}
	if v := r.sh.Outlook; v != nil && r.sh.read.Finding(v) != v { // another mode may answer
		return tea.Batch(cmd, r.show(v, true))
	}
	return tea.Batch(cmd, r.sh.serve())
}

// managed reports a change of a campaign, a model or one of the user's jobs, and lists them again.
func (sh *shared) managed(m page.Managed) tea.Cmd {
	if m.Err == nil {
		sh.say("%s", m.Said)
	}
	sh.fail(m.What, m.Err)
	return tea.Batch(sh.listCampaigns(), listModels(sh.host), sh.listWorkloads)
}
