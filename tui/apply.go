package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
)

// keepWithin is how long an applied mode waits for the word "keep".
const keepWithin = 30 * time.Second

// applyStage is where setting a mode stands.
type applyStage int

const (
	applyIdle applyStage = iota
	applyAsking
	applyWorking
	applyKeeping
	applyEnding // keep or revert is under way
)

// applyFlow walks a mode onto the device: show the difference, apply, keep or
// revert. Silence reverts.
type applyFlow struct {
	sh        *shared
	stage     applyStage
	mode      tegra.Mode
	reboot    bool // the preset needs one
	from      tegra.Val[tegra.Mode]
	predicted *learn.Prediction
	measured  *tegra.Measured
	deadline  time.Time
	serial    int // of the countdown in force: an old tick is not heard
}

type modeAppliedMsg struct {
	applied tegra.Applied
	err     error
}

type modeKeptMsg struct{ err error }

type modeRevertedMsg struct {
	why     string
	applied tegra.Applied
	err     error
}

type countdownMsg struct{ serial int }

// ask opens the flow on a mode: nothing is written yet.
func (f *applyFlow) ask(m tegra.Mode) {
	if why := f.sh.mayWrite(); why != "" {
		f.sh.say("apply: not now, %s", why)
		return
	}
	if f.stage != applyIdle {
		return
	}
	f.stage, f.mode, f.from = applyAsking, m, f.sh.present()
	f.reboot, f.predicted, f.measured = false, nil, nil
	for _, p := range f.sh.presets {
		if p.Mode == m && p.NeedsReboot {
			f.reboot = true
		}
	}
	if v := f.sh.view; v != nil {
		if i, ok := v.at(m); ok {
			if pr, fitted := v.expected(i); !fitted {
				f.predicted = &pr
			}
		}
		if got, ok := v.measured[m]; ok {
			f.measured = &got
		}
	}
}

// key handles keys while the difference is shown or the countdown runs; false
// leaves the key to the page.
func (f *applyFlow) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch f.stage {
	case applyAsking:
		switch {
		case key.Matches(k, keys.Apply) && f.sh.rushed:
			f.sh.say("that came too fast for a finger: press %s again to apply", keys.Apply.Help().Key)
		case key.Matches(k, keys.Apply):
			return f.apply(), true
		case key.Matches(k, keys.Back, keys.No, keys.Quit):
			f.stage = applyIdle
		}
		return nil, true
	case applyKeeping:
		switch {
		case key.Matches(k, keys.Yes) && f.sh.rushed:
			return nil, true
		case key.Matches(k, keys.Yes):
			return f.keep(), true
		case key.Matches(k, keys.No):
			return f.revert("answered no"), true
		}
	}
	return nil, false
}

// apply sets the mode through the guard.
func (f *applyFlow) apply() tea.Cmd {
	f.stage = applyWorking
	ctx, h, req, real := f.sh.ctx, f.sh.host, tegra.Request{Mode: f.mode}, f.sh.rate == nil
	write := func() tea.Msg {
		g, err := h.Guard(ctx)
		if err != nil {
			return modeAppliedMsg{err: err}
		}
		applied, err := applyWith(ctx, g, req, real)
		if err == nil && !applied.OK() {
			_, undone := g.Revert(context.WithoutCancel(ctx))
			err = errors.Join(errors.New(mismatch(applied)), undone)
		}
		return modeAppliedMsg{applied: applied, err: err}
	}
	return f.sh.withGuard(func() tea.Cmd { return write })
}

// timedApplier is a guard that can count down itself.
type timedApplier interface {
	ApplyFor(ctx context.Context, r tegra.Request, keepAfter time.Duration) (tegra.Applied, error)
}

// applyWith sets a mode. On real hardware the guard counts down too, a little
// longer, in case these screens hang: a virtual board's clock may run too fast
// for that.
func applyWith(ctx context.Context, g tegra.Applier, r tegra.Request, real bool) (tegra.Applied, error) {
	if t, ok := g.(timedApplier); ok && real {
		return t.ApplyFor(ctx, r, keepWithin+10*time.Second)
	}
	return g.Apply(ctx, r)
}

// mismatch names the first knob that does not read back as asked.
func mismatch(a tegra.Applied) string {
	for _, file := range a.Files {
		if file.Asked != file.Actual {
			return fmt.Sprintf("%s reads back %s, asked %s (%s)", file.Knob, file.Actual, file.Asked, file.Path)
		}
	}
	return ""
}

func (f *applyFlow) keep() tea.Cmd {
	f.stage = applyEnding
	ctx, h := f.sh.ctx, f.sh.host
	return func() tea.Msg {
		g, err := h.Guard(ctx)
		if err == nil {
			err = g.Keep(ctx)
		}
		return modeKeptMsg{err}
	}
}

func (f *applyFlow) revert(why string) tea.Cmd {
	f.stage = applyEnding
	return f.sh.revert(why, false)
}

// revert puts back the state before the last apply; settle makes it the found
// state too, so that quitting does not bring the taken-back mode again.
func (sh *shared) revert(why string, settle bool) tea.Cmd {
	ctx, h := sh.ctx, sh.host
	return func() tea.Msg {
		g, err := h.Guard(ctx)
		if err != nil {
			return modeRevertedMsg{why: why, err: err}
		}
		applied, err := g.Revert(ctx)
		if err == nil && settle {
			err = g.Keep(ctx)
		}
		return modeRevertedMsg{why: why, applied: applied, err: err}
	}
}

// update takes the outcomes of the flow's commands.
func (f *applyFlow) update(msg tea.Msg) tea.Cmd {
	dev := &f.sh.dev
	switch msg := msg.(type) {
	case modeAppliedMsg:
		if msg.err != nil {
			f.stage = applyIdle
			f.sh.fail("not applied, former state is back", msg.err)
			return nil
		}
		f.stage = applyKeeping
		f.deadline = f.sh.now().Add(keepWithin)
		f.serial++
		dev.mode, dev.kept, dev.boot = tegra.Some(f.mode), false, nil
		dev.undoable++
		dev.history = append(dev.history, change{f.sh.now(), f.mode, "applied"})
		f.sh.say("applied and read back: %s", f.sh.mode(f.mode))
		return countdown(f.serial)
	case modeKeptMsg:
		f.stage = applyIdle
		if msg.err != nil {
			f.sh.fail("keep", msg.err)
			return nil
		}
		dev.kept = true
		dev.note("kept")
		stays := "until a reboot (6 " + keys.AtBoot.Help().Key + ": at every boot)"
		if f.sh.board.Virtual {
			stays = "on a virtual board, until you quit"
		}
		f.sh.say("kept %s: %s; %s takes it back", f.sh.mode(f.mode), stays, keys.Undo.Help().Key)
	case modeRevertedMsg:
		f.stage = applyIdle
		if msg.err != nil {
			f.sh.fail("revert", msg.err)
			return nil
		}
		dev.undoable = max(0, dev.undoable-1)
		dev.mode, dev.kept = tegra.Val[tegra.Mode]{}, false
		dev.note("reverted: " + msg.why)
		f.sh.say("reverted (%s): the state before is back", msg.why)
	case countdownMsg:
		if f.stage != applyKeeping || msg.serial != f.serial {
			return nil
		}
		if !f.sh.now().Before(f.deadline) {
			return f.revert("no answer")
		}
		return countdown(f.serial)
	}
	return nil
}

func countdown(serial int) tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return countdownMsg{serial} })
}

func (d *deviceState) note(what string) {
	if n := len(d.history); n > 0 {
		d.history[n-1].what = what
	}
}

// undo takes the last change to the device back.
func (f *applyFlow) undo() tea.Cmd {
	switch why := f.sh.mayWrite(); {
	case why != "":
		f.sh.say("undo: not now, %s", why)
	case f.stage == applyKeeping:
		return f.revert("undone")
	case f.stage != applyIdle:
	case f.sh.dev.boot != nil:
		return f.sh.undoBoot()
	case f.sh.dev.undoable == 0:
		f.sh.say("nothing to undo: this session has not changed the device")
	default:
		f.stage = applyEnding
		return f.sh.revert("undone", f.sh.dev.kept)
	}
	return nil
}

// withGuard does what writes to the device. Where sudo may have to ask for a
// password on the terminal, it starts the guard first, the screen released.
func (sh *shared) withGuard(do func() tea.Cmd) tea.Cmd {
	if !sh.sudo {
		return do()
	}
	start := func() error { _, err := sh.host.Guard(sh.ctx); return err }
	return tea.Exec(startGuard{func() error { return sh.aside(start) }}, func(err error) tea.Msg {
		return guardMsg{err, do}
	})
}

// guardMsg says how starting the guard went, and what waits for it.
type guardMsg struct {
	err error
	do  func() tea.Cmd
}

// startGuard is the start of the guard as something that runs with the
// screen released.
type startGuard struct{ start func() error }

func (s startGuard) Run() error { return s.start() }

func (startGuard) SetStdin(io.Reader) {}

func (startGuard) SetStdout(io.Writer) {}

func (startGuard) SetStderr(io.Writer) {}

// nearest gives the mode that comes closest to limits that none meets.
func nearest(err error) (tegra.Mode, bool) {
	var none *optimize.InfeasibleError
	if errors.As(err, &none) {
		return none.Nearest.Mode, true
	}
	return tegra.Mode{}, false
}
