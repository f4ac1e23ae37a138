package export

import (
	"fmt"
	"html"
	"math"
	"strings"

	"jtune/internal/axis"
	"jtune/optimize"
)

// Size of the drawing and of the room around it, in pixels.
const (
	svgWidth, svgHeight = 800, 560
	svgLeft, svgRight   = 70, 20
	svgTop, svgBottom   = 40, 55
	svgMaxCloud         = 20000 // more points than this are thinned out
	svgTicks            = 8
)

// Colours of the drawing.
const (
	svgCloud    = "#9aa5b1"
	svgFront    = "#c2410c"
	svgLimit    = "#b91c1c"
	svgMeasured = "#1d4ed8"
)

// SVG draws all modes as dots, the front as a line with rings, what was
// measured as full circles, and limits and names where there are any.
func (c *Cloud) SVG() string {
	d := c.drawing()
	d.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`,
		svgWidth, svgHeight)
	d.add(`<rect width="%d" height="%d" fill="#ffffff"/>`, svgWidth, svgHeight)
	d.add(`<text x="%d" y="22" font-size="14">%s</text>`, svgLeft, html.EscapeString(c.Title))
	d.legend()
	d.axes()
	step := 1 + len(c.Known)/svgMaxCloud
	for i := 0; i < len(c.Known); i += step {
		if x, y, ok := d.place(i); ok && c.Standings[i].Predicted() {
			d.add(`<circle cx="%.1f" cy="%.1f" r="1.2" fill="%s"/>`, x, y, svgCloud)
		}
	}
	d.limits()
	d.front()
	for i, standing := range c.Standings {
		if x, y, ok := d.place(i); ok && !standing.Predicted() {
			d.circle(i, x, y, svgMeasured, svgMeasured)
		}
	}
	for _, m := range c.Marks {
		if x, y, ok := d.place(m.At); ok {
			d.add(`<path d="M%.1f %.1f l5 5 -5 5 -5 -5 z" fill="none" stroke="#000000"/>`, x, y-5)
			d.add(`<text x="%.1f" y="%.1f" paint-order="stroke" stroke="#ffffff" stroke-width="3">%s</text>`, x+8, y-3,
				html.EscapeString(m.Name))
		}
	}
	d.add("</svg>")
	return d.String()
}

// drawing is an SVG being made.
type drawing struct {
	strings.Builder
	*Cloud
	across, up axis.Scale
}

func (c *Cloud) drawing() *drawing {
	d := &drawing{Cloud: c}
	xs, ys := c.values(c.X), c.values(c.Y)
	d.across = axis.NewScale(xs, c.X != optimize.Power)
	most := 0.0
	for _, y := range ys {
		if !math.IsInf(y, 0) && y > most {
			most = y
		}
	}
	d.up = axis.Scale{Lo: 0, Hi: max(most*1.05, 1e-9)}
	if c.Across != nil {
		d.across = *c.Across
	}
	if c.Up != nil {
		d.up = *c.Up
	}
	return d
}

func (c *Cloud) values(a optimize.Axis) []float64 {
	out := make([]float64, len(c.Known))
	for i := range c.Known {
		out[i] = a.Of(c.point(i))
	}
	return out
}

func (d *drawing) add(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

// place returns the pixels of a mode; false when it lies outside.
func (d *drawing) place(i int) (x, y float64, ok bool) {
	p := d.point(i)
	x, okX := d.pixelX(d.X.Of(p))
	y, okY := d.pixelY(d.Y.Of(p))
	return x, y, okX && okY
}

func (d *drawing) pixelX(v float64) (float64, bool) {
	f, ok := d.across.At(v)
	return svgLeft + f*(svgWidth-svgLeft-svgRight), ok
}

func (d *drawing) pixelY(v float64) (float64, bool) {
	f, ok := d.up.At(v)
	return svgHeight - svgBottom - f*(svgHeight-svgTop-svgBottom), ok
}

func (d *drawing) circle(i int, x, y float64, fill, stroke string) {
	p := d.Known[i]
	d.add(`<circle cx="%.1f" cy="%.1f" r="3" fill="%s" stroke="%s"><title>%s: %s ms, %s W</title></circle>`, x, y, fill,
		stroke, p.Mode, Text(d.point(i).SampleMS()), Text(p.PowerW))
}

func (d *drawing) front() {
	var line []string
	for _, k := range d.Front {
		if x, y, ok := d.place(k); ok {
			line = append(line, fmt.Sprintf("%.1f,%.1f", x, y))
		}
	}
	d.add(`<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5"/>`, strings.Join(line, " "), svgFront)
	for _, k := range d.Front {
		if x, y, ok := d.place(k); ok && d.Standings[k].Predicted() {
			d.circle(k, x, y, "#ffffff", svgFront)
		}
	}
}

// limits draws a line at each limit that one of the axes shows.
func (d *drawing) limits() {
	for _, l := range []struct {
		axis  optimize.Axis
		value float64
	}{{optimize.Power, d.Limit.PowerW}, {optimize.Time, d.Limit.TimeMS}} {
		style := `fill="none" stroke="` + svgLimit + `" stroke-dasharray="6 4"`
		if y, ok := d.pixelY(l.value); ok && l.value > 0 && l.axis == d.Y {
			d.add(`<path d="M%d %.1f H%d" %s/><text x="%d" y="%.1f" text-anchor="end">limit %s %s</text>`, svgLeft, y,
				svgWidth-svgRight, style, svgWidth-svgRight, y-4, Text(l.value), l.axis.Unit())
		}
		if x, ok := d.pixelX(l.value); ok && l.value > 0 && l.axis == d.X {
			d.add(`<path d="M%.1f %d V%d" %s/><text x="%.1f" y="%d">limit %s %s</text>`, x, svgTop, svgHeight-svgBottom,
				style, x+4, svgTop+12, Text(l.value), l.axis.Unit())
		}
	}
}

// legend explains the shapes, at the upper right.
func (d *drawing) legend() {
	y := svgTop + 14
	d.add(`<circle cx="%d" cy="%d" r="1.2" fill="%s"/><text x="%d" y="%d">predicted</text>`, svgWidth-118, y-4,
		svgCloud, svgWidth-108, y)
	d.add(`<circle cx="%d" cy="%d" r="3" fill="#ffffff" stroke="%s"/><text x="%d" y="%d">front</text>`, svgWidth-118,
		y+12, svgFront, svgWidth-108, y+16)
	d.add(`<circle cx="%d" cy="%d" r="3" fill="%s"/><text x="%d" y="%d">measured</text>`, svgWidth-118, y+28,
		svgMeasured, svgWidth-108, y+32)
}

// axes draws ticks and the names of the axes.
func (d *drawing) axes() {
	d.add(`<path d="M%d %d V%d H%d" fill="none" stroke="#333333"/>`, svgLeft, svgTop, svgHeight-svgBottom,
		svgWidth-svgRight)
	for _, v := range d.across.Ticks(svgTicks) {
		if x, ok := d.pixelX(v); ok {
			d.add(`<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, x, svgHeight-svgBottom+18, Text(v))
		}
	}
	for _, v := range d.up.Ticks(svgTicks) {
		if y, ok := d.pixelY(v); ok {
			d.add(`<text x="%d" y="%.1f" text-anchor="end">%s</text>`, svgLeft-6, y+4, Text(v))
		}
	}
	d.add(`<text x="%d" y="%d" text-anchor="middle">%s</text>`, (svgLeft+svgWidth-svgRight)/2, svgHeight-12,
		d.axisName(d.X))
	d.add(`<text transform="translate(18 %d) rotate(-90)" text-anchor="middle">%s</text>`,
		(svgTop+svgHeight-svgBottom)/2, d.axisName(d.Y))
}

func (c *Cloud) axisName(a optimize.Axis) string {
	per := "minibatch"
	if c.several {
		per = "sample"
	}
	return map[optimize.Axis]string{optimize.Time: "time per " + per + ", ms", optimize.Power: "power, W",
		optimize.Energy: "energy per " + per + ", J"}[a]
}
