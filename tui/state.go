package tui

import (
	"context"
	"fmt"
	"image/color"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/telemetry"
	"jtune/tui/page"
	"jtune/tui/session/fleet"
	"jtune/tui/session/models"
	"jtune/tui/session/remote"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// shared is what all pages look at, and what the shell needs besides to keep it.
// Only Update touches it.
type shared struct {
	page.State
	deps
	ctx         context.Context // ends when the program does
	outlooks    outlook.Outlooks
	serving     servedOf      // what was worked out under a load last, or is
	askedBatch  int           // requested batch size that does not show yet; 0: none
	tasks       task.Tasks    // of this board, one at a time
	task        *shownTask    // that Tasks.Own shows
	follow      *shownTask    // that Tasks.Followed shows
	lookedAt    time.Time     // for those
	modelsAt    time.Time     // when the models that are listed were changed
	campaignsAt time.Time     // and the campaigns
	kept        []models.Info // the models that are listed, the newest first
	loadedLast  bool          // the newest of them was loaded, as none was when Front opened
	notices     notices
	mouse       bool
	control     *remote.Control   // through which other programs see the tasks; nil: they do not
	paint       *strings.Replacer // writes the theme's colours
}

func newShared(ctx context.Context, d deps) *shared {
	if d.panes == nil {
		d.panes = &fleet.Panes{}
	}
	sh := &shared{State: d.state, deps: d, ctx: ctx, modelsAt: d.campaigns.ModelsChanged()}
	sh.tasks = task.Tasks{On: d.host, Clock: sh.Moment.Clock, Rate: sh.Device.Rate, Budget: d.budget}
	sh.Readings.Since = sh.now()
	sh.paint = sh.theme.Painter(sh.light, sh.sixteen)
	return sh
}

// ground takes what the terminal says of its background.
func (sh *shared) ground(c color.Color) {
	if light := widget.Light(c); light != sh.light {
		sh.light = light
		sh.paint = sh.theme.Painter(light, sh.sixteen)
	}
}

// now is the user's time.
func (sh *shared) now() time.Time { return sh.Moment.Now() }

func (sh *shared) say(format string, args ...any) {
	sh.notices.say(sh.now(), fmt.Sprintf(format, args...))
}

// fail says an error in one line; nil says nothing.
func (sh *shared) fail(what string, err error) {
	if err != nil {
		sh.say("%s: %v", what, err)
	}
}

// computed is a command that computes something.
func (sh *shared) computed(work func() tea.Msg) tea.Cmd {
	return func() tea.Msg {
		defer sh.budget.Compute()()
		return work()
	}
}

// subject is a workload on this board.
func (sh *shared) subject(workload string) outlook.Subject {
	return outlook.SubjectOf(workload, sh.Device.Board)
}

// badge says what kind of device this is when it is not plain hardware; a brief one
// leaves out the clock's rate.
func (sh *shared) badge(brief bool) string {
	text := ""
	switch {
	case sh.Device.Board.Replay != "":
		text = "REPLAY"
	case sh.Device.Board.Virtual:
		text = "VIRTUAL"
	}
	if sh.Device.Rate != nil && text != "" && !brief {
		text += " " + page.SpeedText(sh.Device.Rate.Speed())
	}
	if sh.Device.ReadOnly {
		text += " READ-ONLY"
	}
	return text
}

// rereadMsg brings a message about the device, and a reading that was made after it.
type rereadMsg struct {
	telemetry.Sample
	about tea.Msg
}

// reread shows what was read after something was done.
func (sh *shared) reread(m rereadMsg) {
	if now := &sh.Readings; !sh.Look.Frozen && now.OK && m.T >= now.Sample.T {
		now.Sample = m.Sample
	}
}

// after reads the device once more for a message about it: it must not be shown beside a reading of before.
func (sh *shared) after(msg tea.Msg) tea.Msg {
	if sh.sampler == nil {
		return msg
	}
	s, _ := sh.sampler.Read() // its error is in Why
	return rereadMsg{s, msg}
}

// servedOf is what that was worked out for.
type servedOf struct {
	view *outlook.Outlook
	goal mix.Goal
	at   time.Time // when the campaigns were changed that say what has failed under the load
}

// shownTask is a task of the session, or what another process measures. Pages see
// the part that shows. Its fields belong to Update.
type shownTask struct {
	page.Task
	run        *task.Task // nil: of another process
	endedAt    time.Time  // of a followed one: when that was seen
	previewing bool
}

// notNow says why an action does not work now.
func (sh *shared) notNow(a widget.Action) { sh.say("%s: not now, %s", a.Help().Desc, a.Why) }

// turnMouse takes what the mouse does, or leaves it to the terminal.
func (sh *shared) turnMouse() {
	if sh.mouse = !sh.mouse; sh.mouse {
		sh.say("mouse on: click tabs, modes and keys, zoom by the wheel; the terminal selects no text")
	} else {
		sh.say("mouse off: the terminal selects text again")
	}
}
