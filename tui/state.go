package tui

import (
	"context"
	"fmt"
	"image/color"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/optimize/outlook"
	"jtune/tegra/metric"
	"jtune/telemetry"
	"jtune/tui/page"
	"jtune/tui/session/control"
	"jtune/tui/session/fleet"
	"jtune/tui/session/kept"
	"jtune/tui/session/models"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// shared is the state that all pages read, with what the shell needs to maintain it. Only Update touches it.
type shared struct {
	page.State
	deps
	read        page.Reader     // of the State
	ctx         context.Context // ends when the program does
	outlooks    outlook.Outlooks
	serving     servedOf         // what Served was last computed for, or is being computed for
	completing  *outlook.Outlook // whose space is being completed
	askedBatch  int              // requested batch size that is not shown yet; 0: none
	tasks       task.Tasks       // of this board, one at a time
	task        *shownTask       // behind Tasks.Own
	dropped     *shownTask       // behind Tasks.Drop
	follow      *shownTask       // behind Tasks.Followed
	lookedAt    time.Time        // when campaigns of other processes were last looked for
	looking     bool             // that look has not ended
	modelsAt    time.Time        // when the listed models last changed
	campaignsAt time.Time        // when the listed campaigns last changed
	listing     int              // requests to list them since the listing at work began; 0: none is at work
	kept        []models.Info    // the listed models, newest first
	keptMode    kept.Watch
	notices     notices
	mouse       bool
	control     *control.Control  // lets other programs see the tasks; nil: none can
	paint       *strings.Replacer // writes the theme's colours
}

func newShared(ctx context.Context, d deps) *shared {
	if d.panes == nil {
		d.panes = &fleet.Panes{}
	}
	sh := &shared{State: d.state, deps: d, ctx: ctx, modelsAt: d.campaigns.ModelsChanged()}
	sh.read = page.ReaderOf(&sh.State)
	sh.tasks = task.Tasks{On: d.host, Clock: sh.Moment.Clock, Rate: sh.Device.Rate, Budget: d.budget}
	sh.Readings.Since = sh.now()
	sh.paint = sh.theme.Painter(sh.light, sh.sixteen)
	return sh
}

// ground handles the terminal's report of its background colour.
func (sh *shared) ground(c color.Color) {
	if light := widget.Light(c); light != sh.light {
		sh.light = light
		sh.paint = sh.theme.Painter(light, sh.sixteen)
	}
}

// now returns the user's time.
func (sh *shared) now() time.Time { return sh.Moment.Now() }

func (sh *shared) say(format string, args ...any) {
	sh.notices.say(sh.now(), fmt.Sprintf(format, args...))
}

// fail shows an error in one line; it does nothing for nil.
func (sh *shared) fail(what string, err error) {
	if err != nil {
		sh.say("%s: %v", what, err)
	}
}

// computed is a command that runs work within the CPU budget.
func (sh *shared) computed(work func() tea.Msg) tea.Cmd {
	return func() tea.Msg {
		defer sh.budget.Compute()()
		return work()
	}
}

// subject returns the key of a workload's outlook on this board.
func (sh *shared) subject(workload string) outlook.Subject {
	return outlook.SubjectOf(workload, sh.Device.Board)
}

// badge names the kind of device unless it is plain hardware; brief leaves out the clock's rate.
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

// rereadMsg carries a message about the device, and a reading made after the event.
type rereadMsg struct {
	telemetry.Sample
	about tea.Msg
}

// reread shows a reading that was made after a change.
func (sh *shared) reread(m rereadMsg) {
	if now := &sh.Readings; now.OK && m.T >= now.Sample.T {
		now.Sample = m.Sample
	}
}

// after reads the device again for a message about a change, so that the message does not appear beside an older
// reading.
func (sh *shared) after(msg tea.Msg) tea.Msg {
	if sh.sampler == nil {
		return msg
	}
	s, _ := sh.sampler.Read() // its error is in Why
	return rereadMsg{s, msg}
}

// servedOf identifies what Served was computed for.
type servedOf struct {
	view *outlook.Outlook
	goal metric.Question
	at   time.Time // when the campaigns changed that record failures under the load
}

// shownTask is a task of the session, or a campaign of another process. Pages see the embedded Task. Only Update
// touches its fields.
type shownTask struct {
	page.Task
	run        *task.Task // nil: of another process
	endedAt    time.Time  // of a followed one: when its end was seen
	previewing bool
}

// turnMouse switches mouse handling on or off; off leaves the mouse to the terminal.
func (sh *shared) turnMouse() {
	if sh.mouse = !sh.mouse; sh.mouse {
		sh.say("mouse on: click tabs, modes and keys, zoom by the wheel; the terminal selects no text")
	} else {
		sh.say("mouse off: the terminal selects text again")
	}
}
