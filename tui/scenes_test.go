package tui

import (
	"math"
	"time"

	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry"
	"jtune/telemetry/hold"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/soak"
	"jtune/tui/session/task"
)

// character returns a run in its third epoch that its data loader limits.
func character() *record.Character {
	part := func(epoch, n int, stall, read float64) record.Part {
		return record.Part{Epoch: epoch, Epochs: 1, Minibatches: n,
			Span: time.Duration(float64(n) * (56 + stall) * float64(time.Millisecond)), TimeMS: 56 + stall,
			StallMS: tegra.Some(stall), ComputeMS: tegra.Some(50.0), OverheadMS: tegra.Some(6.0),
			PowerW: tegra.Some(27.3), EnergyJ: tegra.Some(1.8),
			CPUPct: tegra.Some(44.0), GPUPct: tegra.Some(81.0), ReadsPerS: tegra.Some(read),
			ReadBytesPerS: tegra.Some(read * 128e3)}
	}
	first, later := part(0, 3125, 30, 400), part(1, 3200, 14, 0)
	all := part(0, 6325, 22, 200)
	return &record.Character{Workers: 4, Batch: 16, PerEpoch: 3125, All: all, First: tegra.Some(first),
		Later:  tegra.Some(later),
		Epochs: []record.Part{first, part(1, 3125, 14, 0), part(2, 75, 14, 0)}, CacheBefore: tegra.Some(0.1),
		CacheAfter: tegra.Some(1.0),
		CPU: telemetry.Residency{Shares: []telemetry.ClockShare{{Freq: 2201600000, Share: 0.92},
			{Freq: 1651200000, Share: 0.08}}},
		GPU: telemetry.Residency{Shares: []telemetry.ClockShare{{Freq: 1300500000, Share: 1}}}}
}

// soaked returns the status of a 45-minute soak: the temperature rises with a time constant of five minutes.
func soaked(at time.Duration, r soak.Request) soak.Status {
	some := tegra.Some[float64]
	heat := 78 - 36*math.Exp(-at.Minutes()/5)
	st := soak.Status{Phase: soak.Loading, For: soak.Usual, Limits: r.Limits}
	if r.Mode != nil {
		st.Mode = tegra.Some(r.Mode.Mode)
	}
	st.At, st.PowerW, st.Amperes, st.TjC = at, some(28.4), some(5.6), some(heat)
	st.Steady = hold.Steady{TjC: some(78.2), LoC: some(75.9), HiC: some(80.4), Reached: at > 30*time.Minute}
	st.In = max(0, 25*time.Minute-at)
	st.Peak = hold.Peak{PowerW: some(29.4), Amperes: some(5.9), TjC: some(heat), Rail: tegra.Some("VDD_GPU_SOC")}
	st.Least = hold.Least{Volts: some(5.016), Rail: tegra.Some("VDD_GPU_SOC")}
	st.Margins = hold.Margins{Amperes: some(1.884), TjC: some(99 - heat)}
	if most := r.Limits.Val(metric.Power); most.OK {
		st.Margins.PowerW = some(most.V - 28.6)
	}
	return st
}

// held returns the verdict of a soak without a fault.
func held(st soak.Status, m tegra.Mode) hold.Result {
	return hold.Result{Verdict: hold.Holds, Reason: "held for 45 min, peak 29.4 W (28.6 of 30 W in a minute's " +
		"mean), 5.90 A of 7.8 A (trip), 78 of 99 °C, 5.02 V at least; steady at 78 °C",
		Mode: tegra.Some(m), DurationS: soak.Usual.Seconds(), State: st.State, Virtual: true,
		Events: []hold.Event{}}
}

// soaking returns a soak in progress, or ended, without a goroutine.
func soaking(b *pagetest.Board, ended bool) *page.Task {
	w, _ := b.Workloads()
	r := soak.Request{Workload: w[0], Mode: &tegra.Request{Mode: b.Mode()}, For: soak.Usual,
		Limits: metric.Power.Max(30)}
	j := &page.Task{Spec: task.Soak(r).Spec}
	j.State, j.Began = task.Running, b.Elapsed-12*time.Minute
	last := 12 * time.Minute
	if ended {
		last = soak.Usual
	}
	var seen soak.View
	for at := time.Duration(0); at <= last; at += 5 * time.Second {
		seen.Follow(soaked(at, r))
	}
	if j.Soak = &seen; ended {
		j.State, j.Proof = task.Done, &soak.Result{Result: held(seen.Now, b.Mode())}
	}
	return j
}
