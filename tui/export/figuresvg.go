package export

import (
	"fmt"
	"html"
	"math"
	"strings"
	"unicode/utf8"

	"jtune/internal/axis"
	"jtune/internal/figure"
	"jtune/internal/report"
)

// Dimensions of a drawing in pixels.
const (
	svgWidth      = 800
	svgHeight     = 560 // of a single panel
	svgPanel      = 260 // of each of several panels
	svgRow        = 20
	svgLeft       = 70
	svgRight      = 20
	svgTop        = 62 // title and legend
	svgBottom     = 48 // ticks and the axis name
	svgNote       = 17
	svgLetter     = 6.6   // average width of a letter
	svgMostDots   = 20000 // more points are thinned out
	svgTicks      = 8
	svgMostLabel  = 190
	svgPanelTitle = 22
)

// Colours of a drawing.
const (
	svgCloud    = "#9aa5b1"
	svgFront    = "#c2410c"
	svgLimit    = "#b91c1c"
	svgMeasured = "#1d4ed8"
	svgBand     = "#93c5fd"
	svgText     = "#333333"
)

// svgLines are the hues of lines, svgHeats the shades of a heat map.
var (
	svgLines = []string{"#0f766e", svgFront}
	svgHeats = [figure.Heats]string{"#fef3c7", "#fcd34d", "#f59e0b", "#b45309", "#78350f"}
)

// FigureSVG draws a figure, or states what it lacks.
func FigureSVG(f figure.Figure) string {
	d := &drawing{figure: f}
	notes := f.Notes
	var height float64
	switch {
	case f.Lacks != "":
		notes, height = []string{f.Lacks}, svgTop
	case f.Heat():
		height = svgTop + d.heat(svgTop)
	case len(f.Rows) > 0:
		height = svgTop + d.rows(svgTop)
	default:
		height = svgTop + d.plane(svgTop)
	}
	for _, note := range notes {
		height += svgNote
		d.text(svgLeft, height, "start", note)
	}
	return d.document(height + svgNote)
}

// drawing builds an SVG.
type drawing struct {
	body   strings.Builder
	figure figure.Figure
}

func (d *drawing) document(height float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" font-family="sans-serif" `+
		`font-size="12">`+"\n", svgWidth, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%.0f" fill="#ffffff"/>`+"\n", svgWidth, height)
	fmt.Fprintf(&b, `<text x="%d" y="22" font-size="14">%s</text>`+"\n", svgLeft, html.EscapeString(d.figure.Title))
	b.WriteString(d.legend())
	b.WriteString(d.body.String())
	b.WriteString("</svg>\n")
	return b.String()
}

func (d *drawing) add(format string, args ...any) { fmt.Fprintf(&d.body, format+"\n", args...) }

func (d *drawing) text(x, y float64, anchor, text string) {
	d.add(`<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s">%s</text>`, x, y, anchor, svgText,
		html.EscapeString(text))
}

// legend explains the glyphs in one line below the title.
func (d *drawing) legend() string {
	var b strings.Builder
	x := float64(svgLeft)
	item := func(width float64, shape, text string) {
		fmt.Fprintf(&b, `<g transform="translate(%.1f 42)">%s<text x="%.1f" y="0">%s</text></g>`+"\n", x, shape, width+5,
			html.EscapeString(text))
		x += width + 5 + svgLetter*float64(utf8.RuneCountInString(text)) + 16
	}
	if d.figure.Heat() {
		p := d.figure.Panels[0]
		ends := p.HeatEnds()
		for heat, colour := range svgHeats {
			item(12, fmt.Sprintf(`<rect y="-10" width="12" height="12" fill="%s"/>`, colour), "≤"+p.Axis.Label(ends[heat]))
		}
		x -= 10
		item(0, "", p.Axis.Title())
	}
	lines := 0
	for _, s := range d.figure.Names() {
		if d.figure.Heat() && s.Name != "measured" {
			continue
		}
		name := s.Name
		if s.Bounds != "" {
			name += ", in " + s.Bounds
		}
		item(12, swatch(s, lines), name)
		if s.Shape == figure.Line {
			lines++
		}
	}
	if d.figure.Lacks != "" {
		return ""
	}
	return b.String()
}

func swatch(s figure.Series, nth int) string {
	switch s.Shape {
	case figure.Line:
		return fmt.Sprintf(`<path d="M0 -4 H12" stroke="%s" stroke-width="2"/>`, svgLines[nth%len(svgLines)])
	case figure.Dots:
		return fmt.Sprintf(`<circle cx="6" cy="-4" r="1.2" fill="%s"/>`, svgCloud)
	case figure.Rings:
		return fmt.Sprintf(`<circle cx="6" cy="-4" r="3" fill="#ffffff" stroke="%s"/>`, svgFront)
	case figure.Bars:
		return fmt.Sprintf(`<rect y="-9" width="12" height="10" fill="%s"/>`, svgCloud)
	case figure.Boxes, figure.Violins:
		return fmt.Sprintf(`<rect y="-9" width="12" height="10" fill="%s" stroke="%s"/>`, svgBand, svgText)
	case figure.Ticks:
		return fmt.Sprintf(`<path d="M6 -10 V2" stroke="%s" stroke-width="2"/>`, svgFront)
	}
	return fmt.Sprintf(`<circle cx="6" cy="-4" r="3" fill="%s"/>`, svgMeasured)
}

// frame is a part of the drawing with two scales.
type frame struct {
	left, top, width, height float64
	across, up               axis.Scale
}

func (r *frame) x(v float64) (float64, bool) {
	f, ok := r.across.At(v)
	return r.left + f*r.width, ok
}

func (r *frame) y(v float64) (float64, bool) {
	f, ok := r.up.At(v)
	return r.top + (1-f)*r.height, ok
}

// xTicks draws ticks below a frame, except those whose labels would touch.
func (d *drawing) xTicks(r frame, a figure.Axis) {
	free := math.Inf(-1)
	for _, v := range r.across.Ticks(max(2, int(r.width)/80)) {
		x, ok := r.x(v)
		label := axis.Label(v)
		half := svgLetter * float64(len(label)) / 2
		if !ok || x-half < free {
			continue
		}
		free = x + half + 6
		d.add(`<path d="M%.1f %.1f v4" stroke="%s"/>`, x, r.top+r.height, svgText)
		d.text(x, r.top+r.height+17, "middle", label)
	}
	d.text(r.left+r.width/2, r.top+r.height+36, "middle", a.Title())
}

func (d *drawing) yTicks(r frame) {
	last := math.Inf(1)
	for _, v := range r.up.Ticks(max(2, min(svgTicks, int(r.height)/30))) {
		if y, ok := r.y(v); ok && last-y >= 14 {
			last = y
			d.add(`<path d="M%.1f %.1f h-4" stroke="%s"/>`, r.left, y, svgText)
			d.text(r.left-7, y+4, "end", axis.Label(v))
		}
	}
}

// plane draws the panels one below the other and returns their height.
func (d *drawing) plane(top float64) float64 {
	f := d.figure
	high := float64(svgHeight)
	if len(f.Panels) > 1 {
		high = svgPanel
	}
	for i, p := range f.Panels {
		r := frame{left: svgLeft, top: top + high*float64(i), width: svgWidth - svgLeft - svgRight,
			height: high - svgBottom, across: f.X.Scale(f.Xs()), up: p.Axis.Scale(p.Span())}
		d.add(`<path d="M%.1f %.1f V%.1f H%.1f" fill="none" stroke="%s"/>`, r.left, r.top, r.top+r.height,
			r.left+r.width, svgText)
		d.xTicks(r, f.X)
		d.yTicks(r)
		d.add(`<text transform="translate(18 %.1f) rotate(-90)" text-anchor="middle" fill="%s">%s</text>`,
			r.top+r.height/2, svgText, html.EscapeString(p.Axis.Title()))
		lines := 0
		for _, s := range p.Series {
			d.band(r, s)
			d.series(r, p, s, lines)
			if s.Shape == figure.Line {
				lines++
			}
		}
		d.limits(r, p)
		for _, m := range p.Marks {
			if x, y, ok := r.place(m.Point); ok {
				d.mark(x, y, m.Name)
			}
		}
	}
	return high * float64(len(f.Panels))
}

// mark draws a named diamond.
func (d *drawing) mark(x, y float64, name string) {
	d.add(`<path d="M%.1f %.1f l5 5 -5 5 -5 -5 z" fill="none" stroke="#000000" stroke-width="1.5"/>`, x, y-5)
	anchor, dx := "start", 8.0
	if x+dx+svgLetter*float64(utf8.RuneCountInString(name)) > svgWidth {
		anchor, dx = "end", -8
	}
	d.add(`<text x="%.1f" y="%.1f" text-anchor="%s" paint-order="stroke" stroke="#ffffff" stroke-width="3">%s</text>`,
		x+dx, y-3, anchor, html.EscapeString(name))
}

func (r *frame) place(p figure.Point) (x, y float64, ok bool) {
	x, okX := r.x(p.X)
	y, okY := r.y(p.V)
	return x, y, okX && okY
}

// band draws the area between the bounds of a line, or the whiskers of marks.
func (d *drawing) band(r frame, s figure.Series) {
	var upper, lower []string
	for _, p := range s.Points {
		x, ok := r.x(p.X)
		hi, okHi := r.y(r.up.Into(p.Hi))
		lo, okLo := r.y(r.up.Into(p.Lo))
		switch {
		case !ok || !okHi || !okLo:
		case s.Shape == figure.Marks:
			d.add(`<path d="M%.1f %.1f V%.1f" stroke="%s"/>`, x, lo, hi, svgBand)
		default:
			upper = append(upper, fmt.Sprintf("%.1f,%.1f", x, hi))
			lower = append([]string{fmt.Sprintf("%.1f,%.1f", x, lo)}, lower...)
		}
	}
	if len(upper) > 1 {
		d.add(`<polygon points="%s" fill="%s" fill-opacity="0.4"/>`, strings.Join(append(upper, lower...), " "), svgBand)
	}
}

// series draws points of a plane, the nth line of a panel in its own hue.
func (d *drawing) series(r frame, p figure.Panel, s figure.Series, nth int) {
	if s.Shape == figure.Line || s.Shape == figure.Rings {
		colour := svgLines[nth%len(svgLines)]
		if s.Shape == figure.Rings {
			colour = svgFront
		}
		var line []string
		for _, q := range s.Points {
			if x, y, ok := r.place(q); ok {
				line = append(line, fmt.Sprintf("%.1f,%.1f", x, y))
			}
		}
		d.add(`<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5"/>`, strings.Join(line, " "), colour)
		if s.Shape == figure.Line {
			return
		}
	}
	step := 1 + len(s.Points)/svgMostDots
	for i := 0; i < len(s.Points); i += step {
		q := s.Points[i]
		x, y, ok := r.place(q)
		switch {
		case !ok:
		case s.Shape == figure.Dots:
			d.add(`<circle cx="%.1f" cy="%.1f" r="1.2" fill="%s"/>`, x, y, svgCloud)
		case s.Shape == figure.Rings:
			d.circle(x, y, "#ffffff", svgFront, d.about(p, q))
		default:
			d.circle(x, y, svgMeasured, svgMeasured, d.about(p, q))
		}
	}
}

// about returns the title of a point.
func (d *drawing) about(p figure.Panel, q figure.Point) string {
	of := func(a figure.Axis, v float64) string { return strings.TrimSpace(report.Number(v) + " " + a.Unit) }
	return strings.TrimPrefix(q.Name+": ", ": ") + of(d.figure.X, q.X) + ", " + of(p.Axis, q.V)
}

func (d *drawing) circle(x, y float64, fill, stroke, about string) {
	d.add(`<circle cx="%.1f" cy="%.1f" r="3" fill="%s" stroke="%s"><title>%s</title></circle>`, x, y, fill, stroke,
		html.EscapeString(about))
}

// limits draws dotted lines.
func (d *drawing) limits(r frame, p figure.Panel) {
	style := `fill="none" stroke="` + svgLimit + `" stroke-dasharray="6 4"`
	for _, l := range p.Limits {
		if l.Across {
			if x, ok := r.x(l.At); ok {
				d.add(`<path d="M%.1f %.1f V%.1f" %s/>`, x, r.top, r.top+r.height, style)
				d.text(x+4, r.top+12, "start", l.Name)
			}
		} else if y, ok := r.y(l.At); ok {
			d.add(`<path d="M%.1f %.1f H%.1f" %s/>`, r.left, y, r.left+r.width, style)
			d.text(r.left+r.width, y-4, "end", l.Name)
		}
	}
}

// rows draws named rows with the panels side by side, and returns their height.
func (d *drawing) rows(top float64) float64 {
	f := d.figure
	label := 0.0
	for _, name := range f.Rows {
		label = max(label, svgLetter*float64(utf8.RuneCountInString(name)))
	}
	left, n := min(label, svgMostLabel)+24, float64(len(f.Panels))
	wide := (svgWidth - left - svgRight - (n-1)*24) / n
	high := svgRow * float64(len(f.Rows))
	for row, name := range f.Rows {
		d.text(left-8, top+svgPanelTitle+svgRow*(float64(row)+0.5)+4, "end", name)
	}
	for i, p := range f.Panels {
		r := frame{left: left + float64(i)*(wide+24), top: top + svgPanelTitle, width: wide, height: high,
			across: p.Axis.Scale(p.Span()), up: axis.Scale{Lo: 0, Hi: 1}}
		d.add(`<path d="M%.1f %.1f V%.1f H%.1f" fill="none" stroke="%s"/>`, r.left, r.top, r.top+r.height,
			r.left+r.width, svgText)
		d.xTicks(r, p.Axis)
		for _, s := range p.Series {
			if s.Shape == figure.Violins {
				d.violins(r, p, s)
				continue
			}
			for _, q := range s.Points {
				d.lane(r, p, s.Shape, q)
			}
		}
	}
	return svgPanelTitle + high + svgBottom
}

// lane draws one point of a row.
func (d *drawing) lane(r frame, p figure.Panel, shape figure.Shape, q figure.Point) {
	at := func(v float64) float64 {
		x, ok := r.x(r.across.Into(v))
		if !ok {
			return math.NaN()
		}
		return x
	}
	y := r.top + svgRow*(float64(q.Row)+0.5)
	x, lo, hi := at(q.V), at(q.Lo), at(q.Hi)
	if !axis.Finite(x) {
		return
	}
	if axis.Finite(lo) && axis.Finite(hi) {
		d.add(`<path d="M%.1f %.1f H%.1f M%.1f %.1f v8 M%.1f %.1f v8" fill="none" stroke="%s"/>`, lo, y, hi, lo, y-4, hi,
			y-4, svgText)
	}
	switch shape {
	case figure.Bars:
		from := at(p.Axis.From)
		if !axis.Finite(from) {
			from = r.left
		}
		d.add(`<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s"><title>%s</title></rect>`, min(from, x), y-6,
			math.Abs(x-from), 12, svgCloud, html.EscapeString(p.Axis.Label(q.V)+" "+p.Axis.Unit))
	case figure.Ticks:
		d.add(`<path d="M%.1f %.1f v16" stroke="%s" stroke-width="2"/>`, x, y-8, svgFront)
	case figure.Boxes:
		q1, q3 := at(q.Q1), at(q.Q3)
		if axis.Finite(q1) && axis.Finite(q3) {
			d.add(`<rect x="%.1f" y="%.1f" width="%.1f" height="12" fill="%s" stroke="%s"/>`, q1, y-6, q3-q1, svgBand,
				svgText)
		}
		d.add(`<path d="M%.1f %.1f v12" stroke="%s" stroke-width="2"/>`, x, y-6, svgFront)
	default:
		d.circle(x, y, svgMeasured, svgMeasured, p.Axis.Label(q.V)+" "+p.Axis.Unit)
	}
}

// heat draws a heat map and returns its height.
func (d *drawing) heat(top float64) float64 {
	f := d.figure
	p := f.Panels[0]
	xs, ys := figure.Distinct(f.Xs()), figure.Distinct(f.Ys())
	wide := (svgWidth - svgLeft - svgRight) / float64(max(1, len(xs)))
	tall := max(16, min(40, svgHeight/float64(max(1, len(ys)))))
	high := tall * float64(len(ys))
	place := func(list []float64, v float64) float64 {
		for i, w := range list {
			if w == v {
				return float64(i)
			}
		}
		return math.NaN()
	}
	ends := p.HeatEnds()
	for _, s := range p.Series {
		for _, q := range s.Points {
			heat := ends.Heat(q.V)
			x, y := svgLeft+wide*place(xs, q.X), top+high-tall*(place(ys, q.Y)+1)
			if heat < 0 || !axis.Finite(x) || !axis.Finite(y) {
				continue
			}
			d.add(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"><title>%s</title></rect>`, x, y, wide+0.3,
				tall+0.3, svgHeats[heat], html.EscapeString(q.Name+": "+p.Axis.Label(q.V)+" "+p.Axis.Unit))
			if label := p.Axis.Label(q.V); svgLetter*float64(len(label))+6 < wide {
				colour := svgText
				if heat >= figure.Heats-2 {
					colour = "#ffffff"
				}
				d.add(`<text x="%.1f" y="%.1f" text-anchor="middle" fill="%s">%s</text>`, x+wide/2, y+tall/2+4, colour, label)
			}
			if s.Name == "measured" {
				d.add(`<circle cx="%.1f" cy="%.1f" r="3" fill="%s" stroke="#ffffff"/>`, x+min(6, wide/2), y+6, svgMeasured)
			}
		}
	}
	free := math.Inf(-1)
	for i, v := range xs {
		x, label := svgLeft+wide*(float64(i)+0.5), f.X.Label(v)
		if half := svgLetter * float64(len(label)) / 2; x-half >= free {
			free = x + half + 6
			d.text(x, top+high+17, "middle", label)
		}
	}
	for i, v := range ys {
		d.text(svgLeft-7, top+high-tall*(float64(i)+0.5)+4, "end", f.Y.Label(v))
	}
	d.text((svgLeft+svgWidth-svgRight)/2, top+high+36, "middle", f.X.Title())
	d.add(`<text transform="translate(18 %.1f) rotate(-90)" text-anchor="middle" fill="%s">%s</text>`, top+high/2,
		svgText, html.EscapeString(f.Y.Title()))
	for _, m := range p.Marks {
		x, y := svgLeft+wide*(place(xs, m.X)+0.5), top+high-tall*(place(ys, m.Y)+0.5)
		if axis.Finite(x) && axis.Finite(y) {
			d.mark(x, y, m.Name)
		}
	}
	return high + svgBottom
}
