package tui

import (
	"context"
	"io"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/procid"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/page/dialog"
	"jtune/tui/session"
)

// withGuard runs do, which writes to the device. If sudo may ask for a password on the terminal, it first releases the
// screen and starts the guard.
func (sh *shared) withGuard(do func() tea.Cmd) tea.Cmd {
	if !sh.sudo {
		return do()
	}
	start := func() error { _, err := sh.host.Guard(sh.ctx); return err }
	return tea.Exec(released{func() error { return sh.aside(start) }}, func(err error) tea.Msg {
		return guardMsg{err, do}
	})
}

// lend runs work that needs the terminal while the screen is released, then next; what names the work where it fails.
func (sh *shared) lend(what string, work func() error, next func()) tea.Cmd {
	return tea.Exec(released{func() error { return sh.aside(work) }}, func(err error) tea.Msg {
		return then(func(*root) tea.Cmd {
			sh.fail(what, err)
			next()
			return nil
		})
	})
}

// guardMsg says how starting the guard ended, and carries the work that waits for it.
type guardMsg struct {
	err error
	do  func() tea.Cmd
}

func (m guardMsg) fold(r *root) tea.Cmd {
	if m.err != nil {
		r.apply.Cancel()
		r.sh.fail("no way to set power modes", m.err)
		return nil
	}
	r.sh.sudo = false
	return m.do()
}

// released runs do while the screen is released.
type released struct{ do func() error }

func (r released) Run() error { return r.do() }

func (released) SetStdin(io.Reader) {}

func (released) SetStdout(io.Writer) {}

func (released) SetStderr(io.Writer) {}

// suspend gives the terminal back to the shell, unless that would disturb a measurement, and says how the board stays.
func (sh *shared) suspend() tea.Cmd {
	board, why := sh.read.Leaves()
	if why != "" {
		sh.say("suspend: not now, %s", why)
		return nil
	}
	stop := func() error { return procid.Suspend("jtune is suspended: " + board + "; fg continues") }
	return sh.lend("suspend", stop, func() {})
}

// guarded is a command that sends the guard a request and then reads the board; done takes its result.
func (sh *shared) guarded(ask func(ctx context.Context, g tegra.Applier) error,
	done func(r *root, err error) page.Intent) tea.Cmd {
	ctx, h := sh.ctx, sh.host
	return func() tea.Msg {
		g, err := h.Guard(ctx)
		if err == nil {
			err = ask(ctx, g)
		}
		return sh.after(then(func(r *root) tea.Cmd { return r.do(done(r, err)) }))
	}
}

// setMode sets a mode.
func (sh *shared) setMode(i page.SetMode) tea.Cmd {
	// On real hardware the guard counts down too, a little longer, in case these screens hang. A virtual board's clock
	// may run too fast for that.
	patience := dialog.KeepWithin + 10*time.Second
	if sh.Device.Rate != nil {
		patience = 0
	}
	from := sh.read.Found()
	write := sh.guarded(func(ctx context.Context, g tegra.Applier) error {
		_, err := session.SetMode(ctx, g, i.Request, patience)
		return err
	}, func(r *root, err error) page.Intent {
		if err == nil {
			sh.Applied.Set(i.Request, from, sh.now())
		}
		return page.All{sh.drop(i, err), r.apply.Set(i.Mode, err)}
	})
	return sh.withGuard(func() tea.Cmd { return write })
}

// keepMode makes the set mode the one to restore.
func (sh *shared) keepMode() tea.Cmd {
	mode, free := sh.Applied.Mode, sh.Applied.Free
	return sh.guarded(func(ctx context.Context, g tegra.Applier) error {
		err := g.Keep(ctx)
		if err == nil && mode.OK {
			sh.host.RememberKept(mode, free)
		}
		return err
	}, func(r *root, err error) page.Intent {
		lapsed := session.Lapsed(err)
		switch {
		case err == nil:
			sh.Applied.Keep()
		case lapsed:
			sh.Applied.Revert("not kept in time")
		}
		return r.apply.Kept(err, lapsed)
	})
}

// revert restores the state before the last mode change.
func (sh *shared) revert(i page.Revert) tea.Cmd {
	return sh.guarded(func(ctx context.Context, g tegra.Applier) error {
		_, err := session.TakeBack(ctx, g, i.Settle)
		if err == nil && i.Settle {
			sh.host.RememberKept(tegra.Val[tegra.Mode]{}, false)
		}
		return err
	}, func(r *root, err error) page.Intent {
		if err == nil {
			sh.Applied.Revert(i.Why)
		}
		return r.apply.Reverted(i.Why, err)
	})
}

// planBoot prepares the unit that sets a mode at boot.
func (sh *shared) planBoot(i page.PlanBoot) tea.Cmd {
	h, dvfs := sh.host, "--dvfs=off"
	if i.Free {
		dvfs = "--dvfs=on"
	}
	return func() tea.Msg {
		unit, err := h.PlanBoot(i.Mode, dvfs)
		return page.BootPlanned{Mode: i.Mode, Unit: unit, Err: err}
	}
}

// bootChanged reports a change of the boot unit and records how to undo it.
func (sh *shared) bootChanged(i page.ChangeBoot, err error) {
	switch {
	case err != nil:
		sh.fail("at boot", err)
	case i.Unit == nil:
		sh.say("%s", i.Done)
	case i.Undo:
		sh.Applied.Boot = nil
		sh.say("at boot: restored")
	default:
		sh.Applied.Boot = i.Unit
		sh.say("%s (%s); %s undoes that", i.Done, filepath.Base(i.Unit.Path()), sh.Keys.Undo.Label())
	}
}
