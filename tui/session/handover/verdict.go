package handover

import (
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Verdict compares the readings of a mode with a limit.
type Verdict string

// Verdicts. Without a limit there is none.
const (
	NoLimit Verdict = ""
	Within  Verdict = "within"
	AtLimit Verdict = "at the limit"
	Over    Verdict = "over"
)

const (
	// verdictRisk is the chance of error at which a verdict is given.
	verdictRisk = 0.05
	// mostReadings is how often a mode is read to reach one.
	mostReadings = 6
)

// verdictOf is the verdict of repeated readings: within or over once the chance that the true value is on the other
// side is small, at the limit until then. A mode whose mean is over a limit is never within.
func verdictOf(l metric.Goal, readings []tegra.Measured) Verdict {
	if !l.Limited() {
		return NoLimit
	}
	mean := meanOf(readings)
	if l.Limits == l.Limits.Only(metric.Time) {
		mean.PowerW = 1 // it need not be known
	}
	switch over := l.ChanceOver(readings); {
	case over <= verdictRisk && l.Met(mean):
		return Within
	case over >= 1-verdictRisk && !l.Met(mean):
		return Over
	}
	return AtLimit
}

func meanOf(readings []tegra.Measured) tegra.Measured {
	if len(readings) == 0 {
		return tegra.Measured{}
	}
	return tegra.MeansOf(readings)[0].Measured
}
