// Package axis maps values to positions along an axis, for charts on the screens and in SVG: linear or logarithmic
// scales, their round ticks and the labels.
package axis

import (
	"math"
	"strconv"
)

// Scale maps values to 0…1, linearly or logarithmically (Log).
type Scale struct {
	Lo, Hi float64
	Log    bool
}

// alone is the margin around a single value, as a share of it, so that the ticks next to it are natural numbers for a
// reader.
const alone = 0.1

// NewScale spans the values with a small margin. Without two distinct finite values (positive ones on a log scale) it
// returns a range around what there is, so that the result can always be drawn.
func NewScale(values []float64, log bool) Scale {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if Finite(v) && (!log || v > 0) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	switch {
	case lo > hi && log:
		return Scale{1, 10, true}
	case lo > hi:
		return Scale{0, 1, false}
	case lo == hi && log:
		return Scale{lo * (1 - alone), hi * (1 + alone), true}
	case lo == hi && lo == 0:
		return Scale{-1, 1, false}
	case lo == hi:
		return Scale{lo - alone*math.Abs(lo), hi + alone*math.Abs(lo), false}
	case log:
		air := max(math.Log(hi/lo)*0.03, 0.02)
		return Scale{lo * math.Exp(-air), hi * math.Exp(air), true}
	}
	air := max((hi-lo)*0.05, math.Abs(hi)*1e-3, 1e-9)
	return Scale{lo - air, hi + air, false}
}

// FromZero returns the linear scale from 0 to a round number above most.
func FromZero(most float64) Scale {
	if !Finite(most) || most <= 0 {
		return Scale{0, 1, false}
	}
	step := niceStep(most, 3)
	return Scale{0, math.Ceil(most/step*(1-1e-9)) * step, false}
}

// At returns the position of v; false if v is missing, outside the range, or not positive on a log scale.
func (s Scale) At(v float64) (float64, bool) { return s.Places()(v) }

// Value is the inverse of At: it returns the value at a share of the range.
func (s Scale) Value(at float64) float64 {
	if s.Log && s.Lo > 0 {
		return s.Lo * math.Pow(s.Hi/s.Lo, at)
	}
	return s.Lo + at*(s.Hi-s.Lo)
}

// Part returns the scale of a part of the range, given by its shares.
func (s Scale) Part(from, to float64) Scale { return Scale{s.Value(from), s.Value(to), s.Log} }

// Into moves a value outside the range to its nearer end.
func (s Scale) Into(v float64) float64 { return min(max(v, s.Lo), s.Hi) }

// Places returns At with everything precomputed that does not depend on the value: a cloud has 18,000 values.
func (s Scale) Places() func(v float64) (float64, bool) {
	if !(s.Hi > s.Lo) || s.Log && s.Lo <= 0 {
		return func(float64) (float64, bool) { return 0, false }
	}
	if !s.Log {
		perUnit := 1 / (s.Hi - s.Lo)
		return func(v float64) (float64, bool) {
			f := (v - s.Lo) * perUnit
			return f, f >= 0 && f <= 1
		}
	}
	perLog := 1 / math.Log(s.Hi/s.Lo)
	lnLo := math.Log(s.Lo)
	return func(v float64) (float64, bool) {
		if !(v >= s.Lo && v <= s.Hi) {
			return 0, false
		}
		return min(max((math.Log(v)-lnLo)*perLog, 0), 1), true
	}
}

// Ticks returns about n round values (1, 2, 5 times a power of ten; on a log
// scale of more than a doubling also their tens) inside the range, ascending.
func (s Scale) Ticks(n int) []float64 {
	if n < 1 || !(s.Hi > s.Lo) || !Finite(s.Lo) || !Finite(s.Hi) {
		return nil
	}
	if s.Log && s.Lo > 0 && s.Hi/s.Lo > 3 {
		return s.logTicks(n)
	}
	step := niceStep(s.Hi-s.Lo, n)
	var out []float64
	for i := math.Ceil(s.Lo/step - 1e-9); i*step <= s.Hi+step*1e-9 && len(out) < 100; i++ {
		out = append(out, i*step+0) // +0 turns a negative zero into zero
	}
	return out
}

// logTicks chooses the largest set of mantissas that gives about n ticks.
func (s Scale) logTicks(n int) []float64 {
	var out []float64
	for _, mantissas := range [][]float64{{1, 1.5, 2, 3, 4, 5, 7}, {1, 2, 3, 5}, {1, 2, 5}, {1, 3}, {1}} {
		out = out[:0]
		for e := math.Floor(math.Log10(s.Lo)); e <= math.Ceil(math.Log10(s.Hi)); e++ {
			for _, m := range mantissas {
				if v := m * math.Pow(10, e); v >= s.Lo && v <= s.Hi {
					out = append(out, v)
				}
			}
		}
		if len(out) <= n {
			break
		}
	}
	return out
}

// niceStep returns the 1-2-5 step that divides span into at most about n parts.
func niceStep(span float64, n int) float64 {
	raw := span / float64(max(n, 1))
	base := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*base >= raw*(1-1e-9) {
			return m * base
		}
	}
	return 10 * base
}

// Label formats a tick without needless digits: 0.5, 20, 1500, 20k.
func Label(v float64) string {
	if math.Abs(v) >= 10000 {
		return strconv.FormatFloat(v/1000, 'g', 4, 64) + "k"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// Finite reports whether v is neither NaN nor infinite.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
