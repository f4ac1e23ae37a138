package fleet

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"jtune/internal/text"
)

const (
	sshFailed = 255     // exit code of ssh itself
	mostOut   = 8 << 20 // bytes of a command's output; more than this ends it
	mostSaid  = 1 << 20 // bytes per line
	endGrace  = 5 * time.Second
)

// Up to mostAtOnce lines of standard error are passed on at once, further ones at lineEvery, so that a board cannot
// flood the terminal.
const (
	mostAtOnce = 5000
	lineEvery  = 50 * time.Millisecond
)

// errTalks reports a board that sends more output than requested.
var errTalks = errors.New("sends more than was requested: ended here")

// Options of ssh: keepAlive makes it notice within about 30 s that a board is unreachable; asksNothing makes it fail
// instead of asking for a password.
var (
	keepAlive   = []string{"-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3"}
	asksNothing = []string{"-o", "BatchMode=yes"}
)

// Call is a command on a board.
type Call struct {
	Shell string            // command for the shell there; Command makes one
	In    io.Reader         // standard input; nil: none
	Out   io.Writer         // receives standard output instead of Result.Out; nil: Result.Out
	Line  func(line string) // called for each line of standard error; may be nil
	// Within limits the duration of the command; 0: no limit, as for measurements.
	Within time.Duration
}

// Command returns a command line of jtune for the shell there.
func (b *Board) Command(args ...string) string {
	words := []string{cmp.Or(b.Jtune, "jtune")}
	for _, w := range append(slices.Clone(b.Args), args...) {
		words = append(words, text.ShellWord(w))
	}
	return strings.Join(words, " ")
}

// Terminal returns the local command that runs jtune there, with or without this terminal.
func (b *Board) Terminal(here bool, args ...string) []string {
	command := append([]string{"ssh"}, b.Options...)
	if here {
		command = append(command, "-t")
	}
	return append(command, "--", b.SSH, b.Command(args...))
}

// Do runs a command on a board. When ctx ends, the connection is closed and the command receives a hangup.
func (b *Board) Do(ctx context.Context, c Call) Result {
	asked := ctx
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	if c.Within > 0 {
		late := fmt.Errorf("has not ended within %v", c.Within)
		defer time.AfterFunc(c.Within, func() { end(late) }).Stop()
	}
	args := slices.Concat(asksNothing, keepAlive, b.Options, []string{"--", b.SSH, c.Shell})
	cmd := exec.CommandContext(ctx, "ssh", args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = endGrace
	cmd.Stdin = c.In
	var out bytes.Buffer
	cmd.Stdout = &toEnd{to: &atMost{to: &out, left: mostOut}, end: end}
	if c.Out != nil {
		cmd.Stdout = &toEnd{to: c.Out, end: end}
	}
	last := ""
	reader, writer := io.Pipe()
	cmd.Stderr = writer
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		last = passOn(reader, c.Line)
		_, _ = io.Copy(io.Discard, reader) // after a line that is too long
	}()
	err := cmd.Run()
	writer.Close()
	<-heard
	r := Result{Board: *b, Out: out.String()}
	var exit *exec.ExitError
	switch {
	case asked.Err() != nil:
		r.Code, r.Err = 130, asked.Err()
	case ctx.Err() != nil:
		r.Code, r.Err = 1, context.Cause(ctx)
	case errors.As(err, &exit) && exit.ExitCode() == sshFailed:
		r.Code, r.Err = 1, fmt.Errorf("%w: %s", ErrLost, said(last, "ssh failed"))
	case errors.As(err, &exit):
		r.Code, r.Err = max(1, exit.ExitCode()), errors.New(said(last, exit.String()))
	case err != nil:
		r.Code, r.Err = 1, fmt.Errorf("ssh: %w", err)
	}
	return r
}

// passOn passes on the lines of a board's standard error and returns the last one.
func passOn(from io.Reader, to func(string)) (last string) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, mostSaid)
	room, left, at := float64(mostAtOnce), 0, time.Now()
	for lines.Scan() {
		line := text.OneLine(lines.Text())
		if strings.TrimSpace(line) == "" {
			continue
		}
		last = line
		now := time.Now()
		room = min(mostAtOnce, room+now.Sub(at).Seconds()/lineEvery.Seconds())
		at = now
		switch {
		case to == nil:
			continue
		case room < 1:
			left++
			continue
		}
		leftOut(left, to)
		left = 0
		room--
		to(line)
	}
	leftOut(left, to)
	return last
}

// leftOut reports how many lines were dropped because they came too fast.
func leftOut(lines int, to func(string)) {
	if lines > 0 {
		to("(" + text.Count(lines, "line") + " came too fast to be shown)")
	}
}

// toEnd closes the connection when its output can no longer be written.
type toEnd struct {
	to  io.Writer
	end context.CancelCauseFunc
}

func (w *toEnd) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil {
		w.end(err)
	}
	return n, err
}

// atMost accepts a limited number of bytes; more are an error.
type atMost struct {
	to   io.Writer
	left int
}

func (w *atMost) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errTalks
	}
	return w.to.Write(p)
}

// said returns the last line of an error without the program's name.
func said(line, otherwise string) string {
	if line = strings.TrimPrefix(line, "jtune: "); line != "" {
		return line
	}
	return otherwise
}
