package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"jtune/internal/text"
	"jtune/tegra"
)

// TurnVariable is the environment variable that holds the number of the turn socket.
const TurnVariable = "JTUNE_TURN"

// turnFile is that number in a job: the first after the standard ones.
const turnFile = 3

const (
	// DefaultSilence is how long a job may be silent.
	DefaultSilence = 60 * time.Second
	termGrace      = 5 * time.Second // from TERM to KILL
)

// ExecOptions describe how a job is run.
type ExecOptions struct {
	Command []string
	Dir     string
	Env     map[string]string // added to the environment
	Log     string            // file for stderr and output that is not an event; "" for none
	Silence time.Duration     // how long it may print nothing; 60 s
	Start   time.Duration     // the same before its first minibatch, where that is longer
	Clock   tegra.Clock       // stamps events; the machine's when nil

	Name      string    // the workload's; names its container
	Container Container // in which Command is run
	Turn      *os.File  // the job's end of a turn socket, closed here; nil: none (not in a container)
	Pattern   string    // reads minibatches out of lines that match, see CheckPattern; "" for none
}

// job is an external training job. It runs in its own process group, which is ended as a whole,
// also when jtune is killed: loader processes do not stay behind, nor those that left the group.
type job struct {
	name    string
	cmd     *exec.Cmd
	group   *group
	log     *jobLog
	queue   *Queue
	stdout  *pipe
	clock   tegra.Clock
	pattern reader        // nil: none
	tool    string        // the pattern's name where it reads a program's results
	found   bool          // it found some
	remove  []string      // command that ends the job's container; empty: it has none
	exited  chan struct{} // closed when the job's first process has been reaped
	ended   chan struct{} // closed when output is read up and the end is known

	mu        sync.Mutex
	silence   silence
	stopping  bool
	failure   string    // message of its error event
	lastEvent time.Time // or the start
	garbage   int
	lastBad   string
	lastLine  string // that the reader knows nothing of
}

var _ Harness = (*job)(nil)

// Exec starts an external job. ctx is for the start alone.
func Exec(ctx context.Context, o ExecOptions) (Harness, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(o.Command) == 0 {
		return nil, errors.New("harness: no command to run")
	}
	read, err := patternOf(o)
	if err != nil {
		return nil, err
	}
	log, err := openLog(o.Log)
	if err != nil {
		return nil, err
	}
	j := &job{name: text.OneLine(o.Command[0]), pattern: read, log: log, queue: NewQueue(), clock: o.Clock,
		silence: silenceOf(o.Start, o.Silence),
		exited:  make(chan struct{}), ended: make(chan struct{}), lastEvent: time.Now()}
	if j.clock == nil {
		j.clock = tegra.RealClock()
	}
	if _, ok := tools[o.Pattern]; ok {
		j.tool = o.Pattern
	}
	if err := j.start(o); err != nil {
		log.close()
		return nil, fmt.Errorf("harness %s: %w", j.name, err)
	}
	return j, nil
}

func patternOf(o ExecOptions) (reader, error) {
	if o.Pattern == "" {
		return nil, nil
	}
	return newReader(o.Pattern, o.Command)
}

// contain turns the options into those of the engine's command.
func (j *job) contain(o ExecOptions) ExecOptions {
	name := "jtune-" + o.Name
	j.remove = o.Container.remove(name)
	j.removeContainer() // of a job whose jtune and watcher were both killed
	o.Command, o.Dir = o.Container.run(name, o), ""
	return o
}

// removeContainer fails where there is none, as there should be.
func (j *job) removeContainer() {
	if len(j.remove) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), removeGrace)
	defer cancel()
	cmd := exec.CommandContext(ctx, j.remove[0], j.remove[1:]...)
	cmd.Run()
}

func (j *job) start(o ExecOptions) (err error) {
	if o.Container.Image != "" {
		o = j.contain(o)
	}
	if j.group, err = newGroup(j.remove); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			j.group.end()
		}
	}()
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Dir, cmd.Env = o.Dir, append(os.Environ(), "PYTHONUNBUFFERED=1")
	for k, v := range o.Env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	j.group.add(cmd)
	stdout, outEnd, err := os.Pipe()
	if err != nil {
		return err
	}
	stderr, errEnd, err := os.Pipe()
	if err != nil {
		stdout.Close()
		outEnd.Close()
		return err
	}
	cmd.Stdout, cmd.Stderr = outEnd, errEnd
	if o.Turn != nil {
		defer o.Turn.Close()
		cmd.ExtraFiles = []*os.File{o.Turn}
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", TurnVariable, turnFile))
	}
	j.cmd = cmd
	err = cmd.Start()
	outEnd.Close()
	errEnd.Close()
	if err != nil {
		stdout.Close()
		stderr.Close()
		return err
	}
	j.log.note("started %s as process %d", strings.Join(o.Command, " "), cmd.Process.Pid)
	j.stdout = newPipe(stdout)
	go j.follow(j.stdout, newPipe(stderr))
	return nil
}

// follow reads the job's output to its end, then sets the outcome.
func (j *job) follow(stdout, stderr *pipe) {
	var readers sync.WaitGroup
	j.listen(&readers, stdout, stderr)
	err := j.cmd.Wait()
	close(j.exited)
	j.group.signal(syscall.SIGKILL) // what the job left behind
	if n := j.group.killStrays(); n > 0 {
		j.log.note("killed %d processes that had left the job's group", n)
	}
	stdout.end()
	stderr.end()
	j.removeContainer()
	readers.Wait()
	stdout.Close()
	stderr.Close()
	if sum, ok := j.pattern.(summing); ok {
		if e := sum.summary(); e != nil {
			j.found = true
			j.queue.Put(*e)
		}
	}
	j.queue.Close(j.outcome(err))
	j.log.note("ended: %s", j.cmd.ProcessState)
	j.log.close()
	j.group.end()
	close(j.ended)
}

// outcome is how the job ended: io.EOF when it was done or stopped.
func (j *job) outcome(err error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.stopping:
		return io.EOF
	case err == nil && j.failure == "" && j.tool != "" && !j.found:
		return &UnreadError{Command: j.name, Pattern: j.tool, Last: j.lastLine}
	case err == nil && j.failure == "":
		return io.EOF
	}
	e := &ExitError{Command: j.name, Status: j.cmd.ProcessState.String(), Lines: j.log.tail()}
	if j.group.abandoned() {
		e.Status = "the shell that watches over it was killed, so it was ended too"
	}
	if j.failure != "" {
		e.Lines = append(e.Lines, j.failure)
	}
	return e
}

// Next waits for the next event.
func (j *job) Next(ctx context.Context) (Event, error) {
	for {
		select {
		case e, ok := <-j.queue.events:
			return j.queue.taken(e, ok)
		default:
		}
		silence := time.NewTimer(j.patience())
		select {
		case e, ok := <-j.queue.events:
			silence.Stop()
			return j.queue.taken(e, ok)
		case <-ctx.Done():
			silence.Stop()
			return Event{}, ctx.Err()
		case <-silence.C:
			if j.patience() <= 0 {
				return Event{}, j.silent()
			}
		}
	}
}

// patience is how much longer the job may be silent. Its output may still wait to be read.
func (j *job) patience() time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.silence.most() + j.stdout.most() - time.Since(j.lastEvent)
}

func (j *job) silent() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return &SilenceError{Command: j.name, After: j.silence.most(), Garbage: j.garbage, Last: j.lastBad}
}

// Stop ends the job's group: TERM, and KILL when that has no effect.
func (j *job) Stop(ctx context.Context) error {
	j.mu.Lock()
	j.stopping = true
	j.mu.Unlock()
	j.group.signal(syscall.SIGTERM)
	grace := time.NewTimer(termGrace)
	defer grace.Stop()
	select {
	case <-j.exited: // what is left of the group has been killed
	case <-grace.C:
		j.group.signal(syscall.SIGKILL)
	case <-ctx.Done():
		j.group.signal(syscall.SIGKILL)
	}
	<-j.ended
	return nil
}

// Expect implements Expecting.
func (j *job) Expect(minibatch time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.silence.expect(minibatch)
}

// Pace implements Paced.
func (j *job) Pace() (poll func()) { return j.stdout.pace() }
