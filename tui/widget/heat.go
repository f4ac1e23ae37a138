package widget

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jtune/internal/axis"
	"jtune/internal/figure"
	"jtune/tui/widget/chart"
)

// heatMap draws a quantity over two knobs: shades, numbers if the cells are wide enough, and marks. If there are more
// values than cells, neighbours share a cell, which shows their minimum.
func heatMap(f figure.Figure, w, h int, paint chart.Paint) string {
	p := f.Panels[0]
	xs, ys := figure.Distinct(f.Xs()), figure.Distinct(f.Ys())
	gutter := 0
	for _, y := range ys {
		gutter = max(gutter, Width(f.Y.Label(y)))
	}
	head := Cut(fmt.Sprintf("up: %s; across: %s", f.Y.Title(), f.X.Title()), w)
	room, high := w-gutter-1, h-2 // minus the head and the labels
	if room < 1 || high < 1 {
		return Cut(head, w)
	}
	cols, rows := folded(len(xs), room), folded(len(ys), high)
	g := &heatGrid{panel: p, ends: p.HeatEnds(), xs: xs, ys: ys, cols: cols, rows: rows,
		wide: min(cellWide, room/cols.n), paint: paint}
	g.fill()
	tall := min(3, high/rows.n)
	lines := []string{paint(chart.InkAxis, head)}
	for r := rows.n - 1; r >= 0; r-- {
		for part := range tall {
			label := strings.Repeat(" ", gutter)
			if part == tall/2 {
				label = Right(f.Y.Label(ys[r*rows.by]), gutter)
			}
			lines = append(lines, paint(chart.InkAxis, label+" ")+g.row(r, part == tall/2))
		}
	}
	return Under(append(lines, paint(chart.InkAxis, strings.Repeat(" ", gutter+1)+g.labels(f.X)))...)
}

// fold groups neighbouring values: n groups of by values.
type fold struct{ n, by int }

// folded returns at most room groups of values.
func folded(values, room int) fold {
	by := (values + room - 1) / room
	return fold{(values + by - 1) / by, by}
}

// heatGrid holds the cells of a heat map.
type heatGrid struct {
	panel      figure.Panel
	ends       figure.HeatEnds
	xs, ys     []float64
	cols, rows fold
	wide       int
	cells      []heatCell
	paint      chart.Paint
}

// heatCell is one cell.
type heatCell struct {
	v        float64
	measured bool
	mark     *figure.Mark
}

func (g *heatGrid) at(x, y float64) *heatCell {
	i, okX := slices.BinarySearch(g.xs, x)
	j, okY := slices.BinarySearch(g.ys, y)
	if !okX || !okY {
		return &heatCell{}
	}
	return &g.cells[j/g.rows.by*g.cols.n+i/g.cols.by]
}

func (g *heatGrid) fill() {
	g.cells = make([]heatCell, g.cols.n*g.rows.n)
	for i := range g.cells {
		g.cells[i].v = math.NaN()
	}
	for _, s := range g.panel.Series {
		for _, q := range s.Points {
			if c := g.at(q.X, q.Y); axis.Finite(q.V) && !(c.v <= q.V) {
				c.v = q.V
				c.measured = s.Name == "measured"
			}
		}
	}
	for i, m := range g.panel.Marks {
		g.at(m.X, m.Y).mark = &g.panel.Marks[i]
	}
}

// row draws one line of a row of cells; the middle line holds numbers and marks.
func (g *heatGrid) row(r int, middle bool) string {
	var out strings.Builder
	for c := range g.cols.n {
		cell := g.cells[r*g.cols.n+c]
		heat := g.ends.Heat(cell.v)
		if heat < 0 && cell.mark == nil {
			out.WriteString(strings.Repeat(" ", g.wide))
			continue
		}
		shade, hue := " ", chart.InkSeries
		if heat >= 0 {
			shade, hue = string([]rune(heatGlyphs)[heat]), chart.HeatInk(g.ends.Share(cell.v))
		}
		sign, ink := shade, hue
		switch {
		case !middle:
		case cell.mark != nil && cell.mark.Here:
			sign, ink = string(cell.mark.Glyph), chart.InkCursor
		case cell.mark != nil:
			sign, ink = string(cell.mark.Glyph), chart.InkPreset
		case cell.measured:
			sign, ink = string(measuredGlyph), chart.InkMeasured
		}
		out.WriteString(g.paint(ink, sign))
		rest := g.wide - 1
		if rest == 0 {
			continue
		}
		if text := g.panel.Axis.Label(cell.v); middle && g.wide >= boxedFrom && Width(text) < rest {
			out.WriteString(Right(text, rest-1) + " ")
			continue
		}
		if rest == 1 { // columns touch: shade the gap too
			out.WriteString(g.paint(hue, shade))
			continue
		}
		out.WriteString(g.paint(hue, strings.Repeat(shade, rest-1)) + " ")
	}
	return out.String()
}

// labels returns the column labels that fit.
func (g *heatGrid) labels(x figure.Axis) string {
	row := []rune(strings.Repeat(" ", g.cols.n*g.wide))
	free := 0
	for c := range g.cols.n {
		text := []rune(x.Label(g.xs[c*g.cols.by]))
		at := max(0, min(c*g.wide+(g.wide-len(text))/2, len(row)-len(text)))
		if at < free || at+len(text) > len(row) {
			continue
		}
		copy(row[at:], text)
		free = at + len(text) + 1
	}
	return string(row)
}
