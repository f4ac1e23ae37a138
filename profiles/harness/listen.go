package harness

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// listen reads both outputs, each on its own.
func (j *job) listen(readers *sync.WaitGroup, stdout, stderr *os.File) {
	calm := &unhurried{file: stdout}
	take, log := j.take(calm), j.log.stderr
	if j.pattern == nil {
		readers.Go(func() { eachLine(calm, take) })
		readers.Go(func() { eachLine(stderr, log) })
		return
	}
	readers.Go(func() { eachDraw(stdout, j.match(take)) })
	readers.Go(func() { eachDraw(stderr, j.match(log)) })
}

// match gives the function that reads minibatches out of lines and leaves
// lines without one to rest.
func (j *job) match(rest func(text []byte)) func(text []byte, whole bool) {
	return func(text []byte, whole bool) {
		j.mu.Lock()
		now := j.clock.Now()
		events, ok := j.pattern.read(text, now, whole)
		if ok {
			j.heard = time.Now()
		}
		for _, e := range events {
			j.queue.put(e)
		}
		j.mu.Unlock()
		if !ok && whole {
			rest(text)
		}
	}
}

// hearEvery is the least time between two looks at a job whose lines tell when
// they were written: each look wakes the machine that is being measured.
const hearEvery = 250 * time.Millisecond

// unhurried reads a pipe at most once every hearEvery when that is enough.
type unhurried struct {
	file   *os.File
	enough bool
	last   time.Time
}

// Read is io.Reader's.
func (u *unhurried) Read(b []byte) (int, error) {
	if u.enough {
		time.Sleep(hearEvery - time.Since(u.last))
	}
	n, err := u.file.Read(b)
	u.last = time.Now()
	return n, err
}

// take gives the function that turns lines of stdout into events.
func (j *job) take(from *unhurried) func(text []byte) {
	var p parser
	return func(text []byte) {
		e, err := p.parse(text)
		if err != nil {
			j.bad(text, err)
			return
		}
		j.mu.Lock()
		j.heard = time.Now()
		if e.Kind == Failure {
			j.failure = e.Message
		}
		j.mu.Unlock()
		if e.Kind == Hello {
			j.log.note("hello: %s", text)
		}
		var at time.Duration
		at, from.enough = p.when(j.clock.Now())
		j.queue.put(stamp(e, at))
	}
}

func (j *job) bad(text []byte, err error) {
	j.mu.Lock()
	j.garbage++
	j.lastBad = fmt.Sprintf("%q: %v", clip(string(text[:min(len(text), 120)])), err)
	j.mu.Unlock()
	if errors.Is(err, errNoEvent) {
		j.log.note("stdout: %s", text)
		return
	}
	j.log.note("event refused: %v: %s", err, text)
}
