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
	case r.top() != nil:
		r.top().Paste(m)
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
	if does, taken := r.apply.Acts().Key(k); taken {
		return r.do(does)
	}
	if !r.typing() || k.String() != "ctrl+c" {
		if does, taken := r.shown().Acts().Key(k); taken || r.typing() {
			return r.do(does)
		}
	}
	return r.globalKey(k)
}

// overlayKey handles a key of the overlay; taken is false if there is none.
func (r *root) overlayKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	keys, top := r.sh.Keys, r.top()
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
	case top == nil:
		return nil, false
	case top.Numbers() != nil && keys.Help.Matches(k):
		r.openHelp()
		return nil, true
	}
	does, _ := top.Acts().Key(k)
	return r.do(does), true
}

// acts returns what the keys do on every page.
func (r *root) acts() page.Acts {
	keys, sh := r.sh.Keys, r.sh
	cmd := func(do func() tea.Cmd) func() page.Intent { return func() page.Intent { return do() } }
	turn := func(by int) func() { return func() { r.turn((r.active + by + len(r.pages)) % len(r.pages)) } }
	speed := func(up bool) func() page.Intent { return func() page.Intent { return r.changeSpeed(up) } }
	out := page.Acts{
		page.Shown(keys.Page), page.On(keys.NextPage, turn(1)), page.On(keys.PrevPage, turn(-1)),
		page.On(keys.Help, r.openHelp).Unnamed(),
		page.On(keys.Palette, func() { r.over(r.newPalette()) }).Unnamed(),
		page.On(keys.Tune.Unless(sh.read.MayMeasure()), func() page.Intent { return sh.Work.Tune(sh.Device.Board) }),
		page.On(keys.Verify.Unless(sh.read.MayMeasure()), func() page.Intent { return page.AskMeasure{} }),
		page.On(keys.Undo, r.apply.Undo), page.On(keys.Freeze, cmd(r.freeze)),
		page.On(keys.Enlarge, func() page.Intent {
			return page.Sayf("enlarge: %s has nothing to enlarge now", r.shown().Name().Title())
		}),
		page.On(keys.Slower, speed(false)), page.On(keys.Faster, speed(true)),
		page.On(keys.Copy, cmd(r.copy)), page.On(keys.Export, cmd(r.export)),
		page.On(keys.Messages, func() {
			r.over(dialog.NewText(keys, "Messages, newest first", r.logText, nil, r.w))
		}),
		page.On(keys.Boards, cmd(r.openBoards)), page.On(keys.Mouse, sh.turnMouse),
		page.On(keys.Back, sh.notices.hush), page.On(keys.Suspend, cmd(sh.suspend)), page.On(keys.Quit, cmd(r.leave)),
	}
	for i := range r.pages {
		out = append(out, page.On(keys.PageKey(i+1), func() { r.turn(i) }).Unnamed())
	}
	return out
}

// globalKey handles a key that the page has no use for.
func (r *root) globalKey(k tea.KeyPressMsg) tea.Cmd {
	does, taken := r.acts().Key(k)
	if !taken {
		for _, a := range r.shown().Acts().Hints() {
			if a.Why != "" && a.Matches(k) {
				does = page.NotNow(a)
			}
		}
	}
	return r.do(does)
}

// freeze freezes the view, or shows what was read since.
func (r *root) freeze() tea.Cmd {
	r.sh.notices.hush()
	if r.sh.Look.Frozen = !r.sh.Look.Frozen; r.sh.Look.Frozen {
		return nil
	}
	return r.thaw()
}

// leave quits, after a question if there is a reason to stay.
func (r *root) leave() tea.Cmd {
	if r.reasonToStay() == "" {
		return r.quit()
	}
	r.asks = &question{do: "quit", not: "stay", why: r.reasonToStay, yes: r.quit, also: r.sh.Keys.Quit}
	return nil
}

// reasonToStay returns why quitting asks first; "" if it does not.
func (r *root) reasonToStay() string {
	switch {
	case r.sh.read.Busy():
		return r.sh.task.Kind.String() + " is in progress: quitting stops it and restores the board"
	case r.sh.Applied.Unkept():
		return "the applied mode was not kept: quitting restores the state before it"
	}
	return r.sh.whyOpenBoards()
}

// quit stops a running task first; the program ends when the task has ended.
func (r *root) quit() tea.Cmd {
	r.gone = true
	if r.sh.read.Busy() {
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

// perform does an action of the palette on its page.
func (r *root) perform(chosen dialog.Offer) page.Intent {
	switch {
	case chosen.Does != nil:
		return chosen.Does
	case chosen.ID == r.sh.Keys.Verify.ID: // for the mode under the cursor, if the page has one
		if does, taken := r.shown().Acts().Key(chosen.Pressed()); taken {
			return does
		}
		return r.globalKey(chosen.Pressed())
	case chosen.On == "":
		return r.globalKey(chosen.Pressed())
	}
	r.open(chosen.On)
	does, _ := r.shown().Acts().Key(chosen.Pressed())
	return does
}
