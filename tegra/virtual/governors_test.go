package virtual

import (
	"math"
	"testing"
	"time"

	"jtune/internal/must"
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

// An AGX Xavier with free clocks against the same with locked clocks (the 2022 study on DVFS; the tolerances are
// ours).
func TestGovernorsOfAnAGXXavierComeNearThePublishedFigures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		workload     string
		epochS, wh   float64 // with DVFS; 0: not published
		below        float64 // share of the time that the CPU is below its top
		slack        float64
		gpuMHz, load float64
		memory       float64 // share of the time a step lower
	}{
		{workload: "resnet18-cifar", epochS: 358, wh: 2.95, below: 0.90, slack: 0.05, gpuMHz: 1377, load: 1},
		{workload: "mobilenet", below: 0.65, slack: 0.08, gpuMHz: 1377, load: 1},
		// Published 0.5: its computing process never waits here, so that the governor leaves the clock at the top.
		{workload: "lenet5", below: 0, slack: 0.01, gpuMHz: 300, load: 0.24, memory: 0.16},
	} {
		b := fast(t, Options{Name: "agx-xavier", Noise: new(float64)})
		start(t, b, c.workload)
		free := b.steady
		epoch := float64(b.job.perEpoch) * free.steps.TimeMS / 1000
		wh := epoch * free.totalW / 3600
		if c.epochS > 0 && (math.Abs(epoch/c.epochS-1) > 0.05 || math.Abs(wh/c.wh-1) > 0.06) {
			t.Errorf("%s: an epoch takes %.0f s and %.2f Wh, published %g and %g", c.workload, epoch, wh, c.epochS,
				c.wh)
		}
		below := 0.0
		if free.scaling.low[0] < b.topClock(0) {
			below = 1 - free.scaling.burst
		}
		if math.Abs(below-c.below) > c.slack {
			t.Errorf("%s: the CPU is below its top %.0f %% of the time, published %.0f", c.workload, 100*below,
				100*c.below)
		}
		if mhz := b.gpuClock().GHz() * 1000; math.Abs(mhz/c.gpuMHz-1) > 0.1 {
			t.Errorf("%s: the GPU runs at %.0f MHz, published %g", c.workload, mhz, c.gpuMHz)
		}
		if load := free.steps.GPULoad(); math.Abs(load-c.load) > 0.14 { // LeNet: 14 to 34 %, ± 4
			t.Errorf("%s: the GPU is busy %.0f %% of the time, published %.0f", c.workload, 100*load, 100*c.load)
		}
		if math.Abs(free.scaling.emc-c.memory) > 0.05 {
			t.Errorf("%s: the memory is slower %.0f %% of the time, published %.0f", c.workload, 100*free.scaling.emc,
				100*c.memory)
		}
		lockAll(t, b)
		locked := b.steady
		if slower := free.steps.TimeMS/locked.steps.TimeMS - 1; slower < 0 || slower > 0.03 {
			t.Errorf("%s: DVFS makes %+.1f %% of time, published at most 2 ± 1", c.workload, 100*slower)
		}
		energy := free.steps.TimeMS*free.totalW/(locked.steps.TimeMS*locked.totalW) - 1
		if math.Abs(energy) > 0.04 {
			t.Errorf("%s: DVFS makes %+.1f %% of energy, published at most 3 ± 1", c.workload, 100*energy)
		}
		if locked.scaling.low != nil || b.policyClock(0) != b.topClock(0) || b.gpuClock() != b.topGPU() {
			t.Errorf("%s: locked clocks are chosen by governors: %+v", c.workload, locked.scaling)
		}
	}
}

// The kernel's counters agree with the shares.
func TestGovernorsAreCountedByTheKernel(t *testing.T) {
	t.Parallel()
	b := fast(t, Options{Name: "agx-xavier"})
	d := open(t, b)
	start(t, b, "mobilenet")
	before := d.ClockTimes()
	sleep(t, b, 100*time.Second)
	after := d.ClockTimes()
	top := tegra.Freq(0)
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

// Reading the rails takes time from the job: published are less than 0.5 % at 100 ms and more than 2 % at 10 ms, of
// the three rails of an Xavier NX.
func TestReadingRailsOftenCostsTheJob(t *testing.T) {
	t.Parallel()
	mean := func(every time.Duration) float64 {
		little := 0.001
		b := fast(t, Options{Name: "xavier-nx", Noise: &little})
		d := open(t, b)
		start(t, b, "lenet5")
		if every > 0 {
			defer b.Clock().Every(every, func(time.Duration) { d.Read() })()
		}
		sum := 0.0
		const count = 2000
		for range count {
			m, err := b.NextMinibatch(t.Context())
			must.NoError(t, err)
			sum += m.OverheadMS + m.ComputeMS + m.StallMS
		}
		return sum / count
	}
	none, seldom, often := mean(0), mean(100*time.Millisecond), mean(10*time.Millisecond)
	if a, b := seldom/none-1, often/none-1; a <= 0 || a > 0.005 || b < 0.02 || b > 0.05 {
		t.Errorf("reading every 100 ms costs %.2f %%, every 10 ms %.2f; published < 0.5 and > 2", 100*a, 100*b)
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
