package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/NimbleMarkets/ntcharts/v2/canvas"

	"jtune/internal/axis"
	"jtune/internal/must"
)

func TestPlotOfNothingIsDrawn(t *testing.T) {
	nan := math.NaN()
	for _, values := range [][]float64{nil, {nan}, {math.Inf(1)}, {5}, {0}, {-3, nan}, {1e300, -1e300}} {
		for _, log := range []bool{false, true} {
			s := axis.NewScale(values, log)
			if !(s.Hi > s.Lo) {
				t.Errorf("scale of %v (log %v) is empty: %v", values, log, s)
			}
			p := Plot{X: s, Y: s, XName: "ms", YName: "W"}
			p.Line(values, values, InkFront)
			p.Render(30, 10, Plain)
		}
	}
	if s := axis.FromZero(nan); s.Lo != 0 || !(s.Hi > 0) {
		t.Errorf("scale from zero to NaN: %v", s)
	}
}

// size requires exactly w×h cells.
func size(t *testing.T, text string, w, h int) {
	t.Helper()
	lines := strings.Split(text, "\n")
	if h > 0 && len(lines) != h {
		t.Fatalf("%d rows, want %d", len(lines), h)
	}
	for _, l := range lines {
		if n := utf8.RuneCountInString(l); h > 0 && n != max(w, 0) {
			t.Fatalf("row of %d columns, want %d: %q", n, w, l)
		}
	}
}

func TestPlotOfExtremeValuesKeepsItsSize(t *testing.T) {
	mad := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 0, 1, 0.5, 1e6}
	for w := -1; w < 70; w += 7 {
		for h := -1; h < 30; h += 3 {
			p := Plot{X: axis.Scale{Lo: 0, Hi: 1}, Y: axis.Scale{Lo: 0, Hi: 1}, XName: "ms", YName: "W"}
			p.Points(mad, mad, InkCloud)
			p.Line(mad, mad, InkFront)
			p.Haze(mad, mad, InkCloud)
			p.Base(p.Drawn(w, h))
			for _, v := range mad {
				p.Level(v, "limit", InkLimit)
				p.Column(v, "limit", InkLimit)
				p.Mark(v, v, 'M', InkPreset)
				p.Bars(0.5, v, 0.7, 0.5, 0.1, v, InkBand)
				p.Label(v, v, "CPU", InkPreset)
			}
			size(t, p.Render(w, h, Plain), w, h)
		}
	}
}

func TestPlotValueOfACell(t *testing.T) {
	p := Plot{X: axis.Scale{Lo: 1, Hi: 1000, Log: true}, Y: axis.Scale{Lo: 0, Hi: 60}, XName: "ms", YName: "W"}
	const w, h = 60, 20
	for _, at := range [][2]float64{{1.2, 58}, {30, 30}, {900, 1}} {
		q := p
		q.Mark(at[0], at[1], 'M', InkPreset)
		rows := strings.Split(q.Render(w, h, Plain), "\n")
		for cy, row := range rows {
			if cx := strings.IndexRune(row, 'M'); cx >= 0 {
				cx = utf8.RuneCountInString(row[:cx])
				x, y, ok := p.Value(w, h, cx, cy)
				if !ok || math.Abs(math.Log(x/at[0])) > math.Log(1000)/w || math.Abs(y-at[1]) > 60.0/(h-2) {
					t.Errorf("the mark of %v is in a cell of %g, %g (%v)", at, x, y, ok)
				}
			}
		}
	}
	if _, _, ok := p.Value(w, h, 0, 0); ok {
		t.Error("a label of the axis has a value")
	}
}

func TestPlotBaseIsLaidUnder(t *testing.T) {
	xs, ys := benchCloud()
	p := Plot{X: axis.NewScale(xs, true), Y: axis.NewScale(ys, false), XName: "ms", YName: "W"}
	again := p
	p.Points(xs, ys, InkCloud)
	again.Base(p.Drawn(80, 20))
	must.Equal(t, again.Render(80, 20, Plain), p.Render(80, 20, Plain))
}

func TestPlotTicksBesideASingleValueAreRound(t *testing.T) {
	for _, log := range []bool{false, true} {
		for v, want := range map[float64]string{30.437: "[28 30 32]", 87.2: "[80 85 90 95]", 0.5: "[0.45 0.5 0.55]"} {
			must.Equal(t, fmt.Sprint(axis.NewScale([]float64{v, v}, log).Ticks(4)), want, log, v)
		}
	}
	must.Equal(t, fmt.Sprint(axis.NewScale([]float64{0}, false).Ticks(4)), "[-1 -0.5 0 0.5 1]")
}

func TestPlotBarsAreSeenWhereTheyAreWiderThanACell(t *testing.T) {
	p := Plot{X: axis.Scale{Lo: 0, Hi: 100}, Y: axis.Scale{Lo: 0, Hi: 100}}
	p.Bars(50, 30, 150, 55, 54, 56, InkBand) // clipped on the right
	got := strings.Split(p.Render(30, 12, Plain), "\n")
	must.Equal(t, got[4], "   │       ├─────────────────┤")
	for i, row := range got[:10] {
		if i != 4 && strings.TrimSpace(string([]rune(row)[4:])) != "" {
			t.Errorf("row %d holds part of a band within one cell: %q", i, row)
		}
	}
}

func TestPlotFromHasRoundTicksAsFarFromEachOther(t *testing.T) {
	for h := 5; h < 40; h++ {
		for _, most := range []float64{0.03, 1, 5.5, 57.7, 99, 100, 1013, 86400} {
			var p Plot
			p.YName = "W"
			p.From(0, most, h)
			if p.Y.Hi < most || p.Y.Hi > 2.5*most {
				t.Errorf("%d rows: the scale to %g ends at %g", h, most, p.Y.Hi)
			}
			var at []int
			for y, row := range strings.Split(p.Render(30, h, Plain), "\n")[:h-p.axisRows()] {
				if strings.ContainsRune(row, '┤') {
					at = append(at, y)
				}
			}
			for i := 2; i < len(at); i++ {
				must.Equal(t, at[i]-at[i-1], at[1]-at[0], h, most)
			}
			if len(at) < 2 {
				t.Errorf("%d rows, to %g: ticks at rows %v, want two at least", h, most, at)
			}
		}
	}
}

func TestPlotNameOfTheAxisLeavesEveryTick(t *testing.T) {
	p := Plot{X: axis.Scale{Hi: 10}, Y: axis.Scale{Hi: 60}, XName: "s", YName: "W"}
	rows := strings.Split(p.Render(30, 11, Plain), "\n")
	for _, c := range []struct{ row, want string }{{rows[0], "60┤"}, {rows[9], " W└"}} {
		if !strings.HasPrefix(c.row, c.want) {
			t.Errorf("got %q, want %q first", c.row, c.want)
		}
	}
}

func TestPlotLabelsDoNotLieOverEachOther(t *testing.T) {
	p := Plot{X: axis.Scale{Hi: 10}, Y: axis.Scale{Hi: 100}}
	for _, name := range []string{"GPU", "tj", "SOC0"} {
		p.Label(10, 61, name, InkPreset)
	}
	got := p.Render(30, 11, Plain)
	must.Contain(t, got, "GPU\n", "tj\n", "SOC0\n")
}

func TestPlotLimitKeepsTheCloudVisible(t *testing.T) {
	p := Plot{X: axis.Scale{Hi: 10}, Y: axis.Scale{Hi: 10}}
	for x := range 200 {
		p.Points([]float64{float64(x) / 20}, []float64{5}, InkCloud)
	}
	p.Limits(0, 5)
	for _, row := range strings.Split(p.Render(40, 11, Plain), "\n") {
		if strings.Contains(row, "limit") {
			dots := 0
			for _, r := range row {
				if r >= 0x2800 {
					dots++
				}
			}
			if line := strings.Count(row, "┄"); line < 5 || dots < 3*line-6 {
				t.Errorf("%d cells of the line over %d of the cloud: %q", line, dots, row)
			}
			return
		}
	}
	t.Error("there is no limit")
}

func TestRasterLineJoinsItsEnds(t *testing.T) {
	r := newRaster(10, 5)
	r.Line([]canvas.Float64Point{{X: 0, Y: 1}, {X: 1, Y: 0}}, InkFront)
	must.Equal(t, touched(r), 10)
}

// touched counts the cells that are not empty.
func touched(r *Raster) int {
	return utf8.RuneCountInString(strings.NewReplacer(" ", "", "\n", "").Replace(rendered(r, Plain)))
}

func TestRasterLineHasGaps(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e18, -1e18, -0.01, 1.01} {
		r := newRaster(10, 1)
		r.Line([]canvas.Float64Point{{X: 0, Y: 0}, {X: 0.5, Y: bad}, {X: 1, Y: 0}, {X: bad, Y: 0.5}}, InkFront)
		must.Equal(t, rendered(r, Plain), "⡀        ⢀", bad)
	}
	newRaster(0, 0).Line([]canvas.Float64Point{{X: 0, Y: 0}, {X: 1, Y: 1}}, InkFront) // no room: it must not panic
}

func TestRasterLineAddsToTheDots(t *testing.T) {
	r := newRaster(2, 1)
	r.Dot(0, 0, InkCloud)
	r.Line([]canvas.Float64Point{{X: 0, Y: 0}, {X: 1, Y: 0}}, InkFront)
	must.Equal(t, rendered(r, Plain), "⣁⣀")
	must.Equal(t, r.ink[0], InkFront)
}

func TestRasterHighestInkColoursACell(t *testing.T) {
	r := newRaster(1, 1)
	r.Dot(0, 0, InkFront)
	r.Dot(1, 3, InkCloud)
	var inks []Ink
	rendered(r, func(ink Ink, text string) string { inks = append(inks, ink); return text })
	must.Equal(t, len(inks), 1)
	must.Equal(t, inks[0], InkFront)
}

func TestRasterRowHasOneRunPerStretchOfInk(t *testing.T) {
	r := newRaster(20, 1)
	for x := range 20 {
		r.Dot(x, 0, InkCloud)
	}
	for x := 20; x < 40; x++ {
		r.Dot(x, 0, InkFront)
	}
	runs := 0
	rendered(r, func(_ Ink, text string) string { runs++; return text })
	must.Equal(t, runs, 2)
}

func TestBarStackAndSpark(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"half a bar", Bar(0.5, 4), "██░░"},
		{"more than all is all", Bar(7, 3), "███"},
		{"a missing share is dots", Bar(math.NaN(), 3), "···"},
		{"no room, no bar", Bar(0.5, -1), ""},
		{"a spark per value", Spark([]float64{0, 50, 100}, 100, 3), "▁▄█"},
		{"a missing value is a dot", Spark([]float64{math.NaN()}, 100, 1), "·"},
		{"folding keeps the largest", Spark([]float64{0, 100, 0, 0}, 100, 2), "█▁"},
		{"no scale, no bars", Spark([]float64{1}, 0, 1), "·"},
		{"shares fill the width",
			Stack([]Part{{1, 'a', 0}, {2, 'b', 0}, {math.NaN(), 'c', 0}, {1, 'd', 0}}, 8, Plain), "aabbbbdd"},
		{"nothing to share", Stack(nil, 3, Plain), "   "},
	} {
		must.Equal(t, c.got, c.want, c.name)
	}
}

// Plain paints nothing.
func Plain(_ Ink, text string) string { return text }

// rendered returns the whole raster, rows separated by newlines.
func rendered(r *Raster, paint Paint) string {
	rows := make([]string, r.H)
	for y := range rows {
		rows[y] = r.Row(y, paint)
	}
	return strings.Join(rows, "\n")
}

// A word keeps its ink where a line of another ink crosses it, whichever was drawn first.
func TestLabelKeepsItsInkWhereLinesMeet(t *testing.T) {
	for _, first := range []bool{true, false} {
		r := newRaster(5, 1)
		line := []canvas.Float64Point{{X: 0, Y: 0.5}, {X: 1, Y: 0.5}}
		if first {
			r.Line(line, InkGPU)
		}
		r.Text(1, 0, "CPU", InkCPU)
		if !first {
			r.Line(line, InkGPU)
		}
		inks := ""
		r.Row(0, func(ink Ink, text string) string {
			if strings.Contains(text, "CPU") && ink == InkCPU {
				inks += text
			}
			return text
		})
		must.Equal(t, inks, "CPU", first, r.ink)
	}
}
