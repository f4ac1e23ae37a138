package widget

import (
	"math"

	"jtune/internal/axis"
)

// A step zooms by zoomStep, up to zoomMost steps. The cursor stays within the middle zoomInner of the visible part.
const (
	zoomStep  = 1.6
	zoomMost  = 8
	zoomInner = 0.8
)

// Zoom is the visible part of a plot, in shares of its full scales. The zero value shows everything.
type Zoom struct {
	Steps int
	x, y  float64 // centre
}

// Factor returns the magnification.
func (z Zoom) Factor() float64 { return math.Pow(zoomStep, float64(z.Steps)) }

// By zooms in or out around a position.
func (z Zoom) By(steps int, x, y float64) Zoom {
	next := Zoom{min(max(0, z.Steps+steps), zoomMost), x, y}
	return next.inside()
}

// Around zooms so that a position does not move on the screen.
func (z Zoom) Around(steps int, x, y float64) Zoom {
	if z.Steps == 0 {
		z.x, z.y = 0.5, 0.5
	}
	next := Zoom{Steps: min(max(0, z.Steps+steps), zoomMost)}
	ratio := z.Factor() / next.Factor()
	next.x, next.y = x+(z.x-x)*ratio, y+(z.y-y)*ratio
	return next.inside()
}

// Follow moves the visible part so that a position is well inside it.
func (z Zoom) Follow(x, y float64) Zoom {
	reach := zoomInner / 2 / z.Factor()
	if math.Abs(x-z.x) > reach {
		z.x = x
	}
	if math.Abs(y-z.y) > reach {
		z.y = y
	}
	return z.inside()
}

// inside keeps the visible part within the whole.
func (z Zoom) inside() Zoom {
	half := 0.5 / z.Factor()
	z.x, z.y = min(max(z.x, half), 1-half), min(max(z.y, half), 1-half)
	return z
}

// Of returns the visible part of two full scales.
func (z Zoom) Of(x, y axis.Scale) (axis.Scale, axis.Scale) {
	if z.Steps == 0 {
		return x, y
	}
	half := 0.5 / z.Factor()
	return x.Part(z.x-half, z.x+half), y.Part(z.y-half, z.y+half)
}
