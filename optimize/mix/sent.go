package mix

import (
	"math"

	"jtune/internal/stats"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Sent is the measured latency of a setting at an ask's quantile, for requests at a rate.
type Sent struct {
	tegra.Setting
	RatePerS  float64
	LatencyMS float64
}

// correction is the ratio of measured to calculated latencies, in logarithms, and the standard deviation of a setting's
// ratio.
type correction struct{ ln, sd float64 }

// factor returns the factor for a calculated latency, z standard deviations above the median.
func (c correction) factor(z float64) float64 { return math.Exp(c.ln + z*c.sd) }

const (
	// offSpread is the standard deviation of that ratio between settings: 3 to 5 % on virtual boards.
	offSpread = 0.04
	// mostOff limits the correction: a larger deviation indicates another job, or a disturbed board.
	mostOff = 0.7 // in logarithms
	// mostBusySent is the busy share above which a queue is too long for its ratio to apply elsewhere.
	mostBusySent = 0.9
)

// Corrected returns the ask with calculated latencies of a workload corrected by the measured ones.
func (a Ask) Corrected(infer Phase) Ask {
	a.off = correction{}
	sum, n := 0.0, 0.0
	for _, s := range a.Sent {
		at := a
		at.Load.RatePerS, at.Goal.Margin, at.Policy = s.RatePerS, metric.NoMargin, ""
		o, ok := at.Evaluate(s.Setting, infer, Phase{})
		if !ok || !stats.Positive(s.LatencyMS, o.LatencyMS) || o.Rho > mostBusySent {
			continue
		}
		if ln := math.Log(s.LatencyMS / o.LatencyMS); math.Abs(ln) <= mostOff {
			sum, n = sum+ln, n+1
		}
	}
	if n > 0 {
		a.off = correction{sum / n, offSpread * math.Sqrt(1+1/n)}
	}
	return a
}

// SameOff reports whether two asks use the same correction.
func (a *Ask) SameOff(b Ask) bool { return a.off == b.off }
