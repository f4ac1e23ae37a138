package chart

import (
	"math"
	"strings"
)

var eighths = []rune(" ▁▂▃▄▅▆▇█")

// Spark draws each value of 0…max as one block glyph; a missing value is a
// dot. More values than w are folded by their largest.
func Spark(values []float64, most float64, w int) string {
	if w <= 0 || len(values) == 0 {
		return ""
	}
	n := min(w, len(values))
	out := make([]rune, n)
	for i := range out {
		v := math.NaN()
		for _, u := range values[i*len(values)/n : (i+1)*len(values)/n] {
			if finite(u) && !(u <= v) {
				v = u
			}
		}
		out[i] = sparkGlyph(v, most)
	}
	return string(out)
}

func sparkGlyph(v, most float64) rune {
	if !finite(v) || !(most > 0) {
		return '·'
	}
	return eighths[1+int(math.Round(clamp(v/most, 0, 1)*7))]
}

// Bar is a solid bar of w columns, frac of it filled; a missing frac is all
// dots.
func Bar(frac float64, w int) string {
	if w <= 0 {
		return ""
	}
	if !finite(frac) {
		return strings.Repeat("·", w)
	}
	full := int(math.Round(clamp(frac, 0, 1) * float64(w)))
	return strings.Repeat("█", full) + strings.Repeat("░", w-full)
}

// Part is one share of a stacked bar.
type Part struct {
	Value float64
	Glyph rune
}

// Stack draws shares side by side in exactly w columns, each with its own
// glyph, in proportion to their values. Values that are missing or not
// positive take no room.
func Stack(parts []Part, w int) string {
	total := 0.0
	for _, p := range parts {
		if finite(p.Value) && p.Value > 0 {
			total += p.Value
		}
	}
	if w <= 0 || total <= 0 {
		return strings.Repeat(" ", max(0, w))
	}
	var out strings.Builder
	sum, drawn := 0.0, 0
	for _, p := range parts {
		if !finite(p.Value) || p.Value <= 0 {
			continue
		}
		sum += p.Value
		upTo := int(math.Round(sum / total * float64(w)))
		out.WriteString(strings.Repeat(string(p.Glyph), upTo-drawn))
		drawn = upTo
	}
	return out.String()
}
