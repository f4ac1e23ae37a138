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

// pipeBytes is what a job can say before it has to wait for us: more than in
// hearMost, unless it floods. Linux lets everybody have so much.
const pipeBytes = 1 << 20

// pipe is the reading end of a job's output. Go's runtime waits for whatever
// is written to a file of its own, and so wakes at every line even while
// nobody reads; a pipe whose lines may be read late is taken away from it and
// looked at now and then.
type pipe struct {
	calm   bool   // lines may be read late; set by the reader alone
	before func() // called before each wait for more
	looked time.Time
	more   bool // the last look has not seen all
	paced  atomic.Bool
	poke   chan struct{} // asks for a look

	mu     sync.Mutex
	file   *os.File // the runtime's; nil while it is taken away
	fd     int      // meanwhile
	closed bool
}

var _ io.ReadCloser = (*pipe)(nil)

func newPipe(f *os.File) *pipe {
	if conn, err := f.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeBytes) })
	}
	return &pipe{file: f, before: func() {}, poke: make(chan struct{}, 1)}
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
		p.looked, p.more = time.Now(), n == len(b)
		if !errors.Is(err, syscall.EAGAIN) {
			return n, err
		}
	}
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
	wait := p.most() - time.Since(p.looked)
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
	return func() {
		select {
		case p.poke <- struct{}{}:
		default:
		}
	}
}

// waited gives the file to wait for, or nil when the pipe is to be looked at.
func (p *pipe) waited() *os.File {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
	case p.calm && p.file != nil:
		if fd, err := another(p.file); err == nil {
			p.file.Close()
			p.file, p.fd = nil, fd
		}
	case !p.calm && p.file == nil:
		p.file = os.NewFile(uintptr(p.fd), "output")
	}
	return p.file
}

// another gives a second descriptor of a file, which the runtime does not know.
func another(f *os.File) (fd int, err error) {
	conn, err := f.SyscallConn() // unlike Fd it leaves the file as it is, which is not to block
	if err != nil {
		return 0, err
	}
	if ctlErr := conn.Control(func(own uintptr) { fd, err = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0) }); err == nil {
		err = ctlErr
	}
	return fd, err
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

// Close ends a Read, at its next look at the latest.
func (p *pipe) Close() error {
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
