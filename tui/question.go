package tui

import (
	tea "charm.land/bubbletea/v2"

	"jtune/tui/session/control"
)

// askToStop asks before it stops the running task.
func (r *root) askToStop() {
	j := r.sh.task
	if j == nil || j.Done() {
		return
	}
	r.asks = &question{do: "stop", not: "continue", why: func() string { return j.IfStopped(j.Spec) },
		yes: func() tea.Cmd {
			j.stop()
			return nil
		}}
}

// askOther asks before it sends an order to another program's task.
func (r *root) askOther(do control.Order) {
	sh := r.sh
	if sh.follow == nil || sh.follow.Done() {
		return
	}
	f := sh.follow.Follows
	r.asks = &question{do: string(do), not: "leave it", why: f.IfOrdered,
		yes: func() tea.Cmd { return sh.order(do, f) }}
}
