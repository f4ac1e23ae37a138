package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"jtune/internal/caller"
	"jtune/internal/text"
	"jtune/tegra"
)

// StartOptions are the options of Start; the zero value is for the machine itself.
type StartOptions struct {
	Sysroot string   // "" means "/"
	Command []string // command that runs the guard; nil: this program with "guard"
	LogFile string   // opened with the user's rights; "": no log
}

// Start starts a guard process for the board below o.Sysroot. For the machine itself it runs as root, directly or
// through sudo, which asks for the password on the terminal; for another sysroot it runs as this user. The error wraps
// tegra.ErrPermission without the rights, ErrBusy if another guard runs.
func Start(ctx context.Context, o StartOptions) (*Client, error) {
	if o.Sysroot == "" {
		o.Sysroot = "/"
	}
	root, err := filepath.Abs(o.Sysroot)
	if err != nil {
		return nil, err
	}
	command, err := o.command(root)
	if err != nil {
		return nil, err
	}
	sudo := root == "/" && !caller.Root()
	if sudo {
		path, err := exec.LookPath("sudo")
		if err != nil {
			return nil, fmt.Errorf("setting power modes needs root rights: %w; run as root", tegra.ErrPermission)
		}
		command = append([]string{path, "--"}, command...)
	}
	return spawn(ctx, command, root == "/", o.LogFile, sudo)
}

func (o StartOptions) command(root string) ([]string, error) {
	command := o.Command
	if command == nil {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		command = []string{self, "guard"}
	}
	return append(command[:len(command):len(command)], "-sysroot="+root), nil
}

func spawn(ctx context.Context, command []string, asRoot bool, logName string, sudo bool) (*Client, error) {
	requests, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, answers, err := os.Pipe()
	if err != nil {
		requests.Close()
		in.Close()
		return nil, err
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout = requests, answers
	if asRoot {
		caller.Privileged(cmd)
	}
	logged := int64(0) // size of the log before, bytes
	if log := openLog(logName); log != nil {
		cmd.Stderr = log
		defer log.Close()
		if st, err := log.Stat(); err == nil {
			logged = st.Size()
		}
	}
	err = cmd.Run() // the first process starts the guard and exits
	requests.Close()
	answers.Close()
	if err != nil {
		in.Close()
		out.Close()
		if ctx.Err() != nil { // the context killed it
			return nil, ctx.Err()
		}
		return nil, startError(err, sudo, sudoSaid(logName, logged), logName)
	}
	return ready(ctx, in, out)
}

// pipe is the read end of a guard's answers.
type pipe interface {
	io.ReadCloser
	SetReadDeadline(t time.Time) error
}

// ready waits for the guard at the other end of two pipes to be ready, readyWait at most. It closes both on an error.
func ready(ctx context.Context, in io.WriteCloser, out pipe) (*Client, error) {
	_ = out.SetReadDeadline(time.Now().Add(readyWait))
	stop := context.AfterFunc(ctx, func() { _ = out.SetReadDeadline(time.Unix(1, 0)) })
	c, err := connect(in, out)
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	_ = out.SetReadDeadline(time.Time{})
	c.ended = out.Close
	return c, nil
}

func startError(err error, sudo bool, said, logName string) error {
	var exit *exec.ExitError
	if sudo && errors.As(err, &exit) {
		return fmt.Errorf("sudo did not start the guard%s: %w; run as root", said, tegra.ErrPermission)
	}
	if logName != "" {
		return fmt.Errorf("start the guard: %w; its log is %s", err, logName)
	}
	return fmt.Errorf("start the guard: %w", err)
}

// sudoSaid returns sudo's reason in brackets: its last line in the log after that many bytes; "" if there is none.
func sudoSaid(logName string, after int64) (said string) {
	f, err := os.Open(logName)
	if err != nil {
		return ""
	}
	defer f.Close()
	logged, _ := io.ReadAll(io.NewSectionReader(f, after, maxLog))
	for line := range strings.Lines(string(logged)) {
		if line = text.OneLine(line); strings.Contains(line, "sudo") {
			said = " (" + line + ")"
		}
	}
	return said
}

// openLog returns nil if no log is wanted or none can be written.
func openLog(name string) *os.File {
	if name == "" {
		return nil
	}
	_ = os.MkdirAll(filepath.Dir(name), 0o700)
	flags := os.O_CREATE | os.O_APPEND | os.O_WRONLY
	if st, err := os.Stat(name); err == nil && st.Size() > maxLog {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(name, flags, 0o600)
	if err != nil {
		return nil
	}
	return f
}
