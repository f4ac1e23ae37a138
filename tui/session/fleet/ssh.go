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
	sshFailed = 255     // ssh's own exit code
	mostOut   = 8 << 20 // bytes of a command's output that are kept
	mostSaid  = 1 << 20 // bytes of a line
	endGrace  = 5 * time.Second
)

// Options of ssh: keepAlive makes it notice within about 30 s that a board is gone, asksNothing makes it
// fail where it would ask for a password.
var (
	keepAlive   = []string{"-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=10", "-o", "ServerAliveCountMax=3"}
	asksNothing = []string{"-o", "BatchMode=yes"}
)

// Call is a command on a board.
type Call struct {
	Shell string            // what the shell there runs; Jtune makes one
	In    io.Reader         // its standard input; nil: none
	Out   io.Writer         // gets its standard output in place of Result.Out; nil: Result.Out
	Line  func(line string) // gets each line of standard error as it comes; nil: nobody
}

// Command is a command line of jtune for the shell there.
func (b Board) Command(args ...string) string {
	words := []string{cmp.Or(b.Jtune, "jtune")}
	for _, w := range append(slices.Clone(b.Args), args...) {
		words = append(words, text.ShellWord(w))
	}
	return strings.Join(words, " ")
}

// Terminal is the command of this machine that runs jtune there on this terminal, or without one.
func (b Board) Terminal(here bool, args ...string) []string {
	command := append([]string{"ssh"}, b.Options...)
	if here {
		command = append(command, "-t")
	}
	return append(command, "--", b.SSH, b.Command(args...))
}

// Do runs a command on a board. When ctx ends, so does the connection: what runs there gets a hangup.
func (b Board) Do(ctx context.Context, c Call) Result {
	args := slices.Concat(asksNothing, keepAlive, b.Options, []string{"--", b.SSH, c.Shell})
	cmd := exec.CommandContext(ctx, "ssh", args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = endGrace
	cmd.Stdin = c.In
	out := &bounded{most: mostOut}
	cmd.Stdout = out
	if c.Out != nil {
		cmd.Stdout = c.Out
	}
	last := ""
	reader, writer := io.Pipe()
	cmd.Stderr = writer
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		lines := bufio.NewScanner(reader)
		lines.Buffer(nil, mostSaid)
		for lines.Scan() {
			line := text.OneLine(lines.Text())
			if strings.TrimSpace(line) == "" {
				continue
			}
			if last = line; c.Line != nil {
				c.Line(line)
			}
		}
		_, _ = io.Copy(io.Discard, reader) // after a line that is too long
	}()
	err := cmd.Run()
	writer.Close()
	<-heard
	r := Result{Board: b, Out: out.String()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		r.Code, r.Err = 130, ctx.Err()
	case errors.As(err, &exit) && exit.ExitCode() == sshFailed:
		r.Code, r.Err = 1, fmt.Errorf("%w: %s", ErrLost, said(last, "ssh failed"))
	case errors.As(err, &exit):
		r.Code, r.Err = max(1, exit.ExitCode()), errors.New(said(last, exit.String()))
	case err != nil:
		r.Code, r.Err = 1, fmt.Errorf("ssh: %w", err)
	}
	return r
}

// said is the last line of an error, without the program's name.
func said(line, otherwise string) string {
	if line = strings.TrimPrefix(line, "jtune: "); line != "" {
		return line
	}
	return otherwise
}

// bounded keeps the first bytes that are written to it.
type bounded struct {
	bytes.Buffer
	most int
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.most - b.Len(); room < len(p) {
		b.Buffer.Write(p[:max(0, room)])
		return len(p), nil
	}
	return b.Buffer.Write(p)
}
