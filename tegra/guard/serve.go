package guard

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"jtune/tegra"
)

const (
	maxRequest  = 1 << 16     // the longest line that is taken for a request
	maxWaiting  = 64          // requests that wait for the one before
	maxUnread   = 256         // answers that wait for a client to read them; more are dropped
	lastAnswers = time.Second // for a client to read what it still has to read at the end
)

// Serve answers requests from in on out until in ends or ctx is done, then
// restores the found state unless it was kept. A line that is not a request is
// answered with an error; the error returned is the restore's.
//
// Requests that set knobs are carried out one at a time, in their order. Reads are answered at the same time, so that
// sensors can be read while a mode is set. A client that does not read its answers holds nothing up.
func Serve(ctx context.Context, in io.Reader, out io.Writer, s *Server) error {
	w := newLineWriter(out)
	defer w.close(s.flush)
	s.mu.Lock()
	s.events = w.send
	s.mu.Unlock()
	left, err := s.store.load(foundFile)
	if err != nil {
		s.logf("saved state unreadable: %v", err)
	}
	w.send(response{Event: "ready", PID: os.Getpid(), Pending: left != nil})

	q := &inbox{commands: make(chan request, maxWaiting), reads: make(chan request, maxWaiting),
		quit: make(chan struct{})}
	defer close(q.quit)
	go q.fill(in, w)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		for r := range q.reads {
			w.send(s.answer(r))
		}
	}()
	for {
		select {
		case r, ok := <-q.commands:
			if ok {
				w.send(s.answer(r))
				continue
			}
			err := s.end("the client is gone")
			select { // reads that it requested before
			case <-answered:
			case <-time.After(readWait):
			}
			return s.finish(err)
		case <-ctx.Done():
			return s.finish(s.end("terminated"))
		}
	}
}

// end restores the found state.
func (s *Server) end(why string) error {
	s.logf("%s: restoring", why)
	_, err := s.restore()
	return err
}

// finish sends the last event, with the restore's error.
func (s *Server) finish(err error) error {
	s.mu.Lock()
	s.events(response{Event: "ended"}.failed(err))
	s.events = func(response) {}
	s.mu.Unlock()
	if cerr := s.sysfs.Close(); err == nil {
		err = cerr
	}
	return err
}

// inbox sorts a client's requests.
type inbox struct {
	commands chan request // set knobs, or are no requests: one at a time
	reads    chan request
	quit     chan struct{} // closed when no command is taken any more
}

// fill sorts requests until in ends. A line that is too long arrives cut, as
// an error for the client rather than the guard's end.
func (q *inbox) fill(in io.Reader, w *lineWriter) {
	defer close(q.reads)
	defer close(q.commands)
	r := bufio.NewReaderSize(in, maxRequest)
	for {
		line, err := r.ReadSlice('\n')
		req := parseRequest(line)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = r.ReadSlice('\n')
		}
		if err != nil {
			return // also a torn last line: its client died while writing it
		}
		if req.Op == opRead {
			select {
			case q.reads <- req:
			default: // waiting here would hide the client's end
				w.send(response{ID: req.ID}.failed(errors.New("too many reads wait for an answer")))
			}
			continue
		}
		select {
		case q.commands <- req:
		case <-q.quit:
			return
		}
	}
}

// lineWriter writes lines on a goroutine of its own: no sender waits for a
// client that does not read, also one that holds a lock.
type lineWriter struct {
	mu     sync.Mutex
	closed bool
	lines  chan []byte
	done   chan struct{} // closed when all is written
}

func newLineWriter(w io.Writer) *lineWriter {
	l := &lineWriter{lines: make(chan []byte, maxUnread), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		for line := range l.lines {
			_, _ = w.Write(line) // a client that is gone is noticed by its end of in
		}
	}()
	return l
}

func (l *lineWriter) send(r response) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	select {
	case l.lines <- encode(r):
	default:
	}
}

// close waits for the client to read the last lines, but not longer than d.
func (l *lineWriter) close(d time.Duration) {
	l.mu.Lock()
	l.closed = true
	close(l.lines)
	l.mu.Unlock()
	select {
	case <-l.done:
	case <-time.After(d):
	}
}

// encode makes a response one line.
func encode(r response) []byte {
	data, err := json.Marshal(r)
	if err != nil {
		data = []byte(`{"error":"the answer cannot be encoded","code":"failed"}`)
	}
	return append(data, '\n')
}

func (s *Server) answer(r request) response {
	applied, data, err := s.dispatch(r)
	out := response{ID: r.ID, Data: data}.failed(err)
	if applied != nil {
		out.Applied = toWireApplied(*applied)
	}
	return out
}

// failed is the response with an error, if there is one.
func (r response) failed(err error) response {
	if err != nil {
		r.Error, r.Code = err.Error(), codeOf(err)
	}
	return r
}

func (s *Server) dispatch(r request) (*tegra.Applied, []byte, error) {
	var applied tegra.Applied
	var err error
	switch r.Op {
	case opInvalid:
		return nil, nil, r.invalid
	case "apply":
		cmd, keepAfter, cerr := r.command()
		if cerr != nil {
			return nil, nil, cerr
		}
		applied, err = s.apply(cmd, keepAfter)
	case "revert":
		applied, err = s.revert()
	case "restore":
		applied, err = s.restore()
	case "recover":
		applied, err = s.recoverPending()
	case "keep":
		return nil, nil, s.keep()
	case opRead:
		data, err := s.read(r.Path)
		return nil, data, err
	default:
		return nil, nil, fmt.Errorf("unknown request %q", r.Op)
	}
	return &applied, nil, err
}
