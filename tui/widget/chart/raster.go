package chart

import (
	"strings"

	"github.com/NimbleMarkets/ntcharts/v2/canvas/runes"
)

// Maximum size of a raster in cells.
const (
	maxCols = 1000
	maxRows = 400
)

// Raster is a grid of text cells of 2×4 braille dots each. Dot coordinates start at the top left: 0 ≤ x < 2·W, 0 ≤ y <
// 4·H.
type Raster struct {
	W, H  int
	dots  []uint8
	ink   []Ink
	marks []rune // drawn over the dots; 0: the braille pattern of dots
}

// newRaster returns an empty raster of w×h cells; sizes are clamped to the valid range.
func newRaster(w, h int) *Raster {
	w, h = min(max(w, 0), maxCols), min(max(h, 0), maxRows)
	return &Raster{W: w, H: h, dots: make([]uint8, w*h), ink: make([]Ink, w*h), marks: make([]rune, w*h)}
}

// dotBit is the bit of a dot in its cell's braille pattern (U+2800 block). A table is used instead of ntcharts' grid
// because a cloud has 18,000 dots and needs each one's ink.
var dotBit = [4][2]uint8{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// Dot sets one dot; dots outside the raster are ignored.
func (r *Raster) Dot(x, y int, ink Ink) {
	if x < 0 || y < 0 || x >= 2*r.W || y >= 4*r.H {
		return
	}
	i := y/4*r.W + x/2
	r.dots[i] |= dotBit[y%4][x%2]
	r.tint(i, ink)
}

// Rune draws a glyph of one column over a cell, unless a glyph of a higher ink is there.
func (r *Raster) Rune(cx, cy int, glyph rune, ink Ink) {
	if cx < 0 || cy < 0 || cx >= r.W || cy >= r.H {
		return
	}
	i := cy*r.W + cx
	if r.marks[i] != 0 && r.ink[i] > ink {
		return
	}
	r.marks[i], r.ink[i] = glyph, ink // the ink of the hidden dots does not count
}

// tint raises the ink of a cell's dots; a glyph over them keeps its own.
func (r *Raster) tint(i int, ink Ink) {
	if r.marks[i] == 0 {
		r.ink[i] = max(r.ink[i], ink)
	}
}

// Text writes a word over cells, left to right.
func (r *Raster) Text(cx, cy int, text string, ink Ink) {
	for _, g := range text {
		r.Rune(cx, cy, g, ink)
		cx++
	}
}

func clamp(v, lo, hi float64) float64 { return min(max(v, lo), hi) }

// Row returns row cy as text of exactly W columns, with one styled run per stretch of equal ink.
func (r *Raster) Row(cy int, paint Paint) string {
	var out, run strings.Builder
	last := InkNone
	flush := func() {
		if run.Len() > 0 {
			out.WriteString(paint(last, run.String()))
			run.Reset()
		}
	}
	for cx := range r.W {
		i := cy*r.W + cx
		glyph, ink := r.glyph(i), r.ink[i]
		if glyph == ' ' {
			ink = InkNone
		}
		if ink != last {
			flush()
			last = ink
		}
		run.WriteRune(glyph)
	}
	flush()
	return out.String()
}

func (r *Raster) glyph(i int) rune {
	switch {
	case r.marks[i] != 0:
		return r.marks[i]
	case r.dots[i] == 0:
		return ' '
	}
	return runes.BrailleBlockOffset + rune(r.dots[i])
}

// behind draws a glyph in an empty cell, and with over also over a cell of lower ink.
func (r *Raster) behind(cx, cy int, glyph rune, ink Ink, over bool) {
	if i := cy*r.W + cx; r.dots[i] == 0 && r.marks[i] == 0 || r.ink[i] < ink && over {
		r.Rune(cx, cy, glyph, ink)
	}
}

// free reports whether n cells have no marks.
func (r *Raster) free(cx, cy, n int) bool {
	if cy < 0 || cy >= r.H {
		return false
	}
	for x := max(0, cx); x < min(cx+n, r.W); x++ {
		if r.marks[cy*r.W+x] != 0 {
			return false
		}
	}
	return true
}
