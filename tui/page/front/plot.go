package front

import (
	"jtune/internal/axis"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/widget"
)

// dotsOf is what the dots of the cloud are made from.
type dotsOf struct {
	view   *session.Outlook
	served *session.Served
	plane  int
	group  int
	value  float64 // of the group's knob
	text   string  // of the filter
}

// answerKey is what an answer depends on.
type answerKey struct {
	view   *session.Outlook
	served *session.Served
	limit  optimize.Limit
	text   string // of the filter
}

// columns are the values across and up of all modes.
func (p *Page) columns() (xs, ys []float64) {
	t := p.trade()
	return t.Across.Values, t.Up.Values
}

// points are all modes by the axes of the plot.
func (p *Page) points() widget.Points {
	t := p.trade()
	return widget.Points{
		Xs: t.Across.Values,
		Ys: t.Up.Values,
		X:  axis.NewScale(t.Across.Span, p.logarithmic(t.Across)),
		Y:  axis.NewScale(t.Up.Span, p.logarithmic(t.Up)),
	}
}

// nextLog takes the next of the four ways to draw the two axes.
func (p *Page) nextLog() page.Intent {
	t := p.trade()
	p.turnScale(t.Across)
	if p.logarithmic(t.Across) {
		p.turnScale(t.Up)
	}
	return page.Sayf("across: %s; up: %s", p.axisText(t.Across), p.axisText(t.Up))
}

func (p *Page) turnScale(q *session.Quantity) { p.linear[q.Key] = !p.linear[q.Key] }

// logarithmic reports whether a quantity is drawn by its logarithm.
func (p *Page) logarithmic(q *session.Quantity) bool { return q.Log != p.linear[q.Key] }

// axisText says what an axis shows and how.
func (p *Page) axisText(q *session.Quantity) string {
	if p.logarithmic(q) {
		return q.Word + ", logarithmic"
	}
	return q.Word + ", linear"
}

// scales returns those of the part that shows.
func (p *Page) scales() (x, y axis.Scale) {
	all := p.points()
	return p.cloud.Zoom.Of(all.X, all.Y)
}

// plot draws the cloud of all modes.
func (p *Page) plot(w, h int) string {
	v, t := p.read.Outlook(), p.trade()
	show := widget.CloudView{
		Points:   p.points(),
		XName:    t.Across.Label,
		YName:    t.Up.Label,
		Coarse:   p.read.Look().Glyphs >= widget.GlyphsBlocks,
		Plain:    p.frontByGlyph(),
		Front:    p.front(),
		AtX:      t.Across.Limit,
		AtY:      t.Up.Limit,
		Measured: p.indexes(v.Measured()),
		Doubted:  p.indexes(v.Doubted()),
		Marks:    p.marks(),
		Lines:    p.rivalLines(),
		Cursor:   p.cursor,
		BandX:    t.Across.Band(p.cursor),
		BandY:    t.Up.Band(p.cursor),
	}
	of := dotsOf{view: v, served: p.read.Served(), plane: p.plane, group: p.group}
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
