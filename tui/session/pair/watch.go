package pair

import (
	"slices"

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
func PairLimits(a mix.Ask, p record.Pair) []PairLimit {
	power := PairLimit{Name: "power, peak", Limit: a.Goal.Of(metric.Power), Unit: "W", Value: positive(p.PeakW())}
	if a.PowerAs == mix.Mean {
		power.Name, power.Value = "power, mean", positive(p.MeanW)
	}
	at := p.Latency.At(a.Quantile)
	late := PairLimit{Name: at.String(), Limit: a.LatencyMS, Unit: "ms", Value: positive(at.MS.V)}
	return slices.DeleteFunc([]PairLimit{power, late}, func(l PairLimit) bool { return l.Limit == 0 })
}

func positive(v float64) tegra.Val[float64] { return tegra.Val[float64]{V: v, OK: v > 0} }
