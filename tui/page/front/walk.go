package front

import (
	"math"
	"slices"
	"strconv"

	"jtune/internal/axis"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/page"
)

// along moves along the front: to the neighbour, or from a mode off the front to the horizontally nearest member. The
// table lists that mode too.
func (c *cloudView) along(by int) page.Intent {
	if c.picture.drawn != drawCloud {
		return c.step(false, by)
	}
	list, at := c.front(), 0
	switch {
	case len(list) == 0:
		return nil
	case c.asTab:
		list, at = c.listed()
	case slices.Contains(list, c.cursor):
		at = slices.Index(list, c.cursor)
	default:
		by, at = 0, c.nearOnFront(list)
	}
	c.goTo(list[min(max(0, at+by), len(list)-1)])
	return nil
}

// stride moves by a twentieth of the front.
func (c *cloudView) stride(by int) page.Intent { return c.along(by * max(1, len(c.front())/strides)) }

// halfStride moves by half a stride.
func (c *cloudView) halfStride(by int) page.Intent {
	return c.along(by * max(1, len(c.front())/strides/2))
}

// toEnd moves to the first or last member of the front.
func (c *cloudView) toEnd(by int) page.Intent {
	switch f := c.front(); {
	case len(f) == 0:
	case by > 0:
		c.goTo(f[len(f)-1])
	default:
		c.goTo(f[0])
	}
	return nil
}

// nearOnFront returns the index of the front's member that is horizontally nearest to the cursor's mode.
func (c *cloudView) nearOnFront(f []int) int {
	xs, _ := c.columns()
	x := math.Log(xs[c.cursor])
	at, least := 0, math.Inf(1)
	for i, m := range f {
		if d := math.Abs(math.Log(xs[m]) - x); d < least {
			at, least = i, d
		}
	}
	return at
}

// off moves to the nearest mode above (by < 0) or below in the plot.
func (c *cloudView) off(by int) page.Intent {
	if c.picture.drawn != drawCloud {
		return c.step(true, -by)
	}
	if c.asTab {
		return c.along(by)
	}
	xs, ys := c.columns()
	x0, y0 := math.Log(xs[c.cursor]), ys[c.cursor]
	drawn := axis.Finite(x0)
	best, least := -1, math.Inf(1)
	for _, i := range c.shown() {
		dy := (ys[i] - y0) / y0
		if float64(by)*dy >= 0 {
			continue
		}
		dx := math.Log(xs[i]) - x0
		if !drawn { // the queue of the cursor's mode only grows
			dx = 0
		}
		if d := math.Abs(dy) + 4*math.Abs(dx); d < least {
			best, least = i, d
		}
	}
	if best >= 0 {
		c.goTo(best)
	}
	return nil
}

// step moves the cursor along a knob of the picture: across, or upward in a map. It stays if the board has no such
// mode.
func (c *cloudView) step(upward bool, by int) page.Intent {
	k, any := c.picture.knob(upward)
	if !any {
		return nil
	}
	v := c.read.Outlook()
	values, mode := c.read.Space().Values(k), v.Known[c.cursor].Mode
	for i, value := range values {
		if value == mode.Value(k) && i+by >= 0 && i+by < len(values) {
			next := mode.Values()
			next[k] = int64(values[i+by])
			if at, ok := v.Index(tegra.ModeOfValues(next)); ok {
				c.goTo(at)
			}
			break
		}
	}
	return nil
}

// zoomBy zooms around the cursor.
func (c *cloudView) zoomBy(steps int) page.Intent {
	x, y := c.points().Share(c.cursor)
	c.dots.Zoom = c.dots.Zoom.By(steps, x, y)
	return nil
}

// moveLimit changes the power limit by a watt (or the time limit by 5 %, to three digits) and moves the cursor to the
// new answer.
func (c *cloudView) moveLimit(steps int) page.Intent {
	by := float64(steps)
	moved := func(ms float64) float64 {
		ms, _ = strconv.ParseFloat(strconv.FormatFloat(ms*math.Pow(1.05, by), 'g', 3, 64), 64)
		return max(0.01, ms) // a step up and one down cancel out
	}
	g := c.read.Goal()
	if g.Load.LatencyMS > 0 {
		g.Load.LatencyMS = moved(g.Load.LatencyMS)
		return page.Choose(g)
	}
	l := g.Limit
	b, timed := l.Limits.On(metric.Time)
	switch {
	case timed:
		b.Value = moved(b.Value)
	case l.Limited():
		b = l.Limits[0]
		b.Value = max(1, math.Round(b.Value)+by)
	default:
		l = metric.Goal{}
		b = metric.Bound{Metric: metric.Power,
			Value: max(1, math.Round(c.read.Outlook().Known[c.cursor].PowerW)+by)}
	}
	l.Limits = l.Limits.With(b)
	return c.read.Within(l)
}

// Click moves the cursor to the mode nearest to a cell; the visible part does not move.
func (c *cloudView) Click(x, y int) bool {
	fx, fy, ok := c.dots.Under(x, y-c.top)
	if !ok {
		return false
	}
	if i, ok := c.points().Nearest(fx, fy); ok {
		c.cursor = i
	}
	return true
}

// Wheel zooms around the mouse.
func (c *cloudView) Wheel(x, y, by int) bool {
	fx, fy, ok := c.dots.Under(x, y-c.top)
	if ok {
		c.dots.Zoom = c.dots.Zoom.Around(-by, fx, fy)
	}
	return ok
}
