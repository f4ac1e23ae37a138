package stats

import (
	"cmp"
	"math"
	"slices"
)

// Estimate is the mean of a sequence of spans per unit of work, with its error. Such spans depend on each other: a
// loader waits every fourth step, lengths come in buckets. The error is therefore estimated by batch means (Law,
// Simulation Modeling and Analysis, section 9.5.3) of growing batches, or over whole periods where the sequence has a
// period.
type Estimate struct {
	Mean float64 // Σ took ÷ Σ units
	// Error is the standard error of Mean, widened by Student's t where there are few batches, so that Mean ± 1.96
	// Error holds the true mean with 95 %. NaN: too few spans to tell.
	Error  float64
	Median float64 // of the time per unit, each weighted by its units
	Units  float64 // counted
	// From and To bound the spans that count: whole periods, up to the newest.
	From, To int
	Period   int // spans of a period; 0: none found
	Peak     int // the longest span of a period, counted from From
	Outlier  int // the span that was left out; -1: none
}

// Relative returns the standard error as a share of the mean; NaN where it is unknown.
func (e Estimate) Relative() float64 { return e.Error / e.Mean }

const (
	// outlier is how many median units a single span must exceed to be none of the sequence, if it is also more than
	// outlierTwice times as long as the next longest. A span that recurs belongs to the mean.
	outlier      = 10
	outlierTwice = 2
	// periodic is the correlation of a sequence with itself one period later, and aperiodic what it must fall below in
	// between: a slow drift is no period.
	periodic, aperiodic = 0.8, 0.5
	// longestPeriod bounds the search for a period, to the newest mostPeriodic spans.
	longestPeriod, mostPeriodic = 200, 2000
	// fewestPairs is the fewest spans that must be compared with those one period later.
	fewestPairs = 8
	// fewestBatches is the fewest batches of the growing ones.
	fewestBatches = 6
	// manySpans is how many there must be for larger batches to be tried in any case: of 25 spans that do not depend
	// on each other, 28 % of the bands would be a third too wide. For fewer, fewSigned raises the two standard errors
	// above which a correlation of n batches is none of chance, by 12/n.
	manySpans, fewSigned = 32, 12
)

// MeanOf estimates the mean of took per unit. Both lists have one entry per span, in their order; entries without units
// or time are passed over by the caller.
func MeanOf(took, units []float64) Estimate {
	e := Estimate{Mean: math.NaN(), Error: math.NaN(), Median: math.NaN(), To: len(took), Outlier: -1}
	if len(took) == 0 || len(took) != len(units) {
		return e
	}
	e.Median = WeightedQuantile(took, units, 0.5)
	e.Outlier = outlierOf(took, units, e.Median)
	if e.Outlier >= 0 {
		took, units = slices.Clone(took), slices.Clone(units)
		took, units = slices.Delete(took, e.Outlier, e.Outlier+1), slices.Delete(units, e.Outlier, e.Outlier+1)
	}
	all := ratio(took, units)
	rest := make([]float64, len(took))
	for i := range took {
		rest[i] = took[i] - all*units[i]
	}
	size := 1
	if p := period(rest, all); p > 0 {
		e.Period, size = p, p
		e.From = len(took) % p
	}
	took, units = took[e.From:], units[e.From:]
	e.Mean, e.Units = ratio(took, units), Sum(units)
	for i := range min(e.Period, len(took)) {
		if took[i] > took[e.Peak] {
			e.Peak = i
		}
	}
	e.Error = batchError(took, units, e.Mean, size)
	return e
}

// Sum returns the sum of values.
func Sum(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

func ratio(took, units []float64) float64 { return Sum(took) / Sum(units) }

// outlierOf returns the single span that is none of the sequence; -1 where there is none.
func outlierOf(took, units []float64, median float64) int {
	if len(took) < 5 {
		return -1
	}
	at, next := 0, 0.0
	for i := range took {
		switch {
		case took[i] > took[at]:
			at, next = i, took[at]
		case i != at:
			next = max(next, took[i])
		}
	}
	if took[at]-median*units[at] > outlier*median && took[at] > outlierTwice*next {
		return at
	}
	return -1
}

// batchError returns the standard error of the mean, from batches of size spans, of twice as many, and so on. It is the
// largest of these estimates, because short batches hide that spans depend on each other. Where spans are few, larger
// batches show less than they cost: they grow only while neighbours are correlated beyond chance (Fishman and Yarberry,
// An Implementation of the Batch Means Method, INFORMS Journal on Computing 9(3), 1997).
func batchError(took, units []float64, mean float64, size int) float64 {
	worst := math.NaN()
	total, few := Sum(units), len(took) < manySpans
	for ; ; size *= 2 {
		n := len(took) / size
		if n < 2 || n < fewestBatches && !math.IsNaN(worst) {
			return worst
		}
		squares, products, before, skip := 0.0, 0.0, 0.0, len(took)-n*size
		for b := range n {
			from := skip + b*size
			rest := Sum(took[from:from+size]) - mean*Sum(units[from:from+size])
			squares, products, before = squares+rest*rest, products+rest*before, rest
		}
		err := math.Sqrt(squares*float64(n)/float64(n-1)) / total * student(n-1) / 1.96
		if !(err < worst) {
			worst = err
		}
		if chance := (2 + fewSigned/float64(n)) / math.Sqrt(float64(n)); few && products <= chance*squares {
			return worst
		}
	}
}

// student returns the 97.5 % quantile of Student's t distribution with n degrees of freedom, by the expansion of
// Cornish and Fisher around the normal quantile; exact where that fails, for one and two.
func student(n int) float64 {
	switch n {
	case 1:
		return 12.706
	case 2:
		return 4.303
	}
	z, v := 1.95996, float64(n)
	z3, z5, z7 := z*z*z, math.Pow(z, 5), math.Pow(z, 7)
	return z + (z3+z)/(4*v) + (5*z5+16*z3+3*z)/(96*v*v) + (3*z7+19*z5+17*z3-15*z)/(384*v*v*v)
}

// period returns after how many spans a sequence of deviations from its mean repeats itself; 0 where it does not.
func period(rest []float64, mean float64) int {
	rest = rest[max(0, len(rest)-mostPeriodic):]
	size := 0.0
	for _, v := range rest {
		size += v * v
	}
	if !(math.Sqrt(size/float64(max(1, len(rest)))) > 1e-9*math.Abs(mean)) {
		return 0
	}
	fell, best, at := false, 0.0, 0
	for p := 1; p <= min(longestPeriod, len(rest)/3) && len(rest)-p >= fewestPairs; p++ {
		product, a, b := 0.0, 0.0, 0.0
		for i := range rest[p:] {
			product += rest[i] * rest[i+p]
			a += rest[i] * rest[i]
			b += rest[i+p] * rest[i+p]
		}
		r := product / math.Sqrt(a*b)
		switch {
		case fell && r >= periodic && r > best:
			best, at = r, p
		case at > 0 && r < best:
			return at
		case r < aperiodic:
			fell = true
		}
	}
	return at
}

// WeightedQuantile returns a quantile of took per unit, where each span weighs its units; NaN for an empty list.
func WeightedQuantile(took, units []float64, q float64) float64 {
	if len(took) == 0 {
		return math.NaN()
	}
	order := make([]int, len(took))
	for i := range order {
		order[i] = i
	}
	each := func(i int) float64 { return took[i] / units[i] }
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(each(a), each(b)) })
	total, sum := Sum(units), 0.0
	for i, at := range order {
		if sum += units[at]; sum > q*total*(1+1e-12) || i == len(order)-1 {
			return each(at)
		} else if sum >= q*total*(1-1e-12) {
			return (each(at) + each(order[i+1])) / 2
		}
	}
	return math.NaN()
}
