package standing

import (
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Verdict compares repeated readings of a mode with a limit.
type Verdict string

// Verdicts. Without a limit there is none.
const (
	NoVerdict Verdict = ""
	Keeps     Verdict = "within"
	AtLimit   Verdict = "at the limit"
	Exceeds   Verdict = "over"
)

const (
	// verdictRisk is the chance of error at which a verdict is given.
	verdictRisk = 0.05
	// MostReadings is how often a mode is read to reach one.
	MostReadings = 6
)

// VerdictOf is the verdict of repeated readings: within or over once the chance that the true value is on the other
// side is small, at the limit until then. A mode whose mean is over a limit is never within.
func VerdictOf(l metric.Goal, readings []tegra.Measured) Verdict {
	if !l.Limited() {
		return NoVerdict
	}
	mean := tegra.Measured{}
	if len(readings) > 0 {
		mean = tegra.MeansOf(readings)[0].Measured
	}
	if l.Limits == l.Limits.Only(metric.Time) {
		mean.PowerW = 1 // it need not be known
	}
	switch over := l.ChanceOver(readings); {
	case over <= verdictRisk && l.Met(mean):
		return Keeps
	case over >= 1-verdictRisk && !l.Met(mean):
		return Exceeds
	}
	return AtLimit
}

// Verdict is the verdict of a measured setting's standing; NoVerdict of a prediction, or of a
// latency that is calculated.
func (s Standing) Verdict() Verdict {
	switch {
	case s.Predicted() || !s.Limited || s.Worked:
		return NoVerdict
	case s.State == Measured:
		return Keeps
	case s.State == Over && s.ChanceOver.Or(0) >= 1-verdictRisk:
		return Exceeds
	}
	return AtLimit
}
