package session

import (
	"cmp"
	"context"
	"errors"
	"time"

	"jtune/tegra"
	"jtune/tegra/guard"
	"jtune/telemetry"
)

// Applied is what this program has set on the board: the mode in force, and what can be undone. The zero value means
// that nothing was changed. It belongs to one goroutine.
type Applied struct {
	Mode    tegra.Val[tegra.Mode] // absent after a revert
	Free    bool                  // free clocks: they may fall below the mode's
	Kept    bool                  // Mode is the found state now
	History []Change              // oldest first
	Boot    *BootUnit             // boot change made after the last mode; nil
	Before  []tegra.Setup         // states for undo, the next one last
	seen    []tegra.Setup         // with their idle power, each once
}

// Change is one line of the history of applied modes.
type Change struct {
	At     time.Time
	Mode   tegra.Mode
	Locked bool
	What   string // "kept", "reverted: no answer", …
}

// Unkept reports whether quitting would restore something.
func (a *Applied) Unkept() bool { return a.Mode.OK && !a.Kept }

// Undoable reports whether there is something to undo.
func (a *Applied) Undoable() bool { return len(a.Before) > 0 || a.Boot != nil }

// Set records that a mode was applied and read back.
func (a *Applied) Set(r tegra.Request, from tegra.Setup, at time.Time) {
	a.Mode, a.Free, a.Kept, a.Boot = tegra.Some(r.Mode), r.DVFS, false, nil
	a.Before = append(a.Before, from)
	a.see(from)
	a.History = append(a.History, Change{at, r.Mode, !r.DVFS, "applied"})
}

// Watch records the idle power of the mode in force from the newest samples, oldest first.
func (a *Applied) Watch(list []telemetry.Sample) {
	if n := len(list); n > 0 {
		now := list[n-1].Reading.Setup()
		now.IdleW = IdleW(list)
		a.see(now)
	}
}

func (a *Applied) see(s tegra.Setup) {
	if !s.IdleW.OK || !s.Mode.OK || !s.Locked.OK {
		return
	}
	for i, old := range a.seen {
		if old.Mode == s.Mode && old.Locked == s.Locked {
			a.seen[i] = s
			return
		}
	}
	a.seen = append(a.seen, s)
}

// IdleW returns the measured idle power of a mode; absent if it was never measured.
func (a *Applied) IdleW(m tegra.Mode, locked bool) tegra.Val[float64] {
	for _, s := range a.seen {
		if s.Mode.V == m && s.Locked.V == locked {
			return s.IdleW
		}
	}
	return tegra.Val[float64]{}
}

// Keep records that the mode has become the state to restore to.
func (a *Applied) Keep() {
	a.Kept = true
	a.note("kept")
}

// Revert records that the state before the last mode is restored.
func (a *Applied) Revert(why string) {
	a.Before = a.Before[:max(0, len(a.Before)-1)]
	a.Mode, a.Kept = tegra.Val[tegra.Mode]{}, false
	a.note("reverted: " + why)
}

func (a *Applied) note(what string) {
	if n := len(a.History); n > 0 {
		a.History[n-1].What = what
	}
}

// timedApplier is a guard with its own countdown.
type timedApplier interface {
	ApplyFor(ctx context.Context, r tegra.Request, keepAfter time.Duration) (tegra.Applied, error)
}

// decliner is a guard that takes back a mode on trial alone.
type decliner interface {
	Decline(ctx context.Context) (tegra.Applied, error)
}

// Lapsed reports whether an error says that the guard has already taken back the mode on trial.
func Lapsed(err error) bool { return errors.Is(err, guard.ErrReverted) }

// SetMode sets a mode through a guard and reverts it if it does not read back as requested. The guard also reverts it
// if it is not kept in time; keepAfter 0: no countdown.
func SetMode(ctx context.Context, g tegra.Applier, r tegra.Request, keepAfter time.Duration) (tegra.Applied, error) {
	var applied tegra.Applied
	var err error
	if t, ok := g.(timedApplier); ok && keepAfter > 0 {
		applied, err = t.ApplyFor(ctx, r, keepAfter)
	} else {
		applied, err = g.Apply(ctx, r)
	}
	if err == nil && !applied.OK() {
		_, undone := g.Revert(context.WithoutCancel(ctx))
		err = errors.Join(applied.Mismatch(), undone)
	}
	return applied, err
}

// Hold sets a mode until release is called, which restores the state that the guard found and returns what it read
// back.
// It restores at once if the mode does not read back as requested.
func Hold(ctx context.Context, g tegra.Applier, r tegra.Request) (applied tegra.Applied,
	release func(context.Context) (tegra.Applied, error), err error) {
	applied, err = g.Apply(ctx, r)
	if err = cmp.Or(err, applied.Mismatch()); err != nil {
		_, undone := g.Restore(context.WithoutCancel(ctx))
		return applied, nil, errors.Join(err, undone)
	}
	return applied, g.Restore, nil
}

// TakeBack restores the state before the last apply. settle makes it the guard's state to restore to as well, so that
// the mode does not return when the guard ends; without it only a mode on trial is taken back, if the guard has not
// done so already.
func TakeBack(ctx context.Context, g tegra.Applier, settle bool) (tegra.Applied, error) {
	if t, ok := g.(decliner); ok && !settle {
		applied, err := t.Decline(ctx)
		if Lapsed(err) {
			err = nil
		}
		return applied, err
	}
	applied, err := g.Revert(ctx)
	if err == nil && settle {
		err = g.Keep(ctx)
	}
	return applied, err
}
