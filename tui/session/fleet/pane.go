package fleet

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"jtune/internal/text"
)

// paneVariable is set to the board's name for a jtune whose screens appear on another machine.
const paneVariable = "JTUNE_PANE"

const (
	// leave is written by the screens of a pane to hand back the terminal: an operating system command that terminals
	// ignore.
	leave = "\x1b]5379;jtune;boards\x1b\\"
	// resume is the line that they then wait for.
	resume = "\n"
)

// PaneName returns the name under which another machine shows the screens of this process; "" if none does.
func PaneName() string {
	name := os.Getenv(paneVariable)
	if !namePattern.MatchString(name) {
		return ""
	}
	return name
}

// HandBack hands a pane's terminal back to the machine that shows it, and waits until it returns.
func HandBack(in io.Reader, out io.Writer) error {
	if _, err := io.WriteString(out, leave); err != nil {
		return err
	}
	_, err := in.Read(make([]byte, 64)) // the terminal delivers a whole line at once
	return err
}

// Panes are the screens of other boards opened from here, at most one per board. They and the jobs on those boards keep
// running while they are not shown.
type Panes struct {
	Boards []Board
	open   map[string]*pane
}

// Input is keyboard input until it is cancelled. Cancel reports whether it ended a blocked Read.
type Input interface {
	io.Reader
	Cancel() bool
}

// Size is the size of a terminal in cells.
type Size struct{ W, H int }

// State describes the state of a board's screens; "" if they are not open.
func (p *Panes) State(name string) string {
	switch at := p.open[name]; {
	case at == nil:
		return ""
	case !at.over():
		return "open"
	case at.err != nil:
		return text.OneLine(at.err.Error())
	}
	return "ended"
}

// Open returns the boards whose screens are running.
func (p *Panes) Open() (names []string) {
	for _, b := range p.Boards {
		if at := p.open[b.Name]; at != nil && !at.over() {
			names = append(names, b.Name)
		}
	}
	return names
}

// Show connects a terminal to the screens of a board, opening them if needed, until they hand it back or end. sizes
// delivers the terminal's size, starting with the present one. The error is why they ended. in is cancelled at the end
// and no longer read.
func (p *Panes) Show(ctx context.Context, name string, in Input, out io.Writer, sizes <-chan Size) error {
	i := slices.IndexFunc(p.Boards, func(b Board) bool { return b.Name == name })
	if i < 0 {
		return fmt.Errorf("no board %q in the configuration%s", text.Clip(name), known(p.Boards))
	}
	at := p.open[name]
	if at == nil || at.over() {
		var err error
		if at, err = openPane(p.Boards[i], <-sizes); err != nil {
			return err
		}
		if p.open == nil {
			p.open = map[string]*pane{}
		}
		p.open[name] = at
	}
	return at.show(ctx, in, out, sizes)
}

// Close closes all connections; programs there receive a hangup.
func (p *Panes) Close() {
	var closing sync.WaitGroup
	for _, at := range p.open {
		closing.Go(func() { at.close(endGrace) })
	}
	closing.Wait()
}

// pane is jtune on another board, in a terminal of this machine.
type pane struct {
	terminal *os.File
	cmd      *exec.Cmd
	followed bool          // has been shown before
	ended    chan struct{} // closed with err set
	err      error         // why it ended; nil for a normal end

	mu   sync.Mutex
	out  io.Writer     // terminal that shows it; nil: none
	left chan struct{} // closed when the screens hand the terminal back
	tail []byte        // end of the output while it may be the start of leave
	last []byte        // latest output, for an error message
}

// mostLast is how much of the latest output is kept for an error message.
const mostLast = 512

// openPane starts ssh with jtune on the board.
func openPane(b Board, size Size) (*pane, error) {
	shell := "env " + paneVariable + "=" + b.Name + " " + b.Command()
	args := slices.Concat(keepAlive, b.Options, []string{"-t", "--", b.SSH, shell})
	p := &pane{cmd: exec.Command("ssh", args...), ended: make(chan struct{})}
	var err error
	start := &pty.Winsize{Cols: uint16(size.W), Rows: uint16(size.H)}
	if p.terminal, err = pty.StartWithSize(p.cmd, start); err != nil {
		return nil, fmt.Errorf("ssh: %w", err)
	}
	return p, nil
}

// follow passes on the output of the screens, or discards it while they are not shown, until they end.
func (p *pane) follow() {
	buffer := make([]byte, 32<<10)
	for {
		n, err := p.terminal.Read(buffer)
		p.pass(buffer[:n])
		if err != nil {
			break
		}
	}
	err := p.cmd.Wait()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == sshFailed:
		p.err = fmt.Errorf("%w: %s", ErrLost, p.lastLine("ssh ended"))
	case err != nil:
		p.err = errors.New(p.lastLine(err.Error()))
	}
	_ = p.terminal.Close()
	close(p.ended)
}

// lastLine returns the last complete line of output: an error of ssh, or of a jtune that could not open its screens.
// Only text after the last escape sequence counts, because it is not part of a drawing.
func (p *pane) lastLine(otherwise string) string {
	lines := strings.Split(string(p.last[bytes.LastIndexByte(p.last, '\x1b')+1:]), "\n")
	for _, line := range slices.Backward(lines[:len(lines)-1]) {
		if line = strings.TrimSpace(text.OneLine(line)); line != "" {
			return said(line, otherwise)
		}
	}
	return otherwise
}

// pass writes the output before leave to the terminal, and then hands the terminal back.
func (p *pane) pass(data []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = append(p.last, data...)
	p.last = p.last[max(0, len(p.last)-mostLast):]
	data = append(p.tail, data...)
	before, after, leaves := bytes.Cut(data, []byte(leave))
	p.tail = nil
	if leaves {
		data = after
	} else {
		held := beginsToLeave(data)
		before, data = data[:len(data)-held], data[len(data)-held:]
	}
	if p.out != nil {
		_, _ = p.out.Write(before) // a closed terminal is noticed by its reader
	}
	if leaves && p.out != nil {
		p.out = nil
		close(p.left)
	}
	p.tail = bytes.Clone(data)
}

// beginsToLeave returns how many bytes at the end of data may be the start of leave.
func beginsToLeave(data []byte) int {
	for n := min(len(data), len(leave)-1); n > 0; n-- {
		if strings.HasPrefix(leave, string(data[len(data)-n:])) {
			return n
		}
	}
	return 0
}

// show connects the terminal until the screens hand it back or end.
func (p *pane) show(ctx context.Context, in Input, out io.Writer, sizes <-chan Size) error {
	left := make(chan struct{})
	p.mu.Lock()
	p.out, p.left = out, left
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.out = nil
	}()
	// From here on no output of the screens is lost.
	if !p.followed {
		p.followed = true
		go p.follow()
	} else if _, err := io.WriteString(p.terminal, resume); err != nil {
		return fmt.Errorf("%w: %v", ErrLost, err)
	}
	var typing sync.WaitGroup
	gone := make(chan error, 1)
	typing.Go(func() {
		_, err := io.Copy(p.terminal, in)
		gone <- err
	})
	defer func() {
		if in.Cancel() {
			typing.Wait()
		}
	}()
	for {
		select {
		case size := <-sizes:
			p.resize(size)
		case <-left:
			return nil
		case <-p.ended:
			return p.err
		case err := <-gone:
			if p.over() {
				return p.err
			}
			return cmp.Or(err, io.EOF)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// resize passes on a size. The file may be closed concurrently, which pty.Setsize, through Fd, does not allow.
func (p *pane) resize(size Size) {
	if conn, err := p.terminal.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) {
			_ = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(size.W), Row: uint16(size.H)})
		})
	}
}

// over reports whether the screens have ended.
func (p *pane) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// close closes the connection. Another process may hold ssh's terminal: it is waited for no longer than grace.
func (p *pane) close(grace time.Duration) {
	if p.over() {
		return
	}
	_ = p.terminal.Close()
	_ = p.cmd.Process.Kill()
	select {
	case <-p.ended:
	case <-time.After(grace):
	}
}
