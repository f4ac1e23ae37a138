package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/telemetry"
	"jtune/tui/page"
	"jtune/tui/page/dialog"
)

// event is a message of the shell's own: what a command has found or done.
type event interface {
	// fold brings it into the state that the pages show, and tells them.
	fold(r *root) tea.Cmd
}

// streamed is an event of a stream. While the view is frozen it waits, and the stream is read on.
type streamed interface {
	event
	// next waits for the one after it.
	next(r *root) tea.Cmd
}

// tick is a message that only says that it is time: nothing on the screen has changed.
type tick interface{ tick(r *root) tea.Cmd }

// Update is tea.Model's: the one place where messages are told apart.
func (r *root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if t, is := msg.(tick); is {
		return r, t.tick(r)
	}
	r.frame = ""
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		r.resize(msg.Width, msg.Height)
	case tea.BackgroundColorMsg:
		r.sh.ground(msg.Color)
	case tea.KeyPressMsg:
		cmd = r.press(msg)
	case tea.PasteMsg:
		cmd = r.paste(msg)
	case tea.MouseWheelMsg:
		cmd = r.wheel(msg)
	case tea.MouseClickMsg:
		r.click(msg)
	case streamed:
		if cmd = msg.next(r); r.sh.Look.Frozen {
			r.hold(msg)
		} else {
			r.sh.catchUp()
			cmd = tea.Batch(cmd, msg.fold(r))
		}
	case event:
		cmd = msg.fold(r)
	case page.ModelsListed:
		cmd = tea.Batch(r.broadcast(msg), r.sh.renew(msg.List))
	case page.Managed:
		cmd = r.sh.managed(msg)
	case page.ModeSet:
		r.sh.modeSet(msg)
		cmd = r.broadcast(msg)
	case page.ModeKept:
		r.sh.modeKept(msg)
		cmd = r.broadcast(msg)
	case page.ModeReverted:
		r.sh.modeReverted(msg)
		cmd = r.broadcast(msg)
	default:
		cmd = r.broadcast(msg)
	}
	r.sh.Moment.Asking = r.apply.Stage() != dialog.Idle
	return r, cmd
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
		cmds = append(cmds, msg.fold(r))
	}
	return tea.Batch(cmds...)
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
