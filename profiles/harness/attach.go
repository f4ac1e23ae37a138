package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/profiles/harness/pipe"
	"jtune/profiles/harness/process"
	"jtune/tegra"
)

// Elsewhere identifies a job started elsewhere: by its process, or by the file or named pipe to which it writes.
type Elsewhere struct {
	PID     int    // 0: unknown
	Log     string // "": the file that the process writes
	Pattern string // extracts minibatches from its lines, see CheckPattern; "": detect
	Detect  Detect // options of the detection
}

// attachSilence is how long such a job may be silent: it may validate or write a checkpoint.
const attachSilence = 5 * time.Minute

// attached is a job started elsewhere. It is never signalled, and continues when jtune stops reading it.
type attached struct {
	*job
	tail *process.Tail
}

var (
	_ Harness   = (*attached)(nil)
	_ Expecting = (*attached)(nil)
	_ Detecting = (*attached)(nil)
)

// ErrOver reports that a job started elsewhere has ended. It also matches io.EOF.
var ErrOver error = over{}

type over struct{}

func (over) Error() string        { return "the job has ended" }
func (over) Is(target error) bool { return target == io.EOF }

// Check returns an error when the job does not exist or its output cannot be read.
func (e Elsewhere) Check() error {
	if e.Pattern != "" {
		if err := CheckPattern(e.Pattern); err != nil {
			return err
		}
	}
	if e.PID != 0 && !process.Alive(e.PID, "") {
		return fmt.Errorf("no process %d runs: %w", e.PID, ErrOver)
	}
	path, err := e.Output()
	if err != nil {
		return err
	}
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("the job's output: %w", err)
	case st.Mode().IsRegular(), st.Mode()&os.ModeNamedPipe != 0:
		return nil
	}
	return fmt.Errorf("the job's output %s is neither a file nor a named pipe", text.OneLine(path))
}

// Output returns the path of the job's output: its log, or the file that is its standard output or error.
func (e Elsewhere) Output() (string, error) {
	if e.Log != "" {
		return e.Log, nil
	}
	goesTo := ""
	for _, fd := range []string{"1", "2"} {
		path := filepath.Join("/proc", strconv.Itoa(e.PID), "fd", fd)
		st, err := os.Stat(path)
		if errors.Is(err, os.ErrPermission) {
			return "", fmt.Errorf("process %d belongs to somebody else: name its log with %s: %w", e.PID,
				usage.Log.Value(), tegra.ErrPermission)
		}
		if err == nil && st.Mode().IsRegular() {
			return path, nil
		}
		where, _ := os.Readlink(path)
		goesTo = cmp.Or(goesTo, text.OneLine(where))
	}
	return "", fmt.Errorf("process %d writes to no file (%s): start it with its output in one "+
		"(python3 train.py > train.log 2>&1), or name its log with %s", e.PID, cmp.Or(goesTo, "nothing"),
		usage.Log.Value())
}

func (e Elsewhere) String() string {
	switch {
	case e.PID != 0 && e.Log != "":
		return fmt.Sprintf("process %d with log %s", e.PID, text.OneLine(e.Log))
	case e.PID != 0:
		return fmt.Sprintf("process %d", e.PID)
	}
	return "log " + text.OneLine(e.Log)
}

// ParseElsewhere parses a process number, or the path of a log or named pipe.
func ParseElsewhere(typed string) Elsewhere {
	typed = strings.TrimSpace(typed)
	if pid, err := strconv.Atoi(typed); err == nil && pid > 0 {
		return Elsewhere{PID: pid}
	}
	return Elsewhere{Log: typed}
}

// Asked returns the text that ParseElsewhere parses.
func (e Elsewhere) Asked() string {
	if e.PID != 0 {
		return strconv.Itoa(e.PID)
	}
	return e.Log
}

// Attach reads the events of a job started elsewhere, from now on. The job ends with its process or a done event; when
// only its log is known, it ends when the log is silent.
func Attach(ctx context.Context, e Elsewhere, clock tegra.Clock, silent time.Duration) (Harness, error) {
	if err := errors.Join(ctx.Err(), e.Check()); err != nil {
		return nil, err
	}
	path, err := e.Output()
	if err != nil {
		return nil, err
	}
	silent = cmp.Or(silent, attachSilence)
	if clock == nil {
		clock = tegra.RealClock()
	}
	a := &attached{job: &job{name: e.String(), log: &jobLog{}, queue: NewQueue(), clock: clock, stdout: new(pipe.Pipe),
		silence: silenceOf(silent, silent), wait: max(StartLimit, silent), lastEvent: time.Now(),
		started: time.Now(), exited: make(chan struct{}), misread: make(chan struct{})}}
	if a.pattern, err = readerOf(ExecOptions{Pattern: e.Pattern, Detect: &e.Detect}); err != nil {
		return nil, err
	}
	if a.tail, err = process.OpenTail(path, e.PID); err != nil {
		return nil, err
	}
	if hello, ok := helloOf(path); ok {
		if d, reads := a.pattern.(*detecting); reads {
			hello.taken(&d.speaks)
		}
		a.queue.Put(stamp(hello, a.clock.Now()))
	}
	go a.follow()
	return a, nil
}

// follow reads the output to its end.
func (a *attached) follow() {
	defer close(a.exited)
	go a.watch()
	from := a.stamped(a.tail)
	pieces(a.pattern)(from, a.match(from, func(text []byte) { a.bad(text, errNoEvent) }))
	a.finish()
	end := io.EOF
	if a.tail.Over() {
		end = ErrOver
	}
	a.queue.Close(end)
}

// Next waits for the next event. A done event ends the job.
func (a *attached) Next(ctx context.Context) (Event, error) {
	e, err := a.job.Next(ctx)
	if err == nil && e.Kind == Done {
		return e, ErrOver
	}
	return e, err
}

// Stop stops reading; the job continues.
func (a *attached) Stop(context.Context) error {
	a.tail.Close()
	<-a.exited
	return nil
}
