package mix

import (
	"cmp"
	"math"
	"time"

	"jtune/internal/usage"
	"jtune/tegra/metric"
)

// AskOf returns a question under its load, with the arrival times drawn by seed. Errors are usage errors.
func AskOf(q metric.Question, seed uint64) (Ask, error) {
	l, v := q.Limit, q.Load
	load, err := v.Load()
	if err != nil {
		return Ask{}, err
	}
	a := Ask{Goal: l, LatencyMS: v.LatencyMS, Quantile: cmp.Or(v.Quantile, metric.UsualQuantile), Load: load,
		MaxWait: time.Duration(v.MaxWaitMS * float64(time.Millisecond)), Seed: seed,
		PowerAs: PowerAs(cmp.Or(v.PowerAs, string(Peak))), IdleW: v.IdleW}
	if v.IdleW == 0 {
		a.IdleW = math.NaN()
	}
	switch {
	case a.PowerAs != Peak && a.PowerAs != Mean:
		return a, usage.PowerAs.Errorf("%s %q: want peak or mean", usage.PowerAs, v.PowerAs)
	case l.Knee || l.SlowerPct > 0 || l.Limits != l.Limits.Only(metric.Power, metric.Time):
		return a, usage.Errorf("a load takes limits on power and time: %s, %s and %s are not for a load",
			usage.EnergyLimit, usage.Knee, usage.MaxSlowdown)
	}
	if err := a.Check(); err != nil {
		return a, usage.Of(err)
	}
	return a, nil
}
