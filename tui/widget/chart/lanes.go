package chart

import (
	"math"
	"strings"

	"jtune/internal/axis"
)

// Lanes are rows of one line over a common scale: bars, marks and boxes. Values off the scale and missing values draw
// nothing.
type Lanes struct {
	X axis.Scale
	r *Raster
}

// NewLanes returns rows of w columns.
func NewLanes(x axis.Scale, w, rows int) *Lanes { return &Lanes{X: x, r: newRaster(w, rows)} }

// column returns the column of a value; values off the scale move to the nearer end.
func (l *Lanes) column(v float64) (int, bool) {
	if !axis.Finite(v) {
		return 0, false
	}
	f, ok := l.X.At(l.X.Into(v))
	return int(math.Round(f * float64(l.r.W-1))), ok
}

// stretch draws a glyph in all columns between two values, inclusive.
func (l *Lanes) stretch(row int, from, to float64, glyph rune, ink Ink) {
	a, okA := l.column(from)
	b, okB := l.column(to)
	for x := min(a, b); okA && okB && x <= max(a, b); x++ {
		l.r.Rune(x, row, glyph, ink)
	}
}

// Bar fills a row between two values.
func (l *Lanes) Bar(row int, from, to float64, ink Ink) {
	if axis.Finite(to) && to != from {
		l.stretch(row, from, to, '█', ink)
	}
}

// Whisker draws a line between two values, with ends.
func (l *Lanes) Whisker(row int, lo, hi float64, ink Ink) {
	if a, b := l.end(lo), l.end(hi); a < 0 || b < 0 || a == b {
		return // narrower than a cell
	}
	l.stretch(row, lo, hi, '─', ink)
	l.Mark(row, lo, '├', ink)
	l.Mark(row, hi, '┤', ink)
}

// end returns the column, or -1.
func (l *Lanes) end(v float64) int {
	if x, ok := l.column(v); ok {
		return x
	}
	return -1
}

// Box draws the interquartile range of values, and their median.
func (l *Lanes) Box(row int, q1, median, q3 float64, ink Ink) {
	l.stretch(row, q1, q3, '▒', ink)
	l.Mark(row, median, '│', ink)
}

// shades show the density of values, low to high.
var shades = []rune("·░▒▓█")

// Density shades each column of a row by its share of values relative to the fullest column, and marks the median.
func (l *Lanes) Density(row int, values []float64, median float64, ink, at Ink) {
	count, most := make([]int, l.r.W), 0
	for _, v := range values {
		if x, ok := l.column(v); ok {
			count[x]++
			most = max(most, count[x])
		}
	}
	for x, n := range count {
		if n > 0 {
			l.r.Rune(x, row, shades[(n*len(shades)-1)/most], ink)
		}
	}
	l.Mark(row, median, '│', at)
}

// Mark draws a glyph at a value.
func (l *Lanes) Mark(row int, v float64, glyph rune, ink Ink) {
	if x, ok := l.column(v); ok {
		l.r.Rune(x, row, glyph, ink)
	}
}

// Row returns one row as text.
func (l *Lanes) Row(row int, paint Paint) string {
	if row >= l.r.H {
		return strings.Repeat(" ", l.r.W)
	}
	return l.r.Row(row, paint)
}

// Axis returns the scale below the rows as two lines. They start one column to the left of the rows.
func (l *Lanes) Axis(paint Paint) (line, labels string) {
	p := Plot{X: l.X}
	return paint(InkAxis, p.xAxis(0, l.r.W)), paint(InkAxis, p.xLabels(0, l.r.W))
}
