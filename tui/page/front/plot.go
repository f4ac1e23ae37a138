package front

import (
	"strings"

	"jtune/optimize/serving"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// plot draws the cloud of all modes.
func (c *cloudView) plot(w, h int) string {
	v, t := c.read.Outlook(), c.trade()
	show := widget.CloudView{
		Points:   c.points(),
		XName:    t.Across.Label,
		YName:    t.Up.Label,
		Coarse:   c.read.Look().Glyphs >= widget.GlyphsBlocks,
		Plain:    c.frontByGlyph(),
		Front:    c.front(),
		AtX:      t.Across.Limit,
		AtY:      t.Up.Limit,
		Measured: c.indexes(v.Measured()),
		Doubted:  c.indexes(v.Doubted()),
		Marks:    c.marks(),
		Lines:    c.rivals.lines(t),
		Cursor:   c.cursor,
		BandX:    t.Across.Band(c.cursor),
		BandY:    t.Up.Band(c.cursor),
	}
	show.GhostX, show.GhostY = c.before(t)
	shared, pass := 0., c.filter.passing() // the value of the group's knob
	if pass != nil {
		show.Group = func() []int { return pass }
	}
	if c.group > 0 {
		shared = v.Known[c.cursor].Mode.Value(tegra.Knob(c.group - 1))
		show.Group = c.grouped
	}
	show.Dots = [...]any{v, c.read.Served(), c.plane, c.group, shared, pass != nil, c.filter.text}
	return c.dots.Render(show, w, h)
}

// before returns the front of the same workload's previous model: measurements since then have moved it.
func (c *cloudView) before(t serving.Trade) (xs, ys []float64) {
	if c.ghost == nil || t.Plane < 0 { // under a load
		return nil, nil
	}
	for _, i := range c.ghost.Front(t.Plane) {
		m := c.ghost.Known[i].Measured
		xs, ys = append(xs, t.Across.Of(m)), append(ys, t.Up.Of(m))
	}
	return xs, ys
}

// grouped lists the modes that share the cursor's value of a knob.
func (c *cloudView) grouped() []int {
	v, k := c.read.Outlook(), tegra.Knob(c.group-1)
	want := v.Known[c.cursor].Mode.Value(k)
	var out []int
	for _, i := range c.shown() {
		if v.Known[i].Mode.Value(k) == want {
			out = append(out, i)
		}
	}
	return out
}

// legend explains the glyphs of the plot; the table has none.
func (c *cloudView) legend(w int) string {
	if c.asTab || c.picture.drawn != drawCloud { // these have their own legend
		return ""
	}
	here := c.read.Outlook().Known[c.cursor].Mode
	words := []string{"· predicted", "● measured", "◉ here"}
	switch {
	case c.group > 0:
		k := tegra.Knob(c.group - 1)
		words[0] = "⠿ " + k.String() + " " + page.KnobText(here, k)
	case c.filter.passing() != nil:
		words[0] = "⠿ pass the filter"
	}
	if c.frontByGlyph() {
		words = append(words, "○ front")
	} else if c.group > 0 || c.filter.passing() != nil {
		words[0] += "  ⠠ others"
	}
	if !c.read.Outlook().About(here).Measured() {
		words = append(words, "├─┤ 95 % band")
	}
	if len(c.read.Outlook().Doubted()) > 0 {
		words = append(words, "? measured, in doubt")
	}
	if c.ghost != nil {
		words = append(words, "⠒ earlier front")
	}
	if len(c.rivals.drawn()) > 0 {
		words = append(words, "a b chosen by models, lines their fronts", "A B measured of these")
	}
	var names []string
	for _, m := range c.marks() {
		names = append(names, string(m.Glyph)+" "+m.Name)
	}
	return widget.StyleDim.Render(strings.Join(append(widget.Flow(words, w), widget.Flow(names, w)...), "\n"))
}
