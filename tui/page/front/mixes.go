package front

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/axis"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/session/pair"
	"jtune/tui/session/task"
	"jtune/tui/widget"
	"jtune/tui/widget/chart"
)

// mixesView shows a pair instead of a model: what its jobs do in each mode, with the batch size and the turns that give
// most training there.
type mixesView struct {
	*shared
	of     *pair.Mixes // the shown ones
	left   *pair.Mixes // closed by the user, who went back to the model
	walk   []int
	at     int // index of the cursor in walk
	xs, ys []float64
	cloud  widget.Cloud
	tab    widget.Table
	large  bool
}

var _ view = (*mixesView)(nil)

// shows reports whether there are mixes that the user has not closed. For new mixes the cursor starts on their answer.
func (v *mixesView) shows() bool {
	m := v.read.Mixes()
	if m == nil || m == v.left {
		return false
	}
	if m != v.of {
		v.of, v.walk, v.large = m, m.Walk(), false
		v.xs, v.ys = nil, nil
		for i, point := range m.Points {
			v.xs, v.ys = append(v.xs, m.PowerW(i)), append(v.ys, point.TrainPerS)
		}
		v.at = max(0, slices.Index(v.walk, m.Answer))
		v.tab = widget.Table{Keys: v.read.Keys().ListKeys()}
	}
	return true
}

// here returns the mix under the cursor.
func (v *mixesView) here() int { return v.walk[v.at] }

// Acts returns what the keys do with the mix under the cursor.
func (v *mixesView) Acts() page.Acts {
	keys, m, here := v.read.Keys(), v.of, v.here()
	walks := func(k tea.KeyPressMsg) (walks bool) {
		v.at, walks = v.tab.Keys.Step(k, v.at, max(1, len(v.walk)/strides), len(v.walk)-1)
		return walks
	}
	along := page.Both(keys.Left, keys.Right, func(by int) page.Intent {
		v.at = min(max(0, v.at+by), len(v.walk)-1)
		return nil
	})
	apply, now := page.Applying(v.read, page.Apply{Mode: m.Points[here].Mode})
	other := keys.Table.As("table").Doing("the front and the measured pairs as a table")
	if v.asTab {
		other = keys.Table.As("plot").Doing("the table as a plot")
	}
	return slices.Concat(page.Acts{apply}, along.As("along", "walk along the front and the measured pairs"), page.Acts{
		page.In(walks, nil),
		page.On(keys.Verify.Doing("run this mix as a pair").Unless(v.read.MayMeasure()), func() page.Intent {
			return page.All{page.Open(page.Train), page.Start{Task: task.Measure(m, here), Speed: v.read.Pace()}}
		}),
		page.On(keys.Answer, func() { v.at = max(0, slices.Index(v.walk, m.Answer)) }),
		page.On(other, v.turnTable),
		page.Quiet(keys.Back, v.large, func() { v.large = false }),
		page.On(keys.Back.As("the model"), func() { v.left = m }),
		page.On(keys.Enlarge, func() { v.large = !v.large }),
		now,
	})
}

// Copied returns the mix under the cursor.
func (v *mixesView) Copied() string { return v.of.Setting(v.here(), v.read.Space()) }

// Files exports the mixes as a figure and as tables.
func (v *mixesView) Files() ([]page.File, error) {
	return page.FigureFiles(v.of.Figure(v.read.Space(), v.read.Board()))
}

// Render draws the mixes.
func (v *mixesView) Render(w, h int) string {
	m := v.of
	asked := m.Ask.String()
	head := widget.StyleBold.Render(widget.CutClause(" "+pair.PairName(m.Train, m.Infer)+": "+asked, w))
	rest := h - 1
	card := v.card(w)
	switch {
	case h < 10 || w < 44:
		top := widget.Fit(card, w, min(rest, 6))
		if rest > 7 {
			top = widget.Under(top, v.picture(w, rest-6))
		}
		return widget.Fit(widget.Under(widget.Cut(head, w), top), w, h)
	case v.large:
		return widget.Under(widget.Cut(head, w), v.picture(w, rest-1), widget.Cut(" "+v.legend(1000), w))
	case w < 70:
		low := min(9, rest/2)
		return widget.Under(widget.Cut(head, w), v.picture(w, rest-low),
			widget.Box(v.title(), "", v.card(w-4), w, low))
	}
	side := 34
	if w >= 110 {
		side = 44
	}
	body := v.card(side - 4)
	high := min(rest, strings.Count(body, "\n")+3)
	right := widget.Under(widget.Box(v.title(), "", body, side, high),
		widget.Fit("\n"+v.legend(side), side, rest-high))
	return widget.Under(widget.Cut(head, w), widget.Beside(v.picture(w-side-1, rest), widget.Fit("", 1, rest),
		widget.Fit(right, side, rest)))
}

// title says what the mix under the cursor is.
func (v *mixesView) title() string {
	switch m, i := v.of, v.here(); {
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

// card describes the mix under the cursor.
func (v *mixesView) card(w int) string {
	m, i := v.of, v.here()
	o := m.Points[i]
	turns := string(o.Policy) + " turns"
	if o.Tau > 0 && o.Measured == nil {
		turns += fmt.Sprintf(", %d minibatches", o.Tau)
	}
	late := widget.Dash
	if ms := tegra.Finite(o.LatencyMS); ms.OK {
		late = widget.MS(ms.V) + " ms"
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
		widget.StyleBold.Render(v.read.ModeText(o.Mode)),
		fmt.Sprintf("batch %d, %s", o.Batch, turns),
		state,
		fmt.Sprintf("%7s step/s", text.Of(o.TrainPerS)),
		fmt.Sprintf("%7s W peak, %s mean", text.Of(o.PeakW), text.Of(o.MeanW)),
		fmt.Sprintf("    p%.4g %s", 100*m.Ask.Quantile, late),
		fmt.Sprintf("%7s idle", page.Percent(tegra.Finite(o.IdleShare))),
	}
	if o.Measured == nil {
		keys := v.read.Keys()
		not := "not run as a pair yet: " + keys.Verify.Label() + " runs it"
		lines = append(lines, widget.StyleDim.Render(widget.Wrap(not, w)))
	}
	if now := v.read.Present(); now.OK && now.V == o.Mode {
		lines = append(lines, widget.StyleGood.Render("the board is in its mode"))
	}
	return strings.Join(lines, "\n")
}

// picture renders the plot of the mixes, or its table twin.
func (v *mixesView) picture(w, h int) string {
	m := v.of
	if v.asTab || w < chart.MinPlotW+8 || h < chart.MinPlotH+1 {
		return v.table(w, h)
	}
	span := v.xs
	for b := range m.Ask.Goal.Limits.Only(metric.Power).Each() {
		span = append(slices.Clone(span), b.Value)
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
		YName:    "step/s",
		Dots:     m,
		Coarse:   v.read.Look().Glyphs >= widget.GlyphsBlocks,
		Plain:    v.frontByGlyph(),
		Front:    m.Front,
		AtX:      m.Ask.Goal.Of(metric.Power),
		Measured: measured,
		Cursor:   v.here(),
	}, w, h)
}

// table lists the front and the measured mixes, least power first.
func (v *mixesView) table(w, h int) string {
	m := v.of
	v.tab.Rows, v.tab.Cursor = len(v.walk), v.at
	v.tab.Cols = report.Table[int]{
		{Title: "mode", Width: 20, Whole: true, Text: func(i int) string { return v.read.ModeText(m.Points[i].Mode) }},
		{Title: "", Width: 1, Text: func(i int) string { mark, _ := v.state(i); return mark }},
		{Title: "bs", Width: 3, Right: true, Text: func(i int) string { return fmt.Sprint(m.Points[i].Batch) }},
		{Title: "turns", Width: 6, Drop: 3, Text: func(i int) string { return string(m.Points[i].Policy) }},
		{Title: "step/s", Width: 6, Right: true, Text: func(i int) string { return text.Of(m.Points[i].TrainPerS) }},
		{Title: "W", Width: 5, Right: true, Text: func(i int) string { return text.Of(m.PowerW(i)) }},
		{Title: "ms", Width: 5, Right: true, Drop: 1,
			Text: func(i int) string { return widget.MS(tegra.Finite(m.Points[i].LatencyMS).V) }},
		{Title: "idle", Width: 5, Right: true, Drop: 4,
			Text: func(i int) string { return page.Percent(tegra.Finite(m.Points[i].IdleShare)) }},
		{Title: "state", Width: 16, Drop: 2, Text: func(i int) string { _, state := v.state(i); return state }},
	}.At(func(row int) int { return v.walk[row] })
	return v.tab.Render(w, h)
}

// state says how a mix stands, as a mark and in words.
func (v *mixesView) state(i int) (mark, words string) {
	mark, words = "~", "predicted"
	switch o := v.of.Points[i]; {
	case o.Measured != nil && o.Meets:
		mark, words = "✓", "measured"
	case !o.Meets:
		mark = "✗"
		words, _, _ = strings.Cut(v.of.Standing(i), ":") // the numbers follow in their own columns
	}
	if i == v.of.Answer {
		words += ", the answer"
	}
	return mark, words
}

// legend explains the glyphs.
func (v *mixesView) legend(w int) string {
	if v.asTab {
		return ""
	}
	m := v.of
	words := []string{"· predicted", "● measured", "◉ here"}
	if v.frontByGlyph() {
		words = append(words, "○ front")
	}
	if m.Ask.Goal.Limits.Harm() {
		words = append(words, "┄ limit")
	}
	says := "each mode with the batch size and turns of most training"
	if !m.Meets {
		says = "no mix is predicted to keep the limits"
	}
	lines := append(widget.Flow(words, w), widget.Wrap(says, w))
	return widget.StyleDim.Render(strings.Join(lines, "\n"))
}
