package tui

import (
	"context"
	"testing"

	tea "charm.land/bubbletea/v2"

	"jtune/tui/session"
)

// driveSession runs the root model over a real session on a virtual board.
func driveSession(t *testing.T, o session.Options) (*driver, *session.Session) {
	t.Helper()
	o.DataDir = t.TempDir()
	s, err := session.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	d := &driver{t: t, msgs: make(chan tea.Msg, 1000), ctx: ctx}
	deps := depsOf(s, Options{})
	d.r = newRoot(ctx, deps)
	d.r.watch = watch(deps)
	t.Cleanup(d.r.watch.sampler.Stop)
	d.run(d.r.Init())
	d.until("the board is read", func() bool { return d.r.sh.sampled && d.r.sh.workloads != nil })
	return d, s
}

func TestTheWholePathOnAVirtualBoard(t *testing.T) {
	d, s := driveSession(t, session.Options{Device: "virtual:agx-orin", Speed: 60, Seed: 1})
	d.sees("VIRTUAL ×60", "MAXN")
	d.press("t", "t")
	d.until("the front shows the answer", func() bool { return d.r.active == pageFront })
	d.sees("within the limit, measured", "limit 30.0 W")
	answer := d.r.sh.job.tuned.Mode
	_, watts, err := s.Virtual.Truth("resnet18", answer)
	if err != nil || watts > 30*1.03 {
		t.Errorf("answer %v truly draws %.1f W (%v), limit 30 W and 3 %% for noise", answer, watts, err)
	}
	d.press("a", "a")
	d.settle()
	r, err := s.Device.Read()
	if err != nil || r.Mode.V != answer {
		t.Errorf("the board reads back %v (%v), want %v", r.Mode, err, answer)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if r, _ = s.Device.Read(); r.Mode.V != s.Device.Space().Max() {
		t.Errorf("after quitting without a word the board is in %v, found was MAXN", r.Mode)
	}
}

func TestATrainingRunOnAVirtualBoard(t *testing.T) {
	d, _ := driveSession(t, session.Options{Device: "virtual:agx-orin", Speed: 600, Seed: 1})
	d.press("2", "enter")
	d.until("minibatches come", func() bool { return len(d.r.sh.job.times) > 20 && d.r.sh.job.last != nil })
	d.sees("resnet18 running", "epoch 1", "compute")
	d.press("x")
	d.until("the run ends", func() bool { return d.r.sh.job.done })
	if r := d.r.sh.job.ran; r == nil || r.Minibatches < 20 || !(r.TimeMS > 40 && r.TimeMS < 90) {
		t.Errorf("outcome %+v: want more than 20 minibatches of about 60 ms (3.1 min of 3125 at MAXN, published)", r)
	}
}
