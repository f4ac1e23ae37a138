package export

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
)

// Points are settings, what is predicted or known of them, and where they stand.
type Points struct {
	Known     []learn.Prediction
	Standings []optimize.Standing // by index of Known
	Virtual   bool                // numbers of a virtual board
	PerEpoch  int                 // minibatches of an epoch; 0: not known
}

// epochOf is an epoch of a point.
func (p Points) epochOf(m tegra.Measured) (e Epoch) {
	if p.PerEpoch > 0 {
		s := float64(p.PerEpoch) * m.TimeMS / 1000
		e = Epoch{tegra.Finite(s), tegra.Finite(s * m.PowerW)}
	}
	return e
}

// Cloud is many modes and their front.
type Cloud struct {
	Points
	Front []int // indexes of Known, ascending upward and so descending across
}

// NewCloud takes modes and their front of two axes: indexes, ascending across.
func NewCloud(of Points, front []int) *Cloud {
	c := &Cloud{of, slices.Clone(front)}
	slices.Reverse(c.Front)
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

// Listed are the members of the front for JSON.
func (c *Cloud) Listed() []Point {
	out := make([]Point, len(c.Front))
	for i, k := range c.Front {
		p := c.Known[k]
		out[i] = Point{p.Mode.Units(), BandsOf(p), SizeOf(p.Measured), c.epochOf(p.Measured),
			StandingOf(c.Standings[k]), c.Virtual}
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
