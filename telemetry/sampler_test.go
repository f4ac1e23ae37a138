package telemetry

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"jtune/tegra"
)

// stepClock stands still until Sleep moves it, and makes the calls of Every on
// the way: a virtual clock at full speed, with one registration. late makes
// calls come late by that much.
type stepClock struct {
	now, due, every time.Duration
	call            func(time.Duration)
}

func (c *stepClock) Now() time.Duration { return c.now }
func (c *stepClock) Wall() time.Time    { return time.Unix(0, 0).Add(c.now) }

func (c *stepClock) Sleep(ctx context.Context, d time.Duration) error {
	end := c.now + d
	for c.call != nil && c.due <= end {
		c.now = c.due
		c.due += c.every
		c.call(c.now)
	}
	c.now = end
	return ctx.Err()
}

func (c *stepClock) Every(d time.Duration, f func(time.Duration)) func() {
	c.every, c.due, c.call = d, c.now+d, f
	return func() { c.call = nil }
}

// hang moves the clock without making calls, as a stopped process does.
func (c *stepClock) hang(d time.Duration) { c.now += d; c.due = c.now }

// meter is a device that has only a power sensor.
type meter struct {
	reading tegra.Reading
	err     error
}

func (m *meter) Board() tegra.Board           { return tegra.Board{} }
func (m *meter) Space() *tegra.Space          { return nil }
func (m *meter) Presets() []tegra.Preset      { return nil }
func (m *meter) Read() (tegra.Reading, error) { return m.reading, m.err }

func watts(p float64) tegra.Reading { return tegra.Reading{TotalW: tegra.Some(p)} }

func TestCheckPowerTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	throttled := watts(20)
	throttled.Throttled = tegra.Some(true)
	cool := watts(20)
	cool.Throttled = tegra.Some(false)
	for _, c := range []struct {
		name string
		r    tegra.Reading
		want string
	}{
		{"a plain reading is good", watts(31.3), ""},
		{"a board that says it is not throttled is good", cool, ""},
		{"no total", tegra.Reading{}, "absent"},
		{"a total that is no number", watts(math.NaN()), "not a number"},
		{"an infinite total", watts(math.Inf(1)), "not a number"},
		{"a negative total", watts(-3), "negative"},
		{"a total of zero", watts(0), "zero"},
		{"milliwatts taken for watts", watts(31300), "more than any module"},
		{"a throttled board", throttled, "throttled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := CheckPower(c.r)
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSamplerReadsOnTheDevicesClock(t *testing.T) {
	t.Parallel()
	clock, dev := &stepClock{now: 7 * time.Second}, &meter{reading: watts(10)}
	s := NewSampler(dev, clock, time.Second)
	if _, ok := s.Last(); ok {
		t.Error("a sampler that has not started has a last sample")
	}
	var seen []Sample
	s.Start()
	s.Start() // does nothing
	cancel := s.Subscribe(func(x Sample) { seen = append(seen, x) })
	clock.Sleep(context.Background(), 2500*time.Millisecond)
	dev.reading = watts(-1)
	clock.Sleep(context.Background(), time.Second)
	cancel()
	dev.reading, dev.err = tegra.Reading{}, errors.New("EIO")
	clock.Sleep(context.Background(), time.Second)
	s.Stop()
	s.Stop() // does nothing
	clock.Sleep(context.Background(), 5*time.Second)

	if len(seen) != 3 || seen[0].T != 8*time.Second || seen[2].T != 10*time.Second {
		t.Fatalf("subscriber saw %d samples %v, want those at 8, 9 and 10 s", len(seen), seen)
	}
	if !seen[1].Valid || seen[1].PowerW() != tegra.Some(10.0) {
		t.Errorf("good sample: %+v", seen[1])
	}
	if seen[2].Valid || seen[2].Why == "" || seen[2].PowerW().OK {
		t.Errorf("negative power passed as valid: %+v", seen[2])
	}
	h := s.History()
	if len(h) != 4 || h[3].Valid || !strings.Contains(h[3].Why, "EIO") {
		t.Errorf("history %v: want 4 samples, the last with the device's error", h)
	}
	if last, ok := s.Last(); !ok || last.T != h[3].T {
		t.Errorf("last is %v, want the newest of the history", last.T)
	}
}

func TestSamplerFlagsAGapOnceAndNotARestart(t *testing.T) {
	t.Parallel()
	clock, dev := &stepClock{}, &meter{reading: watts(10)}
	s := NewSampler(dev, clock, time.Second)
	s.Start()
	ctx := context.Background()
	clock.Sleep(ctx, time.Second)
	clock.hang(6 * time.Second)
	clock.Sleep(ctx, 2*time.Second)
	s.Stop()
	clock.Sleep(ctx, time.Minute)
	s.Start()
	clock.Sleep(ctx, time.Second)
	var got []bool
	for _, x := range s.History() {
		got = append(got, x.Valid)
	}
	want := []bool{true, false, true, true, true}
	if len(got) != len(want) {
		t.Fatalf("validity %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("validity %v, want %v", got, want)
		}
	}
}

func TestAShortIntervalForgivesShortGaps(t *testing.T) {
	t.Parallel()
	for gap, bad := range map[time.Duration]bool{time.Second: false, 1900 * time.Millisecond: false, 2100 * time.Millisecond: true} {
		if got := checkGap(gap, 100*time.Millisecond); (got != "") != bad {
			t.Errorf("%s at 100 ms: %q", gap, got)
		}
	}
}

func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	clock, dev := &stepClock{}, &meter{reading: watts(10)}
	s := NewSampler(dev, clock, time.Second)
	s.Start()
	clock.Sleep(context.Background(), (HistoryLen+10)*time.Second)
	h := s.History()
	if len(h) != HistoryLen {
		t.Fatalf("%d samples kept, want %d", len(h), HistoryLen)
	}
	for i := range h {
		if want := time.Duration(i+11) * time.Second; h[i].T != want {
			t.Fatalf("history[%d] is at %s, want %s: oldest first, none lost", i, h[i].T, want)
		}
	}
}
