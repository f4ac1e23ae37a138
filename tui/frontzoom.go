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

// around zooms so that a place stays where it is drawn.
func (z zoom) around(steps int, x, y float64) zoom {
	if z.steps == 0 {
		z.x, z.y = 0.5, 0.5
	}
	next := zoom{steps: min(max(0, z.steps+steps), zoomMost)}
	ratio := z.factor() / next.factor()
	next.x, next.y = x+(z.x-x)*ratio, y+(z.y-y)*ratio
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

// click puts the cursor on the mode that is drawn nearest to a cell.
func (p *frontPage) click(x, y int) bool {
	fx, fy, ok := p.under(x, y)
	if !ok {
		return false
	}
	scaleX, scaleY := p.whole()
	atX, atY := scaleX.Places(), scaleY.Places()
	xs, ys := p.columns()
	best, least := -1, math.Inf(1)
	for i := range xs {
		gx, okX := atX(xs[i])
		gy, okY := atY(ys[i])
		if d := math.Hypot(gx-fx, gy-fy); okX && okY && d < least {
			best, least = i, d
		}
	}
	if best >= 0 {
		p.cursor = best // the part that shows stays where it is
	}
	return true
}

// wheel zooms around the mouse.
func (p *frontPage) wheel(x, y, by int) bool {
	fx, fy, ok := p.under(x, y)
	if ok {
		p.zoom = p.zoom.around(-by, fx, fy)
	}
	return ok
}

// under gives the place in the whole plot that a cell of the page shows, as
// shares of the axes; false outside the plot.
func (p *frontPage) under(x, y int) (fx, fy float64, ok bool) {
	at := p.place
	vx, vy, ok := at.plot.Value(at.w, at.h, x, y-at.y)
	if !ok || x >= at.w {
		return 0, 0, false
	}
	scaleX, scaleY := p.whole()
	fx, okX := scaleX.At(vx)
	fy, okY := scaleY.At(vy)
	return fx, fy, okX && okY
}
