// Package figure represents a drawing: its points, their units, and which of them were measured. Screens,
// commands and files draw the same value.
//
//	session: numbers ──► Figure ──► widget: text for a terminal
//	                            └─► export: SVG, CSV, JSON
//
// Points are drawn in a plane (lines over one quantity, one panel under the other), in rows with a name each (bars and
// boxes, panels side by side), or in the cells of a heat map. A missing number is NaN and is not drawn.
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
	Title   string   // with a mark if simulated
	Notes   []string // what is held constant, what is marked
	Lacks   string   // why there is nothing to draw, in one line; ""
	Virtual bool     // numbers of a virtual board
	X       Axis     // horizontal: of a plane, and the columns of a heat map
	Y       Axis     // vertical: only the rows of a heat map
	Rows    []string // row names, from the top
	RowKey  string   // meaning of a row in files: "mode"
	Panels  []Panel
}

// Heat reports whether the points are the cells of a heat map.
func (f *Figure) Heat() bool { return f.Y.Key != "" }

// Axis is a quantity.
type Axis struct {
	Key  string  // in files, with its unit: "time_ms"
	Name string  // in words: "time per minibatch"
	Unit string  // in the drawing: "ms"; ""
	Per  float64 // factor from the drawing's value to the file's; 0: 1
	Log  bool
	From float64              // bars begin here
	Zero bool                 // from 0 to a round number
	Part *axis.Scale          // range to draw; nil: all values
	Text func(float64) string // formats a value; nil: axis.Label
}

// Title returns the name with the unit.
func (a *Axis) Title() string {
	if a.Unit == "" {
		return a.Name
	}
	return a.Name + ", " + a.Unit
}

// KeyOf returns the key of a bound: "time_lo_ms" of "time_ms".
func (a *Axis) KeyOf(bound string) string {
	at := strings.LastIndexByte(a.Key, '_')
	if at < 0 {
		return a.Key + "_" + bound
	}
	return a.Key[:at] + "_" + bound + a.Key[at:]
}

// Label formats a value of the axis.
func (a *Axis) Label(v float64) string {
	switch {
	case !axis.Finite(v):
		return "–"
	case a.Text != nil:
		return a.Text(v)
	}
	return axis.Label(v)
}

// Scale returns the scale of the axis for these values.
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

// Panel is drawn over one scale of values.
type Panel struct {
	Axis   Axis
	Series []Series
	Marks  []Mark
	Limits []Limit
}

// Shape is the way points are drawn.
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
	Violins              // the density of all points of a row
	Cells                // of a heat map
)

// Series is points that belong together.
type Series struct {
	Name   string // "predicted", "measured"
	Shape  Shape
	Bounds string // meaning of Lo and Hi: "its 95 % band"; ""
	Points []Point
}

// ByRow returns the values of each row.
func (s Series) ByRow() map[int][]float64 {
	out := map[int][]float64{}
	for _, p := range s.Points {
		out[p.Row] = append(out[p.Row], p.V)
	}
	return out
}

// Point is one value. Fields that do not apply are NaN; At, In and Cell set them.
type Point struct {
	X, Y   float64 // on Figure.X and Figure.Y
	Row    int     // index into Figure.Rows
	V      float64 // on Panel.Axis
	Lo, Hi float64
	Q1, Q3 float64
	Name   string // of the mode; ""
}

func point(x, y float64, row int, v float64) Point {
	nan := math.NaN()
	return Point{X: x, Y: y, Row: row, V: v, Lo: nan, Hi: nan, Q1: nan, Q3: nan}
}

// At returns a point of a plane.
func At(x, v float64) Point { return point(x, math.NaN(), -1, v) }

// In returns a point of a row.
func In(row int, v float64) Point { return point(math.NaN(), math.NaN(), row, v) }

// Cell returns a point of a heat map.
func Cell(x, y, v float64) Point { return point(x, y, -1, v) }

// Within returns the point with bounds.
func (p Point) Within(lo, hi float64) Point {
	p.Lo, p.Hi = lo, hi
	return p
}

// Of returns the point with its mode.
func (p Point) Of(mode string) Point {
	p.Name = mode
	return p
}

// Mark names a position: in a plane by X and V, in a heat map by X and Y.
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
	Across bool // at a value of Figure.X instead of the panel's axis
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

// Xs lists all horizontal positions.
func (f *Figure) Xs() []float64 { return f.all(func(p Point) float64 { return p.X }) }

// Ys lists all vertical positions.
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

// Distinct returns the sorted distinct values without missing ones.
func Distinct(values []float64) []float64 {
	out := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !axis.Finite(v) })
	slices.Sort(out)
	return slices.Compact(out)
}

// Names returns one series per name.
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

// Heats is the number of shades of a heat map.
const Heats = 5

// HeatEnds holds the upper bounds of the shades, from the smallest to the largest.
type HeatEnds [Heats]float64

// HeatEnds returns the bounds of the shades for the panel's values: each shade has the same number of cells.
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

// Heat returns the index of a value's shade; -1 for a missing value.
func (ends HeatEnds) Heat(v float64) int {
	if !axis.Finite(v) {
		return -1
	}
	at, _ := slices.BinarySearch(ends[:Heats-1], v)
	return at
}

// Share maps a value to 0…1 by its shade and its position within it.
func (ends HeatEnds) Share(v float64) float64 {
	at := ends.Heat(v)
	if at <= 0 { // the lowest shade has no lower bound
		return 0
	}
	within := 1.0
	if lo, hi := ends[at-1], ends[at]; hi > lo {
		within = min(1, (v-lo)/(hi-lo))
	}
	return (float64(at) + within) / Heats
}

// Least returns the point with the smallest value; false if there is none.
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
