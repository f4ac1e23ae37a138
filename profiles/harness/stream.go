package harness

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"jtune/internal/text"
	"jtune/profiles/harness/engine"
	"jtune/profiles/harness/pipe"
	"jtune/profiles/harness/process"
)

// Stream is a program of the user that prints lines for as long as it runs, such as the readings of a power meter. It
// is started once and ends with jtune, however jtune ends.
type Stream struct {
	group *process.Group
	cmd   *exec.Cmd
	out   *os.File
	done  chan struct{} // closed when all output is read
	close sync.Once

	mu   sync.Mutex
	why  string // why it ended by itself; "" while it runs
	last string // last line of its standard error
}

// StartStream starts a command; line is called with each line of its standard output, on a goroutine of its own.
func StartStream(command []string, line func(text string)) (*Stream, error) {
	if len(command) == 0 || command[0] == "" {
		return nil, errors.New("no command to run")
	}
	name := text.OneLine(command[0])
	g, err := process.NewGroup(engine.Container{})
	if err != nil {
		return nil, err
	}
	s := &Stream{group: g, cmd: exec.Command(command[0], command[1:]...), done: make(chan struct{})}
	g.Add(s.cmd)
	out, outEnd, err := os.Pipe()
	if err == nil {
		s.cmd.Stdout, s.cmd.Stderr = outEnd, (*lastLine)(s)
		err = s.cmd.Start()
		outEnd.Close()
		s.out = out
	}
	if err != nil {
		g.End()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	go func() {
		defer close(s.done)
		pipe.Each(out, func(b []byte) { line(text.OneLine(string(b))) })
		out.Close()
		_ = s.cmd.Wait() // the process state says how it ended
		s.mu.Lock()
		defer s.mu.Unlock()
		s.why = fmt.Sprintf("%s has ended (%s)", name, s.cmd.ProcessState)
		if s.last != "" {
			s.why += ": " + s.last
		}
	}()
	return s, nil
}

// lastLine keeps the last line of standard error.
type lastLine Stream

func (l *lastLine) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if line := text.OneLine(string(b[:min(len(b), 200)])); line != "" {
		l.last = line
	}
	return len(b), nil
}

// Why returns why the program has ended; "" while it runs.
func (s *Stream) Why() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

// Close stops the program.
func (s *Stream) Close() error {
	s.close.Do(func() {
		s.group.Signal(syscall.SIGKILL)
		s.group.KillStrays()
		s.out.SetReadDeadline(time.Now().Add(pipe.Grace)) // another process may hold its output open
		<-s.done
		s.group.End()
	})
	return nil
}
