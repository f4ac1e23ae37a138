package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// terminal is a pseudo-terminal with a program on it. Its output is counted
// always and drawn while somebody looks.
type terminal struct {
	cmd   *exec.Cmd
	tty   *os.File
	began time.Time

	mu      sync.Mutex
	written int
	screen  vt10x.Terminal
	seen    func(screen string) bool // nil: nobody looks
	found   chan time.Time
	missed  []byte // written while nobody looked
	ended   chan struct{}
}

func open(cmd *exec.Cmd, columns, rows uint16) (*terminal, error) {
	t := &terminal{cmd: cmd, began: time.Now(), screen: vt10x.New(vt10x.WithSize(int(columns), int(rows))), ended: make(chan struct{})}
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: columns, Rows: rows})
	if err != nil {
		return nil, err
	}
	t.tty = tty
	go t.drain()
	return t, nil
}

func (t *terminal) drain() {
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

func (t *terminal) take(b []byte, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.written += len(b)
	if t.missed = append(t.missed, b...); t.seen != nil {
		t.look(now)
	}
}

// look draws what was written and tells when that is what is waited for. It
// needs t.mu.
func (t *terminal) look(now time.Time) {
	_, _ = t.screen.Write(t.missed)
	t.missed = t.missed[:0]
	if t.seen(t.screen.String()) {
		t.found <- now
		t.seen = nil
	}
}

// until waits until the screen is as it should be, and tells how long after
// the program's begin the output came that made it so.
func (t *terminal) until(ctx context.Context, most time.Duration, seen func(screen string) bool) (time.Duration, error) {
	at, err := t.answer(ctx, most, seen, func() error { return nil })
	return at.Sub(t.began), err
}

// answer acts and waits until the screen is as it should be; it gives the time
// at which it was.
func (t *terminal) answer(ctx context.Context, most time.Duration, seen func(screen string) bool, act func() error) (time.Time, error) {
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
		return time.Time{}, fmt.Errorf("it has ended; its screen:\n%s", t.text())
	case <-time.After(most):
		return time.Time{}, fmt.Errorf("the screen is not as it should be after %v:\n%s", most, t.text())
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	}
}

// text is what stands on the screen, as far as it was drawn.
func (t *terminal) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen = nil
	return t.screen.String()
}

func (t *terminal) press(key string) error {
	_, err := t.tty.WriteString(key)
	return err
}

func (t *terminal) usage() (usage, error) {
	u, err := usageOf(t.cmd.Process.Pid)
	t.mu.Lock()
	defer t.mu.Unlock()
	u.written = t.written
	return u, err
}

func (t *terminal) close() {
	_ = t.cmd.Process.Signal(syscall.SIGTERM) // a job of its own ends with it
	select {
	case <-t.ended:
	case <-time.After(patience):
		_ = t.cmd.Process.Kill()
	}
	_ = t.tty.Close()
	_ = t.cmd.Wait()
}
