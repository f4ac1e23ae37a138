package telemetry

import (
	"fmt"
	"math"
	"time"

	"jtune/tegra"
)

const (
	// MaxPowerW is more than any Jetson module draws (Thor: 130 W); a reading
	// beyond it is a sensor fault or a wrong unit.
	MaxPowerW = 300.0
	// gapIntervals is how many intervals without a sample make a gap. The
	// papers' loggers came up to 200 ms late at 1 s (method note c.3); a gap of
	// many intervals means a process that was stopped or a sensor that hung.
	gapIntervals = 5
	gapAtLeast   = 2 * time.Second // at short intervals
)

// CheckPower tells why a reading's power cannot be trusted; "" when it can.
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
	case p.V > MaxPowerW:
		return fmt.Sprintf("total power %g W is more than any module draws", p.V)
	case r.Throttled.Or(false):
		return "board is throttled (heat or over-current)"
	}
	return ""
}

// checkGap tells when the sample before was too long ago; "" when it was not.
func checkGap(gap, every time.Duration) string {
	if gap > max(gapAtLeast, gapIntervals*every) {
		return fmt.Sprintf("%s since the sample before, at an interval of %s", gap.Round(10*time.Millisecond), every)
	}
	return ""
}
