package arrivals

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"jtune/internal/usage"
)

// mostTraceFile is the maximum size of an arrivals file in bytes.
const mostTraceFile = 64 << 20

// Spec is the load of an inference workload as in flags, dialogs and the header of a campaign.
type Spec struct {
	RatePerS float64 `toml:"rate_per_s,omitempty"` // 0: a closed loop, or the trace's recorded rate
	// Arrivals is a pattern, an MLPerf scenario, or a file of arrival times in seconds; "": poisson, or closed without
	// a rate.
	Arrivals    string  `toml:"arrivals,omitempty"`
	Outstanding int     `toml:"outstanding,omitempty"` // of a closed loop; 0: the scenario's, otherwise 1
	LatencyMS   float64 `toml:"latency_ms,omitempty"`  // limit at Quantile; 0: none
	Quantile    float64 `toml:"quantile,omitempty"`
	MaxWaitMS   float64 `toml:"max_wait_ms,omitempty"`
	PowerAs     string  `toml:"power_as,omitempty"` // peak or mean; "": peak
	IdleW       float64 `toml:"idle_w,omitempty"`   // 0: unknown
}

// Any reports whether the limits of a question apply under a load.
func (v Spec) Any() bool { return v != Spec{} }

// Open reports whether requests arrive independently of answers.
func (v Spec) Open() bool {
	l, err := Named(v.Arrivals)
	return v.RatePerS > 0 || v.Arrivals != "" && (err != nil || l.Open())
}

// Gives reports whether the spec sets what the flag sets.
func (v Spec) Gives(flag string) bool {
	switch flag {
	case "rate":
		return v.RatePerS > 0
	case "arrivals": // a rate alone means Poisson arrivals
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

// Configured fills in what is not given, by flag names, from the load and the limit configured for a workload. A closed
// loop has no rate.
func (v Spec) Configured(own Spec, given func(flag string) bool) Spec {
	if l, err := Named(v.Arrivals); err == nil && !l.Open() || given("outstanding") {
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

// Load returns the load. Errors are usage errors.
func (v *Spec) Load() (Load, error) {
	name := v.Arrivals
	if name == "" {
		name = string(Closed)
		if v.RatePerS != 0 {
			name = string(Poisson)
		}
	}
	l, err := Named(name)
	if _, none := os.Stat(name); err != nil && (none == nil || strings.ContainsAny(name, "./")) {
		l, err = readTrace(name)
	}
	if err != nil {
		return l, usage.Arrivals.Errorf("%w", err)
	}
	l.RatePerS = cmp.Or(v.RatePerS, l.RatePerS)
	if v.Outstanding > 0 {
		l.Outstanding = v.Outstanding
	}
	if err := l.Check(); err != nil {
		return l, usage.Load.Errorf("%w", err)
	}
	return l, nil
}

func readTrace(path string) (Load, error) {
	f, err := os.Open(path)
	if err != nil {
		return Load{}, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() || st.Size() > mostTraceFile {
		return Load{}, fmt.Errorf("%s: want a plain file of at most %d MB", path, mostTraceFile>>20)
	}
	l, err := parseTrace(f)
	if err != nil {
		return l, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}
