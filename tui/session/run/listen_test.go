package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/harness"
	"jtune/profiles/harness/detect"
	"jtune/tui/session/measure"
)

func TestListenerKeepsTheLastLinesAsATerminalLeavesThem(t *testing.T) {
	t.Parallel()
	r := measure.RunRequest{Listen: true}
	l := listen(&r, nil)
	for _, text := range []string{"one\r\ntw", "o\n 10%\r 20%", "\r 30"} {
		if n, err := r.Workload.Echo.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
	}
	must.Equal(t, l.heard(), []string{"one", "two", " 30"})
	for range 10 {
		_, _ = l.Write([]byte(strings.Repeat("x", 10*mostHeardLine) + strings.Repeat("\n", mostHeard)))
	}
	if got := l.heard(); len(got) > mostHeard+1 || len(l.lines) > 2*mostHeard || len(got[0]) > mostHeardLine {
		t.Errorf("%d lines are kept, the first of %d bytes", len(got), len(got[0]))
	}
	must.Equal(t, listen(&measure.RunRequest{}, nil), nil, "a run that nobody asked to hear is listened to")
}

// slow is a job whose events come at set times, and that has said some of them.
type slow struct {
	harness.Harness
	*harness.Queue
}

func (s slow) Next(ctx context.Context) (harness.Event, error) { return s.Queue.Next(ctx) }

func TestListenerLosesNoEventAndTellsOnlyNews(t *testing.T) {
	t.Parallel()
	const events, every = 60, 40 * time.Millisecond
	told := 0
	l := listen(&measure.RunRequest{Listen: true}, func(measure.Event) { told++ })
	h := slow{Queue: harness.NewQueue()}
	go func() {
		for i := range events {
			if i == 0 {
				fmt.Fprintln(l, "the only line")
			}
			h.Put(harness.Event{Kind: harness.Minibatch, Batch: i})
			time.Sleep(every)
		}
		h.Close(io.EOF)
	}()
	for i := range events {
		if e, err := l.next(t.Context(), h); err != nil || e.Batch != i {
			t.Fatalf("event %d is %d, %v", i, e.Batch, err)
		}
	}
	if _, err := l.next(t.Context(), h); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
	must.Equal(t, told, 1, events*every)
	l.end()
	l = listen(&measure.RunRequest{Listen: true}, nil)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	h.Queue = harness.NewQueue()
	if _, err := l.next(gone, h); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that is stopped: %v", err)
	}
	l.end()
}

// unread is a job that goes on, and prints lines without steps.
type unread struct {
	slow
	last string
}

func (u unread) Detected() (r detect.Reading, err error, ok bool) {
	return r, &harness.NotUnderstood{Command: "job", Undecided: &detect.Undecided{Kind: detect.Nothing, Lines: 30,
		Tails: []string{u.last}}}, true
}

func TestRunForStepsEndsWhereNoLineTellsAny(t *testing.T) {
	t.Parallel()
	h := unread{slow{Queue: harness.NewQueue()}, "round done"}
	c := &collector{own: time.Now().Add(-16 * time.Minute)}
	if _, err := c.next(t.Context(), h); !errors.Is(err, harness.ErrNotUnderstood) {
		t.Errorf("after 16 minutes: %v", err)
	}
	for _, c := range []struct {
		last  string
		after time.Duration
		ends  bool
	}{{"round done", 2 * time.Minute, false}, {"round done", 16 * time.Minute, true}} {
		h.last = c.last
		must.Equal(t, measure.TooLong(h, c.after, 0) != nil, c.ends, c.last, c.after)
	}
	if h.last = "loading shard 1"; measure.TooLong(h, 2*time.Second, time.Second) == nil {
		t.Error("a command may run for longer than the user's patience")
	}
}
