package mix

import (
	"cmp"
	"math"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/usage"
	"jtune/optimize"
)

// AskOf is what a limit under a load asks for. Errors are of usage.
func AskOf(l optimize.Limit, v arrivals.Spec, seed uint64) (Ask, error) {
	load, err := v.Load()
	if err != nil {
		return Ask{}, err
	}
	a := Ask{Limit: l, LatencyMS: v.LatencyMS,
		Quantile: v.Quantile, Load: load, MaxWait: time.Duration(v.MaxWaitMS * float64(time.Millisecond)), Seed: seed,
		PowerAs: PowerAs(cmp.Or(v.PowerAs, string(Peak))), IdleW: v.IdleW}
	if v.IdleW == 0 {
		a.IdleW = math.NaN()
	}
	switch {
	case a.PowerAs != Peak && a.PowerAs != Mean:
		return a, usage.PowerAs.Errorf("%s %q: want peak or mean", usage.PowerAs, v.PowerAs)
	case l.Knee || l.MaxSlowdownPct > 0 || l.EnergyJ > 0:
		return a, usage.Errorf("%s, %s and %s are not for a load", usage.EnergyLimit, usage.Knee, usage.MaxSlowdown)
	}
	if err := a.Check(); err != nil {
		return a, usage.Of(err)
	}
	return a, nil
}
