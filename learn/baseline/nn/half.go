package nn

import "math"

// halfExponent is the exponent mask of an IEEE 754 binary16; all ones means infinity or NaN.
const halfExponent = 0x7c00

// toHalf rounds to the nearest binary16, ties to even. Values beyond 65504 become infinity.
func toHalf(v float32) uint16 {
	bits := math.Float32bits(v)
	sign := uint16(bits >> 16 & 0x8000)
	abs := bits &^ (1 << 31)
	switch {
	case abs > 0x7f800000: // NaN
		return sign | halfExponent | 1
	case abs >= 0x47800000: // 65536 and above
		return sign | halfExponent
	case abs < 0x38800000: // below 2^-14: a multiple of 2^-24
		steps := math.RoundToEven(float64(math.Float32frombits(abs)) * (1 << 24))
		return sign | uint16(steps)
	}
	// Same leading bits, different exponent bias (15 instead of 127). The 13 dropped bits are rounded; a carry
	// correctly increments the exponent.
	abs += 0xfff + abs>>13&1
	return sign | uint16(abs>>13-(127-15)<<10)
}

// fromHalf converts exactly.
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
