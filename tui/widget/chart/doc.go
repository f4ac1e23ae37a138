// Package chart draws numbers as text: a braille raster with own 1-2-5 axes,
// lines against time, bars and sparklines. It knows numbers only, no devices
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

// Ink names what a mark stands for; the page gives each ink its style. In a
// cell that holds marks of several inks, the highest one colours it.
type Ink uint8

// Inks, in rising priority.
const (
	InkNone Ink = iota
	InkCloud
	InkAxis
	InkLimit
	InkSeries
	InkOther  // a series of a part without an ink of its own
	InkMemory // what belongs to the memory
	InkCPU
	InkGPU
	InkWarm // near a limit
	InkHot  // at it
	InkBand
	InkFront
	InkMeasured
	InkPreset
	InkCursor
	inkHeat // the first of HeatInks
)

// HeatInks is how many inks lie between the least value and the largest.
const HeatInks = 9

// HeatInk is the ink of a share of a scale, from 0 to 1.
func HeatInk(share float64) Ink { return inkHeat + Ink(min(max(share, 0), 1)*(HeatInks-1)+0.5) }

// HeatShare is the share that HeatInk gives an ink for; false for any other ink.
func (i Ink) HeatShare() (share float64, ok bool) {
	return float64(i-inkHeat) / (HeatInks - 1), i >= inkHeat
}

// Paint applies the style of an ink to a run of text.
type Paint func(ink Ink, text string) string
