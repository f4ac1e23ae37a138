package guard

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"jtune/tegra"
)

// errGone is the error of a request that was unanswered when the guard ended.
var errGone = fmt.Errorf("%w before it could answer: jtune device shows the mode in force, and jtune revert restores "+
	"the found one where its watchdog could not", ErrGone)

// Client sends requests to a guard. It is safe for concurrent use.
type Client struct {
	in      io.WriteCloser // to the guard's standard input
	done    chan struct{}  // closed when the guard's output ends
	lost    atomic.Bool    // a request could not be written
	pid     int
	pending bool // a dead guard left an unrestored state

	write    sync.Mutex
	mu       sync.Mutex
	next     int64
	calls    map[int64]chan response
	onRevert func(tegra.Applied, error)
	final    error        // error of the restore when the guard ended
	ended    func() error // releases the guard's resources; nil: nothing to do
}

var _ tegra.Applier = (*Client)(nil)

// connect waits until the guard is ready.
func connect(in io.WriteCloser, out io.Reader) (*Client, error) {
	c := &Client{in: in, done: make(chan struct{}), calls: map[int64]chan response{}}
	r := bufio.NewReader(out)
	line, err := r.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("%w before it was ready", ErrGone)
	}
	var ready response
	if err := json.Unmarshal(line, &ready); err != nil {
		return nil, fmt.Errorf("the guard's first line is not an answer: %w", err)
	}
	if err := ready.err(); err != nil {
		return nil, err
	}
	c.pid, c.pending = ready.PID, ready.Pending
	go c.listen(r)
	return c, nil
}

func (c *Client) listen(r *bufio.Reader) {
	defer close(c.done)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		var answer response
		if json.Unmarshal(line, &answer) != nil {
			continue
		}
		c.mu.Lock()
		call, onRevert := c.calls[answer.ID], c.onRevert
		delete(c.calls, answer.ID)
		if answer.Event == "ended" {
			c.final = answer.err()
		}
		c.mu.Unlock()
		switch {
		case call != nil:
			call <- answer
		case answer.Event == "reverted" && onRevert != nil:
			go onRevert(answer.Applied.applied(), answer.err())
		}
	}
}

// call sends a request and waits for its answer. The end of ctx does not interrupt the guard.
func (c *Client) call(ctx context.Context, r request) (response, error) {
	answer := make(chan response, 1)
	c.mu.Lock()
	c.next++
	r.ID = c.next
	c.calls[r.ID] = answer
	c.mu.Unlock()
	line, err := json.Marshal(r)
	if err != nil {
		return response{}, err
	}
	c.write.Lock()
	_, err = c.in.Write(append(line, '\n'))
	c.write.Unlock()
	if err != nil {
		c.lost.Store(true)
		return response{}, errGone
	}
	select {
	case got := <-answer:
		return got, got.err()
	case <-c.done:
		select {
		case got := <-answer:
			return got, got.err()
		default:
			return response{}, errGone
		}
	case <-ctx.Done():
		return response{}, ctx.Err()
	}
}

func (c *Client) callApplied(ctx context.Context, r request) (tegra.Applied, error) {
	got, err := c.call(ctx, r)
	return got.Applied.applied(), err
}

// Gone reports whether the guard has ended; it then answers no requests.
func (c *Client) Gone() bool {
	select {
	case <-c.done:
		return true
	default:
		return c.lost.Load()
	}
}

// PID returns the guard's process ID.
func (c *Client) PID() int { return c.pid }

// HasPending reports whether a dead guard left an unrestored state; see RestorePending.
func (c *Client) HasPending() bool { return c.pending }

// Apply sets a mode; see tegra.Applier.
func (c *Client) Apply(ctx context.Context, r tegra.Request) (tegra.Applied, error) {
	return c.ApplyFor(ctx, r, 0)
}

// ApplyFor sets a mode that the guard reverts after keepAfter unless Keep is called first; it then calls OnRevert's
// function. Zero means no countdown.
func (c *Client) ApplyFor(ctx context.Context, r tegra.Request, keepAfter time.Duration) (tegra.Applied, error) {
	if keepAfter > 0 && keepAfter < time.Millisecond {
		keepAfter = time.Millisecond
	}
	var preset *int
	if r.Preset.OK {
		preset = &r.Preset.V
	}
	a, err := c.callApplied(ctx, request{
		Op:          "apply",
		Mode:        toWire(r.Mode),
		DVFS:        r.DVFS,
		CPUGovernor: r.Governors.CPU,
		GPUGovernor: r.Governors.GPU,
		Fan:         fanName(r.Fan),
		Preset:      preset,
		KeepAfterMS: keepAfter.Milliseconds(),
	})
	a.Asked = r.Mode
	return a, err
}

// OnRevert sets a function that the client calls on its own goroutine when a countdown ends. Its error names knobs that
// could not be restored yet; the guard keeps trying.
func (c *Client) OnRevert(f func(tegra.Applied, error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onRevert = f
}

// Revert restores the state before the last apply, including a kept one of an earlier process. The error wraps
// ErrNothing if there is none.
func (c *Client) Revert(ctx context.Context) (tegra.Applied, error) {
	return c.callApplied(ctx, request{Op: "revert"})
}

// Decline takes back the mode on trial. The error wraps ErrReverted if none is: its countdown has ended, or the guard
// that set it.
func (c *Client) Decline(ctx context.Context) (tegra.Applied, error) {
	return c.callApplied(ctx, request{Op: "decline"})
}

// Restore restores the found state.
func (c *Client) Restore(ctx context.Context) (tegra.Applied, error) {
	return c.callApplied(ctx, request{Op: "restore"})
}

// RestorePending restores the state that a dead guard left unrestored.
func (c *Client) RestorePending(ctx context.Context) (tegra.Applied, error) {
	return c.callApplied(ctx, request{Op: "recover"})
}

// Keep makes the current state the found state. The error wraps ErrReverted if the countdown has ended
// or nothing is on trial.
func (c *Client) Keep(ctx context.Context) error {
	_, err := c.call(ctx, request{Op: "keep"})
	return err
}

// ReadFile reads one of the root-only files that tegra.RootOnly allows.
func (c *Client) ReadFile(name string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), readWait)
	defer cancel()
	got, err := c.call(ctx, request{Op: opRead, Path: name})
	return got.Data, err
}

// Close ends the guard, which first restores the found state, and waits for it. It does not wait for a guard stopped
// with SIGSTOP. Closing twice is allowed.
func (c *Client) Close() error {
	c.write.Lock()
	_ = c.in.Close()
	c.write.Unlock()
	if err := c.waitEnd(); err != nil {
		return err
	}
	c.mu.Lock()
	ended, final := c.ended, c.final
	c.ended, c.final = nil, nil
	c.mu.Unlock()
	if ended != nil {
		final = errors.Join(final, ended())
	}
	return final
}

// waitEnd waits until the guard has ended.
func (c *Client) waitEnd() error {
	late := time.NewTimer(closeWait)
	defer late.Stop()
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for stopped := 0; ; {
		select {
		case <-c.done:
			return nil
		case <-late.C:
			return errors.New("the guard is still restoring; see its log in " + StateDir)
		case <-look.C:
			if stopped++; !isStopped(c.pid) {
				stopped = 0
			}
			if stopped >= stoppedLooks {
				return fmt.Errorf("the guard, process %d, is stopped and has not restored the board: kill -CONT %d, "+
					"as root, lets it", c.pid, c.pid)
			}
		}
	}
}

// isStopped reports whether a signal has stopped a process: state T in /proc/PID/stat, after the name in parentheses.
func isStopped(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, ok := strings.Cut(string(text[max(0, bytes.LastIndexByte(text, ')')):]), ") ")
	return ok && strings.HasPrefix(state, "T")
}

// InProcess serves a virtual board over an in-memory pipe with the same server, without a process or files on disk.
func InProcess(fsys tegra.FS, clock tegra.Clock) (*Client, error) {
	s, err := NewServer(fsys, clock, ServerOptions{})
	if err != nil {
		return nil, err
	}
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	go func() {
		_ = Serve(context.Background(), requests, answers, s) // the last event carries its error
		requests.Close()
		answers.Close()
	}()
	return connect(in, out)
}
