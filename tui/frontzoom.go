package tui

import (
	"math"

	"jtune/tui/chart"
)

// How a plot is zoomed: by zoomStep each time, zoomMost times at most. The
// cursor stays within the middle zoomInner of the part that shows.
const (
	zoomStep  = 1.6
	zoomMost  = 8
	zoomInner = 0.8
)

// zoom is the part of a plot that shows: shares of its whole scales. The zero
// value shows all.
type zoom struct {
	steps int
	x, y  float64 // the middle
}

// factor is how much larger than the whole things are drawn.
func (z zoom) factor() float64 { return math.Pow(zoomStep, float64(z.steps)) }

// by zooms in or out around a place.
func (z zoom) by(steps int, x, y float64) zoom {
	next := zoom{min(max(0, z.steps+steps), zoomMost), x, y}
	return next.inside()
}

// follow moves the part so that a place is well inside of it.
func (z zoom) follow(x, y float64) zoom {
	reach := zoomInner / 2 / z.factor()
	if math.Abs(x-z.x) > reach {
		z.x = x
	}
	if math.Abs(y-z.y) > reach {
		z.y = y
	}
	return z.inside()
}

// inside keeps the part within the whole.
func (z zoom) inside() zoom {
	half := 0.5 / z.factor()
	z.x, z.y = min(max(z.x, half), 1-half), min(max(z.y, half), 1-half)
	return z
}

// of gives the part of two whole scales.
func (z zoom) of(x, y chart.Scale) (chart.Scale, chart.Scale) {
	if z.steps == 0 {
		return x, y
	}
	half := 0.5 / z.factor()
	return x.Part(z.x-half, z.x+half), y.Part(z.y-half, z.y+half)
}
