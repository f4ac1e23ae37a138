package export

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/chart"
)

// Cloud is many modes in the plane of two axes, and their front.
type Cloud struct {
	Title    string
	Known    []learn.Prediction // measured where that is known
	Measured []bool             // by index of Known
	X, Y     optimize.Axis      // across and up
	Front    []int              // indexes of Known, ascending in Y and so descending in X
	several  bool               // sizes of a minibatch

	// What follows is for the drawing; none of it need be there.
	Across, Up *chart.Scale // what part is drawn and how; nil: all of it, time and energy across by their logarithm
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

// TakeFront finds the front of two axes.
func (c *Cloud) TakeFront(x, y optimize.Axis) {
	points := make([]optimize.Point, len(c.Known))
	for i, p := range c.Known {
		points[i] = optimize.PredictedPoint(p)
	}
	c.X, c.Y, c.Front = x, y, optimize.FrontOf(points, y, x)
	c.several = slices.ContainsFunc(points, func(p optimize.Point) bool { return p.Batch != points[0].Batch })
}

// Sized tells whether the points say the size of their minibatch.
func (c *Cloud) Sized() bool { return len(c.Known) > 0 && c.Known[0].Batch > 0 }

// point is one of Known as it is drawn: by sample where minibatches have several
// sizes, which compare in no other way.
func (c *Cloud) point(i int) optimize.Point {
	p := optimize.PredictedPoint(c.Known[i])
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

// Predicted is the cloud of what a model says, measured values in the place of
// its own where there are any.
func Predicted(preds []learn.Prediction, measured []tegra.Measured) *Cloud {
	known := make(map[learn.Setting]bool, len(measured))
	for _, m := range measured {
		known[learn.SettingOf(m)] = true
	}
	c := &Cloud{Known: optimize.Known(preds, measured), Measured: make([]bool, len(preds))}
	for i, p := range preds {
		c.Measured[i] = known[learn.Setting{Mode: p.Mode, Batch: p.Batch}]
	}
	return c
}
