package export

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/axis"
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
)

// Points are settings, what is predicted or known of them, and where they stand.
type Points struct {
	Known     []learn.Prediction
	Standings []optimize.Standing // by index of Known
	Virtual   bool                // numbers of a virtual board
}

// Cloud is many modes in the plane of two axes, and their front.
type Cloud struct {
	Points
	Title   string
	X, Y    optimize.Axis // across and up
	Front   []int         // indexes of Known, ascending in Y and so descending in X
	several bool          // batch sizes

	// What follows is for the drawing; none of it need be there.
	Across, Up *axis.Scale // what part is drawn and how; nil: all of it, time and energy across by their logarithm
	Marks      []Mark
	Limit      optimize.Limit
}

// Mark is a mode with a name.
type Mark struct {
	At   int // index of Known
	Name string
}

// NewCloud takes modes and their front of two axes: indexes, ascending in x.
func NewCloud(title string, of Points, x, y optimize.Axis, front []int) *Cloud {
	c := List(of)
	c.Title, c.X, c.Y, c.Front = title, x, y, slices.Clone(front)
	slices.Reverse(c.Front)
	c.several = slices.ContainsFunc(of.Known, func(p learn.Prediction) bool { return p.Batch != of.Known[0].Batch })
	return c
}

// List is modes as they are listed, for CSV and JSON.
func List(of Points) *Cloud {
	c := &Cloud{Points: of}
	for i := range of.Known {
		c.Front = append(c.Front, i)
	}
	return c
}

// Sized reports whether the batch size is an input of the points.
func (c *Cloud) Sized() bool { return len(c.Known) > 0 && c.Known[0].Batch > 0 }

// point is one of Known as it is drawn: by sample where minibatches have several
// sizes, which compare in no other way.
func (c *Cloud) point(i int) tegra.Measured {
	p := c.Known[i].Measured
	if !c.several {
		p.Batch = 0
	}
	return p
}

// Listed are the members of the front for JSON.
func (c *Cloud) Listed() []Point {
	out := make([]Point, len(c.Front))
	for i, k := range c.Front {
		p := c.Known[k]
		out[i] = Point{p.Mode.Units(), BandsOf(p), SizeOf(p.Measured), StandingOf(c.Standings[k]), c.Virtual}
	}
	return out
}

// WriteCSV lists the front.
func (c *Cloud) WriteCSV(to io.Writer) error {
	w := csv.NewWriter(to)
	write := func(row []string, size, virtual string) {
		if c.Sized() {
			row = append(row, size)
		}
		w.Write(append(row, virtual))
	}
	write(strings.Split(Columns+","+StandingColumns, ","), SizeColumn, VirtualColumn)
	for _, k := range c.Front {
		row := append(Fields(c.Known[k]), StandingOf(c.Standings[k]).fields()...)
		write(row, strconv.Itoa(c.Known[k].Batch), strconv.FormatBool(c.Virtual))
	}
	w.Flush()
	return w.Error()
}

// Tables are the points as CSV and the front's as JSON.
func (c *Cloud) Tables() (list, doc string, err error) {
	var table, points strings.Builder
	err = errors.Join(c.WriteCSV(&table), WriteJSON(&points, c.Listed()))
	return table.String(), points.String(), err
}
