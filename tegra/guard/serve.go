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
	maxRequest  = 1 << 16     // longest request line, bytes
	maxWaiting  = 64          // requests in the queue
	maxUnread   = 256         // answers that wait for the client to read; more are dropped
	lastAnswers = time.Second // for the client to read the last answers
)

// Serve answers requests from in on out until in ends or ctx is done, then restores the found state unless it was kept.
// It answers a malformed line with an error. It returns the error of the restore.
//
// Requests that set knobs run one at a time, in order. Reads run concurrently, so that sensors can be read while a mode
// is being set. A client that does not read its answers blocks nothing.
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
			select { // wait for reads requested earlier
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

// finish sends the last event with the restore's error.
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
	commands chan request // set knobs or are malformed: one at a time
	reads    chan request
	quit     chan struct{} // closed when no more commands are accepted
}

// fill sorts requests until in ends. It truncates an overlong line, which then gives an error to the client instead of
// ending the guard.
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
			return // also for a partial last line: the client died while writing it
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

// lineWriter writes lines on its own goroutine, so that a client that does not read blocks no sender, not even one that
// holds a lock.
type lineWriter struct {
	mu     sync.Mutex
	closed bool
	lines  chan []byte
	done   chan struct{} // closed when all lines are written
}

func newLineWriter(w io.Writer) *lineWriter {
	l := &lineWriter{lines: make(chan []byte, maxUnread), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		for line := range l.lines {
			_, _ = w.Write(line) // the end of in shows that the client has ended
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

// close waits at most d for the client to read the last lines.
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

// encode returns a response as one line.
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

// failed adds an error, if there is one, to a response.
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
	case "decline":
		applied, err = s.decline()
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
