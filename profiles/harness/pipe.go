package harness

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How long what a job has said may wait where its lines tell when they were
// written: each look at it wakes the machine that is being measured.
const (
	hearEvery = 250 * time.Millisecond  // to measure no longer than need be
	hearMost  = 1500 * time.Millisecond // where somebody else sets the pace, see Paced
)

// pipeBytes is what a job can say before it has to wait for us, where Linux
// lets us have so much: a system may have less to give.
const pipeBytes = 1 << 20

// filledPart: a job that says more than this part of its pipe, one in so many,
// before a look is due is looked at sooner, so that it never waits for us.
const filledPart = 4

// pipe is the reading end of a job's output. Go's runtime waits for whatever
// is written to a file of its own, and so wakes at every line even while
// nobody reads; a pipe whose lines may be read late is taken away from it and
// looked at now and then.
type pipe struct {
	calm   bool   // lines may be read late; set by the reader alone
	before func() // called before each wait for more
	looked time.Time
	more   bool          // the last look has not seen all
	said   int           // bytes since the look that has
	fills  time.Duration // how long the job takes to say as much as room
	room   int           // what it may have said when it is looked at, in bytes
	paced  atomic.Bool
	last   atomic.Bool   // nothing more is written: what is left is not to wait
	poke   chan struct{} // asks for a look

	mu     sync.Mutex
	file   *os.File // the runtime's; nil while it is taken away
	fd     int      // meanwhile
	closed bool
}

var _ io.ReadCloser = (*pipe)(nil)

func newPipe(f *os.File) *pipe {
	return &pipe{file: f, before: func() {}, poke: make(chan struct{}, 1), room: widen(f) / filledPart, fills: hearEvery}
}

// widen gives a pipe pipeBytes, and tells how many it has got.
func widen(f *os.File) (size int) {
	err := control(f, func(fd uintptr) (err error) {
		if size, err = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeBytes); err != nil {
			size, err = unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0)
		}
		return err
	})
	if err != nil {
		return unix.Getpagesize() // the least that a pipe can have
	}
	return size
}

// Read is io.Reader's; one goroutine reads.
func (p *pipe) Read(b []byte) (int, error) {
	p.before()
	for {
		if f := p.waited(); f != nil {
			return f.Read(b)
		}
		p.pause()
		n, err := p.look(b)
		p.seen(n, n == len(b))
		if !errors.Is(err, syscall.EAGAIN) {
			return n, err
		}
	}
}

// seen learns from a look how soon the next one is due.
func (p *pipe) seen(n int, more bool) {
	p.said += n
	if p.more = more; more {
		return
	}
	now := time.Now()
	if !p.looked.IsZero() { // two looks in a row see nothing of a job that says much: the time is doubled at most
		fills := float64(now.Sub(p.looked)) * float64(p.room) / float64(max(p.said, 1))
		p.fills = time.Duration(min(max(fills, float64(time.Millisecond)), float64(2*p.fills), float64(hearMost)))
	}
	p.looked, p.said = now, 0
}

// most is how long what was written may wait.
func (p *pipe) most() time.Duration {
	if p.paced.Load() {
		return hearMost
	}
	return hearEvery
}

// pause waits until it is time for a look.
func (p *pipe) pause() {
	wait := min(p.most(), p.fills) - time.Since(p.looked)
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

// pace leaves it to its caller when to look, which look asks for.
func (p *pipe) pace() (look func()) {
	p.paced.Store(true)
	return p.hear
}

// hear asks for a look.
func (p *pipe) hear() {
	select {
	case p.poke <- struct{}{}:
	default:
	}
}

// end says that the job has ended: what is left is read at once.
func (p *pipe) end() {
	p.last.Store(true)
	p.hear()
}

// waited gives the file to wait for, or nil when the pipe is to be looked at.
func (p *pipe) waited() *os.File {
	p.mu.Lock()
	defer p.mu.Unlock()
	late := p.calm && !p.last.Load()
	switch {
	case p.closed:
	case late && p.file != nil:
		if fd, err := another(p.file); err == nil {
			p.file.Close()
			p.file, p.fd = nil, fd
		}
	case !late && p.file == nil:
		p.file = os.NewFile(uintptr(p.fd), "output")
	}
	return p.file
}

// another gives a second descriptor of a file, which the runtime does not know.
func another(f *os.File) (fd int, err error) {
	err = control(f, func(own uintptr) (err error) {
		fd, err = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0)
		return err
	})
	return fd, err
}

// control does something with a file's descriptor; unlike Fd it leaves the file
// as it is, which is not to block.
func control(f *os.File, do func(fd uintptr) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	ctlErr := conn.Control(func(fd uintptr) { err = do(fd) })
	return errors.Join(ctlErr, err)
}

// look reads what is there; EAGAIN when nothing is.
func (p *pipe) look(b []byte) (int, error) {
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

// Close ends a Read.
func (p *pipe) Close() error {
	defer p.hear()
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
