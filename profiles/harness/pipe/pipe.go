// Package pipe reads a job's output without waking the measured machine at every line, and splits it into lines, and
// into the steps of a progress bar, with bounded memory.
//
//	job ──► pipe ──► Pipe.Read, at once or by a poll ──► Each (whole lines), EachDraw (what a terminal would show),
//	EachFinished ──► one call for each
package pipe

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"jtune/profiles/harness/process"
)

// Limits of how long output may wait when its lines have their own times: each poll wakes the measured machine.
const (
	Every = 250 * time.Millisecond  // a longer one would prolong the measurement
	Late  = 1500 * time.Millisecond // when the caller sets the pace, see Paced
)

// pipeBytes is the size of the pipe: what a job can write before it blocks. A system may grant less.
const pipeBytes = 1 << 20

// filledPart: a job that would fill more than 1/filledPart of its pipe before the next poll is polled sooner, so that
// it never blocks.
const filledPart = 4

// Limits of reading the pipe of a dead job to its end. The pipe ends with its last holder; a process that left the
// group could hold it and write for ever.
const (
	Grace      = 2 * time.Second // total time waiting for more
	drainBytes = 2 * pipeBytes   // more than the job can have left in the pipe
)

// Pipe is the read end of a job's output. Go's runtime polls its own files and wakes at every line, even when no
// goroutine reads. A pipe whose lines may be read late is therefore taken from the runtime and polled.
type Pipe struct {
	Calm   bool   // lines may be read late; set only by the reader
	Before func() // called before each wait for more
	looked time.Time
	more   bool          // the last poll did not read everything
	said   int           // bytes since the last complete poll
	fills  time.Duration // how long the job takes to write room bytes
	room   int           // bytes that the job may write before a poll
	paced  atomic.Bool
	last   atomic.Bool   // nothing more will be written: read the rest at once
	poke   chan struct{} // requests a poll
	grace  time.Duration // Grace less the wait since last was set
	rest   int           // drainBytes less the bytes read since last was set

	mu     sync.Mutex
	file   *os.File // the runtime's; nil while withdrawn
	fd     int      // at the same time
	closed bool
}

var _ io.ReadCloser = (*Pipe)(nil)

// New takes over the read end of a job's output.
func New(f *os.File) *Pipe {
	return &Pipe{
		file:   f,
		Before: func() {},
		poke:   make(chan struct{}, 1),
		room:   widen(f) / filledPart,
		fills:  Every,
		grace:  Grace,
		rest:   drainBytes,
	}
}

// widen sets the size of a pipe to pipeBytes and returns the granted size.
func widen(f *os.File) (size int) {
	err := process.Control(f, func(fd uintptr) (err error) {
		if size, err = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeBytes); err != nil {
			size, err = unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0)
		}
		return err
	})
	if err != nil {
		return unix.Getpagesize() // the minimum size of a pipe
	}
	return size
}

// Read implements io.Reader for a single goroutine.
func (p *Pipe) Read(b []byte) (int, error) {
	p.Before()
	for {
		f := p.runtimeFile()
		switch {
		case f != nil && p.last.Load():
			return p.drain(f, b)
		case f != nil:
			n, err := f.Read(b)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				continue // the job ended before that
			}
			return n, err
		}
		p.pause()
		n, err := p.poll(b)
		p.seen(n, n == len(b))
		if !errors.Is(err, syscall.EAGAIN) {
			return n, err
		}
	}
}

// seen computes from a poll when the next one is due.
func (p *Pipe) seen(n int, more bool) {
	p.said += n
	if p.more = more; more {
		return
	}
	now := time.Now()
	if !p.looked.IsZero() { // two polls in a row may underestimate the output: the interval at most doubles
		fills := float64(now.Sub(p.looked)) * float64(p.room) / float64(max(p.said, 1))
		p.fills = time.Duration(min(max(fills, float64(time.Millisecond)), float64(2*p.fills), float64(Late)))
	}
	p.looked, p.said = now, 0
}

// Most returns the maximum time that output may wait.
func (p *Pipe) Most() time.Duration {
	if p.paced.Load() {
		return Late
	}
	return Every
}

// pause waits until the next poll is due.
func (p *Pipe) pause() {
	wait := min(p.Most(), p.fills) - time.Since(p.looked)
	if p.more || wait <= 0 {
		return
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-p.poke:
	case <-t.C:
	}
}

// Pace lets the caller decide when to poll.
func (p *Pipe) Pace() (poll func()) {
	p.paced.Store(true)
	return p.wake
}

// wake requests a poll.
func (p *Pipe) wake() {
	select {
	case p.poke <- struct{}{}:
	default:
	}
}

// End tells the pipe that the job has ended: the rest is read at once.
func (p *Pipe) End() {
	p.last.Store(true)
	p.wake()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file != nil { // a waiting Read waits no longer than the grace
		p.file.SetReadDeadline(time.Now().Add(Grace))
	}
}

// drain reads after the end of the job. Only waiting uses up the grace, so a slow reader loses nothing.
func (p *Pipe) drain(f *os.File, b []byte) (int, error) {
	if p.grace <= 0 || p.rest <= 0 {
		return 0, os.ErrDeadlineExceeded
	}
	began := time.Now()
	f.SetReadDeadline(began.Add(p.grace))
	n, err := f.Read(b[:min(len(b), p.rest)])
	p.rest -= n
	if n < len(b) { // that was everything
		p.grace -= time.Since(began)
	}
	return n, err
}

// runtimeFile returns the file while the runtime polls it, or nil when this package does.
func (p *Pipe) runtimeFile() *os.File {
	p.mu.Lock()
	defer p.mu.Unlock()
	late := p.Calm && !p.last.Load()
	switch {
	case p.closed:
	case late && p.file != nil:
		if fd, err := duplicate(p.file); err == nil {
			p.file.Close()
			p.file, p.fd = nil, fd
		}
	case !late && p.file == nil:
		p.file = os.NewFile(uintptr(p.fd), "output")
	}
	return p.file
}

// duplicate returns a second descriptor of a file, which the runtime does not know.
func duplicate(f *os.File) (fd int, err error) {
	err = process.Control(f, func(own uintptr) (err error) {
		fd, err = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0)
		return err
	})
	return fd, err
}

// poll reads what is available; it returns EAGAIN when there is nothing.
func (p *Pipe) poll(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, os.ErrClosed
	}
	for {
		n, err := unix.Read(p.fd, b)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// Close closes the pipe and ends a Read.
func (p *Pipe) Close() error {
	defer p.wake()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return nil
	case p.file == nil:
		p.closed = true
		return unix.Close(p.fd)
	}
	p.closed = true
	return p.file.Close()
}
