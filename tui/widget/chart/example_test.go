package chart_test

import (
	"fmt"
	"math"
	"strings"

	"jtune/internal/axis"
	"jtune/tui/widget/chart"
)

// plain returns text without colours, for every ink.
func plain(_ chart.Ink, text string) string { return text }

// Points of a cloud and a line over two axes; the page gives each ink its style.
func ExamplePlot() {
	ms, watts := []float64{50, 75, 100, 200}, []float64{30, 20, 15, 10}
	p := chart.Plot{X: axis.NewScale(ms, false), Y: axis.NewScale(watts, false), XName: "ms", YName: "W"}
	p.Line(ms, watts, chart.InkFront)
	p.Mark(75, 20, '◆', chart.InkMeasured)
	for line := range strings.Lines(p.Render(36, 9, plain)) {
		fmt.Println(strings.TrimRight(line, " \n"))
	}
	// Output:
	//   │ ⠐⢄
	//   │  ⠈⠢⡀
	//   │    ⠈⢆
	// 20┤      ◆⠤⡀
	//   │        ⠈⠑⢄⡀
	//   │           ⠈⠉⠑⠒⠒⠢⠤⠤⠤⣀⣀⣀
	//   │                       ⠉⠉⠉⠑⠒⠒⠢⠤⠄
	//  W└───────────┬───────────────────┬─
	//              100                  ms
}

// A missing value is a dot in a sparkline, never zero.
func ExampleSpark() {
	fmt.Println(chart.Spark([]float64{1, 4, math.NaN(), 8}, 8, 4))
	// Output: ▁▄·█
}

func ExampleStack() {
	fmt.Println(chart.Stack([]chart.Part{{Value: 3, Glyph: 'G'}, {Value: 1, Glyph: 'C'}}, 12, plain))
	fmt.Println(chart.Bar(0.5, 12))
	// Output:
	// GGGGGGGGGCCC
	// ██████░░░░░░
}
