package nn

import "math"

// halfExponent is the mask of an IEEE 754 binary16's exponent; all ones means
// infinite or no number.
const halfExponent = 0x7c00

// toHalf rounds to the nearest binary16, ties to even. Beyond 65504 it gives
// an infinity.
func toHalf(v float32) uint16 {
	bits := math.Float32bits(v)
	sign := uint16(bits >> 16 & 0x8000)
	abs := bits &^ (1 << 31)
	switch {
	case abs > 0x7f800000: // no number
		return sign | halfExponent | 1
	case abs >= 0x47800000: // 65536 and above
		return sign | halfExponent
	case abs < 0x38800000: // below 2^-14: a multiple of 2^-24
		steps := math.RoundToEven(float64(math.Float32frombits(abs)) * (1 << 24))
		return sign | uint16(steps)
	}
	// Same leading bits, other exponent bias (15 for 127); the 13 bits that
	// fall off round, and a carry may run into the exponent, as it should.
	abs += 0xfff + abs>>13&1
	return sign | uint16(abs>>13-(127-15)<<10)
}

// fromHalf is exact.
func fromHalf(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exponent, fraction := uint32(h&halfExponent)>>10, uint32(h&0x3ff)
	switch exponent {
	case 0:
		v := float32(fraction) / (1 << 24)
		return math.Float32frombits(sign | math.Float32bits(v))
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
