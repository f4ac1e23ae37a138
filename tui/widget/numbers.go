package widget

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"jtune/internal/axis"
	"jtune/internal/text"
)

// Dash is shown for an absent value, which is never shown as zero.
const Dash = "–"

// Number formats a value with that many decimals, or a dash if it is not finite.
func Number(v float64, decimals int) string {
	if !axis.Finite(v) {
		return Dash
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// Positive formats a value that is known only if above zero.
func Positive(v float64, decimals int) string {
	if !(v > 0) {
		return Dash
	}
	return Number(v, decimals)
}

// MS formats milliseconds with about three significant digits.
func MS(v float64) string {
	if !(v > 0) {
		return Dash
	}
	return text.Of(v)
}

// Joules formats an energy in J, kJ or mJ.
func Joules(j float64) string {
	switch {
	case !axis.Finite(j) || j < 0:
		return Dash
	case j >= 1000:
		return strconv.FormatFloat(j/1000, 'f', 1, 64) + " kJ"
	case j >= 0.1 || j == 0:
		return strconv.FormatFloat(j, 'f', 2, 64) + " J"
	}
	return strconv.FormatFloat(j*1000, 'f', 1, 64) + " mJ"
}

// SignedPct formats "+34 %" or "-41 %"; ratios from 2 on are factors: "8.4×".
func SignedPct(v float64) string {
	if !axis.Finite(v) {
		return Dash
	}
	switch ratio := 1 + v/100; {
	case ratio >= 9.95:
		return fmt.Sprintf("%.0f×", ratio)
	case ratio >= 2:
		return fmt.Sprintf("%.1f×", ratio)
	}
	return fmt.Sprintf("%+.0f %%", math.Round(v)+0) // +0 turns a negative zero into zero
}

// ClockText formats a duration as 06:12 or 1:02:03.
func ClockText(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

// SpanRange formats the bounds of a duration with one unit, or one number if both look the same.
func SpanRange(lo, hi time.Duration) string {
	unit, name := time.Second, "s"
	switch {
	case hi >= 2*time.Hour:
		unit, name = time.Hour, "h"
	case hi >= 2*time.Minute:
		unit, name = time.Minute, "min"
	}
	in := func(d time.Duration) string { return fmt.Sprintf("%.0f", float64(d)/float64(unit)) }
	if in(lo) == in(hi) {
		return in(hi) + " " + name
	}
	return in(lo) + "–" + in(hi) + " " + name
}

// MemorySize formats bytes in GB, or in MB below 0.1 GB.
func MemorySize(n int64) string {
	if n < 1e8 {
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
