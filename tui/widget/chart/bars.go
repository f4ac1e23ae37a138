package chart

import (
	"math"
	"strings"

	"github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/runes"
	"github.com/NimbleMarkets/ntcharts/v2/sparkline"

	"jtune/internal/axis"
)

// Spark draws each value of 0…most as one column of an ntcharts sparkline. A missing value is a dot; a present value is
// never blank. More values than w are merged by their maximum.
func Spark(values []float64, most float64, w int) string {
	if w <= 0 || len(values) == 0 {
		return ""
	}
	n := min(w, len(values), maxCols)
	if !(most > 0) || !axis.Finite(most) {
		return strings.Repeat("·", n)
	}
	heights := make([]float64, n)
	for i := range heights {
		heights[i] = largest(values[i*len(values)/n : (i+1)*len(values)/n])
	}
	line := sparkline.New(n, 1, sparkline.WithNoAutoMaxValue(), sparkline.WithMaxValue(most))
	for _, v := range heights {
		line.Push(shown(v, most))
	}
	line.DrawColumnsOnly()
	out := make([]rune, n)
	for i, v := range heights {
		out[i] = line.Canvas.Cell(canvas.Point{X: i}).Rune
		switch {
		case math.IsNaN(v):
			out[i] = '·'
		case out[i] == runes.Null || out[i] == ' ':
			out[i] = runes.LowerBlockOne
		}
	}
	return string(out)
}

// largest returns the largest finite value; NaN if there is none.
func largest(values []float64) float64 {
	v := math.NaN()
	for _, u := range values {
		if axis.Finite(u) && !(u <= v) {
			v = u
		}
	}
	return v
}

// shown returns a height for ntcharts: zero for a missing value.
func shown(v, most float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return clamp(v, 0, most)
}

// Bar draws a solid bar of w columns with the share frac filled; a missing frac is all dots.
func Bar(frac float64, w int) string {
	if w <= 0 {
		return ""
	}
	if !axis.Finite(frac) {
		return strings.Repeat("·", w)
	}
	full := int(math.Round(clamp(frac, 0, 1) * float64(w)))
	return strings.Repeat("█", full) + strings.Repeat("░", w-full)
}

// Part is one share of a stacked bar.
type Part struct {
	Value float64
	Glyph rune
	Ink   Ink
}

// Stack draws shares side by side in exactly w columns, each with its own glyph, in proportion to their values. Missing
// and non-positive values take no room.
func Stack(parts []Part, w int, paint Paint) string {
	total := 0.0
	for _, p := range parts {
		if axis.Finite(p.Value) && p.Value > 0 {
			total += p.Value
		}
	}
	if w <= 0 || total <= 0 {
		return strings.Repeat(" ", max(0, w))
	}
	var out strings.Builder
	sum, drawn := 0.0, 0
	for _, p := range parts {
		if !axis.Finite(p.Value) || p.Value <= 0 {
			continue
		}
		sum += p.Value
		upTo := int(math.Round(sum / total * float64(w)))
		if upTo > drawn {
			out.WriteString(paint(p.Ink, strings.Repeat(string(p.Glyph), upTo-drawn)))
		}
		drawn = upTo
	}
	return out.String()
}
