// Package arrivals defines when requests arrive at a server, and which of them are batched.
//
//	Load (pattern, rate) ──► Times ──► moments of arrival, fixed beforehand
//	                           └──► Queue (batch size, maximal wait) ──► batches to serve
//
// The sender of requests (profiles/load), the server of batches (profiles/harness) and the queue simulation (optimize)
// use both, so that prediction and measurement mean the same.
package arrivals

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"jtune/internal/text"
)

// Pattern is the arrival pattern of requests.
type Pattern string

// Patterns.
const (
	Closed  Pattern = "closed"  // the next request is sent when one is answered
	Uniform Pattern = "uniform" // at equal intervals
	Poisson Pattern = "poisson" // at exponentially distributed intervals
	Trace   Pattern = "trace"   // at recorded times
)

// Limits of a load.
const (
	mostRate = 1e6     // requests per second
	mostTime = 1 << 22 // arrivals in a trace
	// All is the number of outstanding requests of an unbounded closed loop.
	All = math.MaxInt
	// multiStream is the number of samples per query in MLPerf's MultiStream.
	multiStream = 8
)

// Load describes how requests arrive. The zero value is a closed loop with one request outstanding.
type Load struct {
	Pattern     Pattern
	RatePerS    float64   // mean rate; 0 in a closed loop
	Outstanding int       // of a closed loop: requests waiting for their answer; 0 means 1
	TraceS      []float64 // arrivals in seconds, ascending; repeated as long as needed
}

// Named returns the load with a pattern's name, or of an MLPerf Inference scenario: SingleStream and MultiStream are
// closed loops with 1 and 8 requests outstanding, Offline is an unbounded one, Server has Poisson arrivals.
func Named(name string) (Load, error) {
	switch strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name)) {
	case "closed", "singlestream":
		return Load{Pattern: Closed, Outstanding: 1}, nil
	case "multistream":
		return Load{Pattern: Closed, Outstanding: multiStream}, nil
	case "offline":
		return Load{Pattern: Closed, Outstanding: All}, nil
	case "uniform":
		return Load{Pattern: Uniform}, nil
	case "poisson", "server":
		return Load{Pattern: Poisson}, nil
	}
	return Load{}, fmt.Errorf("arrivals %q: want closed, uniform, poisson or a file of arrival times in seconds", name)
}

// Open reports whether requests arrive independently of answers.
func (l Load) Open() bool { return l.Pattern != Closed && l.Pattern != "" }

// Recorded returns the load of recorded arrivals, in seconds and ascending, at their own rate.
func Recorded(times []float64) (Load, error) {
	l := Load{Pattern: Trace, TraceS: times}
	if n := len(times); n < 2 || !(times[n-1] > times[0]) {
		return l, errors.New("a trace needs two arrivals at different times")
	}
	if l.RatePerS = l.traceRate(); !(l.RatePerS > 1/mostRate && l.RatePerS <= mostRate) {
		return l, fmt.Errorf("a trace of %.3g arrivals per second: want seconds, at most %g of them per second",
			l.RatePerS, mostRate)
	}
	return l, nil
}

// traceRate returns the recorded rate of the trace.
func (l Load) traceRate() float64 {
	n := len(l.TraceS)
	return float64(n-1) / (l.TraceS[n-1] - l.TraceS[0])
}

// Check returns an error unless the load is valid.
func (l Load) Check() error {
	switch l.Pattern {
	case Closed, "":
		if l.RatePerS != 0 {
			return errors.New("a closed loop has no rate: it sends when an answer has come; give arrivals uniform, " +
				"poisson or a file")
		}
		if l.Outstanding < 0 {
			return fmt.Errorf("%d requests outstanding: want 1 or more", l.Outstanding)
		}
		return nil
	case Uniform, Poisson, Trace:
		if !(l.RatePerS > 0 && l.RatePerS <= mostRate) {
			return fmt.Errorf("%s arrivals take a rate such as 30/s, at most %g/s", l.Pattern, mostRate)
		}
		return nil
	}
	return fmt.Errorf("arrivals %q are unknown", string(l.Pattern))
}

// String formats the load for people: "30/s poisson", "closed, 4 outstanding".
func (l Load) String() string {
	switch {
	case l.Open():
		return text.Exact(l.RatePerS) + "/s " + string(l.Pattern)
	case l.Outstanding == All:
		return "closed, all outstanding"
	}
	return fmt.Sprintf("closed, %d outstanding", max(1, l.Outstanding))
}

// Times generates the arrival times of an open loop. They are fixed in advance: equal loads and seeds give equal times,
// no matter how slowly a caller reads them.
type Times struct {
	load  Load
	rng   *rand.Rand
	start time.Duration
	n     int
	last  float64 // seconds since the start
}

// Times starts the schedule of an open loop at start.
func (l Load) Times(seed uint64, start time.Duration) *Times {
	return &Times{load: l, rng: rand.New(rand.NewPCG(seed, 0x6172726976616c73)), start: start}
}

// Next returns the next arrival. Uniform arrivals are at 0, 1/λ, 2/λ … after the start; the first Poisson arrival
// follows after a random interval; a trace starts at the start.
func (t *Times) Next() time.Duration {
	switch t.load.Pattern {
	case Uniform:
		t.last = float64(t.n) / t.load.RatePerS
	case Poisson:
		t.last += t.rng.ExpFloat64() / t.load.RatePerS
	default:
		t.last = t.traced()
	}
	t.n++
	return t.start + time.Duration(t.last*float64(time.Second))
}

// traced returns arrival n of the trace, scaled to the load's rate. The trace repeats after one mean interval.
func (t *Times) traced() float64 {
	trace := t.load.TraceS
	n := len(trace)
	own := t.load.traceRate()
	span := trace[n-1] - trace[0] + 1/own
	at := float64(t.n/n)*span + trace[t.n%n] - trace[0]
	return at * own / t.load.RatePerS
}
