// Package standing says how a setting compares with the limits of a goal, and how certain that is.
//
//	Goal, Prediction or readings ──► Stand, Believe ──► Standing{State, ChanceOver}
package standing

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"jtune/internal/report"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// The chances of exceeding a limit that separate the states of a prediction, and the corresponding deviations of a
// normal distribution for the first two.
const (
	sureChance     = 0.025 // at the upper end of the 95 % band
	likelyChance   = 0.16  // at usualZ deviations
	doubtfulChance = 0.5   // at the median

	sureZ   = 1.959963984540054
	likelyZ = 0.994457883209753
)

// chanceSteps is the inverse of the step to which chances are rounded up: no chance becomes zero or crosses a bound of
// the states.
const chanceSteps = 10_000

// wideBand is the ratio of the ends of a 95 % band beyond which a prediction gets no tick.
const wideBand = 2

// State is whether a mode is within a limit, and how certain that is.
type State int

// States, best first.
const (
	Measured State = iota // by its readings, it exceeds the limit with no more chance than the risk
	Sure                  // predicted: the chance of exceeding is at most 2.5 %
	Likely                // at most 16 %, the chance at UsualMargin
	Doubtful              // at most a half
	Over                  // more
	Unknown               // neither measured nor predicted
)

// String returns the word; "" if unknown.
func (s State) String() string {
	return [...]string{"measured", "sure", "likely", "doubtful", "over", ""}[s]
}

// MarshalJSON returns the word; null if unknown.
func (s State) MarshalJSON() ([]byte, error) {
	if s == Unknown {
		return []byte("null"), nil
	}
	return json.Marshal(s.String())
}

// Within reports whether the mode counts as within the limit, as in optimize.Choose with the usual margin.
func (s State) Within() bool { return s <= Likely }

// Standing is how a mode compares with a limit.
type Standing struct {
	State
	N          int                // number of readings, whose mean counts; 0: predicted
	ChanceOver tegra.Val[float64] // of exceeding the limit, 0 to 1; absent without a limit
	Limited    bool               // there is a limit on power, time or energy
	Wide       bool               // predicted with a 95 % band of time or power wider than a factor of two
	Worked     bool               // measured, but its latency under load is computed from the readings
}

// Stand compares a mode with the limits of a goal: by the mean of its n readings, which p then contains, else by its
// prediction. The worst of several limits counts for a prediction. Without a limit a mode is Measured or Sure.
func Stand(l metric.Goal, p learn.Prediction, n int) Standing {
	if n > 0 {
		over := l.ChanceOver(slices.Repeat([]tegra.Measured{p.Measured}, n))
		return Believe(l, n, max(over, overPredicted(l, p.Measured)))
	}
	s := Standing{Limited: l.Limited()}
	s.Wide = p.TimeHiMS > wideBand*p.TimeLoMS || p.PowerHiW > wideBand*p.PowerLoW
	chance := 0.0
	if !(p.TimeMS > 0) {
		chance = math.NaN()
	}
	time, power := math.Log(p.TimeHiMS/p.TimeMS), math.Log(p.PowerHiW/p.PowerW)
	for b := range l.Limits.Each() {
		for value, sd := range b.Reads(p.Measured, p.LnTimeSD, p.LnPowerSD) {
			end := sureZ * sd
			if b.Metric.Of != nil {
				end = b.SD(time, power)
			}
			chance = max(chance, chanceOver(value, b.Value, sd, value*math.Exp(end))) // keeps NaN
		}
	}
	if s.Limited {
		s.ChanceOver = RoundedUp(chance)
	}
	s.State = stateAt(chance, Sure, sureChance)
	return s
}

// stateAt returns the state of a chance to exceed a limit: the best one up to most of it; Unknown for NaN.
func stateAt(chance float64, best State, most float64) State {
	switch {
	case chance <= most:
		return best
	case chance <= likelyChance:
		return Likely
	case chance <= doubtfulChance:
		return Doubtful
	case chance > doubtfulChance:
		return Over
	}
	return Unknown
}

// Believe returns the standing of a setting that was measured n times and exceeds the limits of a goal with a chance of
// over.
func Believe(l metric.Goal, n int, over float64) Standing {
	s := Standing{N: n, Limited: l.Limited()}
	if s.Limited {
		s.State, s.ChanceOver = stateAt(over, Measured, RiskOf(l)), RoundedUp(over)
	}
	return s
}

// RiskOf returns the chance to exceed a limit that a goal allows.
func RiskOf(l metric.Goal) float64 { return cmp.Or(l.Risk, metric.DefaultRisk) }

// RoundedUp rounds a chance up to a ten-thousandth; absent if it is unknown.
func RoundedUp(chance float64) tegra.Val[float64] {
	return tegra.Finite(math.Ceil(chance*chanceSteps) / chanceSteps)
}

// overPredicted returns the chance that a quantity of a measured setting exceeds its limit that no reading has, such as
// the steady temperature; 0 without one.
func overPredicted(l metric.Goal, m tegra.Measured) (chance float64) {
	for b := range l.Limits.Each() {
		for value, sd := range b.Reads(m, 0, 0) {
			if sd > 0 {
				chance = max(chance, distuv.UnitNormal.CDF(b.Over(value)/sd))
			}
		}
	}
	return chance
}

// Columns are how the rows of a table compare with the limit.
func Columns[T any](of func(T) Standing) report.Table[T] {
	return report.Table[T]{
		{Key: "measured", Of: func(row T) any { return !of(row).Predicted() }},
		{Key: "n", Of: func(row T) any { return of(row).N }},
		{Key: "state", Of: func(row T) any { return of(row).State }},
		{Key: "chance_over", Of: func(row T) any { return of(row).ChanceOver }},
	}
}

// Agrees adjusts the standing of a setting to the result of a computation with the usual margin (meets), so that
// interpolated latencies are on the same side of the limit.
func (s Standing) Agrees(meets bool) Standing {
	switch {
	case s.State == Unknown || s.Within() == meets:
	case s.Worked && meets:
		s.State = Likely
	case s.N > 0 && meets:
		s.State = Measured
	case s.N > 0:
		s.State = Over
	case meets:
		s.State, s.ChanceOver = Likely, tegra.Some(likelyChance)
	default:
		s.State, s.ChanceOver = Doubtful, tegra.Some(likelyChance+1.0/chanceSteps)
	}
	return s
}

// chanceOver returns the chance that a measurement of a predicted value exceeds a limit: a half at the median,
// likelyChance at usualZ deviations, sureChance at the upper end of the 95 % band, which is wider than a normal
// distribution's after few measurements. NaN without a prediction.
func chanceOver(value, limit, sd, hi float64) float64 {
	room, end, margin := math.Log(limit/value), math.Log(hi/value), metric.UsualMargin.Z()*sd
	z := likelyZ * room / margin
	if room > margin && end > margin {
		z = likelyZ + (sureZ-likelyZ)*(room-margin)/(end-margin)
	}
	return distuv.UnitNormal.CDF(-z)
}

// Doubt ranks settings within a limit by certainty, best first: measured, surely within, others.
func (s Standing) Doubt() int {
	switch {
	case s.N > 0:
		return 0
	case s.State == Sure && !s.Wide:
		return 1
	}
	return 2
}

// Predicted reports whether no reading counts.
func (s Standing) Predicted() bool { return s.N == 0 }

// Ticked reports whether the mode may be marked as good: measured within the limit, or surely within by a sufficiently
// narrow band.
func (s Standing) Ticked() bool { return s.Limited && s.State <= Sure && !s.Wide }

// String describes the standing: how certain, by how many readings, and the chance to keep the limit.
func (s Standing) String() string {
	readings := "one reading"
	if s.N > 1 {
		readings = fmt.Sprintf("mean of %d", s.N)
	}
	switch {
	case s.State == Unknown:
		return "nothing is known of it"
	case s.Worked:
		return s.State.String() + ", latency worked out"
	case !s.Limited && s.Predicted():
		return "predicted"
	case !s.Limited:
		return "measured, " + readings
	case s.State == Measured:
		return "measured within, " + readings
	case !s.Predicted() && s.State == Over:
		return "measured over, " + readings
	case s.State == Sure && s.Wide:
		return "surely within, by a wide band"
	case s.State == Sure:
		return "surely within"
	case s.State == Over:
		return strings.TrimSuffix("over, "+s.keeps(), ", ")
	}
	return s.State.String() + ", " + s.keeps()
}

// Brief is String in a few letters, for a table column; "" if there is nothing to say.
func (s Standing) Brief() string {
	switch {
	case s.Worked:
		return s.State.String()
	case !s.Predicted() && s.State == Over:
		return fmt.Sprintf("over, %d× read", s.N)
	case s.State == Measured && s.N > 1:
		return fmt.Sprintf("measured %d×", s.N)
	case s.State == Measured:
		return Measured.String()
	case !s.Limited, s.State == Unknown:
		return ""
	case s.State == Sure:
		return s.State.String()
	case s.State == Over && s.keeps() == "":
		return s.State.String()
	}
	return s.keeps()
}

// keeps prints the chance to keep the limit: "85 % sure", "9 % chance"; "" if it is negligible.
func (s Standing) keeps() string {
	switch pct := 100 * (1 - s.ChanceOver.V); {
	case !s.ChanceOver.OK:
		return "chance unknown"
	case pct < 0.5:
		return ""
	case pct > 99.5:
		return ">99 % sure"
	case pct < 50:
		return fmt.Sprintf("%.0f %% chance", pct)
	default:
		return fmt.Sprintf("%.0f %% sure", pct)
	}
}
