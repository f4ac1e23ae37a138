package load

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/stats"
)

// mostLate is how late the generator may be in the mean, in shares of the period between two
// requests, before a row is marked: its numbers are then partly the generator's own.
const mostLate = 0.01

// Result is what became of a load.
type Result struct {
	Load         arrivals.Load
	Requests     []Request // by number
	Begun, Ended time.Duration
}

// LateMS is the mean time from when a request could be sent to when it was: the generator's own delay. 0 in a closed
// loop.
func (r Result) LateMS() float64 {
	if !r.Load.Open() {
		return 0
	}
	sum := time.Duration(0)
	for _, q := range r.Requests {
		sum += q.Start - q.Arrive
	}
	return ms(sum) / float64(max(1, len(r.Requests)))
}

// Late reports whether requests at a rate were sent so late in the mean that what they show is to be marked.
func Late(meanMS, ratePerS float64) bool { return meanMS > mostLate*1000/ratePerS }

// Failed counts the requests that failed.
func (r Result) Failed() int {
	n := 0
	for _, q := range r.Requests {
		if q.Err != nil {
			n++
		}
	}
	return n
}

// ServedPerS is the rate of answers, from the start to the last of them.
func (r Result) ServedPerS() float64 {
	n, last := 0, r.Begun
	for _, q := range r.Requests {
		if q.Err == nil {
			n, last = n+1, max(last, q.End)
		}
	}
	if n == 0 {
		return 0
	}
	return float64(n) / (last - r.Begun).Seconds()
}

// Latencies are those of the requests that were answered.
func (r Result) Latencies() Latencies {
	var list []float64
	for _, q := range r.Requests {
		if q.Err == nil {
			list = append(list, q.LatencyMS())
		}
	}
	return NewLatencies(list)
}

// Latencies are times in milliseconds, ascending.
type Latencies []float64

// NewLatencies takes times in milliseconds in any order; it sorts them in place.
func NewLatencies(ms []float64) Latencies {
	slices.Sort(ms)
	return ms
}

// Quantile is the nearest rank of a share of q, 0 to 1.
func (l Latencies) Quantile(q float64) Quantile {
	return Quantile{MS: stats.NearestRank(l, q), Holds: stats.QuantileHolds(q, len(l))}
}

// Quantile is a quantile of latencies.
type Quantile struct {
	MS float64 // NaN without any request
	// Holds: there were enough requests for it, 1,000 for p99 and 200 for p95. One that does not hold is
	// shown with "~" and is no ground for saying that a limit is met.
	Holds bool
}

// String is the value in milliseconds, after "~" where there were too few requests.
func (q Quantile) String() string {
	switch {
	case math.IsNaN(q.MS):
		return "-"
	case !q.Holds:
		return fmt.Sprintf("~%.4g", q.MS)
	}
	return fmt.Sprintf("%.4g", q.MS)
}

// MarshalJSON is the value in milliseconds; null where there were too few requests.
func (q Quantile) MarshalJSON() ([]byte, error) {
	if !q.Holds || math.IsNaN(q.MS) {
		return []byte("null"), nil
	}
	return json.Marshal(q.MS)
}
