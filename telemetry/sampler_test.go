package telemetry

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"jtune/tegra"
)

// stepClock stands still until Sleep moves it, and makes the calls of Every on
// the way: a virtual clock at full speed, with one registration. late makes
// calls come late by that much.
type stepClock struct {
	now, due time.Duration
	next     func() time.Duration
	call     func(time.Duration)
}

func (c *stepClock) Now() time.Duration    { return c.now }
func (c *stepClock) Wall() time.Time       { return time.Unix(0, 0).Add(c.now) }
func (c *stepClock) Asleep() time.Duration { return 0 }

func (c *stepClock) Sleep(ctx context.Context, d time.Duration) error {
	end := c.now + d
	for c.call != nil && c.due <= end {
		c.now = c.due
		c.due += c.next()
		c.call(c.now)
	}
	c.now = end
	return ctx.Err()
}

func (c *stepClock) Every(d time.Duration, f func(time.Duration)) func() {
	return c.EveryNext(func() time.Duration { return d }, f)
}

func (c *stepClock) EveryNext(next func() time.Duration, f func(time.Duration)) func() {
	c.next, c.due, c.call = next, c.now+next(), f
	return func() { c.call = nil }
}

// hang moves the clock without making calls, as a stopped process does.
func (c *stepClock) hang(d time.Duration) { c.now += d; c.due = c.now }

// meter is a device that has only a power sensor.
type meter struct {
	reading tegra.Reading
	err     error
	reads   int
	power   func() float64 // nil: as in reading
	board   tegra.Board
}

func (m *meter) Board() tegra.Board      { return m.board }
func (m *meter) Space() *tegra.Space     { return nil }
func (m *meter) Presets() []tegra.Preset { return nil }

func (m *meter) Read() (tegra.Reading, error) {
	m.reads++
	if m.power != nil {
		return watts(m.power()), nil
	}
	return m.reading, m.err
}

func watts(p float64) tegra.Reading { return tegra.Reading{TotalW: tegra.Some(p)} }

func TestCheckPowerNamesTheFault(t *testing.T) {
	t.Parallel()
	throttled := watts(20)
	throttled.Heat = tegra.Some(true)
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
		{"a total that is not a number", watts(math.NaN()), "not a number"},
		{"an infinite total", watts(math.Inf(1)), "not a number"},
		{"a negative total", watts(-3), "negative"},
		{"a total of zero", watts(0), "zero"},
		{"milliwatts taken for watts", watts(31300), "more than any module"},
		{"a throttled board", throttled, "throttled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := CheckPower(c.r); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSamplerReadsOnTheDevicesClock(t *testing.T) {
	t.Parallel()
	clock, dev := &stepClock{now: 7 * time.Second}, &meter{reading: watts(10)}
	var seen []Sample
	cancel := NewSampler(dev, clock).Subscribe(time.Second, func(x Sample) { seen = append(seen, x) })
	clock.Sleep(context.Background(), 2500*time.Millisecond)
	dev.reading = watts(-1)
	clock.Sleep(context.Background(), time.Second)
	dev.reading, dev.err = tegra.Reading{}, errors.New("EIO")
	clock.Sleep(context.Background(), time.Second)
	cancel()
	cancel() // does nothing
	clock.Sleep(context.Background(), 5*time.Second)

	if len(seen) != 4 || seen[0].T != 8*time.Second || seen[3].T != 11*time.Second {
		t.Fatalf("subscriber saw %d samples %v, want those at 8, 9, 10 and 11 s", len(seen), seen)
	}
	if !seen[1].Valid || seen[1].PowerW() != tegra.Some(10.0) {
		t.Errorf("good sample: %+v", seen[1])
	}
	if seen[2].Valid || seen[2].Why == "" || seen[2].PowerW().OK {
		t.Errorf("negative power passed as valid: %+v", seen[2])
	}
	if seen[3].Valid || !strings.Contains(seen[3].Why, "EIO") {
		t.Errorf("sample of a device that does not answer: %+v", seen[3])
	}
	if dev.reads != 4 {
		t.Errorf("the device was read %d times for 4 samples", dev.reads)
	}
}

func TestSamplerReadChecksThePowerLikeEverySample(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	for _, c := range []struct {
		name  string
		dev   meter
		valid bool
	}{
		{"a power", meter{reading: watts(20)}, true},
		{"zero", meter{reading: watts(0)}, false},
		{"no power", meter{}, false},
		{"a device that does not answer", meter{reading: watts(20), err: gone}, false},
	} {
		s, err := NewSampler(&c.dev, &stepClock{now: time.Hour}).Read()
		if s.Valid != c.valid || s.Valid != (s.Why == "") || s.T != time.Hour || !errors.Is(err, c.dev.err) {
			t.Errorf("%s: %+v, %v", c.name, s, err)
		}
	}
}

func TestSamplerReadsABoardOnceForAllSubscribers(t *testing.T) {
	t.Parallel()
	clock, dev := &stepClock{}, &meter{reading: watts(10)}
	s := NewSampler(dev, clock)
	ctx := context.Background()
	var screen, job, dense []time.Duration
	into := func(list *[]time.Duration) func(Sample) { return func(x Sample) { *list = append(*list, x.T) } }
	const ms = time.Millisecond

	leave := s.Subscribe(1000*ms, into(&screen))
	clock.Sleep(ctx, 1300*ms)
	end := s.Subscribe(1000*ms, into(&job)) // from now on the job's samples are everybody's
	clock.Sleep(ctx, 2100*ms)
	want := []time.Duration{1000 * ms, 2300 * ms, 3300 * ms}
	if !slices.Equal(screen, want) || !slices.Equal(job, want[1:]) || dev.reads != 3 {
		t.Errorf("screen %v, job %v, %d readings; want %v, those since 1.3 s, 3", screen, job, dev.reads, want)
	}
	stop := s.Subscribe(100*ms, into(&dense)) // an inference job's; the others keep their interval
	clock.Sleep(ctx, 3000*ms)
	want = []time.Duration{4300 * ms, 5300 * ms, 6300 * ms}
	if len(dense) != 30 || !slices.EqualFunc(screen[3:], want, near) || !slices.EqualFunc(job[2:], want, near) ||
		dev.reads != 33 {
		t.Errorf("beside a dense one: screen %v, job %v, %d dense, %d readings", screen[3:], job[2:], len(dense),
			dev.reads)
	}
	stop()
	end()
	screen, dev.reads = nil, 0
	clock.Sleep(ctx, 2000*ms)
	want = []time.Duration{7400 * ms, 8400 * ms}
	if !slices.Equal(screen, want) || len(job) != 5 || len(dense) != 30 || dev.reads != 2 {
		t.Errorf("alone again: screen %v, want %v; %d readings, job %v", screen, want, dev.reads, job)
	}
	leave()
	if clock.Sleep(ctx, time.Minute); dev.reads != 2 {
		t.Error("the board is read for nobody")
	}
}

func TestSamplerMeasuresAtRandomMoments(t *testing.T) {
	t.Parallel()
	clock, dev := &stepClock{}, &meter{reading: watts(10)}
	s := NewSampler(dev, clock)
	var screen, job, slow []time.Duration
	into := func(list *[]time.Duration) func(Sample) { return func(x Sample) { *list = append(*list, x.T) } }
	gaps := func(list []time.Duration) (least, most, mean time.Duration) {
		least = time.Hour
		for i := 1; i < len(list); i++ {
			gap := list[i] - list[i-1]
			least, most, mean = min(least, gap), max(most, gap), mean+gap/time.Duration(len(list)-1)
		}
		return least, most, mean
	}
	s.Subscribe(time.Second, into(&screen))
	stop := s.Measure(time.Second, into(&job))
	s.Measure(10*time.Second, into(&slow))
	clock.Sleep(t.Context(), 2000*time.Second)
	if least, most, mean := gaps(job); least < 500*time.Millisecond || least > 520*time.Millisecond ||
		most > 1500*time.Millisecond || most < 1480*time.Millisecond || (mean-time.Second).Abs() > 30*time.Millisecond {
		t.Errorf("a measurement's samples are %s to %s apart, %s in the mean", least, most, mean)
	}
	if least, most, mean := gaps(slow); least > 6*time.Second || most < 14*time.Second ||
		(mean-10*time.Second).Abs() > time.Second {
		t.Errorf("a slower one's are %s to %s apart, %s in the mean", least, most, mean)
	}
	if n := len(screen); n < 1500 {
		t.Errorf("the screen beside it gets %d samples in 2000 s", n)
	}
	again := &stepClock{}
	var repeated []time.Duration
	other := NewSampler(dev, again)
	other.Subscribe(time.Second, func(Sample) {})
	other.Measure(time.Second, into(&repeated))
	other.Measure(10*time.Second, func(Sample) {})
	if again.Sleep(t.Context(), 2000*time.Second); !slices.Equal(job, repeated) {
		t.Error("two measurements with one seed are sampled at different moments")
	}
	stop()
}

func TestSamplerMeasuresAsOftenAsTheSensorAverages(t *testing.T) {
	t.Parallel()
	for averages, want := range map[time.Duration]int{0: 100, 400 * time.Millisecond: 250, 13 * time.Millisecond: 100,
		3 * time.Second: 100} {
		clock, dev := &stepClock{}, &meter{reading: watts(10), board: tegra.Board{PowerWindow: averages}}
		defer NewSampler(dev, clock).Measure(time.Second, func(Sample) {})()
		clock.Sleep(t.Context(), 100*time.Second)
		if dev.reads < want*9/10 || dev.reads > want*11/10 {
			t.Errorf("a sensor that averages over %s is read %d times in 100 s, want about %d", averages, dev.reads,
				want)
		}
	}
}

// Four subscribers come and go, each change of the shortest interval beginning a new pace.
func TestSamplerCallsNobodyWhoHasLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dev := &meter{reading: watts(10)}
		s := NewSampler(dev, tegra.RealClock())
		var wg sync.WaitGroup
		var served atomic.Int64
		end := time.Now().Add(300 * time.Millisecond)
		for k := range 4 {
			wg.Go(func() {
				for i := k; time.Now().Before(end); i++ {
					var left atomic.Bool
					cancel := s.Subscribe(time.Duration(1+i%3)*time.Millisecond, func(Sample) {
						if served.Add(1); left.Load() {
							t.Error("called after it had left")
						}
					})
					time.Sleep(time.Duration(1+i%6) * time.Millisecond)
					cancel()
					left.Store(true)
				}
			})
		}
		wg.Wait()
		reads := dev.reads // nobody reads the board any more
		if time.Sleep(time.Minute); reads == 0 || served.Load() == 0 || dev.reads != reads {
			t.Errorf("%d readings, %d samples served; %d readings for nobody", reads, served.Load(), dev.reads-reads)
		}
	})
}

// near allows for half of the dense interval.
func near(a, b time.Duration) bool { return (a - b).Abs() <= 100*time.Millisecond }

func TestSamplerFlagsAGapOnceAndNotARestart(t *testing.T) {
	t.Parallel()
	clock, dev := &stepClock{}, &meter{reading: watts(10)}
	s := NewSampler(dev, clock)
	var got []bool
	take := func(x Sample) { got = append(got, x.Valid) }
	ctx := context.Background()
	cancel := s.Subscribe(time.Second, take)
	clock.Sleep(ctx, time.Second)
	clock.hang(6 * time.Second)
	clock.Sleep(ctx, 2*time.Second)
	cancel()
	clock.Sleep(ctx, time.Minute)
	s.Subscribe(time.Second, take)
	clock.Sleep(ctx, time.Second)
	if want := []bool{true, false, true, true, true}; !slices.Equal(got, want) {
		t.Fatalf("validity %v, want %v", got, want)
	}
}

func TestSamplerForgivesShortGapsAtShortIntervals(t *testing.T) {
	t.Parallel()
	for gap, bad := range map[time.Duration]bool{time.Second: false, 1900 * time.Millisecond: false,
		2100 * time.Millisecond: true} {
		if got := checkGap(gap, 100*time.Millisecond); (got != "") != bad {
			t.Errorf("%s at 100 ms: %q", gap, got)
		}
	}
	if got := checkGap(5*time.Second, time.Second); got != "" {
		t.Errorf("five intervals late: %q", got)
	}
	got, want := checkGap(5123456*time.Microsecond, time.Second), "5.12s since the sample before, at an interval of 1s"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
