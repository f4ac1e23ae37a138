package telemetry

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"jtune/tegra"
)

// Residency is the distribution of a period over the frequencies of a clock. The zero value means unknown.
type Residency struct {
	Shares []ClockShare // by falling frequency; the sum is 1
	Source string       // KernelCounted or SampleCounted
}

// Sources of a Residency.
const (
	KernelCounted = "kernel"  // cpufreq time_in_state, devfreq trans_stat
	SampleCounted = "samples" // our own samples of the clock
)

// ClockShare is the share of time, 0 to 1, at one frequency.
type ClockShare struct {
	Freq  tegra.Freq
	Share float64
}

// MarshalJSON encodes the clocks as a list; null when the residency is unknown.
func (r Residency) MarshalJSON() ([]byte, error) {
	type step struct {
		Hz       tegra.Freq `json:"hz"`
		SharePct float64    `json:"share_pct"`
		Source   string     `json:"source"`
	}
	var out []step
	for _, s := range r.Shares {
		out = append(out, step{s.Freq, 100 * s.Share, r.Source})
	}
	return json.Marshal(out)
}

// OK reports whether the residency is known.
func (r Residency) OK() bool { return len(r.Shares) > 0 }

// String lists the clocks with the largest shares, and who counted: "2.27 GHz 47 %, 1.19 GHz 53 % (by the kernel)".
func (r Residency) String() string {
	if !r.OK() {
		return "–"
	}
	var parts []string
	rest := 1.0
	for _, s := range r.Shares {
		if s.Share >= 0.01 && len(parts) < 4 {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", s.Freq, 100*s.Share))
			rest -= s.Share
		}
	}
	if rest > 0.005 {
		parts = append(parts, fmt.Sprintf("others %.0f %%", 100*rest))
	}
	by := "samples"
	if r.Source == KernelCounted {
		by = "the kernel"
	}
	return strings.Join(parts, ", ") + " (by " + by + ")"
}

// Mean returns the mean clock over the period; absent when unknown.
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

// ResidencyBetween returns the residency between two readings of the kernel's counters. It is unknown when a reading
// has no counters, when no time passed, or when a counter decreased: the kernel resets the counters of cores that were
// offline.
func ResidencyBetween(before, after map[tegra.Freq]time.Duration) Residency {
	if len(before) == 0 {
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

// MeanResidency returns the mean over periods of equal length; it skips unknown ones.
func MeanResidency(list ...Residency) Residency {
	shares, n, source := map[tegra.Freq]float64{}, 0.0, ""
	for _, r := range list {
		if r.OK() {
			n, source = n+1, r.Source
		}
		for _, s := range r.Shares {
			shares[s.Freq] += s.Share
		}
	}
	out := Residency{Source: source}
	for _, f := range slices.Backward(slices.Sorted(maps.Keys(shares))) {
		out.Shares = append(out.Shares, ClockShare{f, shares[f] / n})
	}
	return out
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

// Tally counts samples of a clock where the kernel has no counters. The zero value is ready to use.
type Tally struct{ spent map[tegra.Freq]time.Duration }

// Add counts one sample; an absent clock is ignored.
func (t *Tally) Add(f tegra.Val[tegra.Freq]) {
	if !f.OK {
		return
	}
	if t.spent == nil {
		t.spent = map[tegra.Freq]time.Duration{}
	}
	t.spent[f.V]++
}

// Residency returns the residency over the samples so far.
func (t *Tally) Residency() Residency { return residency(t.spent, SampleCounted) }
