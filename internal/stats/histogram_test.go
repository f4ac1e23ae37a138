package stats

import (
	"math"
	"testing"
)

// The values of histogram_quantile for the same buckets, by Prometheus' rule: rank q·n, interpolated within a bucket.
func TestHistogramQuantilesAreThoseOfPrometheus(t *testing.T) {
	t.Parallel()
	h := NewHistogram(map[float64]float64{0.3: 10, 0.5: 60, 1: 90, 2.5: 99, math.Inf(1): 100})
	for _, c := range []struct {
		q, want float64
		known   bool
	}{{0.05, 0.15, true}, {0.1, 0.3, true}, {0.5, 0.3 + 0.2*40/50, true}, {0.9, 1, true}, {0.95, 1 + 1.5*5/9, true},
		{0.99, 2.5, true}, {0.995, 0, false}, {1, 0, false}} {
		got, known := h.Quantile(c.q)
		if known != c.known || known && math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v: %v, %v, want %v", c.q, got, known, c.want)
		}
	}
	if _, known := (Histogram{}).Quantile(0.5); known || h.N() != 100 {
		t.Errorf("%d values, one of none is known: %v", h.N(), known)
	}
}

func TestHistogramSinceAnEarlierStateIsTheDifference(t *testing.T) {
	t.Parallel()
	was := NewHistogram(map[float64]float64{1: 3, 2: 5, math.Inf(1): 5})
	now := NewHistogram(map[float64]float64{1: 3, 2: 9, math.Inf(1): 10})
	got, ok := now.Since(was)
	if !ok || got.N() != 5 || got.Counts[0] != 0 || got.Counts[1] != 4 || got.Plus(was).N() != now.N() {
		t.Errorf("%+v, %v", got, ok)
	}
	if _, ok := was.Since(now); ok {
		t.Error("counts went down, and the histogram does not report it")
	}
	if _, ok := now.Since(Histogram{}); ok {
		t.Error("other buckets are no earlier state")
	}
}
