package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra/virtual"
)

func board(t *testing.T, o virtual.Options) *virtual.Board {
	t.Helper()
	o.Name = virtual.AGXOrin
	if o.Speed == 0 {
		o.Speed = math.Inf(1)
	}
	return must.Get(virtual.New(o))(t)
}

func TestVirtualJobTellsItsEpochsInOrder(t *testing.T) {
	t.Parallel()
	h, err := Virtual(board(t, virtual.Options{}), VirtualOptions{Workload: "lstm", Batch: 16, PerEpoch: 2, Epochs: 2})
	must.NoError(t, err)
	events, err := all(t, h)
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	var got []string
	for i, e := range events {
		got = append(got, fmt.Sprintf("%s %d/%d", e.Kind, e.Epoch, e.Batch))
		if i > 0 && e.T < events[i-1].T {
			t.Errorf("event %d goes back in time", i)
		}
		if e.Kind == Minibatch && math.Abs(e.StallMS.V+e.ComputeMS.V+e.OverheadMS.V-e.TimeMS) > 0.01*e.TimeMS {
			t.Errorf("minibatch %d: parts do not add up: %+v", i, e)
		}
	}
	want := "hello 0/0, cache 0/0, epoch_begin 0/0, minibatch 0/0, minibatch 0/1, cache 0/0, epoch_end 0/0, " +
		"epoch_begin 1/0, minibatch 1/0, minibatch 1/1, cache 0/0, epoch_end 1/0, done 1/0"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if _, err := h.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
}

func TestVirtualJobThatDiesOrHangsTellsAsARealOne(t *testing.T) {
	t.Parallel()
	run := func(f virtual.Faults) ([]Event, error) {
		h := must.Get(Virtual(board(t, virtual.Options{Faults: f}),
			VirtualOptions{Workload: "resnet18", Batch: 16, Silence: 10 * time.Second}))(t)
		defer h.Stop(t.Context())
		return all(t, h)
	}
	events, err := run(virtual.Faults{DieAfter: 3})
	var died *ExitError
	if !errors.As(err, &died) || len(events) != 6 {
		t.Errorf("dying: %d events, %v; want hello, cache, epoch, three minibatches", len(events), err)
	}
	events, err = run(virtual.Faults{HangAfter: 3})
	var silent *SilenceError
	if !errors.As(err, &silent) || len(events) != 6 || !strings.Contains(err.Error(), "prints nothing for 10 s") {
		t.Errorf("hanging: %d events, %v", len(events), err)
	}
}

func TestVirtualSlowMinibatchIsNoSilence(t *testing.T) {
	t.Parallel()
	b := board(t, virtual.Options{})
	h := must.Get(Virtual(b, VirtualOptions{Workload: "bert", Batch: 16, Silence: 20 * time.Second}))(t)
	defer h.Stop(t.Context())
	for range 60 { // a minute of minibatches of a second each, never 20 s without one
		_, err := h.Next(t.Context())
		must.NoError(t, err)
	}
	b.Clock().Sleep(t.Context(), time.Minute) // its reader is away
	if _, err := h.Next(t.Context()); err != nil {
		t.Errorf("silence was counted while nobody listened: %v", err)
	}
}

// At 1000 times real time a minute passes in 60 ms: a machine that is busy for
// as long does not make a job silent, one that hangs is silent in the end.
func TestVirtualSilenceOnAFastClockIsJudgedByTheMachinesClockToo(t *testing.T) {
	t.Parallel()
	b := board(t, virtual.Options{Speed: 1000, Faults: virtual.Faults{HangAfter: 1}})
	h, err := Virtual(b, VirtualOptions{Workload: "lstm", Batch: 16})
	must.NoError(t, err)
	defer h.Stop(t.Context())
	began := time.Now()
	_, err = all(t, h)
	var silent *SilenceError
	if !errors.As(err, &silent) || time.Since(began) < machineSilence {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}

func TestVirtualJobStops(t *testing.T) {
	t.Parallel()
	b := board(t, virtual.Options{})
	h := must.Get(Virtual(b, VirtualOptions{Workload: "lstm", Batch: 16}))(t)
	ctx, cancel := context.WithCancel(t.Context())
	for range 3 { // hello, cache, epoch_begin
		h.Next(ctx)
	}
	cancel()
	if _, err := h.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if e, err := h.Next(t.Context()); err != nil || e.Kind != Minibatch {
		t.Errorf("after a cancelled wait the job is still there: %v, %v", e.Kind, err)
	}
	h.Stop(t.Context())
	h.Stop(t.Context())
	if _, err := h.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("stopped: %v", err)
	}
	if _, err := b.NextMinibatch(t.Context()); !errors.Is(err, virtual.ErrStopped) {
		t.Errorf("the board still trains: %v", err)
	}
}

func TestVirtualUnknownWorkloadCannotStart(t *testing.T) {
	t.Parallel()
	if _, err := Virtual(board(t, virtual.Options{}), VirtualOptions{Workload: "gpt5", Batch: 16}); err == nil ||
		!strings.Contains(err.Error(), "gpt5") {
		t.Errorf("got %v", err)
	}
}

// The virtual job treats the page cache as the real one does and reports it.
func TestVirtualJobTellsWhatThePageCacheHolds(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{
		"":          "0.0 to 1.0, 1.0 to 1.0",
		"drop":      "0.0 to 1.0, 0.0 to 1.0",
		"drop-once": "0.0 to 1.0, 1.0 to 1.0",
		"preload":   "1.0 to 1.0, 1.0 to 1.0",
	} {
		b := board(t, virtual.Options{})
		if how == "drop" || how == "drop-once" {
			b.SetCached("mobilenet", 1)
		}
		h, err := Virtual(b, VirtualOptions{Workload: "mobilenet", Batch: 16, Cache: how, PerEpoch: 1443, Epochs: 2})
		must.NoError(t, err)
		events, err := all(t, h)
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		var got []string
		share, begin := math.NaN(), 0.0
		for _, e := range events {
			switch e.Kind {
			case Cache:
				share = e.Share.V
			case EpochBegin:
				begin = share
			case EpochEnd:
				got = append(got, fmt.Sprintf("%.1f to %.1f", begin, share))
			}
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("cache %q: over the epochs %s, want %s", how, s, want)
		}
	}
}
