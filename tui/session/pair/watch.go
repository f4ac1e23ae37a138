package pair

import (
	"cmp"
	"fmt"

	"jtune/optimize/mix"
	"jtune/profiles/record"
	"jtune/tegra"
)

// MostTurns are kept for the screens.
const MostTurns = 200

// PairLimit is a limit of a pair, and what the pair has of it.
type PairLimit struct {
	Name  string // "power", "p99"
	Value tegra.Val[float64]
	Limit float64
	Unit  string
}

// Held reports whether the limit is kept; absent where the value is not known yet.
func (l PairLimit) Held() tegra.Val[bool] {
	return tegra.Val[bool]{V: l.Value.V <= l.Limit, OK: l.Value.OK}
}

// PairLimits are the limits of an ask, and what a pair has of each.
func PairLimits(a mix.Ask, p record.Pair) (out []PairLimit) {
	if a.PowerW > 0 {
		l := PairLimit{Name: "power, peak", Limit: a.PowerW, Unit: "W", Value: positive(p.PeakW())}
		if a.PowerAs == mix.Mean {
			l.Name, l.Value = "power, mean", positive(p.MeanW)
		}
		out = append(out, l)
	}
	if a.LatencyMS > 0 {
		name := fmt.Sprintf("p%.4g", 100*cmp.Or(a.Quantile, mix.UsualQuantile))
		l := PairLimit{Name: name, Limit: a.LatencyMS, Unit: "ms"}
		if p.Latency.N > 0 {
			l.Value = tegra.Finite(quantileOf(p.Latency, cmp.Or(a.Quantile, mix.UsualQuantile)))
		}
		out = append(out, l)
	}
	return out
}

func positive(v float64) tegra.Val[float64] { return tegra.Val[float64]{V: v, OK: v > 0} }
