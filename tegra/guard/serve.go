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

	"jtune/tegra"
)

// maxRequest is the longest line that is taken for a request.
const maxRequest = 1 << 16

// Serve answers requests from in on out until in ends or ctx is done, then
// restores the found state unless it was kept. A line that is no request is
// answered with an error; the error returned is the restore's.
func Serve(ctx context.Context, in io.Reader, out io.Writer, s *Server) error {
	w := &lineWriter{w: out}
	s.mu.Lock()
	s.events = w.send
	s.mu.Unlock()
	left, err := s.store.load(foundFile)
	if err != nil {
		s.logf("saved state unreadable: %v", err)
	}
	w.send(response{Event: "ready", PID: os.Getpid(), Pending: left != nil})

	lines := make(chan []byte)
	quit := make(chan struct{})
	defer close(quit)
	go readLines(in, lines, quit)
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				return s.end("the client is gone")
			}
			w.send(s.answer(line))
		case <-ctx.Done():
			return s.end("asked to end")
		}
	}
}

func (s *Server) end(why string) error {
	s.logf("%s: restoring", why)
	_, err := s.restore()
	s.mu.Lock()
	final := response{Event: "ended"}
	if err != nil {
		final.Error, final.Code = err.Error(), codeOf(err)
	}
	s.events(final)
	s.events = func(response) {}
	s.mu.Unlock()
	if cerr := s.sysfs.Close(); err == nil {
		err = cerr
	}
	return err
}

// readLines sends line by line; one that is too long arrives cut, as an error
// for the client rather than the guard's end.
func readLines(in io.Reader, lines chan<- []byte, quit <-chan struct{}) {
	defer close(lines)
	r := bufio.NewReaderSize(in, maxRequest)
	for {
		line, err := r.ReadSlice('\n')
		kept := append([]byte(nil), line...)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = r.ReadSlice('\n')
		}
		if err != nil {
			return // also a torn last line: its client died while writing it
		}
		select {
		case lines <- kept:
		case <-quit:
			return
		}
	}
}

type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// send writes one line. A client that is gone is noticed by its end of in.
func (l *lineWriter) send(r response) {
	data, err := json.Marshal(r)
	if err != nil {
		data = []byte(`{"error":"the answer cannot be encoded","code":"failed"}`)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.w.Write(append(data, '\n'))
}

func (s *Server) answer(line []byte) response {
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return failure(0, fmt.Errorf("not a request: %w", err))
	}
	applied, data, err := s.dispatch(r)
	if err != nil {
		out := failure(r.ID, err)
		if applied != nil {
			out.Applied = toWireApplied(*applied)
		}
		return out
	}
	out := response{ID: r.ID, Data: data}
	if applied != nil {
		out.Applied = toWireApplied(*applied)
	}
	return out
}

func failure(id int64, err error) response {
	return response{ID: id, Error: err.Error(), Code: codeOf(err)}
}

func (s *Server) dispatch(r request) (*tegra.Applied, []byte, error) {
	var applied tegra.Applied
	var err error
	switch r.Op {
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
	case "read":
		data, err := s.read(r.Path)
		return nil, data, err
	default:
		return nil, nil, fmt.Errorf("unknown request %q", r.Op)
	}
	return &applied, nil, err
}
