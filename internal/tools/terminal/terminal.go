// Package terminal runs a program on a pseudo-terminal and reads its screen, for
// the commands and tests that watch the program from outside.
//
//	program ──► pty ──► bytes, counted and handed on ──► emulator (vt10x) ──► text and cells
//	keys    ──► pty
package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// Environ returns the environment of a program in a terminal: a user's, with 256 colours and files below home.
func Environ(home string) []string {
	return append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "NO_COLOR=", "TMUX=",
		"SSH_TTY=", "HOME="+home,
		"XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home)
}

// Build builds this tree's program in home and returns its path.
func Build(ctx context.Context, home string) (path string, err error) {
	path = filepath.Join(home, "program") // home/jtune is the configuration's folder
	if text, err := exec.CommandContext(ctx, "go", "build", "-o", path, "jtune").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build jtune: %w\n%s", err, text)
	}
	return path, nil
}

// Terminal is a pseudo-terminal with a program on it. It always counts the output, but draws it only on request, so
// that counting alone costs nothing.
type Terminal struct {
	cmd   *exec.Cmd
	tty   *os.File
	began time.Time
	tap   func(at time.Duration, output []byte)

	mu      sync.Mutex
	written int
	screen  vt10x.Terminal
	seen    func(screen string) bool // nil: nothing to wait for
	found   chan time.Time
	missed  []byte // output that is not drawn yet
	ended   chan struct{}
}

// patience is how long a program may take to end on request.
const patience = time.Minute

// Open starts a program on a terminal. tap, which may be nil, gets all output with its time since the start, on one
// goroutine.
func Open(cmd *exec.Cmd, columns, rows uint16, tap func(at time.Duration, output []byte)) (*Terminal, error) {
	t := &Terminal{cmd: cmd, began: time.Now(), tap: tap, screen: vt10x.New(vt10x.WithSize(int(columns), int(rows))),
		ended: make(chan struct{})}
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: columns, Rows: rows})
	if err != nil {
		return nil, err
	}
	t.tty = tty
	go t.drain()
	return t, nil
}

func (t *Terminal) drain() {
	defer close(t.ended)
	buf := make([]byte, 64<<10)
	for {
		n, err := t.tty.Read(buf)
		t.take(buf[:n], time.Now())
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

func (t *Terminal) take(b []byte, now time.Time) {
	if t.tap != nil && len(b) > 0 {
		t.tap(now.Sub(t.began), b)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.written += len(b)
	if t.missed = append(t.missed, b...); t.seen != nil {
		t.look(now)
	}
}

// look draws the output and reports when the screen is as expected. It needs t.mu.
func (t *Terminal) look(now time.Time) {
	t.draw()
	if t.seen(t.screen.String()) {
		t.found <- now
		t.seen = nil
	}
}

// draw needs t.mu.
func (t *Terminal) draw() {
	_, _ = t.screen.Write(t.missed)
	t.missed = t.missed[:0]
}

// Until waits until the screen is as expected, and returns the time from the program's start to the output that
// completed it.
func (t *Terminal) Until(ctx context.Context, most time.Duration,
	seen func(screen string) bool) (time.Duration, error) {
	at, err := t.Answer(ctx, most, seen, func() error { return nil })
	return at.Sub(t.began), err
}

// Answer acts, then waits until the screen is as expected; it returns the time of that output.
func (t *Terminal) Answer(ctx context.Context, most time.Duration, seen func(screen string) bool,
	act func() error) (time.Time, error) {
	found := make(chan time.Time, 1)
	t.mu.Lock()
	if err := act(); err != nil {
		t.mu.Unlock()
		return time.Time{}, err
	}
	t.seen, t.found = seen, found
	t.look(time.Now())
	t.mu.Unlock()
	select {
	case at := <-found:
		return at, nil
	case <-t.ended:
		return time.Time{}, fmt.Errorf("it has ended; its screen:\n%s", t.Text())
	case <-time.After(most):
		return time.Time{}, fmt.Errorf("the screen is not as it should be after %v:\n%s", most, t.Text())
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	}
}

// Text returns the text of the screen.
func (t *Terminal) Text() (text string) {
	t.Look(func(screen vt10x.View) { text = screen.String() })
	return text
}

// Look calls f with the present screen.
func (t *Terminal) Look(f func(screen vt10x.View)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen = nil
	t.draw()
	f(t.screen)
}

// Press types keys.
func (t *Terminal) Press(keys string) error {
	_, err := t.tty.WriteString(keys)
	return err
}

// Written returns how many bytes the program has written.
func (t *Terminal) Written() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.written
}

// PID returns the program's process ID.
func (t *Terminal) PID() int { return t.cmd.Process.Pid }

// Wait waits until the program ends by itself.
func (t *Terminal) Wait(most time.Duration) error {
	select {
	case <-t.ended:
		return nil
	case <-time.After(most):
		return fmt.Errorf("it has not ended after %v; its screen:\n%s", most, t.Text())
	}
}

// Close ends the program with SIGTERM, so that its children end too, and with SIGKILL if that does not help. Remaining
// children lose the terminal.
func (t *Terminal) Close() {
	_ = t.cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(patience, func() { _ = t.cmd.Process.Kill() })
	_ = t.cmd.Wait()
	late.Stop()
	_ = t.tty.Close()
}
