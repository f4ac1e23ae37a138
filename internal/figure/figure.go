// Package figure is the value of one drawing: its points, their units, and which of them were measured. Screens,
// commands and files draw the same value.
//
//	session: numbers ──► Figure ──► widget: text for a terminal
//	                            └─► export: SVG, CSV, JSON
//
// Points are drawn in a plane (lines over one quantity, one panel under the other), in rows with a name each (bars and
// boxes, one panel beside the other), or in the cells of a heat map. A missing number is NaN, and nothing is drawn of
// it.
package figure

import (
	"math"
	"slices"
	"strings"

	"jtune/internal/axis"
	"jtune/internal/stats"
)

// Figure is one drawing.
type Figure struct {
	Kind    string   // "curves"
	Title   string   // with the mark of a simulation where it is one
	Notes   []string // what is held, what is marked
	Lacks   string   // why there is nothing to draw, in one line; ""
	Virtual bool     // numbers of a virtual board
	X       Axis     // across: of a plane, and the columns of a heat map
	Y       Axis     // upward: the rows of a heat map alone
	Rows    []string // names of the rows, from the top
	RowKey  string   // what a row is, in files: "mode"
	Panels  []Panel
}

// Heat reports whether the points are the cells of a heat map.
func (f *Figure) Heat() bool { return f.Y.Key != "" }

// Axis is a quantity.
type Axis struct {
	Key  string  // in files, with its unit: "time_ms"
	Name string  // in words: "time per minibatch"
	Unit string  // as drawn: "ms"; ""
	Per  float64 // a value in files is the drawing's times this; 0: the same
	Log  bool
	From float64              // bars begin here
	Zero bool                 // from 0 to a round number
	Part *axis.Scale          // what is drawn; nil: what holds all values
	Text func(float64) string // of a value; nil: axis.Label
}

// Title is the name with the unit.
func (a *Axis) Title() string {
	if a.Unit == "" {
		return a.Name
	}
	return a.Name + ", " + a.Unit
}

// KeyOf is the key of a bound: "time_lo_ms" of "time_ms".
func (a *Axis) KeyOf(bound string) string {
	at := strings.LastIndexByte(a.Key, '_')
	if at < 0 {
		return a.Key + "_" + bound
	}
	return a.Key[:at] + "_" + bound + a.Key[at:]
}

// Label prints a value of the axis.
func (a *Axis) Label(v float64) string {
	switch {
	case !axis.Finite(v):
		return "–"
	case a.Text != nil:
		return a.Text(v)
	}
	return axis.Label(v)
}

// Scale holds the values.
func (a *Axis) Scale(values []float64) axis.Scale {
	switch {
	case a.Part != nil:
		return *a.Part
	case a.Zero:
		most := 0.0
		for _, v := range values {
			if axis.Finite(v) {
				most = max(most, v)
			}
		}
		return axis.FromZero(most)
	case a.Log:
		return axis.NewScale(values, true)
	}
	return axis.NewScale(values, false)
}

// Panel is what is drawn over one scale of values.
type Panel struct {
	Axis   Axis
	Series []Series
	Marks  []Mark
	Limits []Limit
}

// Shape is how points are drawn.
type Shape uint8

// Shapes.
const (
	Line    Shape = iota // joined; Lo and Hi are a band
	Dots                 // small, thousands of them
	Marks                // full circles; Lo and Hi are whiskers
	Rings                // joined, with a ring at each point
	Bars                 // from Axis.From; in rows
	Ticks                // a mark across the row; Lo and Hi are whiskers
	Boxes                // V is the median, Q1 and Q3 the box, Lo and Hi the whiskers
	Violins              // all points of a row together: how densely their values lie
	Cells                // of a heat map
)

// Series is points that belong together.
type Series struct {
	Name   string // "predicted", "measured"
	Shape  Shape
	Bounds string // what Lo and Hi are: "its 95 % band"; ""
	Points []Point
}

// ByRow are the values of each row.
func (s Series) ByRow() map[int][]float64 {
	out := map[int][]float64{}
	for _, p := range s.Points {
		out[p.Row] = append(out[p.Row], p.V)
	}
	return out
}

// Point is one value. A value that does not apply is NaN; At, In and Cell make it so.
type Point struct {
	X, Y   float64 // by Figure.X and Figure.Y
	Row    int     // of Figure.Rows
	V      float64 // by Panel.Axis
	Lo, Hi float64
	Q1, Q3 float64
	Name   string // of the mode; ""
}

func point(x, y float64, row int, v float64) Point {
	nan := math.NaN()
	return Point{X: x, Y: y, Row: row, V: v, Lo: nan, Hi: nan, Q1: nan, Q3: nan}
}

// At is a point of a plane.
func At(x, v float64) Point { return point(x, math.NaN(), -1, v) }

// In is a point of a row.
func In(row int, v float64) Point { return point(math.NaN(), math.NaN(), row, v) }

// Cell is a point of a heat map.
func Cell(x, y, v float64) Point { return point(x, y, -1, v) }

// Within is the point with bounds.
func (p Point) Within(lo, hi float64) Point {
	p.Lo, p.Hi = lo, hi
	return p
}

// Of is the point of a mode.
func (p Point) Of(mode string) Point {
	p.Name = mode
	return p
}

// Mark names a place: in a plane by X and V, in a heat map by X and Y.
type Mark struct {
	Point
	Glyph rune
	Name  string
	Here  bool // the cursor
}

// Limit is a dotted line.
type Limit struct {
	At     float64
	Name   string
	Across bool // at a value of Figure.X instead of the panel's
}

// Span lists all values of a panel, bounds included.
func (p *Panel) Span() []float64 {
	out := []float64{}
	for _, s := range p.Series {
		for _, q := range s.Points {
			out = append(out, q.V, q.Lo, q.Hi)
		}
	}
	return out
}

// Xs lists all places across.
func (f *Figure) Xs() []float64 { return f.all(func(p Point) float64 { return p.X }) }

// Ys lists all places upward.
func (f *Figure) Ys() []float64 { return f.all(func(p Point) float64 { return p.Y }) }

func (f *Figure) all(of func(Point) float64) []float64 {
	var out []float64
	for _, p := range f.Panels {
		for _, s := range p.Series {
			for _, q := range s.Points {
				out = append(out, of(q))
			}
		}
	}
	return out
}

// Distinct sorts values and keeps one of each; what is missing is left out.
func Distinct(values []float64) []float64 {
	out := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !axis.Finite(v) })
	slices.Sort(out)
	return slices.Compact(out)
}

// Names lists the series' names, each once.
func (f *Figure) Names() []Series {
	var out []Series
	for _, p := range f.Panels {
		for _, s := range p.Series {
			if len(s.Points) > 0 && !slices.ContainsFunc(out, func(o Series) bool { return o.Name == s.Name }) {
				s.Points = s.Points[:1]
				out = append(out, s)
			}
		}
	}
	return out
}

// Heats are the shades of a heat map's cells, from the least value to the largest.
const Heats = 5

// HeatEnds are the upper ends of the shades of a heat map.
type HeatEnds [Heats]float64

// HeatEnds are the ends of the shades of the panel's values: each shade has the same number of cells.
func (p *Panel) HeatEnds() (ends HeatEnds) {
	var values []float64
	for _, s := range p.Series {
		for _, q := range s.Points {
			if axis.Finite(q.V) {
				values = append(values, q.V)
			}
		}
	}
	for i := range ends {
		ends[i] = stats.Quantile(values, float64(i+1)/Heats)
	}
	return ends
}

// Heat places a value among the shades; -1 without one.
func (ends HeatEnds) Heat(v float64) int {
	if !axis.Finite(v) {
		return -1
	}
	at, _ := slices.BinarySearch(ends[:Heats-1], v)
	return at
}

// Share places a value between the least and the largest, from 0 to 1: by the shades, and between their ends.
func (ends HeatEnds) Share(v float64) float64 {
	at := ends.Heat(v)
	if at <= 0 { // how far the least value lies below is not known
		return 0
	}
	within := 1.0
	if lo, hi := ends[at-1], ends[at]; hi > lo {
		within = min(1, (v-lo)/(hi-lo))
	}
	return (float64(at) + within) / Heats
}

// Least is the point of the least value; false without any.
func (p *Panel) Least() (Point, bool) {
	var least Point
	found := false
	for _, s := range p.Series {
		for _, q := range s.Points {
			if axis.Finite(q.V) && (!found || q.V < least.V) {
				least, found = q, true
			}
		}
	}
	return least, found
}
