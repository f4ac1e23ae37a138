package widget

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"jtune/internal/figure"
	"jtune/internal/must"
)

// figures returns one of each form, with more points than fit small sizes.
func figures() []figure.Figure {
	line := figure.Series{Name: "predicted", Shape: figure.Line, Bounds: "its band"}
	other := figure.Series{Name: "measured", Shape: figure.Line}
	for i := range 30 {
		x := float64(i) / 10
		line.Points = append(line.Points, figure.At(x, 100*x+20).Within(100*x, 120*x+30))
		other.Points = append(other.Points, figure.At(x, 90*x+20))
	}
	gpu := figure.Axis{Key: "gpu_hz", Name: "GPU", Unit: "GHz"}
	panel := figure.Panel{Axis: figure.Axis{Key: "time_ms", Name: "time", Unit: "ms", Log: true},
		Series: []figure.Series{line, other}, Limits: []figure.Limit{{At: 90, Name: "limit"}},
		Marks: []figure.Mark{{Point: figure.At(1, 100), Glyph: '◉', Here: true}}}
	plane := figure.Figure{X: gpu, Panels: []figure.Panel{panel, panel, panel}, Notes: []string{"a note"}}

	rows := figure.Figure{RowKey: "mode"}
	bars := figure.Series{Name: "measured", Shape: figure.Bars}
	ticks := figure.Series{Name: "predicted", Shape: figure.Ticks}
	boxes := figure.Series{Name: "quartiles", Shape: figure.Boxes}
	for i := range 30 {
		rows.Rows = append(rows.Rows, fmt.Sprintf("12c/%d.20C/1.30G/3.20M", i))
		bars.Points = append(bars.Points, figure.In(i, float64(i+1)))
		ticks.Points = append(ticks.Points, figure.In(i, float64(i+2)).Within(float64(i), math.Inf(1)))
		box := figure.In(i, float64(i)).Within(-1, float64(2*i))
		box.Q1, box.Q3 = 0, float64(i+1)
		boxes.Points = append(boxes.Points, box)
	}
	percent := figure.Axis{Key: "error_pct", Name: "error", Unit: "%", Zero: true}
	rows.Panels = []figure.Panel{{Axis: percent, Series: []figure.Series{bars, ticks}},
		{Axis: percent, Series: []figure.Series{boxes}}}

	heat := figure.Figure{X: gpu, Y: figure.Axis{Key: "cores", Name: "cores"}}
	cells, seen := figure.Series{Name: "predicted"}, figure.Series{Name: "measured"}
	for x := range 29 {
		for y := range 13 {
			p := figure.Cell(float64(x), float64(y), float64(x*y+3))
			if x == 3 && y == 5 {
				seen.Points = append(seen.Points, p)
			} else if x != y+2 {
				cells.Points = append(cells.Points, p)
			}
		}
	}
	heat.Panels = []figure.Panel{{Axis: figure.Axis{Key: "energy_j", Name: "energy", Unit: "J"},
		Series: []figure.Series{cells, seen},
		Marks:  []figure.Mark{{Point: figure.Cell(9, 0, 3), Glyph: '◆', Name: "least"}}}}

	lacking := figure.Figure{Lacks: "nothing was measured more than once", Rows: []string{"x"}}
	single := figure.Figure{X: gpu, Panels: []figure.Panel{{Axis: percent, Series: []figure.Series{
		{Name: "one", Points: []figure.Point{figure.At(1, math.NaN())}}}}}}
	return []figure.Figure{plane, rows, heat, lacking, single}
}

func TestFigureHasTheSizeAskedFor(t *testing.T) {
	t.Parallel()
	for i, f := range figures() {
		for _, size := range [][2]int{{1, 1}, {5, 2}, {12, 4}, {20, 8}, {34, 9}, {40, 12}, {80, 24}, {120, 35},
			{200, 50}} {
			text := Figure(f, size[0], size[1], Unpainted)
			lines := strings.Split(text, "\n")
			must.Equal(t, len(lines), size[1], i, size)
			for _, line := range lines {
				must.Equal(t, ansi.StringWidth(line), size[0], i, size, line)
			}
			must.Equal(t, ansi.Strip(Figure(f, size[0], size[1], Paint)), text, i, size)
			must.Lack(t, GlyphsASCII.Redraw(text), "?")
		}
	}
}

// A window may be so low that a panel has no line inside.
func TestFigureWithoutACellIsEmpty(t *testing.T) {
	t.Parallel()
	for i, f := range figures() {
		for _, size := range [][2]int{{0, 3}, {90, 0}, {90, -1}, {-3, 9}} {
			must.Equal(t, Figure(f, size[0], size[1], Unpainted), "", i, size)
		}
		for h := range 4 {
			p := Panel{Title: "title", Body: func(w, h int) string { return Figure(f, w, h, Paint) }}
			must.Equal(t, strings.Count(p.Render(92, h+1), "\n")+1, h+1, i)
		}
	}
}

func TestFigureKeepsTheLeastOfCellsThatShareOne(t *testing.T) {
	t.Parallel()
	heat := figures()[2]
	for _, size := range [][2]int{{20, 8}, {40, 12}, {80, 24}, {200, 50}} {
		if text := Figure(heat, size[0], size[1], Unpainted); strings.Count(text, "◆") < 1 {
			t.Errorf("%v: the least value is not marked:\n%s", size, text)
		}
	}
	wide := Figure(heat, 200, 50, Unpainted)
	if strings.Count(wide, "●") != 2 { // one more in the legend
		t.Errorf("the measured cell is not marked:\n%s", wide)
	}
}

func TestFigureLabelsDoNotTouch(t *testing.T) {
	t.Parallel()
	f := figures()[2]
	f.X.Text = func(v float64) string { return fmt.Sprintf("<%04.0f>", v) }
	for w := 20; w <= 200; w += 7 {
		text := Figure(f, w, 24, Unpainted)
		must.Lack(t, text, "><")
		for line := range strings.Lines(text) {
			if strings.Count(line, "<") != strings.Count(line, ">") && !strings.Contains(line, "≤") {
				t.Errorf("%d columns: a label is cut: %q", w, line)
			}
		}
	}
}
