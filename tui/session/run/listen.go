package run

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"jtune/profiles/harness"
	"jtune/tui/session/measure"
)

const (
	// listenEvery is the interval between reports of a command's output.
	listenEvery = time.Second
	// mostHeard and mostHeardLine limit how much of it is kept.
	mostHeard     = 200
	mostHeardLine = 2000
)

// listener keeps the last lines that a command prints, and reports them together with how they are read.
type listener struct {
	observe measure.Observer
	soon    context.Context // ends when the next report is due; nil: no timer runs
	cancel  func()

	mu    sync.Mutex
	fresh atomic.Bool // output since the last report
	lines []string
	now   []byte // the unfinished line
	back  bool   // a carriage return: the next output overwrites the line
}

// listen starts to listen to the command of a run; nil if that was not requested.
func listen(r *measure.RunRequest, observe measure.Observer) *listener {
	if !r.Listen {
		return nil
	}
	l := &listener{observe: observe}
	r.Workload.Echo = l
	return l
}

// Write implements io.Writer for what the command prints.
func (l *listener) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fresh.Store(true)
	for _, c := range b {
		switch {
		case c == '\n':
			l.lines = append(l.lines, string(l.now))
			if len(l.lines) >= 2*mostHeard {
				l.lines = slices.Clone(l.lines[len(l.lines)-mostHeard:])
			}
			l.now, l.back = l.now[:0], false
		case c == '\r':
			l.back = true
		default:
			if l.back {
				l.now, l.back = l.now[:0], false
			}
			if len(l.now) < mostHeardLine {
				l.now = append(l.now, c)
			}
		}
	}
	return len(b), nil
}

// heard returns the last lines.
func (l *listener) heard() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := slices.Clone(l.lines[max(0, len(l.lines)-mostHeard):])
	if len(l.now) > 0 {
		out = append(out, string(l.now))
	}
	return out
}

// next waits for the next event, reporting new output while it waits. An event that arrives at the moment of a report
// stays in the harness for the next call.
func (l *listener) next(ctx context.Context, h harness.Harness) (harness.Event, error) {
	if l == nil {
		return h.Next(ctx)
	}
	for {
		if l.soon == nil || l.soon.Err() != nil {
			if l.fresh.Swap(false) {
				l.tell(h)
			}
			l.end()
			l.soon, l.cancel = context.WithTimeout(ctx, listenEvery)
		}
		e, err := h.Next(l.soon)
		switch {
		case !errors.Is(err, context.DeadlineExceeded):
			return e, err
		case ctx.Err() != nil:
			return e, ctx.Err()
		}
	}
}

// end releases the report timer.
func (l *listener) end() {
	if l != nil && l.soon != nil {
		l.cancel()
	}
}

// tell sends the output and how it is read.
func (l *listener) tell(h harness.Harness) {
	if l == nil {
		return
	}
	out := measure.ToldEvent{Lines: l.heard()}
	if d, ok := h.(harness.Detecting); ok {
		r, err, ok := d.Detected()
		unread, _ := errors.AsType[*harness.NotUnderstood](err)
		switch {
		case !ok:
		case err == nil:
			out.Reading, out.Candidates = &r, r.Candidates
		case unread != nil:
			out.Why, out.Candidates = unread.Undecided, unread.Undecided.Candidates
		default:
			out.Why = err
		}
	}
	l.observe.Send(out)
}
