package front

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/axis"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tui/export"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// mixes are what the page shows of a pair in place of a model: what its jobs do in each mode, with the batch size and
// the turns of most training there.
type mixes struct {
	of     *session.PairMixes // that the cursor is in
	left   *session.PairMixes // those that were left for the model
	walk   []int
	at     int // the cursor's place in walk
	xs, ys []float64
	cloud  widget.Cloud
	tab    widget.Table
	large  bool
}

// mixed are the mixes that show; nil: the page is of a model.
func (p *Page) mixed() *session.PairMixes {
	m, v := p.read.Mixes(), &p.mixes
	if m == nil || m == v.left {
		return nil
	}
	if m != v.of {
		v.of, v.walk, v.large = m, m.Walk(), false
		v.xs, v.ys = nil, nil
		for i, point := range m.Points {
			v.xs, v.ys = append(v.xs, m.PowerW(i)), append(v.ys, point.TrainPerS)
		}
		v.at = max(0, slices.Index(v.walk, m.Answer))
		v.tab = newMixTable(p.read.Keys().ListKeys())
	}
	return m
}

func newMixTable(keys widget.ListKeys) widget.Table {
	return widget.Table{Keys: keys, Cols: []widget.Column{
		{Title: "mode", Width: 20, Whole: true},
		{Title: "", Width: 1}, // where it stands
		{Title: "bs", Width: 3, Right: true},
		{Title: "turns", Width: 6, Drop: 3},
		{Title: "mb/s", Width: 5, Right: true},
		{Title: "W", Width: 5, Right: true},
		{Title: "ms", Width: 6, Right: true, Drop: 1},
		{Title: "idle", Width: 5, Right: true, Drop: 4},
		{Title: "state", Width: 16, Drop: 2},
	}}
}

// mixKey takes the keys of the mixes.
func (p *Page) mixKey(k tea.KeyPressMsg, m *session.PairMixes) (page.Intent, bool) {
	keys, v := p.read.Keys(), &p.mixes
	here := v.walk[v.at]
	if to, walks := v.tab.Keys.Step(k, v.at, max(1, len(v.walk)/frontStrides), len(v.walk)-1); walks {
		v.at = to
		return nil, true
	}
	switch {
	case keys.Left.Matches(k):
		v.at = max(0, v.at-1)
	case keys.Right.Matches(k):
		v.at = min(v.at+1, len(v.walk)-1)
	case keys.Answer.Matches(k):
		v.at = max(0, slices.Index(v.walk, m.Answer))
	case keys.Table.Matches(k):
		p.asTab = !p.asTab
	case keys.Enlarge.Matches(k):
		v.large = !v.large
	case keys.Back.Matches(k) && v.large:
		v.large = false
	case keys.Back.Matches(k):
		v.left = m
	case keys.Verify.Matches(k):
		if why := p.read.MayMeasure(); why != "" {
			return page.Say("verify: not now, " + why), true
		}
		return page.All{page.Open(page.Train), page.Start{Task: m.Measure(here), Fast: true}}, true
	default:
		does, yes := keys.Applies(k)
		does.Mode = m.Points[here].Mode
		return does, yes
	}
	return nil, true
}

// mixHints are the keys of the mixes.
func (p *Page) mixHints() []widget.Action {
	keys, why := p.read.Keys(), p.read.MayWrite()
	other := keys.Table.As("table").Doing("the front and the measured pairs as a table")
	if p.asTab {
		other = keys.Table.As("plot").Doing("the table as a plot")
	}
	return []widget.Action{
		keys.Apply.Unless(why),
		keys.Left.With(keys.Right, "along").Doing("walk along the front and the measured pairs"),
		keys.Verify.Doing("run this mix as a pair").Unless(p.read.MayMeasure()),
		keys.Answer,
		other,
		keys.Back.As("the model"),
		keys.Enlarge,
		keys.AtOnce.Unless(why),
	}
}

// mixPage draws the mixes.
func (p *Page) mixPage(m *session.PairMixes, w, h int) string {
	p.cloud.Hide()
	v := &p.mixes
	here := v.walk[v.at]
	asked := m.Ask.String()
	head := widget.StyleBold.Render(widget.CutClause(" "+session.PairName(m.Train, m.Infer)+": "+asked, w))
	rest := h - 1
	card := p.mixCard(m, here, w)
	switch {
	case h < 10 || w < 44:
		top := widget.Fit(card, w, min(rest, 6))
		if rest > 7 {
			top = widget.Under(top, p.mixPicture(m, w, rest-6))
		}
		return widget.Fit(widget.Under(widget.Cut(head, w), top), w, h)
	case v.large:
		return widget.Under(widget.Cut(head, w), p.mixPicture(m, w, rest-1), widget.Cut(" "+p.mixLegend(m, 1000), w))
	case w < 70:
		low := min(9, rest/2)
		return widget.Under(widget.Cut(head, w), p.mixPicture(m, w, rest-low),
			widget.Box(p.mixTitle(m, here), "", p.mixCard(m, here, w-4), w, low))
	}
	side := 34
	if w >= 110 {
		side = 44
	}
	body := p.mixCard(m, here, side-4)
	high := min(rest, strings.Count(body, "\n")+3)
	right := widget.Under(widget.Box(p.mixTitle(m, here), "", body, side, high),
		widget.Fit("\n"+p.mixLegend(m, side), side, rest-high))
	return widget.Under(widget.Cut(head, w), widget.Beside(p.mixPicture(m, w-side-1, rest), widget.Fit("", 1, rest),
		widget.Fit(right, side, rest)))
}

// mixTitle says which mix the card speaks of.
func (p *Page) mixTitle(m *session.PairMixes, i int) string {
	switch {
	case i == m.Answer && m.Feasible:
		return "the answer, measured"
	case i == m.Answer:
		return "nearest measured pair"
	case m.Points[i].Measured != nil:
		return "measured as a pair"
	case !m.Meets:
		return "nearest, predicted"
	}
	return "predicted"
}

// mixCard describes a mix.
func (p *Page) mixCard(m *session.PairMixes, i, w int) string {
	o := m.Points[i]
	turns := string(o.Policy) + " turns"
	if o.Tau > 0 && o.Measured == nil {
		turns += fmt.Sprintf(", %d minibatches", o.Tau)
	}
	late := widget.Dash
	if v := tegra.Finite(o.LatencyMS); v.OK {
		late = widget.MS(v.V) + " ms"
	}
	if m.Bound && o.Measured == nil && !slices.Contains(m.Front, i) {
		late += " at least"
	}
	state := m.Standing(i)
	switch {
	case o.Measured != nil && o.Meets:
		state = widget.StyleGood.Render(widget.Wrap("✓ "+state, w))
	case !o.Meets:
		state = widget.StyleWarn.Render(widget.Wrap("✗ "+state, w))
	default:
		state = "~ " + state
	}
	lines := []string{
		widget.StyleBold.Render(p.read.ModeText(o.Mode)),
		fmt.Sprintf("batch %d, %s", o.Batch, turns),
		state,
		fmt.Sprintf("%7s mb/s", text.Of(o.TrainPerS)),
		fmt.Sprintf("%7s W peak, %s mean", text.Of(o.PeakW), text.Of(o.MeanW)),
		fmt.Sprintf("    p%.4g %s", 100*m.Ask.Quantile, late),
		fmt.Sprintf("%7s idle", page.Percent(tegra.Finite(o.IdleShare))),
	}
	if o.Measured == nil {
		keys := p.read.Keys()
		not := "not run as a pair yet: " + keys.Verify.Label() + " runs it"
		lines = append(lines, widget.StyleDim.Render(widget.Wrap(not, w)))
	}
	if now := p.read.Present(); now.OK && now.V == o.Mode {
		lines = append(lines, widget.StyleGood.Render("the board is in its mode"))
	}
	return strings.Join(lines, "\n")
}

// mixPicture is the plot of the mixes, or its table twin.
func (p *Page) mixPicture(m *session.PairMixes, w, h int) string {
	v := &p.mixes
	if p.asTab || w < chart.MinPlotW+8 || h < chart.MinPlotH+1 {
		return p.mixTable(m, w, h)
	}
	span := v.xs
	if m.Ask.PowerW > 0 {
		span = append(slices.Clone(span), m.Ask.PowerW)
	}
	var measured []int
	for i, point := range m.Points {
		if point.Measured != nil {
			measured = append(measured, i)
		}
	}
	return v.cloud.Render(widget.CloudView{
		Points:   widget.Points{Xs: v.xs, Ys: v.ys, X: axis.NewScale(span, false), Y: axis.NewScale(v.ys, false)},
		XName:    "W",
		YName:    "mb/s",
		Dots:     m,
		Coarse:   p.read.Look().Glyphs >= widget.GlyphsBlocks,
		Plain:    p.frontByGlyph(),
		Front:    m.Front,
		AtX:      m.Ask.PowerW,
		Measured: measured,
		Cursor:   v.walk[v.at],
	}, w, h)
}

// mixTable lists the front and what was measured, the least power first.
func (p *Page) mixTable(m *session.PairMixes, w, h int) string {
	v := &p.mixes
	v.tab.Rows, v.tab.Cursor = len(v.walk), v.at
	v.tab.Cell = func(row, col int) string {
		i := v.walk[row]
		o := m.Points[i]
		late := widget.Dash
		if ms := tegra.Finite(o.LatencyMS); ms.OK {
			late = widget.MS(ms.V)
		}
		mark, state := "~", "predicted"
		switch {
		case o.Measured != nil && o.Meets:
			mark, state = "✓", "measured"
		case !o.Meets:
			mark = "✗"
			state, _, _ = strings.Cut(m.Standing(i), ":") // by how much stand its numbers
		}
		if i == m.Answer {
			state += ", the answer"
		}
		return [...]string{p.read.ModeText(o.Mode), mark, fmt.Sprint(o.Batch), string(o.Policy), text.Of(o.TrainPerS),
			text.Of(m.PowerW(i)), late, page.Percent(tegra.Finite(o.IdleShare)), state}[col]
	}
	return v.tab.Render(w, h)
}

// mixLegend says what the glyphs mean.
func (p *Page) mixLegend(m *session.PairMixes, w int) string {
	if p.asTab {
		return ""
	}
	words := []string{"· predicted", "● measured", "◉ here"}
	if p.frontByGlyph() {
		words = append(words, "○ front")
	}
	if m.Ask.PowerW > 0 {
		words = append(words, "┄ limit")
	}
	lines := flow(words, w) + "\n" + widget.Wrap("each mode with the batch size and turns of most training", w)
	if !m.Meets {
		lines = flow(words, w) + "\n" + widget.Wrap("no mix is predicted to keep the limits", w)
	}
	return widget.StyleDim.Render(lines)
}

// mixNumbers explains the mixes, for the help.
const mixNumbers = "The mixes of two jobs that share the GPU: watts to the right, minibatches of the training a " +
	"second (mb/s) upward. A dot is a mode with the batch size of the inference and the turns that train most in it " +
	"while every limit is kept, as the models of the two jobs predict; the line is the Pareto front of training and " +
	"power. ● was run as a pair. W peak: power of the hungrier job; mean: of all. p99: 99 of 100 requests are " +
	"answered within it, waiting included; at least: the bound of evenly spaced requests, where they come at random. " +
	"idle: share of the time in which neither job has the GPU. ✓ measured within, ~ predicted within, ✗ over a " +
	"limit. v runs the mix under the cursor as a pair and restores the board."

// mixFiles are the mixes as a figure and as tables.
func (p *Page) mixFiles(m *session.PairMixes) ([]page.File, error) {
	svg, list, doc, err := export.FigureFiles(m.Figure(p.read.Space(), p.read.Board()))
	return []page.File{{Ending: "svg", Text: svg}, {Ending: "csv", Text: list}, {Ending: "json", Text: doc}}, err
}
