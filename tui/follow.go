package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/tui/page"
	"jtune/tui/session/control"
	"jtune/tui/session/task"
)

// followEvery is how often the campaigns of other processes are looked for and a followed one is reread while the
// Profile page is shown; other pages do so a quarter as often.
const followEvery = 3 * time.Second

// showEnd is how long the end of a followed campaign stays on the screen once another one runs.
const showEnd = 30 * time.Second

// followedMsg carries a running campaign of another process (this data directory's newest first), or the end of the
// followed one; nil if there is none. It also carries when the kept models and the campaigns last changed.
type followedMsg struct {
	found             *control.Followed
	models, campaigns time.Time
}

func (m followedMsg) fold(r *root) tea.Cmd {
	sh := r.sh
	sh.looking = false
	return tea.Batch(sh.followed(m.found), sh.modelsSince(m.models), sh.campaignsSince(m.campaigns))
}

// order sends an order to another program.
func (sh *shared) order(do control.Order, to *control.Followed) tea.Cmd {
	return func() tea.Msg {
		err := to.Give(do)
		return then(func(*root) tea.Cmd {
			sh.lookedAt = time.Time{} // to see its effect at once
			if err == nil {
				sh.say("%s: told %s", do, to.By())
			}
			sh.fail(string(do), err)
			return nil
		})
	}
}

// followNext looks for campaigns of other processes in a command, one look at a time: a slow one would replace what a
// later one has read. The end of a followed one stays on the screen for
// showEnd.
func (sh *shared) followNext() tea.Cmd {
	now, before, every := sh.now(), sh.follow, followEvery
	if sh.Look.Shown != page.Profile {
		every *= 4
	}
	switch {
	case sh.campaigns.Held == nil, now.Sub(sh.lookedAt) < every, sh.looking:
		return nil
	case before != nil && before.Done() && now.Sub(before.endedAt) < showEnd:
		return nil
	}
	sh.lookedAt, sh.looking = now, true
	c := sh.campaigns
	var followed *control.Followed
	if before != nil {
		followed = before.Follows
	}
	return func() tea.Msg { return followedMsg{control.Follow(c, followed), c.ModelsChanged(), c.Changed()} }
}

// modelsSince lists the models again if any program has changed them.
func (sh *shared) modelsSince(changed time.Time) tea.Cmd {
	known := sh.modelsAt
	if sh.modelsAt = changed; known.Equal(changed) {
		return nil
	}
	return listModels(sh.host)
}

// campaignsSince lists the campaigns again if one was added, removed or renamed.
func (sh *shared) campaignsSince(changed time.Time) tea.Cmd {
	if changed.Equal(sh.campaignsAt) || sh.listing > 0 {
		return nil
	}
	return sh.listCampaigns()
}

// followed updates the followed task with what was read.
func (sh *shared) followed(f *control.Followed) tea.Cmd {
	if f == nil {
		return nil
	}
	j := sh.follow
	if j == nil || j.Follows.Dir != f.Dir || j.Done() && !f.Ended {
		j = &shownTask{}
		sh.follow, sh.Tasks.Followed = j, &j.Task
	}
	j.Spec = task.Spec{Kind: task.Following, Workload: f.Header.Workload, Planned: f.Header.Plan.Modes}
	j.Follows, j.Rows, j.State = f, f.Rows, task.Running
	if f.Ended {
		j.State, j.endedAt = task.Done, sh.now()
		return tea.Batch(sh.previewNext(j), sh.listCampaigns())
	}
	return sh.previewNext(j)
}
