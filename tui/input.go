package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/tui/page"
	"jtune/tui/page/dialog"
)

// rush is shorter than any interval between typed or repeated keys: keys that follow each other faster were pasted.
const rush = 20 * time.Millisecond

// paste passes pasted text to the overlay, or to the page.
func (r *root) paste(m tea.PasteMsg) tea.Cmd {
	switch {
	case r.tour != nil:
	case r.text != nil:
		r.text.Paste(m)
	case r.palette != nil:
		r.palette.Paste(m)
	case r.form != nil:
		r.form.Paste(m)
	default:
		return r.broadcast(m)
	}
	return nil
}

// key offers a key to the overlay, the keep question, the page and the global keys, in this order.
func (r *root) key(k tea.KeyPressMsg) tea.Cmd {
	now := r.sh.now()
	r.sh.Moment.Rushed, r.keyAt = now.Sub(r.keyAt) < rush, now
	if !r.pressed && r.boards != nil { // show the list of boards before the first key dismisses it
		r.pressed = true
		return r.route(k)
	}
	return tea.Batch(r.sh.acquaint(), r.route(k))
}

func (r *root) route(k tea.KeyPressMsg) tea.Cmd {
	if cmd, taken := r.overlayKey(k); taken {
		return cmd
	}
	if r.sh.Keys.Suspend.Matches(k) {
		return r.sh.suspend()
	}
	if does, taken := r.apply.Key(k); taken {
		return r.do(does)
	}
	if !r.typing() || k.String() != "ctrl+c" {
		if does, taken := r.shown().Key(k); taken || r.typing() {
			return r.do(does)
		}
	}
	return r.globalKey(k)
}

// overlayKey handles a key of the overlay; taken is false if there is none.
func (r *root) overlayKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	keys := r.sh.Keys
	switch {
	case r.asks != nil:
		asked := r.asks
		r.asks = nil
		switch yes := keys.Yes.Matches(k) || asked.also.Matches(k); {
		case yes && r.sh.Moment.Rushed: // pasted
			r.asks = asked
		case yes:
			return asked.yes(), true
		}
		return nil, true
	case r.text != nil:
		if r.text.Key(k, keys) {
			r.text = nil
		}
		return nil, true
	case r.palette != nil:
		return r.paletteKey(k), true
	case r.form != nil && r.form.Numbers() != nil && keys.Help.Matches(k):
		r.openHelp()
		return nil, true
	case r.form != nil:
		does, closed := r.form.Key(k)
		if closed {
			r.form = nil
		}
		return r.do(does), true
	}
	return nil, false
}

// globalKey handles the keys that work on every page.
func (r *root) globalKey(k tea.KeyPressMsg) tea.Cmd {
	keys := r.sh.Keys
	sh := r.sh
	switch {
	case keys.Page.Matches(k):
		r.turn(int(k.String()[0] - '1'))
	case keys.NextPage.Matches(k):
		r.turn((r.active + 1) % len(r.pages))
	case keys.PrevPage.Matches(k):
		r.turn((r.active + len(r.pages) - 1) % len(r.pages))
	case keys.Help.Matches(k):
		r.openHelp()
	case keys.Tune.Matches(k):
		if why := sh.MayMeasure(); why != "" {
			sh.say("tune: not now, %s", why)
			return nil
		}
		return r.do(sh.Work.Tune(sh.Device.Board))
	case keys.Verify.Matches(k):
		if why := sh.MayMeasure(); why != "" {
			sh.say("measure: not now, %s", why)
			return nil
		}
		return r.do(page.AskMeasure{})
	case keys.Undo.Matches(k):
		return r.do(r.apply.Undo())
	case keys.Freeze.Matches(k):
		sh.notices.hush()
		if sh.Look.Frozen = !sh.Look.Frozen; !sh.Look.Frozen {
			return r.thaw()
		}
	case keys.Slower.Matches(k), keys.Faster.Matches(k):
		return r.changeSpeed(keys.Faster.Matches(k))
	case keys.Boards.Matches(k):
		return r.openBoards()
	case keys.Mouse.Matches(k):
		sh.turnMouse()
	case keys.Enlarge.Matches(k):
		sh.say("enlarge: %s has nothing to enlarge now", r.shown().Name().Title())
	case keys.Copy.Matches(k):
		return r.copy()
	case keys.Export.Matches(k):
		return r.export()
	case keys.Messages.Matches(k):
		r.text = dialog.NewText(keys, "Messages, newest first", r.logText, nil, r.w)
	case keys.Palette.Matches(k):
		r.palette = r.newPalette()
	case keys.Back.Matches(k):
		sh.notices.hush()
	case keys.Quit.Matches(k):
		if r.reasonToStay() == "" {
			return r.quit()
		}
		r.asks = &question{do: "quit", not: "stay", why: r.reasonToStay, yes: r.quit, also: keys.Quit}
	default:
		for _, a := range r.shown().Hints() {
			if a.Why != "" && a.Matches(k) {
				sh.notNow(a)
			}
		}
	}
	return nil
}

// reasonToStay returns why quitting asks first; "" if it does not.
func (r *root) reasonToStay() string {
	switch {
	case r.sh.Busy():
		return r.sh.task.Kind.String() + " is in progress: quitting stops it and restores the board"
	case r.sh.Applied.Unkept():
		return "the applied mode was not kept: quitting restores the state before it"
	}
	return r.sh.whyOpenBoards()
}

// quit stops a running task first; the program ends when the task has ended.
func (r *root) quit() tea.Cmd {
	r.gone = true
	if r.sh.Busy() {
		r.sh.task.stop()
		r.sh.say("stopping, restoring the board …")
		return nil
	}
	return tea.Quit
}

func (r *root) changeSpeed(up bool) tea.Cmd {
	if r.sh.Device.Rate == nil {
		r.sh.say("speed: only a virtual board's clock can be changed")
		return nil
	}
	for _, j := range r.sh.running() {
		if j.Workload.Beside() {
			r.sh.say("speed: not now, %s really runs on this machine: the clock keeps real time", j.Workload.Name)
			return nil
		}
	}
	r.sh.Device.Rate.SetSpeed(page.Faster(r.sh.Device.Rate.Speed(), up))
	r.sh.say("virtual clock %s", page.SpeedText(r.sh.Device.Rate.Speed()))
	return r.pulse()
}

// acquaint removes the welcome for good at the first key press.
func (sh *shared) acquaint() tea.Cmd {
	keep := sh.introduced
	if keep == nil {
		return nil
	}
	sh.introduced = nil
	return func() tea.Msg {
		_ = keep() // if it cannot be recorded, the welcome is shown once more
		return nil
	}
}

// paletteKey handles a key of the palette and performs the chosen action on its page, or says why it is not available.
func (r *root) paletteKey(k tea.KeyPressMsg) tea.Cmd {
	chosen, closed := r.palette.Key(k)
	if chosen != nil && chosen.Why != "" {
		r.sh.notNow(chosen.Action)
		return nil
	}
	if closed {
		r.palette = nil
	}
	switch {
	case chosen == nil:
		return nil
	case chosen.Does != nil:
		return r.do(chosen.Does)
	case chosen.ID == r.sh.Keys.Verify.ID: // for the mode under the cursor, if the page has one
		if does, taken := r.shown().Key(chosen.Pressed()); taken {
			return r.do(does)
		}
		return r.globalKey(chosen.Pressed())
	case chosen.On == "":
		return r.globalKey(chosen.Pressed())
	}
	r.open(chosen.On)
	does, _ := r.shown().Key(chosen.Pressed())
	return r.do(does)
}
