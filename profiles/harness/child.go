package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"jtune/internal/text"
	"jtune/internal/usage"
)

// How the standard output of a job is taken.
const (
	Lines = "lines" // it writes line by line, by the means of stdbuf(1)
	Pipe  = "pipe"  // as it writes a pipe
)

// Child is a harness whose job is a process of jtune.
type Child interface {
	// Left returns the command lines of the processes that still ran when the job's first process had ended. They have
	// been ended.
	Left() []string
	// Output returns how the job's standard output is taken; "" if jtune does not know.
	Output() string
}

// leaveGrace is how long processes that the job left may take to end by themselves.
const leaveGrace = 300 * time.Millisecond

// noteLeft notes the processes that the job left running and that are about to be ended.
func (j *job) noteLeft() {
	j.mu.Lock()
	stopping := j.stopping
	j.mu.Unlock()
	if stopping {
		return
	}
	left := j.group.Left(leaveGrace)
	if len(left) == 0 {
		return
	}
	j.mu.Lock()
	for _, line := range left {
		j.left = append(j.left, text.OneLine(line))
	}
	j.mu.Unlock()
	j.queue.Put(Event{Kind: Note, T: j.clock.Now(), Message: fmt.Sprintf("%s left %s running, ended by jtune: %s. A "+
		"job is measured to the end of its first process: keep it in the foreground, or let it wait for the others",
		j.name, text.Count(len(left), "process"), text.Clip(j.left[0]))})
}

// Output implements Child.
func (j *job) Output() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.output
}

// Left implements Child.
func (j *job) Left() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.left)
}

// CanStart returns why a command would not start in a folder ("" is the current one), as far as its program shows.
func CanStart(command []string, dir string) error {
	name := command[0]
	if dir != "" && strings.ContainsRune(name, filepath.Separator) && !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	if _, err := exec.LookPath(name); err != nil && !errors.Is(err, exec.ErrDot) {
		return notStarted(text.OneLine(command[0]), err)
	}
	return nil
}

// notStarted explains why a command did not start, and what to do.
func notStarted(name string, err error) error {
	switch {
	case usage.Is(err):
		return err
	case errors.Is(err, exec.ErrNotFound):
		if len(strings.Fields(name)) > 1 {
			return oneWord(name)
		}
		return fmt.Errorf("command %s was not found in PATH: give its path, such as ./%s", name, filepath.Base(name))
	case errors.Is(err, fs.ErrNotExist) && len(strings.Fields(name)) > 1:
		return oneWord(name)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("command %s does not exist, or the folder or interpreter that it needs: %v", name, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("command %s cannot be run: is it a program, and executable (chmod +x)? %v", name, err)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("command %s is no program of this machine, and has no #! line: name its interpreter", name)
	}
	return fmt.Errorf("harness %s: %w", name, err)
}

// oneWord explains a command whose words were given as one.
func oneWord(line string) error {
	return fmt.Errorf("no program is called %q: write its words apart, without quotes around all of them: -- %s", line,
		line)
}
