// Package guard is the privileged side of jtune and the only code that
// writes knobs: it sets modes in a safe order, reads every knob back, and
// restores the state it found when its client is gone.
//
//	Client ──line-JSON──► Server ──► tegra.Control (order) ──► FS (write, read back)
//	pipe closed, TERM ──► restore ◄── found state (/run/jtune) ◄── watchdog when killed
//
// It accepts modes and the names of a few readable files, never a path to write
// or a command to run. Sensors can be read while a mode is being set.
package guard

import (
	"errors"
	"time"

	"jtune/tegra"
)

// Errors of the guard, in addition to those of package tegra.
var (
	// ErrBusy: another guard holds this board. The error's text names the pid.
	ErrBusy = errors.New("another jtune guard is at work on this board")
	// ErrReverted: the countdown ran out before Keep.
	ErrReverted = errors.New("reverted: not kept in time")
	// ErrNothing: there is no state to go back to.
	ErrNothing = errors.New("nothing to revert")
	// ErrGone: the guard ended or was killed; its watchdog restores.
	ErrGone = tegra.ErrGone
)

const (
	// StateDir is where the found state is saved, below the sysroot: a tmpfs,
	// which vanishes exactly when the knobs reset.
	StateDir = "/run/jtune"

	retries      = 5                     // of a write that the kernel was too busy for
	retryPause   = 10 * time.Millisecond // doubled each time
	stoppedLooks = 3                     // seconds in a row that a guard is stopped
	closeWait    = 30 * time.Second      // for a guard that restores while closing
	readWait     = 2 * time.Second       // for a root-only file
	deadOwner    = 10 * time.Second      // for the watchdog of an ended guard to let go of the lock
	readyWait    = deadOwner + closeWait // for a guard to start, password aside; it waits for the lock first
	restoreRuns  = 3                     // attempts to restore a state
	mostSteps    = 32                    // back that are remembered; the state found first always is
	maxLog       = 4 << 20               // a larger log is truncated at the start
)

// Pending is a state of an earlier guard that is saved on disk.
type Pending struct {
	State tegra.State `json:"state"`
	When  time.Time   `json:"when"`
	PID   int         `json:"pid"` // of the guard that saved it
	// Before is the state to go back to next; nil: this is the one found first.
	Before *Pending `json:"before,omitempty"`
}
