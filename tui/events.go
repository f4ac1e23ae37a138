package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/telemetry"
)

// hold queues a message until thaw, with at most as many readings as the pages show.
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

// thaw handles the held messages.
func (r *root) thaw() tea.Cmd {
	held := r.held
	r.held = nil
	var cmds []tea.Cmd
	for _, msg := range held {
		cmds = append(cmds, msg.fold(r))
	}
	return tea.Batch(cmds...)
}
