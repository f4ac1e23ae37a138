// Package guard is the privileged part of jtune and the only code that writes knobs. It sets modes in a safe order,
// reads every knob back, and restores the found state (before the first change that was not kept) when its client ends.
//
//	Client ──line-JSON──► Server ──► tegra.Planner (order) ──► FS (write, read back)
//	pipe closed, TERM ──► restore ◄── found state (/run/jtune) ◄── watchdog when killed
//
// It accepts modes and the names of a few readable files, never a path to write or a command to run. Sensors can be
// read while a mode is being set.
package guard

import (
	"errors"
	"time"

	"jtune/tegra"
)

// Errors of the guard, in addition to those of package tegra.
var (
	// ErrBusy: another guard controls this board. The error text contains its pid.
	ErrBusy = errors.New("another jtune guard is at work on this board")
	// ErrReverted: the countdown ended before Keep.
	ErrReverted = errors.New("reverted: not kept in time")
	// ErrNothing: there is no earlier state to restore.
	ErrNothing = errors.New("nothing to revert")
	// ErrDamaged: the saved found state cannot be read, so that nothing can restore it.
	ErrDamaged = errors.New("the saved state that this board was found in is damaged")
	// ErrGone: the guard ended or was killed; its watchdog restores the found state.
	ErrGone = tegra.ErrGone
)

const (
	// StateDir, below the sysroot, holds the found state. It is on a tmpfs, which a reboot clears as it resets the
	// knobs.
	StateDir = "/run/jtune"

	retries      = 5                     // repeats of a write while the kernel is busy
	retryPause   = 10 * time.Millisecond // doubles each time
	effectTries  = 7                     // readings of a written file until it has its value
	effectPause  = 2 * time.Millisecond  // doubles each time: 0.13 s in all
	stoppedLooks = 3                     // consecutive seconds in which a guard is stopped
	closeWait    = 30 * time.Second      // for a guard to restore while closing
	readWait     = 2 * time.Second       // for a read of a root-only file
	deadOwner    = 10 * time.Second      // for the watchdog of an ended guard to release the lock
	readyWait    = deadOwner + closeWait // for a guard to start, without the password; it first waits for the lock
	restoreRuns  = 3                     // attempts to restore a state
	mostSteps    = 32                    // revert steps kept; the state found first is always kept
	maxLog       = 4 << 20               // a larger log is truncated at the start
)

// Pending is a saved state of an earlier guard.
type Pending struct {
	State tegra.State `json:"state"`
	When  time.Time   `json:"when"`
	PID   int         `json:"pid"` // guard that saved it
	// Before is the next state to go back to; nil: this is the one found first.
	Before *Pending `json:"before,omitempty"`
}
