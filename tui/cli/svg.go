package cli

import (
	"fmt"
	"html"
	"math"
	"strings"

	"jtune/learn"
	"jtune/optimize"
)

// Size of the drawing and of the room around it, in pixels.
const (
	svgWidth, svgHeight = 800, 560
	svgLeft, svgRight   = 70, 20
	svgTop, svgBottom   = 40, 55
	svgMaxCloud         = 20000 // more points than this are thinned out
	svgTicks            = 6
)

// svg draws time across (logarithmic) and power or energy up, all points as
// dots and the front as a line.
func (c *cloud) svg() string {
	p := c.plot()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", svgWidth, svgHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", svgWidth, svgHeight)
	fmt.Fprintf(&b, `<text x="%d" y="22" font-size="14">%s</text>`+"\n", svgLeft, html.EscapeString(c.title))
	p.axes(&b, map[optimize.Axis]string{optimize.Power: "power, W", optimize.Energy: "energy per minibatch, J"}[c.axis])
	step := 1 + len(c.preds)/svgMaxCloud
	for i := 0; i < len(c.preds); i += step {
		if x, y, ok := p.place(c.preds[i]); ok {
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="1.2" fill="#9aa5b1"/>`+"\n", x, y)
		}
	}
	var line []string
	for _, k := range c.front {
		if x, y, ok := p.place(c.preds[k]); ok {
			line = append(line, fmt.Sprintf("%.1f,%.1f", x, y))
		}
	}
	fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="#c2410c" stroke-width="1.5"/>`+"\n", strings.Join(line, " "))
	for _, k := range c.front {
		if x, y, ok := p.place(c.preds[k]); ok {
			fill := "#ffffff"
			if c.measured[k] {
				fill = "#c2410c"
			}
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s" stroke="#c2410c"><title>%s: %s ms, %s W</title></circle>`+"\n",
				x, y, fill, c.preds[k].Mode, short(c.preds[k].TimeMS), short(c.preds[k].PowerW))
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// plot maps values to pixels.
type plot struct {
	axis           optimize.Axis
	x0, x1, y0, y1 float64 // x: ln of milliseconds
}

func (c *cloud) plot() plot {
	p := plot{axis: c.axis, x0: math.Inf(1), x1: math.Inf(-1), y0: 0, y1: math.Inf(-1)}
	for _, q := range c.preds {
		if y := p.height(q); q.TimeMS > 0 && !math.IsInf(q.TimeMS, 0) && y > 0 && !math.IsInf(y, 0) {
			p.x0, p.x1, p.y1 = min(p.x0, math.Log(q.TimeMS)), max(p.x1, math.Log(q.TimeMS)), max(p.y1, y)
		}
	}
	if !(p.x1 > p.x0) {
		p.x0, p.x1 = p.x0-0.5, p.x0+0.5
	}
	p.y1 *= 1.05
	return p
}

func (p plot) height(q learn.Prediction) float64 {
	if p.axis == optimize.Energy {
		return q.EnergyJ()
	}
	return q.PowerW
}

func (p plot) place(q learn.Prediction) (x, y float64, ok bool) {
	x, y = p.across(q.TimeMS), p.up(p.height(q))
	return x, y, !math.IsNaN(x+y) && !math.IsInf(x+y, 0)
}

func (p plot) across(ms float64) float64 {
	return svgLeft + (math.Log(ms)-p.x0)/(p.x1-p.x0)*(svgWidth-svgLeft-svgRight)
}

func (p plot) up(v float64) float64 {
	return svgHeight - svgBottom - (v-p.y0)/(p.y1-p.y0)*(svgHeight-svgTop-svgBottom)
}

// axes draws ticks at 1-2-5 values and the names of the axes.
func (p plot) axes(b *strings.Builder, name string) {
	fmt.Fprintf(b, `<path d="M%d %d V%d H%d" fill="none" stroke="#333333"/>`+"\n", svgLeft, svgTop, svgHeight-svgBottom, svgWidth-svgRight)
	for _, v := range decadeTicks(math.Exp(p.x0), math.Exp(p.x1)) {
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", p.across(v), svgHeight-svgBottom+18, short(v))
	}
	step := niceStep(p.y1 / svgTicks)
	for v := 0.0; v <= p.y1; v += step {
		fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", svgLeft-6, p.up(v)+4, short(v))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">time per minibatch, ms</text>`+"\n", (svgLeft+svgWidth-svgRight)/2, svgHeight-12)
	fmt.Fprintf(b, `<text transform="translate(18 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", (svgTop+svgHeight-svgBottom)/2, name)
}

// decadeTicks lists the 1-2-5 values within lo and hi.
func decadeTicks(lo, hi float64) []float64 {
	var out []float64
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		for _, m := range []float64{1, 2, 5} {
			if v := m * math.Pow(10, e); v >= lo && v <= hi {
				out = append(out, v)
			}
		}
	}
	return out
}

// niceStep is the next 1, 2 or 5 times a power of ten.
func niceStep(v float64) float64 {
	scale := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*scale >= v {
			return m * scale
		}
	}
	return 10 * scale
}
