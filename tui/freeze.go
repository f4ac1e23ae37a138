package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// news takes everything that is not input. Readings and a job's progress wait
// while the view is frozen; asking for the next goes on.
func (r *root) news(msg tea.Msg) tea.Cmd {
	var more tea.Cmd
	switch msg := msg.(type) {
	case sampleMsg:
		if r.watch != nil {
			more = r.watch.next(r.sh.ctx)
		}
	case jobNewsMsg:
		more = msg.job.next(r.sh)
	case jobDoneMsg: // no end without what came before it
		return tea.Batch(r.thaw(), r.take(msg))
	default:
		return r.take(msg)
	}
	if r.sh.frozen {
		r.hold(msg)
		return more
	}
	if j := r.sh.job; r.sh.busy() && j.feed != nil { // one drawing for both
		j.take(j.feed.take())
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
	if n > historyLen {
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
