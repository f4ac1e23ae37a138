package telemetry

import (
	"testing"
	"testing/synctest"
	"time"

	"jtune/internal/tools/reliability"
	"jtune/tegra"
)

func TestSelfSeesItsOwnWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, before := NewSelf(), OwnCPU()
		for OwnCPU() < before+20*time.Millisecond {
		}
		time.Sleep(100 * time.Millisecond)
		if got := s.CPUPct(); !got.OK || got.V < 20 {
			t.Errorf("20 ms of 100 or more: got %+v", got)
		}
		time.Sleep(minSelf - 1)
		if got := s.CPUPct(); got.OK {
			t.Errorf("soon after: got %+v, want none yet", got)
		}
		time.Sleep(1 * time.Nanosecond)
		if got := s.CPUPct(); !got.OK {
			t.Error("no share of ten milliseconds")
		}
	})
}

func TestCostMeterGivesTheLastWholeSpan(t *testing.T) {
	t.Parallel()
	written := int64(1000)
	c := NewCostMeter(func() int64 { return written })
	written += 6000
	if got := c.Read(c.since.Add(costSpan - 1)); got != (Cost{}) {
		t.Errorf("before the first span has passed: %+v", got)
	}
	c.self.at = c.self.at.Add(-minSelf)
	got := c.Read(c.since.Add(2 * costSpan))
	if got.BytesPerS != tegra.Some(1000.0) || !got.CPUPct.OK {
		t.Errorf("6000 bytes in 6 s: %+v", got)
	}
	written += 9000
	if again := c.Read(c.since.Add(costSpan - 1)); again != got {
		t.Errorf("within the next span: %+v, want %+v", again, got)
	}
	if next := c.Read(c.since.Add(costSpan)); next.BytesPerS != tegra.Some(3000.0) {
		t.Errorf("9000 bytes in 3 s: %+v", next)
	}
}

func TestParseIO(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       tegra.Val[IO]
	}{
		{"as the kernel writes it", "rchar: 4292\nwchar: 0\nsyscr: 13\nsyscw: 0\nread_bytes: 0\nwrite_bytes: 0\n" +
			"cancelled_write_bytes: 0\n", tegra.Some(IO{4292, 13})},
		{"of a process that has read nothing", "rchar: 0\nsyscr: 0\n", tegra.Some(IO{})},
		{"without the calls", "rchar: 4292\nwchar: 0\n", tegra.Val[IO]{}},
		{"a negative count", "rchar: -1\nsyscr: 2\n", tegra.Val[IO]{}},
		{"no number", "rchar: many\nsyscr: 2\n", tegra.Val[IO]{}},
		{"empty", "", tegra.Val[IO]{}},
	} {
		if got := parseIO([]byte(c.text)); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func FuzzParseIO(f *testing.F) {
	f.Add([]byte("rchar: 4292\nsyscr: 13\n"))
	f.Add([]byte("rchar:\n:\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		defer reliability.Input(t)()
		if got := parseIO(data); got.V.Bytes < 0 || got.V.Calls < 0 {
			t.Errorf("got %+v", got)
		}
	})
}
