package harness

import (
	"cmp"
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
	"jtune/internal/usage"
	"jtune/profiles/harness/detect"
	"jtune/profiles/harness/engine"
	"jtune/profiles/harness/pipe"
	"jtune/profiles/harness/process"
	"jtune/tegra"
)

// TurnVariable is the environment variable that holds the descriptor of the turn socket.
const TurnVariable = "JTUNE_TURN"

// turnFile is that descriptor in the job: the first one after the standard ones.
const turnFile = 3

const (
	// DefaultSilence is how long a job may be silent.
	DefaultSilence = 60 * time.Second
	termGrace      = 5 * time.Second  // from TERM to KILL
	killGrace      = 10 * time.Second // from KILL to giving up: freeing memory takes seconds
)

// ExecOptions describe how a job is run.
type ExecOptions struct {
	Command []string
	Dir     string
	Env     map[string]string // extra environment variables
	Log     string            // file for stderr and output that is not an event; "" for none
	Silence time.Duration     // how long it may print nothing; 60 s
	Start   time.Duration     // the same before its first minibatch, if longer
	// Patience is how long it may take to its first step, whatever it prints; 0: StartLimit, or Start if longer.
	Patience time.Duration
	Clock    tegra.Clock // stamps events; the machine's when nil

	Name      string    // the workload's; names its container
	Container Container // in which Command runs
	Turn      *os.File  // the job's end of a turn socket, closed here; nil: none (not in a container)
	Pattern   string    // reads minibatches out of lines that match, see CheckPattern; "" for none
	// Detect detects how lines count steps when there is no Pattern; nil: only protocol events are read.
	Detect *Detect
	// Protocol: the job knows the protocol, so the events that control a run are taken from it. Without Pattern and
	// Detect it must.
	Protocol bool
	Stdin    *os.File  // its standard input; nil: none
	Echo     io.Writer // gets everything that the job prints, as it arrives; nil: none
}

// job is an external training job. It runs in its own process group, which is ended as a whole, even when jtune is
// killed. Loader processes are ended too, including those that left the group.
type job struct {
	name    string
	cmd     *exec.Cmd
	group   *process.Group
	log     *jobLog
	queue   *Queue
	stdout  *pipe.Pipe
	output  string // how it is taken: Terminal, Lines or Pipe
	clock   tegra.Clock
	pattern reader // nil: none
	tool    string // the pattern's name when it reads a program's results
	found   bool   // it has found some
	box     engine.Container
	exited  chan struct{} // closed when the job's first process has been reaped
	ended   chan struct{} // closed when all output is read and the outcome is known

	mu        sync.Mutex
	silence   silence
	wait      time.Duration // for the first step
	stopping  bool
	speaks    bool      // events that control a run are taken from it
	asks      bool      // it was ended because it waits for the terminal
	failure   string    // message of its error event
	left      []string  // command lines of the processes that it left running
	lastEvent time.Time // or the start
	started   time.Time
	stepped   bool // a step was read
	// unseenSaid: jtune has noted that none was
	unseenSaid bool
	refused    bool          // misread is closed
	misread    chan struct{} // closed when its output cannot be used
	echo       io.Writer
	garbage    int
	lastBad    string
	lastLine   string // without information for the reader
}

var _ Harness = (*job)(nil)

// Exec starts an external job. ctx only covers the start.
func Exec(ctx context.Context, o ExecOptions) (Harness, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(o.Command) == 0 {
		return nil, errors.New("harness: no command to run")
	}
	read, err := readerOf(o)
	if err != nil {
		return nil, err
	}
	log, err := openLog(o.Log)
	if err != nil {
		return nil, err
	}
	j := &job{name: text.OneLine(o.Command[0]), pattern: read, log: log, queue: NewQueue(), clock: o.Clock,
		silence: silenceOf(max(o.Start, o.Patience), o.Silence),
		wait:    cmp.Or(o.Patience, max(StartLimit, o.Start)),
		exited:  make(chan struct{}), ended: make(chan struct{}), lastEvent: time.Now(), started: time.Now(),
		misread: make(chan struct{}), echo: o.Echo, speaks: o.Protocol || read == nil}
	if j.clock == nil {
		j.clock = tegra.RealClock()
	}
	if toolOf(o.Pattern, nil) != nil {
		j.tool = o.Pattern
	}
	if d, ok := read.(*detecting); ok {
		d.start = j.clock.Now()
	}
	if err := j.start(o); err != nil {
		log.close()
		return nil, notStarted(j.name, err)
	}
	return j, nil
}

// contain converts the options to those of the container engine's command.
func (j *job) contain(o ExecOptions, name string) ExecOptions {
	j.box = engine.Container{Engine: []string{o.Container.Program()}, Name: name}
	j.box.RemoveLeft(ownersLabel(), owned)
	o.Command, o.Dir = o.Container.run(name, o), ""
	return o
}

// removeContainer removes the job's container.
func (j *job) removeContainer() {
	if j.box.Name != "" {
		j.box.Remove()
	}
}

func (j *job) start(o ExecOptions) (err error) {
	name := containerName(o.Name)
	if o.Container.Image != "" {
		o = j.contain(o, name)
	} else if command, box, note := engine.Contained(o.Command, name, ownersLabel()); box.Name != "" || note != "" {
		if box.Name != "" {
			if box.Name != name && box.Exists() {
				return usage.Errorf("container %s exists already and would end with the job; give another name, "+
					"or none",
					text.Clip(box.Name))
			}
			box.RemoveLeft(ownersLabel(), owned)
		}
		o.Command, j.box = command, box
		if note != "" {
			j.queue.Put(Event{Kind: Note, T: j.clock.Now(), Message: note})
		}
	}
	if j.group, err = process.NewGroup(j.box); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			j.group.End()
		}
	}()
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Dir, cmd.Env = o.Dir, append(os.Environ(), "PYTHONUNBUFFERED=1")
	for k, v := range o.Env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	if j.output = Pipe; j.pattern != nil && j.box.Name == "" && process.LineBuffered(cmd) { // not into a container
		j.output = Lines
	}
	j.group.Add(cmd)
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
	if o.Stdin != nil {
		cmd.Stdin = o.Stdin
	}
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
	j.stdout = pipe.New(stdout)
	go j.follow(j.stdout, pipe.New(stderr))
	return nil
}

// follow reads the job's output to its end, then sets the outcome.
func (j *job) follow(stdout, stderr *pipe.Pipe) {
	var readers sync.WaitGroup
	j.listen(&readers, stdout, stderr)
	go j.watch()
	err := j.cmd.Wait()
	close(j.exited)
	j.noteLeft()
	j.group.Signal(syscall.SIGKILL) // what the job left behind
	if n := j.group.KillStrays(); n > 0 {
		j.log.note("killed %d processes that had left the job's group", n)
	}
	stdout.End()
	stderr.End()
	j.removeContainer()
	readers.Wait()
	stdout.Close()
	stderr.Close()
	j.finish()
	j.queue.Close(j.outcome(err))
	j.log.note("ended: %s", j.cmd.ProcessState)
	j.log.close()
	j.group.End()
	close(j.ended)
}

// exitCode returns the exit status of a process as a shell reports it.
func exitCode(p *os.ProcessState) int {
	if status, ok := p.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return p.ExitCode()
}

// finish takes what a program reports at its end.
func (j *job) finish() {
	j.mu.Lock()
	defer j.mu.Unlock()
	var last []Event
	switch read := j.pattern.(type) {
	case *detecting:
		last = read.finish(j.clock.Now())
	case summing:
		if e := read.summary(); e != nil {
			last = []Event{*e}
		}
	}
	j.found = j.found || last != nil
	for _, e := range last {
		j.queue.Put(e)
	}
}

// outcome returns how the job ended: io.EOF when it was done or stopped.
func (j *job) outcome(err error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.stopping:
		return io.EOF
	case err == nil && j.failure == "" && j.tool != "" && !j.found:
		return &UnreadError{Command: j.name, Pattern: j.tool, Last: j.lastLine}
	case err == nil && j.failure == "":
		return j.unread()
	}
	e := &ExitError{Command: j.name, Status: j.cmd.ProcessState.String(),
		Code: exitCode(j.cmd.ProcessState), Lines: j.log.tail()}
	if j.group.Abandoned() {
		e.Status = "the shell that watches over it was killed, so it was ended too"
	}
	if j.asks {
		e.Status = "it waits for the terminal, which a measured job does not have: give it what it asks for as an " +
			"argument or in a file"
		e.Lines = nil
	}
	if j.failure != "" {
		e.Lines = append(e.Lines, j.failure)
	}
	return e
}

// unread returns why an unknown program produced nothing usable; io.EOF if it did.
func (j *job) unread() error {
	d, ok := j.pattern.(*detecting)
	if !ok {
		return io.EOF
	}
	if u, ok := errors.AsType[*detect.Undecided](d.err); ok {
		return &NotUnderstood{Command: j.name, Undecided: u}
	}
	return io.EOF
}

// Detected implements Detecting.
func (j *job) Detected() (r detect.Reading, err error, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	d, ok := j.pattern.(*detecting)
	if !ok || d.told {
		return r, nil, false
	}
	r, err = d.d.Read()
	if u, bad := errors.AsType[*detect.Undecided](err); bad {
		err = &NotUnderstood{Command: j.name, Undecided: u}
	}
	return r, err, true
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
		case <-j.misread:
			silence.Stop()
			return Event{}, j.silent()
		case <-silence.C:
			if j.patience() <= 0 {
				return Event{}, j.silent()
			}
		}
	}
}

// patience returns how much longer the job may be silent. Its output may still be unread.
func (j *job) patience() time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	left, wait := j.silence.most()+j.stdout.Most()-time.Since(j.lastEvent), j.wait
	if d, ok := j.pattern.(*detecting); ok {
		wait += d.d.Prepared()
		switch {
		case d.err != nil && !d.ToEnd:
			return 0
		case d.ToEnd: // it is measured unchanged
			return max(left, time.Minute)
		}
	}
	if j.pattern != nil && !j.stepped && j.silence.start > 0 {
		left = min(left, wait-time.Since(j.started))
	}
	return left
}

func (j *job) silent() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if d, ok := j.pattern.(*detecting); ok {
		if d.err == nil {
			_, d.err = d.d.Read()
		}
		if waits := d.d.Waits(); d.err == nil && waits != "" {
			d.err = &detect.Undecided{Why: waits, Lines: d.d.Lines()}
		}
		if u, bad := errors.AsType[*detect.Undecided](d.err); bad && time.Since(j.lastEvent) < j.silence.most() {
			return &NotUnderstood{Command: j.name, Undecided: u}
		}
	}
	return &SilenceError{Command: j.name, After: j.silence.most(), Garbage: j.garbage, Last: j.lastBad,
		Unseen: j.pattern != nil && !j.stepped}
}

// Stop ends the job's group with TERM, then KILL.
func (j *job) Stop(ctx context.Context) error { return j.end(ctx, j.group.Signal, killGrace) }

// end ends the job by signals and waits for its end, after KILL only for a while: a job that changes its user, as sudo
// does, cannot be signalled, and one that waits for a device does not end.
func (j *job) end(ctx context.Context, signal func(syscall.Signal), patience time.Duration) error {
	j.mu.Lock()
	j.stopping = true
	j.mu.Unlock()
	signal(syscall.SIGTERM)
	grace := time.NewTimer(termGrace)
	defer grace.Stop()
	select {
	case <-j.exited: // the rest of the group has been killed
	case <-grace.C:
		signal(syscall.SIGKILL)
	case <-ctx.Done():
		signal(syscall.SIGKILL)
	}
	if process.Foreign(j.cmd.Process) {
		j.removeContainer() // its client ends with it
	}
	last := time.NewTimer(patience)
	defer last.Stop()
	select {
	case <-j.exited:
	case <-last.C:
		return process.StillRuns(j.name, j.cmd.Process)
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
func (j *job) Pace() (poll func()) { return j.stdout.Pace() }
