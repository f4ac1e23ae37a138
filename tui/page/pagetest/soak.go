package pagetest

import (
	"math"
	"time"

	"jtune/internal/document"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry/hold"
	"jtune/tui/page"
	"jtune/tui/session/soak"
	"jtune/tui/session/task"
)

// Soaked returns the status of a 45-minute soak: the temperature rises with a time constant of five minutes.
func Soaked(at time.Duration, r soak.Request) soak.Status {
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

// Held returns the verdict of a soak without a fault.
func Held(st soak.Status, m tegra.Mode) hold.Result {
	return hold.Result{Verdict: hold.Holds, Reason: "held for 45 min, peak 29.4 W (28.6 of 30 W in a minute's " +
		"mean), 5.90 A of 7.8 A (trip), 78 of 99 °C, 5.02 V at least; steady at 78 °C",
		Mode: tegra.Some(m), DurationS: soak.Usual.Seconds(), State: st.State, Virtual: true,
		Events: []hold.Event{}}
}

// Soaking returns a soak in progress, or ended, without a goroutine.
func Soaking(b *Board, ended bool) *page.Task {
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
		seen.Follow(Soaked(at, r))
	}
	if j.Soak = &seen; ended {
		j.State, j.Proof = task.Done, &soak.Result{Result: Held(seen.Now, b.Mode())}
	}
	return j
}

// Report returns a report of one line.
func (f *Board) Report(campaign string) (document.Document, error) {
	return document.Document{Title: campaign}, f.acts("report " + campaign)
}
