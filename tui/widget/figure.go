package widget

import (
	"fmt"
	"math"
	"strings"

	"jtune/internal/figure"
	"jtune/internal/stats"
	"jtune/tui/widget/chart"
)

// Minimum sizes in cells for the parts of a figure.
const (
	legendFrom = 8  // rows for a legend
	notesFrom  = 13 // rows for notes
	titledFrom = 6  // rows of a panel for its title
	valueFrom  = 14 // columns of a panel of rows for its values in numbers
	valueWide  = 6
	leastLane  = 6 // columns of a row's bar
	boxedFrom  = 6 // columns of a heat map's cell for its value in numbers
	cellWide   = 8 // maximum
)

// Glyphs of a figure's series, and the shades of a heat map, low to high.
const (
	tickGlyph     = '◆'
	measuredGlyph = '●'
	heatGlyphs    = "·░▒▓█"
)

// Figure draws a figure in exactly w×h cells, with its legend and notes if there is room; nothing without a cell. paint
// is Paint or Unpainted.
func Figure(f figure.Figure, w, h int, paint chart.Paint) string {
	if w < 1 || h < 1 {
		return ""
	}
	if f.Lacks != "" {
		return Fit(Wrap(f.Lacks, w), w, h)
	}
	var below []string
	if words := legendOf(f); words != nil && h >= legendFrom {
		below = Flow(words, w)
		below = below[:min(len(below), h-legendFrom+2)]
	}
	if h >= notesFrom && len(f.Notes) > 0 {
		notes := strings.Split(Wrap(strings.Join(f.Notes, "; "), w), "\n")
		if len(notes) <= h/4 {
			below = append(below, notes...)
		}
	}
	for i, line := range below {
		below[i] = paint(chart.InkAxis, line)
	}
	body := h - len(below)
	var picture string
	switch {
	case f.Heat():
		picture = heatMap(f, w, body, paint)
	case len(f.Rows) > 0:
		picture = rowsOf(f, w, body, paint)
	default:
		picture = planeOf(f, w, body, paint)
	}
	return Fit(Under(append([]string{picture}, below...)...), w, h)
}

// Unpainted leaves text unchanged.
func Unpainted(_ chart.Ink, text string) string { return text }

// legendOf explains the glyphs.
func legendOf(f figure.Figure) (words []string) {
	names := f.Names()
	for _, s := range names {
		switch {
		case f.Heat() && s.Name == "measured":
			words = append(words, string(measuredGlyph)+" measured")
		case f.Heat():
		case s.Shape == figure.Line && s.Bounds != "":
			words = append(words, "⠤ "+s.Name+", in "+s.Bounds)
		case s.Shape == figure.Line && len(names) > 1 && !labelled(f):
			words = append(words, "⠤ "+s.Name)
		case s.Shape == figure.Line, len(names) == 1 && s.Shape == figure.Bars:
		default:
			words = append(words, string(glyphOf(s))+" "+s.Name)
		}
	}
	for _, p := range f.Panels[:1] {
		if f.Heat() {
			ends := p.HeatEnds()
			for heat, glyph := range []rune(heatGlyphs) {
				words = append(words, fmt.Sprintf("%c ≤%s", glyph, p.Axis.Label(ends[heat])))
			}
			words[len(words)-1] += " " + p.Axis.Unit
		}
		for _, m := range p.Marks {
			if m.Name != "" {
				words = append(words, string(m.Glyph)+" "+m.Name)
			}
		}
	}
	return words
}

// labelled reports whether lines are named at their ends: if a panel has several.
func labelled(f figure.Figure) bool {
	for _, p := range f.Panels {
		lines := 0
		for _, s := range p.Series {
			if s.Shape == figure.Line && len(s.Points) > 0 {
				lines++
			}
		}
		if lines > 1 {
			return true
		}
	}
	return false
}

func glyphOf(s figure.Series) rune {
	switch s.Shape {
	case figure.Dots:
		return '·'
	case figure.Rings:
		return '○'
	case figure.Bars:
		return '█'
	case figure.Ticks:
		return tickGlyph
	case figure.Boxes, figure.Violins:
		return '▒'
	}
	return measuredGlyph
}

// planeOf draws the panels of a plane one below the other, or side by side if they would be too low.
func planeOf(f figure.Figure, w, h int, paint chart.Paint) string {
	n := len(f.Panels)
	if high := h / n; n > 1 && high < chart.MinPlotH+2 && (w-n+1)/n >= chart.MinPlotW {
		blocks := make([]string, 0, 2*n)
		for i := range f.Panels {
			if i > 0 {
				blocks = append(blocks, Fit("", 1, h))
			}
			blocks = append(blocks, panelOf(f, i, (w-n+1)/n, h, 0, true, paint))
		}
		return Beside(blocks...)
	}
	high, margin := h/n, 0
	for _, p := range f.Panels {
		plot := chart.Plot{Y: p.Axis.Scale(p.Span())}
		margin = max(margin, plot.Gutter(high-1), plot.Gutter(high))
	}
	var blocks []string
	for i := range f.Panels {
		if i == n-1 {
			high = h - (n-1)*high
		}
		blocks = append(blocks, panelOf(f, i, w, high, margin, i == n-1, paint))
	}
	return Under(blocks...)
}

// titleIn returns an axis's title in w cells, without "per minibatch" if there is no room for it.
func titleIn(a figure.Axis, w int) string {
	if Width(a.Title()) > w {
		a.Name, _, _ = strings.Cut(a.Name, " per ")
	}
	return Cut(a.Title(), w)
}

// panelOf draws one panel of a plane, below its title if there is room.
func panelOf(f figure.Figure, i, w, h, margin int, last bool, paint chart.Paint) string {
	p := f.Panels[i]
	plot := chart.Plot{X: f.X.Scale(f.Xs()), Y: p.Axis.Scale(p.Span()), Margin: margin}
	if last {
		plot.XName = f.X.Unit
		if f.X.Unit == "" || Width(f.X.Title()) < w/2-4 {
			plot.XName = f.X.Title()
		}
	}
	head := ""
	if h >= titledFrom {
		head = paint(chart.InkAxis, titleIn(p.Axis, w))
		h--
	} else {
		plot.YName = p.Axis.Unit
	}
	lines := 0
	for _, s := range p.Series {
		seriesOn(&plot, s, lines)
		if s.Shape == figure.Line {
			lines++
		}
	}
	for _, l := range p.Limits { // drawn behind the lines
		if l.Across {
			plot.Column(l.At, l.Name, chart.InkLimit)
		} else {
			plot.Level(l.At, l.Name, chart.InkLimit)
		}
	}
	nameLines(&plot, p)
	for _, m := range p.Marks {
		ink := chart.InkPreset
		if m.Here {
			ink = chart.InkCursor
		}
		plot.Mark(m.X, m.V, m.Glyph, ink)
	}
	return Under(head, plot.Render(w, h, paint))
}

// seriesOn adds a series to a plot, the nth line in its own hue.
func seriesOn(plot *chart.Plot, s figure.Series, nth int) {
	n := len(s.Points)
	xs, vs, los, his := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i, p := range s.Points {
		xs[i], vs[i] = p.X, p.V
		los[i], his[i] = plot.Y.Into(p.Lo), plot.Y.Into(p.Hi)
	}
	switch s.Shape {
	case figure.Dots:
		plot.Points(xs, vs, chart.InkCloud)
	case figure.Marks:
		for i := range xs {
			plot.Line([]float64{xs[i], xs[i]}, []float64{los[i], his[i]}, chart.InkBand)
		}
		for i := range xs {
			plot.Mark(xs[i], vs[i], measuredGlyph, chart.InkMeasured)
		}
	case figure.Rings:
		plot.Line(xs, vs, chart.InkFront)
		for i := range xs {
			plot.Mark(xs[i], vs[i], '○', chart.InkFront)
		}
	default:
		ink := []chart.Ink{chart.InkSeries, chart.InkFront}[nth%2]
		if n == 2 && s.Name == "exact" {
			ink = chart.InkAxis
		}
		plot.Line(xs, los, chart.InkBand)
		plot.Line(xs, his, chart.InkBand)
		plot.Line(xs, vs, ink)
	}
}

// nameLines writes the names of several lines where they are farthest apart.
func nameLines(plot *chart.Plot, p figure.Panel) {
	var lines []figure.Series
	for _, s := range p.Series {
		if s.Shape == figure.Line && len(s.Points) > 0 && s.Name != "exact" {
			lines = append(lines, s)
		}
	}
	if len(lines) < 2 {
		return
	}
	at, most := 0, -1.0
	for i := range min(len(lines[0].Points), len(lines[1].Points)) {
		a, okA := plot.Y.At(lines[0].Points[i].V)
		b, okB := plot.Y.At(lines[1].Points[i].V)
		if d := max(a-b, b-a); okA && okB && d >= most {
			at, most = i, d
		}
	}
	for _, s := range lines {
		if at < len(s.Points) {
			plot.Label(s.Points[at].X, s.Points[at].V, s.Name, chart.InkPreset)
		}
	}
}

// rowsOf draws named rows with the panels side by side.
func rowsOf(f figure.Figure, w, h int, paint chart.Paint) string {
	label := 0
	for _, name := range f.Rows {
		label = max(label, Width(name))
	}
	n := len(f.Panels)
	for n > 1 && label+n*(valueFrom+1) > w { // names and numbers are more important than bars
		n--
	}
	f.Panels = f.Panels[:n]
	label = min(label, max(7, w-leastLane-1))
	wide := (w - label - n) / n
	if wide < leastLane {
		return strings.Join(f.Rows[:min(len(f.Rows), h)], "\n")
	}
	room := h
	head := Cut("", label)
	if titled := h > len(f.Rows) || h > 4; titled {
		room--
		for _, p := range f.Panels {
			head += " " + titleIn(p.Axis, wide)
		}
		head = paint(chart.InkAxis, head)
	} else {
		head = ""
	}
	shown := min(len(f.Rows), room)
	if shown < len(f.Rows) && shown > 1 {
		shown--
	}
	lines := make([]string, shown)
	for row := range lines {
		lines[row] = Cut(f.Rows[row], label)
	}
	axisLine, axisText := Cut("", label), Cut("", label)
	for _, p := range f.Panels {
		value := 0
		if wide >= valueFrom && !boxed(p) {
			value = valueWide + 1
		}
		lanes := lanesOf(p, wide-value, shown)
		for row := range lines {
			text := ""
			if value > 0 {
				text = fmt.Sprintf("%*s ", valueWide, p.Axis.Label(valueIn(p, row)))
			}
			lines[row] += " " + text + lanes.Row(row, paint)
		}
		line, labels := lanes.Axis(paint)
		axisLine += strings.Repeat(" ", value) + line
		axisText += strings.Repeat(" ", value) + labels
	}
	if shown < len(f.Rows) {
		lines = append(lines, paint(chart.InkAxis, fmt.Sprintf("… %d more", len(f.Rows)-shown)))
	} else if room >= shown+2 && wide >= chart.MinPlotW {
		lines = append(lines, axisLine, axisText)
	}
	return Under(append([]string{head}, lines...)...)
}

func boxed(p figure.Panel) bool {
	return len(p.Series) > 0 && (p.Series[0].Shape == figure.Boxes || p.Series[0].Shape == figure.Violins)
}

// valueIn returns the printed value of a row: the first series'.
func valueIn(p figure.Panel, row int) float64 {
	for _, q := range p.Series[0].Points {
		if q.Row == row {
			return q.V
		}
	}
	return math.NaN()
}

// lanesOf draws a panel's rows.
func lanesOf(p figure.Panel, w, rows int) *chart.Lanes {
	lanes := chart.NewLanes(p.Axis.Scale(p.Span()), w, rows)
	for _, s := range p.Series {
		if s.Shape == figure.Violins {
			for row, values := range s.ByRow() {
				lanes.Density(row, values, stats.Median(values), chart.InkCloud, chart.InkFront)
			}
			continue
		}
		for _, q := range s.Points {
			switch s.Shape {
			case figure.Bars:
				lanes.Bar(q.Row, p.Axis.From, q.V, chart.InkSeries)
			case figure.Ticks:
				lanes.Whisker(q.Row, q.Lo, q.Hi, chart.InkBand)
				lanes.Mark(q.Row, q.V, tickGlyph, chart.InkMeasured)
			case figure.Boxes:
				lanes.Whisker(q.Row, q.Lo, q.Hi, chart.InkBand)
				lanes.Box(q.Row, q.Q1, q.V, q.Q3, chart.InkFront)
			default:
				lanes.Mark(q.Row, q.V, measuredGlyph, chart.InkMeasured)
			}
		}
	}
	return lanes
}
