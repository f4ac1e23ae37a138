package turns

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/profiles/harness"
	"jtune/tegra/virtual"
)

// startVirtualPair starts two jobs on a virtual AGX Orin at full speed.
func startVirtualPair(t *testing.T, faults virtual.Faults, change func(*Options)) (*Pair, *virtual.Board) {
	t.Helper()
	b := must.Get(virtual.New(virtual.Options{Name: virtual.AGXOrin, Speed: math.Inf(1), Seed: 3, Faults: faults}))(t)
	o := Options{Names: [2]string{"resnet18", "mobilenet-infer"}, Board: b, Clock: b.Clock(), Batch: 16, Seed: 1,
		Simulated: [2]virtual.Job{{Workload: "resnet18"}, {Workload: "mobilenet-infer", Batch: 16}},
		Turns:     arrivals.Turns{Fill: true}, Load: arrivals.Load{Pattern: arrivals.Uniform, RatePerS: 60}}
	if change != nil {
		change(&o)
	}
	p := must.Get(Start(t.Context(), o))(t)
	t.Cleanup(func() { p.Stop(context.Background()) })
	return p, b
}

// Turns on a virtual board: one at a time, one after the other, and the requests at their rate.
func TestPairOnAVirtualBoardTakesTurnsToo(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Options){
		"fill":   nil,
		"strict": func(o *Options) { o.Turns = arrivals.Turns{Tau: 1000} },
		"free":   func(o *Options) { o.Free = true },
	} {
		p, b := startVirtualPair(t, virtual.Faults{}, change)
		ended, turns, requests, overlaps := 0.0, 0, 0, 0
		for requests < 600 {
			e := must.Get(p.Next(t.Context()))(t)
			if e.Kind == harness.Request {
				requests++
			}
			if !e.Timed() {
				continue
			}
			turns++
			if began := e.T.Seconds() - e.TimeMS/1000; began < ended-1e-6 {
				overlaps++
			}
			ended = e.T.Seconds()
		}
		if rate := 600 / b.Clock().Now().Seconds(); math.Abs(rate/60-1) > 0.05 {
			t.Errorf("%s: %.1f requests per second, want 60", name, rate)
		}
		if (overlaps > 0) != (name == "free") || turns < 2*600/16 {
			t.Errorf("%s: %d of %d turns overlap", name, overlaps, turns)
		}
	}
}

// A job that dies or hangs on a virtual board leaves the other one its turns.
func TestPairOnAVirtualBoardLosesOneJobAlone(t *testing.T) {
	t.Parallel()
	for why, faults := range map[string]virtual.Faults{
		"died":                  {DieAfter: 40},
		"does not give it back": {HangAfter: 40},
	} {
		p, _ := startVirtualPair(t, faults, nil)
		train, infer, lost := turnsOf(t, p, func(int, int) bool { return false })
		if max(train, infer) != 40 || !strings.Contains(lost, why) {
			t.Errorf("after %d and %d turns: %s, want %s", train, infer, lost, why)
		}
		other := func(train, infer int) bool { return train+infer > 0 }
		if _, _, lost := turnsOf(t, p, other); lost != "" {
			t.Errorf("%s: the other does not go on: %s", why, lost)
		}
	}
}

// Inference alone at a rate: after its warm-up full batches, or those whose first request waited long enough, none of
// whose requests waits for more than the equations of the queue say (docs/method.md, Load).
func TestPairOfInferenceAloneServesBatchesAtARate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		wait  time.Duration
		full  int
		mostS float64 // before a batch is served
	}{{0, 16, 15.0 / 60}, {100 * time.Millisecond, 7, 0.1}} { // requests at 0, 16.7 … 100 ms
		p, b := startVirtualPair(t, virtual.Faults{}, func(o *Options) {
			o.Names[trains], o.Simulated[trains], o.MaxWait, o.WarmUp = "", virtual.Job{}, c.wait, 20
		})
		warm, batches, requests, began := 0, 0, 0, 0.0
		for requests < 960 {
			e := must.Get(p.Next(t.Context()))(t)
			switch {
			case e.Job == harness.JobTrain:
				t.Fatalf("training: %+v", e)
			case e.Kind == harness.Warm:
				began = e.T.Seconds()
			case e.Kind == harness.Infer && e.Unclean:
				warm++
			case e.Kind == harness.Infer:
				if batches++; e.N != c.full {
					t.Errorf("batch %d of %d requests, want %d", batches, e.N, c.full)
				}
			case e.Kind == harness.Request:
				requests++
				if waited := (e.Start - e.Arrive).Seconds(); waited > c.mostS+1e-6 || e.LateMS != 0 {
					t.Errorf("request %d waited %g s, late %g ms", requests, waited, e.LateMS)
				}
			}
		}
		if rate := 960 / (b.Clock().Now().Seconds() - began); warm != 20 || math.Abs(rate/60-1) > 0.05 {
			t.Errorf("%d batches of the warm-up, %.4g requests per second, want 60", warm, rate)
		}
	}
}

func TestPairOfInferenceAloneEndsWithItsJob(t *testing.T) {
	t.Parallel()
	p, _ := startVirtualPair(t, virtual.Faults{DieAfter: 40}, func(o *Options) {
		o.Names[trains], o.Simulated[trains] = "", virtual.Job{}
	})
	_, infer, lost := turnsOf(t, p, func(int, int) bool { return false })
	if infer != 40 || !strings.Contains(lost, "died") {
		t.Errorf("after %d batches: %s", infer, lost)
	}
	if _, err := p.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("then %v", err)
	}
}
