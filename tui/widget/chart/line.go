package chart

import (
	"math"

	"github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/graph"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/runes"
)

// gap is a place in a line where nothing is drawn.
var gap = canvas.Float64Point{X: math.NaN(), Y: math.NaN()}

// drawable reports whether ntcharts may see a point: it turns what is not finite
// into any whole number, and what is far away into as many steps.
func drawable(at canvas.Float64Point) bool {
	return at.X >= 0 && at.X <= 1 && at.Y >= 0 && at.Y <= 1
}

// Line joins neighbouring points of the unit square, whose origin is the lower left corner of the raster; points
// outside are gaps. ntcharts computes the geometry; its patterns are merged into the raster's dots, so that rows still
// come out as runs of one ink.
func (r *Raster) Line(at []canvas.Float64Point, ink Ink) {
	if r.W == 0 || r.H == 0 {
		return
	}
	grid := graph.NewBrailleGrid(r.W, r.H, 0, 1, 0, 1)
	var last canvas.Point
	joined := false
	for _, p := range at {
		if !drawable(p) {
			joined = false
			continue
		}
		dot := grid.GridPoint(p)
		grid.Set(dot)
		if joined && dot != last {
			for _, q := range graph.GetLinePoints(last, dot) {
				grid.Set(q)
			}
		}
		last, joined = dot, true
	}
	r.stamp(grid.BraillePatterns(), ink)
}

// stamp merges rows of braille patterns into the raster's dots.
func (r *Raster) stamp(patterns [][]rune, ink Ink) {
	for y, row := range patterns[:min(len(patterns), r.H)] {
		for x, pattern := range row[:min(len(row), r.W)] {
			if bits := uint8(pattern - runes.BrailleBlockOffset); bits != 0 {
				i := y*r.W + x
				r.dots[i] |= bits
				r.tint(i, ink)
			}
		}
	}
}
