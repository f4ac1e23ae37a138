package widget_test

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"jtune/internal/axis"
	"jtune/internal/report"
	"jtune/tui/widget"
)

// show prints a part of a screen without its colours.
func show(text string) {
	for _, line := range strings.Split(ansi.Strip(text), "\n") {
		fmt.Println(strings.TrimRight(line, " "))
	}
}

// A table requests the visible cells; without room for all columns it drops the least needed.
func ExampleTable() {
	modes := [][]string{{"12c/2.20C", "58.1", "61.0"}, {"8c/1.50C", "74.9", "33.2"}}
	t := widget.Table{
		Cols: report.Table[int]{
			{Title: "mode", Width: 10, Text: func(row int) string { return modes[row][0] }},
			{Title: "W", Width: 5, Right: true, Text: func(row int) string { return modes[row][2] }},
			{Title: "ms", Width: 6, Right: true, Drop: 1, Text: func(row int) string { return modes[row][1] }},
		},
		Rows:   len(modes),
		Cursor: 1,
	}
	show(t.Render(26, 3))
	show(t.Render(18, 3))
	// Output:
	//  mode           W     ms
	//  12c/2.20C   61.0   58.1
	// ▸8c/1.50C    33.2   74.9
	//  mode           W
	//  12c/2.20C   61.0
	// ▸8c/1.50C    33.2
}

func ExampleBox() {
	show(widget.Box("Power", "1 min", "12.3 W", 24, 3))
	// Output:
	// ┌─ Power ────── 1 min ─┐
	// │ 12.3 W               │
	// └──────────────────────┘
}

// A cloud draws points over two axes; the mouse finds the nearest one.
func ExampleCloud() {
	p := widget.Points{Xs: []float64{1, 2, 3}, Ys: []float64{9, 4, 1}}
	p.X, p.Y = axis.NewScale(p.Xs, false), axis.NewScale(p.Ys, false)
	var c widget.Cloud
	c.Render(widget.CloudView{Points: p, XName: "ms", YName: "W"}, 40, 12)
	fx, fy, _ := c.Under(38, 9)
	i, _ := p.Nearest(fx, fy)
	fmt.Println("point", i)
	// Output:
	// point 2
}
