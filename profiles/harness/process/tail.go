package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"jtune/internal/procid"
)

// TailEvery is the interval at which a log is polled.
const TailEvery = 100 * time.Millisecond

// Tail reads what is appended to a log, or arrives through a named pipe, until it is closed or the writing process has
// ended. A log that is truncated or replaced is read from its start.
type Tail struct {
	path   string
	pid    int // the writer; 0: unknown
	id     string
	file   *os.File
	fifo   bool
	wrote  bool // something wrote to the pipe
	keeper io.Closer
	mu     sync.Mutex
	closed chan struct{}
	over   bool // the process has ended
}

var _ io.ReadCloser = (*Tail)(nil)

// OpenTail starts at the end of a log, or opens a named pipe, that process pid writes (0: unknown).
func OpenTail(path string, pid int) (*Tail, error) {
	t := &Tail{path: path, pid: pid, id: procid.Of(pid), closed: make(chan struct{})}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil {
		if t.fifo = st.Mode()&os.ModeNamedPipe != 0; t.fifo {
			t.keeper, err = keepOpen(path)
		} else {
			_, err = f.Seek(0, io.SeekEnd)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	t.file = f
	return t, nil
}

// Read waits for more.
func (t *Tail) Read(b []byte) (int, error) {
	for last := false; ; {
		n, err := t.poll(b)
		switch {
		case n > 0:
			t.wrote = true
			return n, nil
		case err != nil:
			return 0, err
		case last:
			t.over = true
			return 0, io.EOF
		}
		if last = t.pid != 0 && !Alive(t.pid, t.id); last {
			continue // its last output
		}
		select {
		case <-t.closed:
			return 0, io.EOF
		case <-time.After(TailEvery):
		}
	}
}

// poll reads what is available.
func (t *Tail) poll(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return 0, io.EOF
	}
	n := 0
	err := Control(t.file, func(fd uintptr) (err error) {
		n, err = unix.Read(int(fd), b)
		return err
	})
	switch {
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EINTR):
		return 0, nil
	case err != nil:
		return 0, err
	case n > 0:
		return n, nil
	case t.fifo && t.wrote: // the last writer closed it
		t.over = true
		return 0, io.EOF
	case t.fifo:
		return 0, nil
	}
	return 0, t.replaced()
}

// replaced restarts at the beginning of a log that was truncated or replaced. It needs t.mu.
func (t *Tail) replaced() error {
	at, err := t.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	mine, err := t.file.Stat()
	if err != nil {
		return err
	}
	if mine.Size() < at {
		_, err = t.file.Seek(0, io.SeekStart)
		return err
	}
	now, err := os.Stat(t.path)
	if err != nil || os.SameFile(mine, now) || !now.Mode().IsRegular() {
		return nil // a log that was moved may come back
	}
	f, err := os.Open(t.path)
	if err != nil {
		return nil
	}
	t.file.Close()
	t.file = f
	return nil
}

// Over reports whether reading ended because the writing process has ended.
func (t *Tail) Over() bool { return t.over }

// Close closes the log and ends a Read.
func (t *Tail) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return nil
	}
	close(t.closed)
	err := t.file.Close()
	if t.file = nil; t.keeper != nil {
		err = errors.Join(err, t.keeper.Close())
	}
	return err
}

// keep waits until jtune ends, then reads the pipe to its end.
const keep = `trap '' HUP INT QUIT TERM; read -r _; exec cat <&3 >/dev/null`

// keepOpen holds the read end of a named pipe: without a reader the job's next write would kill it. When jtune ends, a
// shell continues to read until the job has ended.
func keepOpen(path string) (io.Closer, error) {
	fifo, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer fifo.Close()
	if err := Control(fifo, func(fd uintptr) error { return unix.SetNonblock(int(fd), false) }); err != nil {
		return nil, err
	}
	held, pipe, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer held.Close()
	cmd := exec.Command("/bin/sh", "-c", keep, "jtune-keep")
	cmd.Stdin, cmd.ExtraFiles = held, []*os.File{fifo}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		pipe.Close()
		return nil, err
	}
	go cmd.Wait()
	return pipe, nil
}

// Control calls do with a file's descriptor. Unlike Fd it keeps the file non-blocking.
func Control(f *os.File, do func(fd uintptr) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	ctlErr := conn.Control(func(fd uintptr) { err = do(fd) })
	return errors.Join(ctlErr, err)
}
