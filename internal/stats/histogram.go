package stats

import (
	"math"
	"slices"
)

// Histogram counts values in buckets, like Prometheus: each bucket holds the values up to its bound.
type Histogram struct {
	Bounds []float64 // ascending; the last may be +Inf
	Counts []float64 // of each bucket, without lower ones
}

// NewHistogram takes cumulative counts by bound.
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

// Since returns the counts since an earlier state; false if buckets or counts show that earlier is not one.
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

// Plus adds the counts of a histogram with the same bounds; if the bounds differ it returns o.
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

// N returns the number of values.
func (h Histogram) N() int {
	n := 0.0
	for _, c := range h.Counts {
		n += c
	}
	return int(min(n, 1<<53))
}

// Quantile returns the q-quantile (0 to 1) like Prometheus' histogram_quantile: values are spread evenly within their
// bucket, and the first bucket starts at 0. It returns false without values, or if the quantile is in an unbounded
// bucket.
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
