package tui

import (
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/chart"
)

// cloudBase is the part of a plot that a moving cursor leaves as it is, drawn:
// the dots of 18,096 modes.
type cloudBase struct {
	of    cloudKey
	drawn *chart.Raster // nil: not yet
}

// cloudKey is everything that the drawn cloud depends on.
type cloudKey struct {
	view  *mapView
	plane int
	log   [numAxes]bool
	zoom  zoom
	group int
	value float64 // of the group's knob
	w, h  int
}

// answerKey is what an answer depends on.
type answerKey struct {
	view  *mapView
	limit optimize.Limit
}

// plotPlace is where on the page the plot lies, for the mouse.
type plotPlace struct {
	plot    chart.Plot // with its scales alone
	y, w, h int
}

// columns are the values across and up of all modes.
func (p *frontPage) columns() (xs, ys []float64) {
	pl := planes[p.plane]
	return p.sh.view.values[pl.across], p.sh.view.values[pl.up]
}

// whole gives the scales of all modes.
func (p *frontPage) whole() (x, y chart.Scale) {
	pl, v := planes[p.plane], p.sh.view
	return chart.NewScale(v.span[pl.across], p.log[pl.across]), chart.NewScale(v.span[pl.up], p.log[pl.up])
}

// scales gives those of the part that shows.
func (p *frontPage) scales() (x, y chart.Scale) { return p.zoom.of(p.whole()) }

// share gives the place of a mode in the whole plot, as shares of its axes.
func (p *frontPage) share(i int) (fx, fy float64) {
	x, y := p.whole()
	xs, ys := p.columns()
	fx, _ = x.At(xs[i])
	fy, _ = y.At(ys[i])
	return fx, fy
}

// plot draws the cloud of all modes, the front over it, the limits, presets,
// the cursor and its bands.
func (p *frontPage) plot(w, h int) string {
	v, pl := p.sh.view, planes[p.plane]
	xs, ys := p.columns()
	x, y := p.scales()
	plot := chart.Plot{X: x, Y: y, XName: pl.across.Unit(), YName: pl.up.Unit()}
	p.place = plotPlace{plot, p.place.y, w, h}
	plot.Base(p.cloud(plot, w, h))
	p.limits(&plot)
	var fx, fy []float64
	for _, i := range p.front() {
		fx, fy = append(fx, xs[i]), append(fy, ys[i])
	}
	plot.Line(fx, fy, chart.InkFront)
	if p.sh.frontByGlyph() {
		for i := range fx {
			plot.Mark(fx[i], fy[i], '○', chart.InkFront)
		}
	}
	p.bands(&plot)
	for m := range v.measured {
		if i, ok := v.at(m); ok {
			plot.Mark(xs[i], ys[i], '●', chart.InkMeasured)
		}
	}
	for m := range v.doubted {
		if i, ok := v.at(m); ok {
			plot.Mark(xs[i], ys[i], '?', chart.InkMeasured)
		}
	}
	for _, mark := range p.marks() {
		plot.Mark(xs[mark.at], ys[mark.at], mark.glyph, chart.InkPreset)
	}
	plot.Mark(xs[p.cursor], ys[p.cursor], '◉', chart.InkCursor)
	return plot.Render(w, h, paint)
}

// cloud gives the dots of all modes, drawn anew only when they have changed.
func (p *frontPage) cloud(plot chart.Plot, w, h int) *chart.Raster {
	of := cloudKey{view: p.sh.view, plane: p.plane, log: p.log, zoom: p.zoom, group: p.group, w: w, h: h}
	if p.group > 0 {
		of.value = p.sh.view.points[p.cursor].Mode.Value(tegra.Knob(p.group - 1))
	}
	if p.base.drawn == nil || p.base.of != of {
		p.draw(&plot)
		p.base = cloudBase{of, plot.Drawn(w, h)}
	}
	return p.base.drawn
}

// draw puts the dots of the modes into the plot. Those of a group stand out;
// the others stand back, or stay away where dots cannot be told apart.
func (p *frontPage) draw(plot *chart.Plot) {
	xs, ys := p.columns()
	if p.group == 0 {
		plot.Points(xs, ys, chart.InkCloud)
		return
	}
	if !p.sh.frontByGlyph() {
		plot.Haze(xs, ys, chart.InkCloud)
	}
	var gx, gy []float64
	for _, i := range p.grouped() {
		gx, gy = append(gx, xs[i]), append(gy, ys[i])
	}
	plot.Points(gx, gy, chart.InkSeries)
}

// limits draws those limits that one of the axes shows.
func (p *frontPage) limits(plot *chart.Plot) {
	for _, l := range []struct {
		axis  optimize.Axis
		value float64
	}{{optimize.Power, p.sh.limit.PowerW}, {optimize.Time, p.sh.limit.TimeMS}} {
		switch pl := planes[p.plane]; {
		case !(l.value > 0):
		case pl.up == l.axis:
			plot.Level(l.value, "limit", chart.InkLimit)
		case pl.across == l.axis:
			plot.Column(l.value, "limit", chart.InkLimit)
		}
	}
}

// bands draws how far the prediction under the cursor may be off. What was
// measured has none, and energy none of its own.
func (p *frontPage) bands(plot *chart.Plot) {
	pr, pl := p.sh.view.known[p.cursor], planes[p.plane]
	ends := func(a optimize.Axis) (lo, at, hi float64) {
		switch at = p.sh.view.values[a][p.cursor]; a {
		case optimize.Time:
			return pr.TimeLoMS, at, pr.TimeHiMS
		case optimize.Power:
			return pr.PowerLoW, at, pr.PowerHiW
		}
		return at, at, at
	}
	x0, x, x1 := ends(pl.across)
	y0, y, y1 := ends(pl.up)
	plot.Bars(x, x0, x1, y, y0, y1, chart.InkBand)
}

// frontByGlyph tells whether the front needs a glyph of its own: without
// colours, or with blocks for dots, its line cannot be told from the cloud.
func (sh *shared) frontByGlyph() bool { return sh.colourless || sh.glyphs >= GlyphsBlocks }

// grouped lists the modes that share the cursor's setting of a knob.
func (p *frontPage) grouped() []int {
	v, k := p.sh.view, tegra.Knob(p.group-1)
	want := v.points[p.cursor].Mode.Value(k)
	var out []int
	for i := range v.points {
		if v.points[i].Mode.Value(k) == want {
			out = append(out, i)
		}
	}
	return out
}

// mark is a known mode in the plot.
type mark struct {
	at    int
	glyph rune
	name  string
}

// marks are MAXN and the presets that have a prediction, by their first digit
// or letter.
func (p *frontPage) marks() []mark {
	v := p.sh.view
	var out []mark
	if i, ok := v.at(p.sh.space.Max()); ok {
		out = append(out, mark{i, 'M', "MAXN"})
	}
	for _, preset := range p.sh.presets {
		if i, ok := v.at(preset.Mode); ok && preset.Mode != p.sh.space.Max() {
			out = append(out, mark{i, presetGlyph(preset), preset.Name})
		}
	}
	return out
}

// presetGlyph is the preset's id where that is a digit.
func presetGlyph(preset tegra.Preset) rune {
	if preset.ID >= 0 && preset.ID <= 9 {
		return rune('0' + preset.ID)
	}
	return 'P'
}
