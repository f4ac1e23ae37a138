package virtual

import (
	"math"
	"testing"
	"time"

	"jtune/tegra"
)

// lockAll locks the clocks at their highest, as a guard does without DVFS.
func lockAll(t *testing.T, b *Board) {
	t.Helper()
	for p := range b.knobs.policy {
		write(t, b, b.policyDir(p)+"/scaling_governor", "performance")
	}
	write(t, b, b.facts.GPU.Dir+"/governor", "performance")
	b.knobs.emcLocked, b.knobs.emcState = "1", "1"
	b.retarget()
}

// The kernel's counters agree with the shares.
func TestGovernorsAreCountedByTheKernel(t *testing.T) {
	t.Parallel()
	b := fast(t, Options{Name: "agx-xavier"})
	d := open(t, b)
	start(t, b, "mobilenet")
	before := d.ClockTimes()
	sleep(t, b, 100*time.Second)
	after, top := d.ClockTimes(), tegra.Freq(0)
	spent := map[tegra.Freq]time.Duration{}
	for f, d := range after.CPU {
		if spent[f] = d - before.CPU[f]; spent[f] > 0 {
			top = max(top, f)
		}
	}
	share := spent[top].Seconds() / (100 * float64(len(b.knobs.policy)))
	if math.Abs(share-b.steady.scaling.burst) > 0.01 {
		t.Errorf("the kernel counts %.1f %% of the time at %v, the governor chose %.1f", 100*share, top,
			100*b.steady.scaling.burst)
	}
	// The current clock as read agrees.
	seen := 0
	const looks = 2000
	for range looks {
		sleep(t, b, 50*time.Millisecond)
		if read(t, b, b.policyDir(0)+"/scaling_cur_freq") == top.In(tegra.KHz) {
			seen++
		}
	}
	if got := float64(seen) / looks; math.Abs(got-share) > 0.05 {
		t.Errorf("%.1f %% of %d looks find the CPU at its top, the kernel counts %.1f", 100*got, looks, 100*share)
	}
}

func TestGovernorsOfOtherNamesChangeLessThanAPercent(t *testing.T) {
	t.Parallel()
	for _, m := range models {
		b := fast(t, Options{Name: m.name, Noise: new(float64)})
		start(t, b, "lenet5")
		usual := b.steady.steps.TimeMS
		write(t, b, b.facts.GPU.Dir+"/governor", "simple_ondemand")
		for _, name := range []string{"ondemand", "conservative"} {
			for p := range b.knobs.policy {
				write(t, b, b.policyDir(p)+"/scaling_governor", name)
			}
			if change := b.steady.steps.TimeMS/usual - 1; change == 0 || math.Abs(change) > 0.01 {
				t.Errorf("%s: %s makes %+.2f %% of time, published under 1", m.name, name, 100*change)
			}
		}
		for p := range b.knobs.policy {
			write(t, b, b.policyDir(p)+"/scaling_governor", "powersave")
		}
		if b.steady.steps.TimeMS < usual {
			t.Errorf("%s: powersave is faster than %s", m.name, usualCPU)
		}
	}
}

// Without a job a board draws most with locked clocks, and least with a gated GPU.
func TestIdleBoardDrawsLessTheFreerItsClocks(t *testing.T) {
	t.Parallel()
	for _, m := range models {
		b := fast(t, Options{Name: m.name, Noise: new(float64)})
		gated := b.steady.totalW
		if b.thor() { // without a file for it
			b.changed(func() error { b.knobs.railgate = "0"; return nil })
		} else {
			write(t, b, b.facts.GPU.Device+"/railgate_enable", "0")
		}
		free := b.steady.totalW
		lockAll(t, b)
		if locked := b.steady.totalW; !(locked > free && free > gated) {
			t.Errorf("%s draws %.2f W with the GPU gated, %.2f free, %.2f locked", m.name, gated, free, locked)
		}
	}
}

func TestQuirksLowerThePowerThatIsReadAfterSixteenHours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		board  string
		quirks bool
		want   float64
	}{{"agx-xavier", true, 0.85}, {"agx-xavier", false, 1}, {AGXOrin, true, 1}} {
		b := fast(t, Options{Name: c.board, Quirks: c.quirks, Noise: new(float64)})
		d := open(t, b)
		start(t, b, "lenet5")
		sleep(t, b, time.Hour)
		before := power(t, d)
		ms := b.steady.steps.TimeMS
		sleep(t, b, 14*time.Hour)
		if now := power(t, d); !near(now, before, 1e-3) {
			t.Errorf("%s: after 15 h power reads %.2f W, %.2f before", c.board, now, before)
		}
		sleep(t, b, 3*time.Hour)
		if now := power(t, d); !near(now/before, c.want, 5e-3) || b.steady.steps.TimeMS != ms {
			t.Errorf("%s, quirks %v: after 18 h power reads %.3f of what it did, want %g", c.board, c.quirks,
				now/before, c.want)
		}
	}
}

// A Nano's governors match the published shares while requests are answered: at the top for 89 % of the time (CPU) and
// 83 % (GPU), with almost no effect on time and energy.
func TestGovernorsOfAnInferenceJobStayNearTheTop(t *testing.T) {
	t.Parallel()
	b := fast(t, Options{Name: "nano", Noise: new(float64)})
	start(t, b, "mobilenet-infer")
	free := b.steady
	const looks = 20000
	cpu, gpu := 0, 0
	for range looks {
		b.at += glance
		if b.policyClock(0) == b.topClock(0) {
			cpu++
		}
		if b.gpuClock() == b.topGPU() {
			gpu++
		}
	}
	if c, g := float64(cpu)/looks, float64(gpu)/looks; math.Abs(c-0.89) > 0.01 || math.Abs(g-0.83) > 0.01 {
		t.Errorf("at the top %.3f of the time (CPU) and %.3f (GPU), want 0.89 and 0.83", c, g)
	}
	lockAll(t, b)
	locked := b.steady
	if time := free.steps.TimeMS / locked.steps.TimeMS; math.Abs(time-1.005) > 1e-9 {
		t.Errorf("%.4f of the time with locked clocks", time)
	}
	if b.policyClock(0) != b.topClock(0) || b.gpuClock() != b.topGPU() {
		t.Error("locked clocks are chosen by governors")
	}
}
