package harness

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// listen reads both outputs, each on its own.
func (j *job) listen(readers *sync.WaitGroup, stdout, stderr *pipe) {
	stdout.before, stderr.before = j.queue.tell, j.queue.tell
	if j.pattern == nil {
		take := j.take(stdout)
		readers.Go(func() { eachLine(stdout, take) })
		readers.Go(func() { eachLine(stderr, j.log.stderr) })
		return
	}
	take, log := j.match(j.take(new(pipe))), j.match(j.log.stderr) // what it draws does not tell its time
	readers.Go(func() { eachDraw(stdout, take) })
	readers.Go(func() { eachDraw(stderr, log) })
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

// take gives the function that turns lines of stdout into events, and calms the
// pipe when the next line may wait.
func (j *job) take(from *pipe) func(text []byte) {
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
		at, from.calm = p.when(j.clock.Now(), from.most())
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
