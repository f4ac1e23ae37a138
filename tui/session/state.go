package session

import (
	"math"

	"jtune/optimize"
)

// State is whether a mode is within a limit, and how sure that is.
type State int

// States, the best first.
const (
	Measured State = iota // and within the limit
	Sure                  // predicted over with a chance of 2.5 % at most
	Likely                // of 16 %: Margin deviations
	Doubtful              // of a half
	Over                  // more likely over than not, or measured over
)

func (s State) String() string {
	return [...]string{"measured", "sure", "likely", "doubtful", "over"}[s]
}

// Within reports whether the mode counts as one within the limit, as Choose has it.
func (s State) Within() bool { return s <= Likely }

// sureDeviations are those that a prediction of state Sure keeps from its limit.
const sureDeviations = 1.96

// State is the state of mode i: of several limits the worst. Without a limit
// a mode is Measured or Sure.
func (o *Outlook) State(i int, l optimize.Limit) State {
	p := o.Known[i]
	measured := o.readings[p.Setting].N > 0
	room := min(deviations(p.PowerW, l.PowerW, p.LnPowerSD), deviations(p.TimeMS, l.TimeMS, p.LnTimeSD))
	switch {
	case measured && room >= 0:
		return Measured
	case room >= sureDeviations:
		return Sure
	case room >= Margin:
		return Likely
	case room >= 0:
		return Doubtful
	}
	return Over
}

// deviations are those of the logarithm by which a value keeps from its limit;
// infinite where there is no limit, or no deviation.
func deviations(value, limit, sd float64) float64 {
	room := math.Log(limit / value)
	switch {
	case limit == 0:
		return math.Inf(1)
	case !(room >= 0): // also of no value
		return math.Inf(-1)
	case sd == 0:
		return math.Inf(1)
	}
	return room / sd
}
