package widget

import (
	"math"

	"jtune/internal/axis"
	"jtune/tui/widget/chart"
)

// Points are pairs of values, with scales that include all of them.
type Points struct {
	Xs, Ys []float64
	X, Y   axis.Scale
}

// Share returns a point's position as shares of the two axes.
func (p Points) Share(i int) (fx, fy float64) {
	fx, _ = p.X.At(p.Xs[i])
	fy, _ = p.Y.At(p.Ys[i])
	return fx, fy
}

// Nearest returns the point nearest to a position; ok is false if there are none.
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

// pick returns the values of some points.
func (p *Points) pick(list []int) (xs, ys []float64) {
	for _, i := range list {
		xs, ys = append(xs, p.Xs[i]), append(ys, p.Ys[i])
	}
	return xs, ys
}

// CloudView describes what a cloud shows. Points are given by index.
type CloudView struct {
	Points
	XName, YName string
	Dots         any          // comparable key: the dots are redrawn when it changes
	Group        func() []int // highlighted points; nil: none
	Coarse       bool         // dots are blocks
	Plain        bool         // only glyphs distinguish the front's line and other dots
	Front        []int        // joined by a line
	AtX, AtY     float64      // limits; 0: none
	Measured     []int
	Doubted      []int
	Marks        []CloudMark
	Lines        []CloudLine // of other models
	GhostX       []float64   // the previous front, in the background
	GhostY       []float64
	Cursor       int
	BandX, BandY [2]float64 // of the point at the cursor
}

// CloudLine is a line over other positions, with further marked positions and a chosen one.
type CloudLine struct {
	Xs, Ys           []float64
	Glyph            rune // at each of AtX, AtY
	AtX, AtY         []float64
	Choice           rune
	ChoiceX, ChoiceY float64
}

// CloudMark marks a point with a glyph.
type CloudMark struct {
	At    int
	Glyph rune
	Name  string
}

// Cloud draws thousands of points, with the front, limits, marks, the cursor and its bands over them. The dots are
// cached while only what is drawn over them changes.
type Cloud struct {
	Zoom  Zoom
	dots  *chart.Raster
	of    cloudKey // key of the cached dots
	plot  chart.Plot
	whole Points
	w, h  int // of the last drawing; 0: none
}

// cloudKey holds everything that the dots depend on.
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

// drawDots draws the dots. A group is highlighted; the others move to the background, or are omitted if they would look
// the same.
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

// Hide says that the cloud is not on the screen: Under finds no position.
func (c *Cloud) Hide() { c.w, c.h = 0, 0 }

// Under returns the position under a cell as shares of the axes; ok is false outside the cloud.
func (c *Cloud) Under(x, y int) (fx, fy float64, ok bool) {
	vx, vy, ok := c.plot.Value(c.w, c.h, x, y)
	if !ok || x >= c.w {
		return 0, 0, false
	}
	fx, okX := c.whole.X.At(vx)
	fy, okY := c.whole.Y.At(vy)
	return fx, fy, okX && okY
}
