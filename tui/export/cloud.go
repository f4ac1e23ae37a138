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

// Cloud is many modes in the plane of two axes, and their front.
type Cloud struct {
	Title    string
	Known    []learn.Prediction // measured where that is known
	Measured []bool             // by index of Known
	X, Y     optimize.Axis      // across and up
	Front    []int              // indexes of Known, ascending in Y and so descending in X
	several  bool               // batch sizes

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

// FrontPoint is one member of the front in JSON.
type FrontPoint struct {
	Point
	Measured bool `json:"measured"`
}

// NewCloud takes modes, which of them were measured, and their front of two axes:
// indexes, ascending in x.
func NewCloud(title string, known []learn.Prediction, measured []bool, x, y optimize.Axis, front []int) *Cloud {
	c := List(known, measured)
	c.Title, c.X, c.Y, c.Front = title, x, y, slices.Clone(front)
	slices.Reverse(c.Front)
	c.several = slices.ContainsFunc(known, func(p learn.Prediction) bool { return p.Batch != known[0].Batch })
	return c
}

// List is modes as they are listed, for CSV and JSON.
func List(known []learn.Prediction, measured []bool) *Cloud {
	c := &Cloud{Known: known, Measured: measured}
	for i := range known {
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

// FrontPoints lists the front for JSON.
func (c *Cloud) FrontPoints() []FrontPoint {
	out := make([]FrontPoint, len(c.Front))
	for i, k := range c.Front {
		out[i] = FrontPoint{PointOf(c.Known[k]), c.Measured[k]}
	}
	return out
}

// WriteCSV lists the front.
func (c *Cloud) WriteCSV(to io.Writer) error {
	w := csv.NewWriter(to)
	write := func(row []string, size string) {
		if c.Sized() {
			row = append(row, size)
		}
		w.Write(row)
	}
	write(append(strings.Split(Columns, ","), "measured"), SizeColumn)
	for _, k := range c.Front {
		write(append(Fields(c.Known[k]), strconv.FormatBool(c.Measured[k])), strconv.Itoa(c.Known[k].Batch))
	}
	w.Flush()
	return w.Error()
}

// Tables are the points as CSV and the front's as JSON.
func (c *Cloud) Tables() (list, doc string, err error) {
	var table, points strings.Builder
	err = errors.Join(c.WriteCSV(&table), WriteJSON(&points, c.FrontPoints()))
	return table.String(), points.String(), err
}
