package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/telemetry"
)

// fold brings an event into the state, and tells the pages.
func (r *root) fold(e event) tea.Cmd {
	told, cmd := e.fold(r)
	cmds := []tea.Cmd{cmd}
	for _, msg := range told {
		cmds = append(cmds, r.broadcast(msg))
	}
	return tea.Batch(cmds...)
}

// hold keeps a message for later: of readings no more than the pages show.
func (r *root) hold(msg streamed) {
	r.held = append(r.held, msg)
	reading := func(m streamed) bool { _, ok := m.(sampleMsg); return ok }
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
