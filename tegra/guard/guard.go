// Package guard is the privileged side of jtune and the only code that
// writes knobs: it sets modes in a safe order, reads every knob back, and
// puts back what it found when its client is gone.
//
//	Client ──line-JSON──► Server ──► tegra.Control (order) ──► FS (write, read back)
//	pipe closed, TERM ──► restore ◄── found state (/run/jtune) ◄── watchdog when killed
package guard

import (
	"context"
	"errors"
	"io"
	"time"

	"jtune/tegra"
)

// ErrBusy: another guard holds this board. Its text names the pid.
var ErrBusy = errors.New("another jtune guard is at work on this board")

// ErrReverted: the countdown ran out before Keep.
var ErrReverted = errors.New("reverted: not kept in time")

// Server does the work of one guard.
type Server struct{}

// ServerOptions of NewServer; the zero value keeps nothing on disk.
type ServerOptions struct {
	StateDir string    // where the found state is saved; "" keeps it in memory only
	Log      io.Writer // nil: none
}

// NewServer opens the board behind fsys for writing.
func NewServer(fsys tegra.FS, clock tegra.Clock, o ServerOptions) (*Server, error) { panic("not yet") }

// Serve answers requests from in on out until in ends or ctx is done, then
// restores the found state unless it was kept.
func Serve(ctx context.Context, in io.Reader, out io.Writer, s *Server) error { panic("not yet") }

// Client speaks to a guard.
type Client struct{}

var _ tegra.Applier = (*Client)(nil)

// InProcess serves a virtual board over an in-memory pipe.
func InProcess(fsys tegra.FS, clock tegra.Clock) (*Client, error) { panic("not yet") }

// StartOptions of Start; the zero value is for the machine itself.
type StartOptions struct {
	Sysroot string   // "" means "/"
	Command []string // how to run the guard; nil: this program with "guard"
	LogFile string   // "" : below the state folder
	NoSudo  bool     // fail with ErrPermission rather than ask for a password
}

// Start spawns a guard process for the board below o.Sysroot: directly when
// root or for a sysroot, else through sudo, which asks on the terminal.
func Start(ctx context.Context, o StartOptions) (*Client, error) { panic("not yet") }

// Main is `jtune guard`; it gives the exit code.
func Main(ctx context.Context, args []string) int { panic("not yet") }

// Apply sets a mode; see tegra.Applier.
func (c *Client) Apply(ctx context.Context, r tegra.Request) (tegra.Applied, error) {
	panic("not yet")
}

// ApplyFor sets a mode that the guard itself takes back after keepAfter
// unless Keep comes first. OnRevert tells.
func (c *Client) ApplyFor(ctx context.Context, r tegra.Request, keepAfter time.Duration) (tegra.Applied, error) {
	panic("not yet")
}

// OnRevert has f called (on its own goroutine) when a countdown ran out.
func (c *Client) OnRevert(f func(tegra.Applied)) { panic("not yet") }

// Revert puts back the state before the last apply, also one of an earlier process.
func (c *Client) Revert(ctx context.Context) (tegra.Applied, error) { panic("not yet") }

// Restore puts back the found state.
func (c *Client) Restore(ctx context.Context) (tegra.Applied, error) { panic("not yet") }

// Keep makes the present state the found state.
func (c *Client) Keep(ctx context.Context) error { panic("not yet") }

// ReadFile reads one of the short list of root-only files (memory clocks).
func (c *Client) ReadFile(name string) ([]byte, error) { panic("not yet") }

// Close ends the guard, which restores the found state first.
func (c *Client) Close() error { panic("not yet") }

// Pending is a found state that a dead guard left behind.
type Pending struct {
	State tegra.State
	When  time.Time
	PID   int
}

// PendingRestore looks for a state that a dead guard did not put back; nil
// when there is none. Client.RestorePending puts it back.
func PendingRestore(sysroot string) (*Pending, error) { panic("not yet") }

// RestorePending puts back the state that a dead guard left behind.
func (c *Client) RestorePending(ctx context.Context) (tegra.Applied, error) { panic("not yet") }

// LastApplied tells the state before the last apply, which Revert puts back;
// nil when there is none.
func LastApplied(sysroot string) (*Pending, error) { panic("not yet") }
