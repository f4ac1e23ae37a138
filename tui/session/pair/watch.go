package pair

import (
	"jtune/optimize/mix"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// MostTurns is how many turns are kept for the screens.
const MostTurns = 200

// PairLimit is a limit of a pair, and the pair's value.
type PairLimit struct {
	Name  string // "power", "p99"
	Value tegra.Val[float64]
	Limit float64
	Unit  string
}

// Held reports whether the limit is met; absent while the value is unknown.
func (l PairLimit) Held() tegra.Val[bool] {
	return tegra.Val[bool]{V: l.Value.V <= l.Limit, OK: l.Value.OK}
}

// PairLimits returns the limits of an ask with the values of a pair.
func PairLimits(a mix.Ask, p record.Pair) (out []PairLimit) {
	if _, limited := a.Goal.Limits.On(metric.Power); limited {
		l := PairLimit{Name: "power, peak", Limit: a.Goal.Of(metric.Power), Unit: "W", Value: positive(p.PeakW())}
		if a.PowerAs == mix.Mean {
			l.Name, l.Value = "power, mean", positive(p.MeanW)
		}
		out = append(out, l)
	}
	if a.LatencyMS > 0 {
		at := p.Latency.At(a.Quantile)
		out = append(out, PairLimit{Name: at.String(), Limit: a.LatencyMS, Unit: "ms", Value: positive(at.MS.V)})
	}
	return out
}

func positive(v float64) tegra.Val[float64] { return tegra.Val[float64]{V: v, OK: v > 0} }
