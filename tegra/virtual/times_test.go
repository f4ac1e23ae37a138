package virtual

import (
	"math"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
)

// The kernel's counters of a virtual board are read by the code that reads a
// real one's, and the clock's whole time is in them.
func TestClockTimesOfTheBoardAddUpToItsTime(t *testing.T) {
	b := must.Get(New(Options{Name: AGXOrin, Speed: math.Inf(1)}))(t)
	dev := must.Get(b.Open())(t)
	defer dev.Close()
	before := dev.ClockTimes()
	must.NoError(t, b.Clock().Sleep(t.Context(), 10*time.Second))
	after := dev.ClockTimes()
	spent := func(before, after map[tegra.Freq]time.Duration) (sum time.Duration) {
		for f, d := range after {
			sum += d - before[f]
		}
		return sum
	}
	if got := spent(before.GPU, after.GPU); got != 10*time.Second {
		t.Errorf("GPU clocks took %s of 10 s", got)
	}
	if got := spent(before.CPU, after.CPU); got != 30*time.Second {
		t.Errorf("the clocks of three clusters took %s, want 3 times 10 s", got)
	}
}

// A job that finds its data cold reads them from the drive once.
func TestColdDataAreReadFromTheDriveOnce(t *testing.T) {
	b := must.Get(New(Options{Name: AGXOrin, Speed: math.Inf(1)}))(t)
	must.NoError(t, b.StartWorkload("mobilenet", 16))
	read := func() string {
		text := must.Get(b.FS().ReadFile("/proc/diskstats"))(t)
		return string(text)
	}
	train := func(minibatches int) {
		for range minibatches {
			_, err := b.NextMinibatch(t.Context())
			must.NoError(t, err)
		}
	}
	train(1443)
	once := read()
	if want := " 259       0 nvme0n1 21568 0 5521484 0 0 0 0 0 0 0 0\n"; once != want {
		t.Errorf("after an epoch of 2,827 MB %q, want %q", once, want)
	}
	train(100)
	if read() != once {
		t.Errorf("cached data are read again: %q", read())
	}
}
