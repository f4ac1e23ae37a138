package serving

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/figure"
	"jtune/internal/usage"
	"jtune/optimize"
)

// mostTraceFile bounds a file of arrivals in bytes.
const mostTraceFile = 64 << 20

// Serving is the load of an inference workload, as flags and dialogs give it.
type Serving struct {
	RatePerS    float64 // 0: a closed loop, or a file's own rate
	Arrivals    string  // a pattern, a scenario of MLPerf, or a file of seconds; "": poisson, closed without a rate
	Outstanding int     // of a closed loop; 0: the scenario's, 1
	LatencyMS   float64 // limit at Quantile; 0: none
	Quantile    float64
	MaxWaitMS   float64
	PowerAs     string
	IdleW       float64 // 0: not known
}

// Gives reports whether it says what the flag of this name does.
func (v Serving) Gives(flag string) bool {
	switch flag {
	case "rate":
		return v.RatePerS > 0
	case "arrivals": // a rate alone means random ones
		return v.Arrivals != "" || v.RatePerS > 0
	case "latency", "quantile":
		return v.LatencyMS > 0
	case "max-wait":
		return v.MaxWaitMS > 0
	case "outstanding":
		return v.Outstanding > 0
	}
	return false
}

// Configured takes what is not given, by the names of flags, from the load and the limit that the configuration gives
// a workload. A closed loop that is asked for has no rate.
func (v Serving) Configured(own Serving, given func(flag string) bool) Serving {
	if l, err := arrivals.Named(v.Arrivals); err == nil && !l.Open() || given("outstanding") {
		own.RatePerS, own.Arrivals = 0, ""
	}
	for _, f := range []struct {
		name     string
		to, from *float64
	}{{"rate", &v.RatePerS, &own.RatePerS}, {"latency", &v.LatencyMS, &own.LatencyMS},
		{"quantile", &v.Quantile, &own.Quantile}, {"max-wait", &v.MaxWaitMS, &own.MaxWaitMS}} {
		if !given(f.name) && *f.from > 0 {
			*f.to = *f.from
		}
	}
	if !given("arrivals") {
		v.Arrivals = own.Arrivals
	}
	return v
}

// Load is how its requests come. Errors are of usage.
func (v Serving) Load() (arrivals.Load, error) {
	name := v.Arrivals
	if name == "" {
		name = string(arrivals.Closed)
		if v.RatePerS != 0 {
			name = string(arrivals.Poisson)
		}
	}
	l, err := arrivals.Named(name)
	if _, none := os.Stat(name); err != nil && (none == nil || strings.ContainsAny(name, "./")) {
		l, err = readTrace(name)
	}
	if err != nil {
		return l, usage.Arrivals.Errorf("%w", err)
	}
	l.RatePerS = v.RatePerS
	if v.Outstanding > 0 {
		l.Outstanding = v.Outstanding
	}
	if err := l.Check(); err != nil {
		return l, usage.Load.Errorf("%w", err)
	}
	return l, nil
}

func readTrace(path string) (arrivals.Load, error) {
	f, err := os.Open(path)
	if err != nil {
		return arrivals.Load{}, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() || st.Size() > mostTraceFile {
		return arrivals.Load{}, fmt.Errorf("%s: want a plain file of at most %d MB", path, mostTraceFile>>20)
	}
	l, err := arrivals.ReadTrace(f)
	if err != nil {
		return l, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// Ask is what it asks for, with the other limits. Errors are of usage.
func (v Serving) Ask(l optimize.Limit, seed uint64) (optimize.Ask, error) {
	load, err := v.Load()
	if err != nil {
		return optimize.Ask{}, err
	}
	a := optimize.Ask{Limit: l, LatencyMS: v.LatencyMS,
		Quantile: v.Quantile, Load: load, MaxWait: time.Duration(v.MaxWaitMS * float64(time.Millisecond)), Seed: seed,
		PowerAs: optimize.PowerAs(cmp.Or(v.PowerAs, string(optimize.Peak))), IdleW: v.IdleW}
	if v.IdleW == 0 {
		a.IdleW = math.NaN()
	}
	switch {
	case a.PowerAs != optimize.Peak && a.PowerAs != optimize.Mean:
		return a, usage.PowerAs.Errorf("%s %q: want peak or mean", usage.PowerAs, v.PowerAs)
	case l.Knee || l.MaxSlowdownPct > 0 || l.EnergyJ > 0:
		return a, usage.Errorf("%s, %s and %s are not for a load", usage.EnergyLimit, usage.Knee, usage.MaxSlowdown)
	}
	if err := a.Check(); err != nil {
		return a, usage.Of(err)
	}
	return a, nil
}

// QuantileText is what people call a quantile: "p99".
func QuantileText(q float64) string { return fmt.Sprintf("p%.4g", 100*q) }

// ServedCost is what a front under a load has beside the latency.
func ServedCost(a optimize.Ask, energy bool) (of figure.Axis, cost func(optimize.Outcome) float64) {
	switch {
	case energy && math.IsNaN(a.IdleW) && a.Load.Open():
		return figure.Axis{Key: "busy_unit_j", Name: "energy per request, serving alone", Unit: "J"},
			func(v optimize.Outcome) float64 { return v.BusyJPerUnit }
	case energy:
		return figure.Axis{Key: "unit_j", Name: "energy per request", Unit: "J"},
			func(v optimize.Outcome) float64 { return v.JPerUnit }
	case a.PowerAs == optimize.Mean:
		return figure.Axis{Key: "mean_w", Name: "mean power", Unit: "W"},
			func(v optimize.Outcome) float64 { return v.MeanW }
	}
	return figure.Axis{Key: "peak_w", Name: "peak power", Unit: "W"},
		func(v optimize.Outcome) float64 { return v.PeakW }
}
