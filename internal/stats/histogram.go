package stats

import (
	"math"
	"slices"
)

// Histogram counts values by buckets, as Prometheus has them: each holds the values up to its bound.
type Histogram struct {
	Bounds []float64 // ascending; the last may be +Inf
	Counts []float64 // of each bucket, those of lower ones not included
}

// NewHistogram takes counts that include those of lower buckets, by bound.
func NewHistogram(upTo map[float64]float64) Histogram {
	h := Histogram{}
	for bound := range upTo {
		h.Bounds = append(h.Bounds, bound)
	}
	slices.Sort(h.Bounds)
	below := 0.0
	for _, bound := range h.Bounds {
		h.Counts = append(h.Counts, max(0, upTo[bound]-below))
		below = max(below, upTo[bound])
	}
	return h
}

// Since is what was counted after an earlier state; false where buckets or counts say that it is no earlier one.
func (h Histogram) Since(earlier Histogram) (Histogram, bool) {
	if !slices.Equal(h.Bounds, earlier.Bounds) {
		return h, false
	}
	out := Histogram{Bounds: h.Bounds, Counts: slices.Clone(h.Counts)}
	for i, n := range earlier.Counts {
		if out.Counts[i] -= n; out.Counts[i] < 0 {
			return h, false
		}
	}
	return out, true
}

// Plus adds the counts of another one with the same bounds; one with other bounds takes its place.
func (h Histogram) Plus(o Histogram) Histogram {
	if !slices.Equal(h.Bounds, o.Bounds) {
		return o
	}
	out := Histogram{Bounds: h.Bounds, Counts: slices.Clone(h.Counts)}
	for i, n := range o.Counts {
		out.Counts[i] += n
	}
	return out
}

// N is how many values were counted.
func (h Histogram) N() int {
	n := 0.0
	for _, c := range h.Counts {
		n += c
	}
	return int(min(n, 1<<53))
}

// Quantile is the value at a share of q, 0 to 1, as histogram_quantile of Prometheus has it: values lie evenly in
// their bucket, from 0 in the first one. False where there are none, or where it lies in a bucket without end.
func (h Histogram) Quantile(q float64) (float64, bool) {
	rank, below, from := q*float64(h.N()), 0.0, 0.0
	for i, n := range h.Counts {
		if n > 0 && below+n >= rank {
			to := h.Bounds[i]
			return from + (to-from)*(rank-below)/n, !math.IsInf(to, 1)
		}
		below, from = below+n, h.Bounds[i]
	}
	return 0, false
}
