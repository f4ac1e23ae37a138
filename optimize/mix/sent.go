package mix

import (
	"math"

	"jtune/optimize"
	"jtune/tegra"
)

// Sent is what requests have shown of a setting: the latency at an ask's quantile, when they came at a rate.
type Sent struct {
	tegra.Setting
	RatePerS  float64
	LatencyMS float64
}

// correction is the ratio of measured latencies to calculated ones, in logarithms, and by how much that of a setting
// may differ from it, one standard deviation.
type correction struct{ ln, sd float64 }

// factor is what a calculated latency is multiplied with, z standard deviations above the likeliest.
func (c correction) factor(z float64) float64 { return math.Exp(c.ln + z*c.sd) }

const (
	// offSpread is by how much that ratio differs from setting to setting: of virtual boards by 3 to 5 %.
	offSpread = 0.04
	// mostOff bounds it: what lies farther off is another job, or a board that was disturbed.
	mostOff = 0.7 // in logarithms
	// mostBusySent is the share of busy time above which a queue is so long that its ratio says nothing of others.
	mostBusySent = 0.9
)

// Corrected is the ask with the latencies that are calculated for a workload corrected by those that were measured.
func (a Ask) Corrected(infer Phase) Ask {
	a.off = correction{}
	sum, n := 0.0, 0.0
	for _, s := range a.Sent {
		at := a
		at.Load.RatePerS, at.Margin, at.Policy = s.RatePerS, optimize.NoMargin, ""
		o, ok := at.Evaluate(s.Setting, infer, nil)
		if !ok || !(s.LatencyMS > 0) || !(o.LatencyMS > 0) || math.IsInf(o.LatencyMS, 1) || o.Rho > mostBusySent {
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

// SameOff reports whether two asks correct latencies alike.
func (a *Ask) SameOff(b Ask) bool { return a.off == b.off }
