package widget

import (
	"math"

	"jtune/internal/axis"
	"jtune/tui/widget/chart"
)

// Points are value pairs and the scales of all of them.
type Points struct {
	Xs, Ys []float64
	X, Y   axis.Scale
}

// Share returns the place of a point, as shares of the two axes.
func (p Points) Share(i int) (fx, fy float64) {
	fx, _ = p.X.At(p.Xs[i])
	fy, _ = p.Y.At(p.Ys[i])
	return fx, fy
}

// Nearest is the point nearest to a place; false without any.
func (p Points) Nearest(fx, fy float64) (i int, ok bool) {
	atX, atY := p.X.Places(), p.Y.Places()
	least := math.Inf(1)
	for j := range p.Xs {
		gx, okX := atX(p.Xs[j])
		gy, okY := atY(p.Ys[j])
		if d := math.Hypot(gx-fx, gy-fy); okX && okY && d < least {
			i, least, ok = j, d, true
		}
	}
	return i, ok
}

// pick returns the value pairs of some points.
func (p *Points) pick(list []int) (xs, ys []float64) {
	for _, i := range list {
		xs, ys = append(xs, p.Xs[i]), append(ys, p.Ys[i])
	}
	return xs, ys
}

// CloudView is what a cloud shows. Points are named by their index.
type CloudView struct {
	Points
	XName, YName string
	Dots         any          // comparable: the dots are drawn again when it differs
	Group        func() []int // points that stand out; nil: none
	Coarse       bool         // dots are blocks
	Plain        bool         // nothing tells the front's line or other dots apart but their glyphs
	Front        []int        // joined by a line
	AtX, AtY     float64      // limits; 0: none
	Measured     []int
	Doubted      []int
	Marks        []CloudMark
	Lines        []CloudLine // of other models
	GhostX       []float64   // the front before, which stands back
	GhostY       []float64
	Cursor       int
	BandX, BandY [2]float64 // at the cursor
}

// CloudLine is a line of places that are none of the points, further places that belong to it, and one that is chosen.
type CloudLine struct {
	Xs, Ys           []float64
	Glyph            rune // at each of AtX, AtY
	AtX, AtY         []float64
	Choice           rune
	ChoiceX, ChoiceY float64
}

// CloudMark names a point by a glyph.
type CloudMark struct {
	At    int
	Glyph rune
	Name  string
}

// Cloud draws thousands of points, the front over them, limits, marks, the
// cursor and its bands. Its dots are kept while only what lies over them moves.
type Cloud struct {
	Zoom  Zoom
	dots  *chart.Raster
	of    cloudKey // what dots were drawn of
	plot  chart.Plot
	whole Points
	w, h  int // as drawn; 0: not yet
}

// cloudKey is everything that the dots depend on.
type cloudKey struct {
	dots any
	x, y axis.Scale
	w, h int
}

// Render draws the cloud in exactly w×h cells.
func (c *Cloud) Render(v CloudView, w, h int) string {
	x, y := c.Zoom.Of(v.X, v.Y)
	plot := chart.Plot{X: x, Y: y, XName: v.XName, YName: v.YName}
	c.plot, c.whole, c.w, c.h = plot, v.Points, w, h
	if of := (cloudKey{v.Dots, x, y, w, h}); c.dots == nil || c.of != of {
		dotted := plot
		v.drawDots(&dotted)
		c.dots, c.of = dotted.Drawn(w, h), of
	}
	plot.Base(c.dots)
	plot.Limits(v.AtX, v.AtY)
	plot.Line(v.GhostX, v.GhostY, chart.InkCloud)
	xs, ys := v.pick(v.Front)
	plot.Line(xs, ys, chart.InkFront)
	if v.Plain {
		v.mark(&plot, '○', chart.InkFront, v.Front...)
	}
	plot.Bars(v.Xs[v.Cursor], v.BandX[0], v.BandX[1], v.Ys[v.Cursor], v.BandY[0], v.BandY[1], chart.InkBand)
	for _, l := range v.Lines {
		plot.Line(l.Xs, l.Ys, chart.InkSeries)
	}
	v.mark(&plot, '●', chart.InkMeasured, v.Measured...)
	v.mark(&plot, '?', chart.InkMeasured, v.Doubted...)
	for _, m := range v.Marks {
		v.mark(&plot, m.Glyph, chart.InkPreset, m.At)
	}
	for _, l := range v.Lines {
		for i := range l.AtX {
			plot.Mark(l.AtX[i], l.AtY[i], l.Glyph, chart.InkMeasured)
		}
		plot.Mark(l.ChoiceX, l.ChoiceY, l.Choice, chart.InkPreset)
	}
	v.mark(&plot, '◉', chart.InkCursor, v.Cursor)
	return plot.Render(w, h, Paint)
}

// drawDots puts the dots into the plot. Those of a group stand out; the others
// stand back, or stay away where dots look alike.
func (v *CloudView) drawDots(plot *chart.Plot) {
	switch {
	case v.Group == nil && v.Coarse:
		plot.Specks(v.Xs, v.Ys, chart.InkCloud)
		return
	case v.Group == nil:
		plot.Points(v.Xs, v.Ys, chart.InkCloud)
		return
	}
	if !v.Plain {
		plot.Haze(v.Xs, v.Ys, chart.InkCloud)
	}
	xs, ys := v.pick(v.Group())
	plot.Points(xs, ys, chart.InkSeries)
}

func (v *CloudView) mark(plot *chart.Plot, glyph rune, ink chart.Ink, list ...int) {
	for _, i := range list {
		plot.Mark(v.Xs[i], v.Ys[i], glyph, ink)
	}
}

// Hide forgets where the cloud was drawn: no cell shows a place of it.
func (c *Cloud) Hide() { c.w, c.h = 0, 0 }

// Under returns the place among all points that a cell of the cloud shows, as
// shares of the axes; false outside of it.
func (c *Cloud) Under(x, y int) (fx, fy float64, ok bool) {
	vx, vy, ok := c.plot.Value(c.w, c.h, x, y)
	if !ok || x >= c.w {
		return 0, 0, false
	}
	fx, okX := c.whole.X.At(vx)
	fy, okY := c.whole.Y.At(vy)
	return fx, fy, okX && okY
}
