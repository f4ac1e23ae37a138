package telemetry

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"jtune/tegra"
)

const (
	// maxPowerW is more than any Jetson module draws (Thor: 130 W). A reading above it is a sensor fault or a wrong
	// unit.
	maxPowerW = 300.0
	// gapIntervals is how many intervals without a sample make a gap. A logger on a busy board may be 200 ms late at 1
	// s; a gap of many intervals means that the process was stopped or a sensor hung.
	gapIntervals = 5
	gapAtLeast   = 2 * time.Second // at short intervals
)

// CheckPower returns why a reading's power cannot be trusted; "" when it can
// (docs/method.md, "Energy and power").
func CheckPower(r tegra.Reading) string {
	p := r.TotalW
	switch {
	case !p.OK:
		return "total power absent"
	case math.IsNaN(p.V) || math.IsInf(p.V, 0):
		return "total power is not a number"
	case p.V < 0:
		return fmt.Sprintf("total power %g W is negative", p.V)
	case p.V == 0:
		return "total power reads zero"
	case p.V > cmp.Or(r.MaxW, maxPowerW):
		return fmt.Sprintf("total power %g W is more than any module draws", p.V)
	case r.Heat.Or(false):
		return "board is throttled by heat"
	}
	return ""
}

// checkGap returns a reason when the previous sample is too old; "" when it is not.
func checkGap(gap, every time.Duration) string {
	if gap > max(gapAtLeast, gapIntervals*every) {
		return fmt.Sprintf("%s since the sample before, at an interval of %s", gap.Round(10*time.Millisecond), every)
	}
	return ""
}
