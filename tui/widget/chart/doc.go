// Package chart draws numbers as text: a braille raster with 1-2-5 axes,
// lines over time, bars and sparklines. It knows only numbers, no devices
// and no keys.
//
//	points, series ──► Scale (range, log, ticks) ──► Raster (dots + ink) ──► text
//
// Lines and sparklines take their geometry from ntcharts; the cloud of 18,000
// points has a raster of its own, and everything is written as runs of one ink.
//
// Missing values (NaN, Inf) and values outside the range never reach the
// raster. Everything drawn has exactly the requested size.
package chart

// Ink is the meaning of a mark; the page gives each ink its style. The highest ink in a cell colours it.
type Ink uint8

// Inks, in rising priority.
const (
	InkNone Ink = iota
	InkCloud
	InkAxis
	InkLimit
	InkSeries
	InkOther  // parts without an ink of their own
	InkMemory // memory
	InkCPU
	InkGPU
	InkWarm // near a limit
	InkHot  // at a limit
	InkBand
	InkFront
	InkMeasured
	InkPreset
	InkCursor
	inkHeat // first of HeatInks
)

// HeatInks is the number of inks from the smallest to the largest value.
const HeatInks = 9

// HeatInk returns the ink of a share of a scale, 0 to 1.
func HeatInk(share float64) Ink { return inkHeat + Ink(min(max(share, 0), 1)*(HeatInks-1)+0.5) }

// HeatShare returns the share of a heat ink; false for other inks.
func (i Ink) HeatShare() (share float64, ok bool) {
	return float64(i-inkHeat) / (HeatInks - 1), i >= inkHeat
}

// Paint applies the style of an ink to a run of text.
type Paint func(ink Ink, text string) string
