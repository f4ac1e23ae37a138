package chart

import (
	"math"
	"strings"

	"jtune/internal/axis"
)

// Lanes are rows over one scale of values, one row of text each: bars, marks and boxes.
// Rows outside and values that are missing leave nothing.
type Lanes struct {
	X axis.Scale
	r *Raster
}

// NewLanes makes that many rows of w columns.
func NewLanes(x axis.Scale, w, rows int) *Lanes { return &Lanes{X: x, r: newRaster(w, rows)} }

// column is where a value stands; what lies outside moves to the nearer end.
func (l *Lanes) column(v float64) (int, bool) {
	if !axis.Finite(v) {
		return 0, false
	}
	f, ok := l.X.At(l.X.Into(v))
	return int(math.Round(f * float64(l.r.W-1))), ok
}

// stretch puts a glyph on all columns from one value to another, both included.
func (l *Lanes) stretch(row int, from, to float64, glyph rune, ink Ink) {
	a, okA := l.column(from)
	b, okB := l.column(to)
	for x := min(a, b); okA && okB && x <= max(a, b); x++ {
		l.r.Rune(x, row, glyph, ink)
	}
}

// Bar fills a row from one value to another.
func (l *Lanes) Bar(row int, from, to float64, ink Ink) {
	if axis.Finite(to) && to != from {
		l.stretch(row, from, to, '█', ink)
	}
}

// Whisker draws a line between two values with its ends.
func (l *Lanes) Whisker(row int, lo, hi float64, ink Ink) {
	if a, b := l.end(lo), l.end(hi); a < 0 || b < 0 || a == b {
		return // nothing that a cell could show
	}
	l.stretch(row, lo, hi, '─', ink)
	l.Mark(row, lo, '├', ink)
	l.Mark(row, hi, '┤', ink)
}

// end is column, or -1.
func (l *Lanes) end(v float64) int {
	if x, ok := l.column(v); ok {
		return x
	}
	return -1
}

// Box draws the middle half of values and their median.
func (l *Lanes) Box(row int, q1, median, q3 float64, ink Ink) {
	l.stretch(row, q1, q3, '▒', ink)
	l.Mark(row, median, '│', ink)
}

// shades are how densely values lie, from few to most.
var shades = []rune("·░▒▓█")

// Density shades a row by how many of the values lie in each column, beside the fullest one, and marks the median.
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

// Mark puts a glyph at a value.
func (l *Lanes) Mark(row int, v float64, glyph rune, ink Ink) {
	if x, ok := l.column(v); ok {
		l.r.Rune(x, row, glyph, ink)
	}
}

// Row is one row as text.
func (l *Lanes) Row(row int, paint Paint) string {
	if row >= l.r.H {
		return strings.Repeat(" ", l.r.W)
	}
	return l.r.Row(row, paint)
}

// Axis is the scale below the rows, its line and its labels: one column more than the rows,
// on their left.
func (l *Lanes) Axis(paint Paint) (line, labels string) {
	p := Plot{X: l.X}
	return paint(InkAxis, p.xAxis(0, l.r.W)), paint(InkAxis, p.xLabels(0, l.r.W))
}
