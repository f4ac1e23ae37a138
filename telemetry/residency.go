package telemetry

import (
	"maps"
	"slices"
	"time"

	"jtune/tegra"
)

// Residency is how a stretch of time was shared out among the steps of a
// clock. The zero value says that nothing is known.
type Residency struct {
	Shares []ClockShare // falling in frequency; adds up to 1
	Source string       // what counted: KernelCounted or SampleCounted
}

// Who counted.
const (
	KernelCounted = "kernel"  // cpufreq time_in_state, devfreq trans_stat
	SampleCounted = "samples" // our own samples of the clock
)

// ClockShare is the share of time, 0 to 1, at a clock.
type ClockShare struct {
	Freq  tegra.Freq
	Share float64
}

// OK tells whether anything is known.
func (r Residency) OK() bool { return len(r.Shares) > 0 }

// Mean is the mean clock over the time; absent when nothing is known.
func (r Residency) Mean() tegra.Val[tegra.Freq] {
	if !r.OK() {
		return tegra.Val[tegra.Freq]{}
	}
	sum := 0.0
	for _, s := range r.Shares {
		sum += float64(s.Freq) * s.Share
	}
	return tegra.Some(tegra.Freq(sum))
}

// ResidencyBetween shares out the time between two looks at a kernel's
// counters. Nothing is known when either look lacks them, when no time
// passed, or when a counter went back: the kernel began anew, as it does for
// cores that were switched off.
func ResidencyBetween(before, after map[tegra.Freq]time.Duration) Residency {
	if len(before) == 0 || len(after) == 0 {
		return Residency{}
	}
	spent := map[tegra.Freq]time.Duration{}
	for f, t := range after {
		spent[f] = t - before[f]
	}
	for f, t := range before {
		if after[f] < t {
			return Residency{}
		}
	}
	return residency(spent, KernelCounted)
}

func residency(spent map[tegra.Freq]time.Duration, source string) Residency {
	total := time.Duration(0)
	for _, t := range spent {
		total += t
	}
	if total <= 0 {
		return Residency{}
	}
	r := Residency{Source: source}
	for _, f := range slices.Backward(slices.Sorted(maps.Keys(spent))) {
		if spent[f] > 0 {
			r.Shares = append(r.Shares, ClockShare{f, float64(spent[f]) / float64(total)})
		}
	}
	return r
}

// Tally counts clocks by samples, where the kernel does not. The zero value
// is ready.
type Tally struct{ spent map[tegra.Freq]time.Duration }

// Add counts a clock that was seen; absent ones are passed over.
func (t *Tally) Add(f tegra.Val[tegra.Freq]) {
	if !f.OK {
		return
	}
	if t.spent == nil {
		t.spent = map[tegra.Freq]time.Duration{}
	}
	t.spent[f.V]++
}

// Residency shares out the samples so far.
func (t *Tally) Residency() Residency { return residency(t.spent, SampleCounted) }
