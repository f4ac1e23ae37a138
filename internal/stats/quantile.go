// Package stats summarizes readings.
//
//	readings ──► Quantile(v, 0.95), Median(v), IQR(v), Mean(v) ──► one number
//	latencies, ascending ──► NearestRank(v, 0.99) ──► one of them
//	counts by buckets ──► Histogram.Quantile(0.99) ──► a value within one of them
package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Quantile returns the q-quantile (0 to 1) of values in any order, by linear interpolation between the order
// statistics. It ignores values that are not finite; NaN if none are left.
func Quantile(values []float64, q float64) float64 {
	v := slices.DeleteFunc(slices.Clone(values), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	slices.Sort(v)
	return SortedQuantile(v, q)
}

// SortedQuantile is Quantile for finite values in ascending order.
func SortedQuantile(v []float64, q float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	at := q * float64(len(v)-1)
	i := min(int(at), len(v)-1)
	if i == len(v)-1 || v[i] == v[i+1] {
		return v[i]
	}
	return v[i] + (at-float64(i))*(v[i+1]-v[i])
}

// NearestRank returns the q-quantile (0 to 1) of values in ascending order as one of them: the smallest that is not
// exceeded by a share q of the values. NaN without values.
func NearestRank(ascending []float64, q float64) float64 {
	n := len(ascending)
	if n == 0 {
		return math.NaN()
	}
	return ascending[nearestRank(q, n)]
}

func nearestRank(q float64, n int) int {
	return min(max(int(math.Ceil(q*float64(n)-rankSlack)), 1), n) - 1
}

// NearestRankOf is NearestRank of values in any order, which it reorders. Sorting them would take several times as long
// (Hoare, Algorithm 65: Find). NaN without any, and no value may be NaN.
func NearestRankOf(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	at, low, high := nearestRank(q, len(values)), 0, len(values)-1
	for low < high {
		split := values[low+(high-low)/2]
		i, j := low, high
		for i <= j {
			for values[i] < split {
				i++
			}
			for values[j] > split {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case at <= j:
			high = j
		case at >= i:
			low = i
		default:
			return values[at]
		}
	}
	return values[at]
}

// rankSlack keeps rounding errors in q·n from reaching the next whole number.
const rankSlack = 1e-9

// leastBeyond is how many values must be beyond a quantile for it to be meaningful.
const leastBeyond = 10

// QuantileHolds reports whether n values are enough for their q-quantile: about ten must be beyond it, so p99 needs
// 1,000 values and p95 needs 200.
func QuantileHolds(q float64, n int) bool { return float64(n)*(1-q) >= leastBeyond-rankSlack }

// Median returns the median of values; NaN without values.
func Median(values []float64) float64 { return Quantile(values, 0.5) }

// OrZero returns v, or 0 for NaN.
func OrZero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// Positive reports whether every value is finite and above zero, so that it has
// a logarithm.
func Positive(values ...float64) bool {
	for _, v := range values {
		if !(v > 0) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// IQR returns the interquartile range of values; 0 without values.
func IQR(values []float64) float64 { return OrZero(Quantile(values, 0.75) - Quantile(values, 0.25)) }

// Mean returns the mean of values; 0 without values.
func Mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}

// VariationPct returns the standard deviation of values in percent of their mean; NaN for fewer than two values, or a
// mean that is not positive.
func VariationPct(values []float64) float64 {
	mean := Mean(values)
	if len(values) < 2 || !(mean > 0) {
		return math.NaN()
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	return 100 * math.Sqrt(squares/float64(len(values)-1)) / mean
}

// ErrorOfMedian returns the relative standard error of the median of n normally distributed values, from their
// interquartile range: 1.25 times the error of their mean. +Inf for fewer than two.
func ErrorOfMedian(iqr, median float64, n int) float64 {
	const medianSE, sdOfIQR = 1.2533, 0.7413
	if n < 2 || !(median > 0) {
		return math.Inf(1)
	}
	return medianSE * sdOfIQR * iqr / median / math.Sqrt(float64(n))
}

// Draw picks n elements of a list at random, or all in random order if it is shorter.
func Draw[T any](rng *rand.Rand, list []T, n int) []T {
	out := make([]T, min(n, len(list)))
	for k, at := range rng.Perm(len(list))[:len(out)] {
		out[k] = list[at]
	}
	return out
}
