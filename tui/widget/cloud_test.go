package widget

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"jtune/internal/axis"
)

func somePoints() Points {
	p := Points{
		Xs: []float64{10, 20, 30, 40},
		Ys: []float64{40, 20, 30, 10},
	}
	p.X, p.Y = axis.NewScale(p.Xs, true), axis.NewScale(p.Ys, false)
	return p
}

func TestCloudFindsThePointOfACell(t *testing.T) {
	const w, h = 60, 20
	p := somePoints()
	for i := range p.Xs {
		var c Cloud
		rows := strings.Split(ansi.Strip(c.Render(CloudView{Points: p, Cursor: i}, w, h)), "\n")
		for y, row := range rows {
			x := strings.IndexRune(row, '◉')
			if x < 0 {
				continue
			}
			fx, fy, ok := c.Under(Width(row[:x]), y)
			if got, found := p.Nearest(fx, fy); !ok || !found || got != i {
				t.Errorf("under the cursor at point %d lies %d (%v, %v)", i, got, ok, found)
			}
		}
		if c.Hide(); c.w != 0 {
			t.Error("a hidden cloud has a size")
		}
		if _, _, ok := c.Under(30, 10); ok {
			t.Error("a hidden cloud has a place under the mouse")
		}
	}
}

func TestCloudDrawsItsDotsAnewOnlyWhenTheyDiffer(t *testing.T) {
	var c Cloud
	v := CloudView{Points: somePoints(), Dots: 1}
	c.Render(v, 60, 20)
	dots := c.dots
	v.Cursor, v.AtY, v.Front = 2, 25, []int{0, 1, 3}
	if c.Render(v, 60, 20); c.dots != dots {
		t.Error("the dots are drawn again for a cursor, a limit and a front")
	}
	for name, change := range map[string]func(){
		"other dots":   func() { v.Dots = 2 },
		"another zoom": func() { c.Zoom = c.Zoom.By(1, 0.5, 0.5) },
		"a group":      func() { v.Dots, v.Group = 3, func() []int { return []int{1} } },
	} {
		dots = c.dots
		if change(); !strings.Contains(c.Render(v, 60, 20), "◉") || c.dots == dots {
			t.Errorf("%s: the old dots stay", name)
		}
	}
}
