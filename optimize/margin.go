package optimize

import "math"

// Margin is how many standard deviations of a prediction a choice keeps from a limit: it asks for
// ln P + Z·s ≤ ln limit, s the standard deviation of the logarithm, of power and of time alike. The zero value
// is the usual margin, which the screens and the commands share.
type Margin float64

// UsualMargin is the margin of a Limit and an Ask that name none.
const UsualMargin Margin = 0

// NoMargin trusts the medians. It is no number of deviations, as zero means the usual margin.
const NoMargin Margin = math.SmallestNonzeroFloat64

// usualZ is the usual margin in deviations.
const usualZ = 1

// MarginOf is the margin of z deviations; 0 trusts the medians.
func MarginOf(z float64) Margin {
	switch z {
	case usualZ:
		return UsualMargin
	case 0:
		return NoMargin
	}
	return Margin(z)
}

// Z is the margin in deviations.
func (m Margin) Z() float64 {
	switch m {
	case UsualMargin:
		return usualZ
	case NoMargin:
		return 0
	}
	return float64(m)
}
