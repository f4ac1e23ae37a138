package harness

import (
	"math"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra/virtual"
)

func TestSilenceGrowsWithTheMinibatchesThatWereSeen(t *testing.T) {
	t.Parallel()
	s := silenceOf(time.Minute, 10*time.Second)
	want := func(d time.Duration, when string) {
		t.Helper()
		if got := s.most(); got != d {
			t.Errorf("%s: %s, want %s", when, got, d)
		}
	}
	want(time.Minute, "at first")
	s.saw(Event{Kind: Minibatch, TimeMS: 1000}, time.Minute)
	want(10*time.Second, "after a fast minibatch")
	s.saw(Event{Kind: Minibatch, TimeMS: 4000}, time.Minute)
	want(20*time.Second, "after a slow minibatch")
	s.saw(Event{Kind: Minibatch, TimeMS: 1e9}, 5*time.Second)
	want(25*time.Second, "after one that says that it took longer than the time since the event before")
	s.saw(Event{Kind: Cache, TimeMS: 1e9}, time.Hour)
	want(25*time.Second, "after another event")
	s.expect(3 * time.Second)
	want(15*time.Second, "in a faster mode")
	s.expect(0)
	want(10*time.Second, "in a mode of which nothing is known")
	if s = silenceOf(0, 0); s.most() != DefaultSilence {
		t.Errorf("no limit is %s, want %s", s.most(), DefaultSilence)
	}
}

func TestExecJobMayBeSilentForAMinibatchThatIsExpectedToBeSlow(t *testing.T) {
	t.Parallel()
	h := sh(t, `sleep 0.5; echo '{"event":"minibatch","time_ms":500}'; echo '{"event":"done"}'`,
		ExecOptions{Silence: 50 * time.Millisecond})
	h.Expect(time.Minute)
	if events, err := all(t, h); len(events) != 2 {
		t.Errorf("%d events, %v", len(events), err)
	}
}

// BERT takes minutes for a minibatch at a TX2's lowest clocks.
func TestVirtualJobMayBeSilentForAMinibatchThatIsExpectedToBeSlow(t *testing.T) {
	t.Parallel()
	b := must.Get(virtual.New(virtual.Options{Name: "tx2", Speed: math.Inf(1)}))(t)
	top := "/sys/devices/17000000.gp10b/devfreq/17000000.gp10b/max_freq"
	must.NoError(t, b.FS().WriteFile(top, []byte("114750000\n")))
	for _, c := range []struct {
		expected time.Duration
		silent   bool
	}{{0, true}, {time.Minute, false}} {
		h, err := Virtual(b, VirtualOptions{Workload: "bert", Batch: 16, Silence: 20 * time.Second})
		must.NoError(t, err)
		h.(Expecting).Expect(c.expected)
		for err == nil {
			var e Event
			if e, err = h.Next(t.Context()); e.Kind == Minibatch && e.TimeMS < 30000 {
				t.Fatalf("%.0f ms, want a slow one", e.TimeMS)
			} else if e.Kind == Minibatch {
				break
			}
		}
		h.Stop(t.Context())
		if silent := err != nil; silent != c.silent {
			t.Errorf("a minibatch of %s expected: %v", c.expected, err)
		}
	}
}
