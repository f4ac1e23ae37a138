package front

import (
	"jtune/internal/axis"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/widget"
)

// dotsOf is what the dots of the cloud are made from.
type dotsOf struct {
	view  *session.Outlook
	plane int
	group int
	value float64 // of the group's knob
	text  string  // of the filter
}

// answerKey is what an answer depends on.
type answerKey struct {
	view  *session.Outlook
	limit optimize.Limit
	text  string // of the filter
}

// columns are the values across and up of all modes.
func (p *Page) columns() (xs, ys []float64) {
	pl := session.Planes[p.plane]
	return p.read.Outlook().Column(pl.Across), p.read.Outlook().Column(pl.Up)
}

// points are all modes by the axes of the plot.
func (p *Page) points() widget.Points {
	pl, v := session.Planes[p.plane], p.read.Outlook()
	xs, ys := p.columns()
	return widget.Points{
		Xs: xs,
		Ys: ys,
		X:  axis.NewScale(v.Span(pl.Across), p.log[pl.Across]),
		Y:  axis.NewScale(v.Span(pl.Up), p.log[pl.Up]),
	}
}

// scales returns those of the part that shows.
func (p *Page) scales() (x, y axis.Scale) {
	all := p.points()
	return p.cloud.Zoom.Of(all.X, all.Y)
}

// plot draws the cloud of all modes.
func (p *Page) plot(w, h int) string {
	v, pl := p.read.Outlook(), session.Planes[p.plane]
	show := widget.CloudView{
		Points:   p.points(),
		XName:    pl.Across.Unit(),
		YName:    pl.Up.Unit(),
		Coarse:   p.read.Look().Glyphs >= widget.GlyphsBlocks,
		Plain:    p.frontByGlyph(),
		Front:    p.front(),
		AtX:      p.limitOn(pl.Across),
		AtY:      p.limitOn(pl.Up),
		Measured: p.indexes(v.Measured()),
		Doubted:  p.indexes(v.Doubted()),
		Marks:    p.marks(),
		Lines:    p.rivalLines(),
		Cursor:   p.cursor,
		BandX:    p.band(pl.Across),
		BandY:    p.band(pl.Up),
	}
	of := dotsOf{view: v, plane: p.plane, group: p.group}
	if pass := p.filtered(); pass != nil {
		of.text = p.filter.of.text
		show.Group = func() []int { return pass }
	}
	if p.group > 0 {
		of.value = v.Known[p.cursor].Mode.Value(tegra.Knob(p.group - 1))
		show.Group = p.grouped
	}
	show.Dots = of
	return p.cloud.Render(show, w, h)
}

// indexes returns the places of readings among all modes.
func (p *Page) indexes(list []tegra.Measured) []int {
	var out []int
	for _, m := range list {
		if i, ok := p.read.Outlook().Index(m.Mode); ok {
			out = append(out, i)
		}
	}
	return out
}

// limitOn is the limit that an axis shows, or 0.
func (p *Page) limitOn(a optimize.Axis) float64 {
	switch a {
	case optimize.Power:
		return p.read.Limit().PowerW
	case optimize.Time:
		return p.read.Limit().TimeMS
	}
	return 0
}

// band is how far the prediction under the cursor may be off. What was measured
// has none, and energy none of its own.
func (p *Page) band(a optimize.Axis) [2]float64 {
	switch pr := p.read.Outlook().Known[p.cursor]; a {
	case optimize.Time:
		return [2]float64{pr.TimeLoMS, pr.TimeHiMS}
	case optimize.Power:
		return [2]float64{pr.PowerLoW, pr.PowerHiW}
	}
	at := p.read.Outlook().Column(a)[p.cursor]
	return [2]float64{at, at}
}

// frontByGlyph reports whether the front needs a glyph of its own: without
// colours, or with blocks for dots, its line cannot be told from the cloud.
func (p *Page) frontByGlyph() bool {
	look := p.read.Look()
	return look.Colourless || look.Glyphs >= widget.GlyphsBlocks
}

// grouped lists the modes that share the cursor's setting of a knob.
func (p *Page) grouped() []int {
	v, k := p.read.Outlook(), tegra.Knob(p.group-1)
	want := v.Known[p.cursor].Mode.Value(k)
	var out []int
	for _, i := range p.shown() {
		if v.Known[i].Mode.Value(k) == want {
			out = append(out, i)
		}
	}
	return out
}

// marks are MAXN and the presets that have a prediction, by their first digit
// or letter.
func (p *Page) marks() []widget.CloudMark {
	v := p.read.Outlook()
	var out []widget.CloudMark
	top := p.read.Space().Max()
	if i, ok := v.Index(top); ok {
		out = append(out, widget.CloudMark{At: i, Glyph: 'M', Name: p.read.NameOf(top)})
	}
	for _, preset := range p.read.Presets() {
		if i, ok := v.Index(preset.Mode); ok && preset.Mode != top {
			out = append(out, widget.CloudMark{At: i, Glyph: presetGlyph(preset), Name: preset.Name})
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
