package harness

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"

	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/profiles/harness/pipe"
	"jtune/profiles/harness/process"
	"jtune/tegra"
)

// listen reads both outputs, each in its own goroutine.
func (j *job) listen(readers *sync.WaitGroup, stdout, stderr *pipe.Pipe) {
	stdout.Before, stderr.Before = j.queue.handOver, j.queue.handOver
	if j.pattern == nil {
		take := j.take(stdout)
		readers.Go(func() { pipe.Each(stdout, take) })
		readers.Go(func() { pipe.Each(stderr, j.log.stderr) })
		return
	}
	out, errs := j.stamped(stdout), j.stamped(stderr)
	out.pipe, errs.pipe = stdout, stderr
	take, log := j.match(out, j.take(new(pipe.Pipe))), j.match(errs, j.log.stderr) // which has no times of its own
	each := pieces(j.pattern)
	readers.Go(func() { each(j.echoed(out), take) })
	readers.Go(func() { each(j.echoed(errs), log) })
}

// stamped is an output that notes when it was read: lines that arrive in one read have one time.
type stamped struct {
	io.Reader
	clock tegra.Clock
	at    time.Duration
	pipe  *pipe.Pipe // nil: the end of a file
}

func (j *job) stamped(r io.Reader) *stamped { return &stamped{Reader: r, clock: j.clock} }

// most returns the longest that a line may have waited.
func (s *stamped) most() time.Duration {
	if s.pipe == nil {
		return process.TailEvery
	}
	return s.pipe.Most()
}

func (s *stamped) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.at = s.clock.Now()
	return n, err
}

// echoed returns an output of the job that is also shown if requested.
func (j *job) echoed(r io.Reader) io.Reader {
	if j.echo == nil {
		return r
	}
	return io.TeeReader(r, j.echo)
}

// pieces returns how a program's output is split into lines: progress bars are read before they end.
func pieces(r reader) func(io.Reader, func(text []byte, whole bool)) {
	switch r.(type) {
	case *detecting:
		return pipe.EachDraw
	}
	return pipe.EachFinished
}

// match returns the function that reads minibatches from the lines of an output and passes other lines to rest.
func (j *job) match(from *stamped, rest func(text []byte)) func(text []byte, whole bool) {
	return func(text []byte, whole bool) {
		j.mu.Lock()
		now := from.at
		if _, unknown := j.pattern.(*detecting); !unknown {
			now = j.clock.Now()
		}
		d, detects := j.pattern.(*detecting)
		if detects {
			d.most = from.most()
		}
		events, ok := j.pattern.read(text, now, whole)
		if ok && detects && from.pipe != nil { // one that prints its time may be read late
			from.pipe.Calm = d.calm
		}
		if whole || ok { // any output shows that the job is alive
			j.heard(events...)
		}
		for _, e := range events {
			j.found = j.found || e.Timed()
			j.stepped = j.stepped || e.Timed()
			j.queue.Put(e)
		}
		if detects && d.err != nil && !j.refused {
			j.refused = true
			close(j.misread)
		}
		if line := plainLine(text); !ok && line != "" {
			j.lastLine = clipped(line)
		}
		j.mu.Unlock()
		if !ok && whole {
			rest(text)
		}
	}
}

// watchEach is the interval of checks of a job.
const watchEach = time.Second

// watch checks whether the job's output is understood and how it is taken, and ends a job that waits for the terminal:
// in the background it would never continue.
func (j *job) watch() {
	d, unknown := j.pattern.(*detecting)
	every := time.NewTicker(watchEach)
	defer every.Stop()
	for unknown || j.cmd != nil {
		select {
		case <-j.exited:
			return
		case <-every.C:
		}
		unknown = unknown && !j.judge(d)
		if j.cmd == nil { // not started by jtune
			continue
		}
		pid := j.cmd.Process.Pid
		j.mu.Lock()
		if j.output == Lines && !process.HasLineBuffer(pid) && process.Alive(pid, "") {
			j.output = Pipe
		}
		j.asks = process.WantsTerminal(pid)
		asks := j.asks
		j.mu.Unlock()
		if asks {
			j.group.Signal(syscall.SIGKILL)
			return
		}
	}
}

// judge notes when a program has worked for a while and none of its lines counts steps, and ends the wait for one whose
// lines give two times. It reports whether nothing is left to judge.
func (j *job) judge(d *detecting) (over bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	note := d.doubt(j.clock.Now())
	if note == "" && !d.ToEnd && !d.PerRun && !j.stepped && !j.unseenSaid && time.Since(j.started) >= unseenAfter {
		j.unseenSaid = true
		note = Unseen(j.name, d.d.Lines(), unseenAfter, j.wait)
	}
	if note != "" {
		j.queue.Put(Event{Kind: Note, T: j.clock.Now(), Message: note})
	}
	if d.giveUp(time.Since(j.started), j.wait) && !j.refused {
		j.refused = true
		close(j.misread)
	}
	return j.refused || d.took() && j.stepped
}

// unseenAfter is the time without a first step after which jtune says so: within a minute.
const unseenAfter = 55 * time.Second

// Unseen describes a command of which no step was seen, and what to do; lines is how many lines it has printed, and
// patience how long jtune waits in all.
func Unseen(command string, lines int, took, patience time.Duration) string {
	what := "has printed nothing: does it buffer its output, write to a file (tail -F FILE), or draw only on a " +
		"terminal (script -qec 'COMMAND' /dev/null)?"
	if lines > 0 {
		what = fmt.Sprintf("no step was seen in its %s: %s.", text.Count(lines, "line"), nameLine())
	}
	return fmt.Sprintf("%s has run for %s and %s jtune waits %s for its first step", command, units.Span(took), what,
		units.Span(patience))
}

// take returns the function that turns lines of stdout into events. It marks the pipe as calm when the next line may be
// read late.
func (j *job) take(from *pipe.Pipe) func(text []byte) {
	var p parser
	return func(text []byte) {
		e, err := p.parse(text)
		if err != nil {
			j.bad(text, err)
			return
		}
		j.mu.Lock()
		if !e.taken(&j.speaks) {
			j.mu.Unlock()
			j.bad(text, errNoEvent)
			return
		}
		j.heard(e)
		if e.Kind == Failure {
			j.failure = e.Message
		}
		j.mu.Unlock()
		if e.Kind == Hello {
			j.log.note("hello: %s", text)
		}
		var at time.Duration
		at, from.Calm = p.when(j.clock.Now(), from.Most())
		j.queue.Put(stamp(e, at))
	}
}

// heard notes that the job is alive.
func (j *job) heard(events ...Event) {
	now := time.Now()
	for _, e := range events {
		j.silence.saw(e, now.Sub(j.lastEvent))
	}
	j.lastEvent = now
}

// clipped returns the start of a line of the job, for a message.
func clipped(line string) string { return text.OneLine(line[:min(len(line), 120)]) }

func (j *job) bad(line []byte, err error) {
	j.mu.Lock()
	j.garbage++
	j.lastBad = fmt.Sprintf("%q: %v", clipped(string(line)), err)
	j.mu.Unlock()
	if errors.Is(err, errNoEvent) {
		j.log.note("stdout: %s", line)
		return
	}
	j.log.note("event refused: %v: %s", err, line)
}
