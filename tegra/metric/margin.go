package metric

import "math"

// Margin is the number of standard deviations that a choice keeps from a limit: ln P + Z·s ≤ ln limit, with s the
// standard deviation of the logarithm, for power and time alike. The zero value is the usual margin of the screens and
// commands.
type Margin float64

// UsualMargin is the default margin of a Goal and an Ask.
const UsualMargin Margin = 0

// NoMargin compares medians with the limit. It is not zero, because zero means the usual margin.
const NoMargin Margin = math.SmallestNonzeroFloat64

// usualZ is the usual margin in deviations.
const usualZ = 1

// MarginOf returns the margin of z deviations; 0 compares medians.
func MarginOf(z float64) Margin {
	switch z {
	case usualZ:
		return UsualMargin
	case 0:
		return NoMargin
	}
	return Margin(z)
}

// Z returns the margin in deviations.
func (m Margin) Z() float64 {
	switch m {
	case UsualMargin:
		return usualZ
	case NoMargin:
		return 0
	}
	return float64(m)
}
