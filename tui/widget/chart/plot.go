package chart

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/NimbleMarkets/ntcharts/v2/canvas"

	"jtune/internal/axis"
)

// Plot is a raster with axes: points, lines, levels and named marks over two scales. Add everything, then Render. The
// minimum size is MinPlotW×MinPlotH; below it Render returns blank lines of the requested size.
type Plot struct {
	X, Y         axis.Scale
	Step         float64 // between the ticks of Y; 0: round steps
	XName, YName string  // drawn at the right end and in the corner of the axes
	Margin       int     // minimum columns left of the plot, to align stacked plots
	Graded       bool    // a line in InkSeries is coloured by height
	Untold       bool    // the labels of X are left out: the title says its range
	layers       []func(p *Plot, r *Raster)
}

// MinPlotW and MinPlotH are the minimum size of a plot.
const (
	MinPlotW = 12
	MinPlotH = 4
)

// Points adds one dot per pair of values.
func (p *Plot) Points(xs, ys []float64, ink Ink) {
	p.dots(xs, ys, func(r *Raster, x, y int) { r.Dot(x, y, ink) })
}

// Haze adds points in the background: one dot in each cell that holds any.
func (p *Plot) Haze(xs, ys []float64, ink Ink) {
	p.dots(xs, ys, func(r *Raster, x, y int) { r.Dot(x|1, y&^3|2, ink) })
}

// Specks adds points as one mark in each cell that holds any, for terminals whose dots are blocks that would cover
// everything else.
func (p *Plot) Specks(xs, ys []float64, ink Ink) {
	p.dots(xs, ys, func(r *Raster, x, y int) { r.Rune(x/2, y/4, '·', ink) })
}

// dots calls put at the dot of each pair of values.
func (p *Plot) dots(xs, ys []float64, put func(r *Raster, x, y int)) {
	p.layers = append(p.layers, func(p *Plot, r *Raster) {
		atX, atY := p.X.Places(), p.Y.Places()
		w, h := float64(2*r.W-1), float64(4*r.H-1)
		for i := range min(len(xs), len(ys)) {
			fx, okX := atX(xs[i])
			fy, okY := atY(ys[i])
			if okX && okY {
				put(r, int(fx*w+0.5), int((1-fy)*h+0.5))
			}
		}
	})
}

// Line joins neighbouring pairs of values; a pair off the scales leaves a gap.
func (p *Plot) Line(xs, ys []float64, ink Ink) {
	p.layers = append(p.layers, func(p *Plot, r *Raster) {
		n := min(len(xs), len(ys))
		at := make([]canvas.Float64Point, n)
		atX, atY := p.X.Places(), p.Y.Places()
		for i := range n {
			fx, okX := atX(xs[i])
			fy, okY := atY(ys[i])
			if at[i] = (canvas.Float64Point{X: fx, Y: fy}); !okX || !okY {
				at[i] = gap
			}
		}
		r.Line(at, ink)
	})
}

// Limits draws the limits above 0.
func (p *Plot) Limits(x, y float64) {
	if y > 0 {
		p.Level(y, "limit", InkLimit)
	}
	if x > 0 {
		p.Column(x, "limit", InkLimit)
	}
}

// overDots is the distance in cells between the marks of a level or column over background dots, so that the dots stay
// visible.
const overDots = 4

// Level draws a dotted horizontal line at y, with its name at the right end.
func (p *Plot) Level(y float64, name string, ink Ink) {
	p.layers = append(p.layers, func(p *Plot, r *Raster) {
		f, ok := p.Y.At(y)
		if !ok || r.H == 0 {
			return
		}
		cy := int(math.Round((1-f)*float64(4*r.H-1))) / 4
		for cx := range r.W {
			r.behind(cx, cy, '┄', ink, cx%overDots == 0)
		}
		r.Text(r.W-utf8.RuneCountInString(name), cy, name, ink)
	})
}

// Column draws a dotted vertical line at x, with its name at the top.
func (p *Plot) Column(x float64, name string, ink Ink) {
	p.layers = append(p.layers, func(p *Plot, r *Raster) {
		f, ok := p.X.At(x)
		if !ok || r.W == 0 {
			return
		}
		cx := int(math.Round(f*float64(2*r.W-1))) / 2
		for cy := range r.H {
			r.behind(cx, cy, '┊', ink, cy%overDots == 0)
		}
		r.Text(min(cx+1, r.W-utf8.RuneCountInString(name)), 0, name, ink)
	})
}

// Bars draws error bars: horizontal at y from x0 to x1, and vertical at x from y0 to y1, clipped to the plot. Bars
// within one cell are not drawn.
func (p *Plot) Bars(x, x0, x1, y, y0, y1 float64, ink Ink) {
	p.layers = append(p.layers, func(p *Plot, r *Raster) {
		cx, cy, ok := p.cell(r, x, y)
		if !ok {
			return
		}
		left, _, okL := p.cell(r, p.X.Into(x0), y)
		end, _, okR := p.cell(r, p.X.Into(x1), y)
		_, low, okB := p.cell(r, x, p.Y.Into(y0))
		_, top, okT := p.cell(r, x, p.Y.Into(y1))
		for i := left; okL && okR && left < end && i <= end; i++ {
			glyph := '─'
			switch i {
			case left:
				glyph = '├'
			case end:
				glyph = '┤'
			}
			r.Rune(i, cy, glyph, ink)
		}
		for i := top; okB && okT && top < low && i <= low; i++ {
			r.Rune(cx, i, '│', ink)
		}
	})
}

// cell returns the cell of a pair of values; ok is false off the scales.
func (p *Plot) cell(r *Raster, x, y float64) (cx, cy int, ok bool) {
	fx, okX := p.X.At(x)
	fy, okY := p.Y.At(y)
	if !okX || !okY {
		return 0, 0, false
	}
	return int(math.Round(fx*float64(2*r.W-1))) / 2, int(math.Round((1-fy)*float64(4*r.H-1))) / 4, true
}

// Mark draws a glyph at a pair of values.
func (p *Plot) Mark(x, y float64, glyph rune, ink Ink) {
	p.layers = append(p.layers, func(p *Plot, r *Raster) {
		if cx, cy, ok := p.cell(r, x, y); ok {
			r.Rune(cx, cy, glyph, ink)
		}
	})
}

// Label writes a word at a pair of values, moved left to stay inside the plot, and to the nearest row where it covers
// no other mark.
func (p *Plot) Label(x, y float64, word string, ink Ink) {
	p.layers = append(p.layers, func(p *Plot, r *Raster) {
		cx, cy, ok := p.cell(r, x, y)
		if !ok {
			return
		}
		n := utf8.RuneCountInString(word)
		cx = max(0, min(cx, r.W-n))
		for away := range r.H {
			for _, row := range []int{cy - away, cy + away} {
				if r.free(cx, row, n) {
					r.Text(cx, row, word, ink)
					return
				}
			}
		}
	})
}

// Drawn renders what was added so far for a picture of w×h cells. Base draws it under another plot of the same scales
// and size, so that 18,000 points are not placed again when only the cursor moves.
func (p *Plot) Drawn(w, h int) *Raster {
	r := newRaster(p.room(w, h))
	for _, layer := range p.layers {
		layer(p, r)
	}
	return r
}

// Base starts the plot with the result of Drawn.
func (p *Plot) Base(drawn *Raster) {
	p.layers = append(p.layers, func(_ *Plot, r *Raster) {
		if r.W == drawn.W && r.H == drawn.H {
			copy(r.dots, drawn.dots)
			copy(r.ink, drawn.ink)
			copy(r.marks, drawn.marks)
		}
	})
}

// Value returns the pair of values at the centre of a cell of a picture of w×h cells; ok is false on the axes.
func (p *Plot) Value(w, h, cx, cy int) (x, y float64, ok bool) {
	rw, rh := p.room(w, h)
	cx -= w - rw
	if rw <= 0 || rh <= 0 || cx < 0 || cy < 0 || cx >= rw || cy >= rh {
		return 0, 0, false
	}
	return p.X.Value((float64(cx) + 0.5) / float64(rw)), p.Y.Value(1 - (float64(cy)+0.5)/float64(rh)), true
}

// room returns the raster's size in a picture of w×h cells.
func (p *Plot) room(w, h int) (int, int) { return w - p.Gutter(h) - 1, h - p.axisRows() }

// axisRows returns the number of rows below the raster.
func (p *Plot) axisRows() int {
	if p.Untold {
		return 1
	}
	return 2
}

// Render draws the plot in exactly w×h cells, with y labels on the left, and the x axis and its labels in the two
// lowest rows.
func (p *Plot) Render(w, h int, paint Paint) string {
	if w < MinPlotW || h < MinPlotH {
		return blank(w, h)
	}
	gutter, r := p.Gutter(h), p.Drawn(w, h)
	rows := make([]string, 0, h)
	marks := p.yLabels(r.H)
	for y := range r.H {
		text, edge := marks[y], "│"
		if text != "" {
			edge = "┤"
		}
		rows = append(rows, paint(InkAxis, padLeft(text, gutter)+edge)+r.Row(y, p.graded(paint, y, r.H)))
	}
	rows = append(rows, paint(InkAxis, p.xAxis(gutter, r.W)))
	if !p.Untold {
		rows = append(rows, paint(InkAxis, p.xLabels(gutter, r.W)))
	}
	return strings.Join(rows, "\n")
}

// graded returns the paint of a row, coloured by height.
func (p *Plot) graded(paint Paint, row, rows int) Paint {
	if !p.Graded || rows < 2 {
		return paint
	}
	return func(ink Ink, text string) string {
		if ink == InkSeries {
			ink = HeatInk(1 - float64(row)/float64(rows-1))
		}
		return paint(ink, text)
	}
}

// yLabels returns the tick label of each raster row.
func (p *Plot) yLabels(h int) []string {
	out := make([]string, h)
	for _, v := range p.yTicks(h) {
		if f, ok := p.Y.At(v); ok {
			out[min(h-1, int(math.Round((1-f)*float64(4*h-1)))/4)] = axis.Label(v)
		}
	}
	return out
}

// yTicks returns the values of the ticks in h raster rows.
func (p *Plot) yTicks(h int) []float64 {
	if p.Step <= 0 {
		return p.Y.Ticks(max(2, h/3))
	}
	var out []float64
	for v := p.Y.Lo; v <= p.Y.Hi && len(out) < h; v += p.Step {
		out = append(out, v)
	}
	return out
}

// From sets Y to a scale from a round value to slightly above most, for a picture of h rows. Its ticks are round and
// the same number of rows apart.
func (p *Plot) From(least, most float64, h int) {
	rows, span := h-p.axisRows(), most-least
	if rows < 3 || !axis.Finite(span) || span <= 0 {
		p.Y = axis.FromZero(most)
		return
	}
	p.Y, p.Step = axis.Scale{Lo: least, Hi: math.Inf(1)}, 0
	ticks := mostTicks
	if p.Untold {
		ticks = fewTicks
	}
	between := max(2, (rows+ticks-1)/ticks) // minimum rows between ticks
	for exp := math.Floor(math.Log10(span)) - 1; exp <= math.Floor(math.Log10(span))+1; exp++ {
		for _, round := range []float64{1, 2, 5} {
			for n := between; n <= min(max(between+1, rows/2), rows-1); n++ {
				step := round * math.Pow(10, exp)
				if hi := least + step*(float64(rows)-0.25)/float64(n); hi >= most && hi < p.Y.Hi {
					p.Y.Hi, p.Step = hi, step
				}
			}
		}
	}
}

// mostTicks is the maximum number of ticks of an axis, fewTicks that of a small picture.
const mostTicks, fewTicks = 7, 4

// Gutter returns the width of the labels of a picture h cells high.
func (p *Plot) Gutter(h int) int {
	widest := max(p.Margin, utf8.RuneCountInString(p.YName))
	for _, v := range p.yTicks(h - p.axisRows()) {
		widest = max(widest, len(axis.Label(v)))
	}
	return widest
}

func (p *Plot) xTicks(w int) []float64 { return p.X.Ticks(max(2, w/9)) }

// xAxis draws the axis, with the other axis' name in the corner if no tick is there.
func (p *Plot) xAxis(gutter, w int) string {
	row := []rune(padLeft(p.YName, gutter) + "└" + strings.Repeat("─", w))
	for _, v := range p.xTicks(w) {
		if f, ok := p.X.At(v); ok {
			row[gutter+1+int(math.Round(f*float64(w-1)))] = '┬'
		}
	}
	return string(row)
}

// xLabels centres each label below its tick. It omits labels that would touch another one or the axis' name at the
// right end.
func (p *Plot) xLabels(gutter, w int) string {
	total := gutter + 1 + w
	row := []rune(strings.Repeat(" ", total))
	name := []rune(p.XName)
	end := total
	if len(name) < w/2 {
		end -= len(name)
		copy(row[end:], name)
		end--
	}
	free := 0
	for _, v := range p.xTicks(w) {
		f, ok := p.X.At(v)
		if !ok {
			continue
		}
		text := []rune(axis.Label(v))
		at := max(0, gutter+1+int(math.Round(f*float64(w-1)))-len(text)/2)
		if at < free || at+len(text) > end {
			continue
		}
		copy(row[at:], text)
		free = at + len(text) + 1
	}
	return string(row)
}

func padLeft(s string, w int) string {
	return strings.Repeat(" ", max(0, w-utf8.RuneCountInString(s))) + s
}

func blank(w, h int) string {
	line := strings.Repeat(" ", max(0, w))
	return strings.TrimSuffix(strings.Repeat(line+"\n", max(0, h)), "\n")
}
