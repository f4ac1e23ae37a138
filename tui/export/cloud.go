package export

import (
	"errors"
	"io"
	"slices"
	"strings"

	"jtune/internal/report"
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

// columns are the columns of the members of the front, by their indexes of Known.
func (c *Cloud) columns() report.Table[int] {
	float := func(key string, of func(p learn.Prediction) float64) report.Column[int] {
		return report.Column[int]{Key: key, Of: func(k int) any { return of(c.Known[k]) }}
	}
	epoch := func(p learn.Prediction) float64 { return float64(c.PerEpoch) * p.TimeMS / 1000 }
	sized := []report.Column[int]{
		{Key: "batch", Form: report.JSON, Of: func(k int) any { return c.Known[k].Batch }},
		{Key: "time_per_sample_ms", Form: report.JSON, Omit: true,
			Of: func(k int) any { return c.Known[k].Measured.SampleMS() }},
	}
	epochs := []report.Column[int]{
		{Key: "epoch_s", Form: report.JSON, Omit: true, Of: func(k int) any { return epoch(c.Known[k]) }},
		{Key: "epoch_j", Form: report.JSON, Omit: true,
			Of: func(k int) any { return epoch(c.Known[k]) * c.Known[k].PowerW }},
	}
	size := []report.Column[int]{{Key: "bs", Form: report.CSV, Of: func(k int) any { return c.Known[k].Batch }}}
	if !c.Sized() {
		sized, size = nil, nil
	}
	if c.PerEpoch == 0 {
		epochs = nil
	}
	return slices.Concat(ModeColumns(func(k int) tegra.Mode { return c.Known[k].Mode }), report.Table[int]{
		float("time_ms", func(p learn.Prediction) float64 { return p.TimeMS }),
		float("time_lo_ms", func(p learn.Prediction) float64 { return p.TimeLoMS }),
		float("time_hi_ms", func(p learn.Prediction) float64 { return p.TimeHiMS }),
		float("power_w", func(p learn.Prediction) float64 { return p.PowerW }),
		float("power_lo_w", func(p learn.Prediction) float64 { return p.PowerLoW }),
		float("power_hi_w", func(p learn.Prediction) float64 { return p.PowerHiW }),
		float("energy_j", learn.Prediction.EnergyJ),
	}, sized, epochs, standingColumns(func(k int) optimize.Standing { return c.Standings[k] }), size,
		virtualColumn[int](c.Virtual))
}

// Listed are the members of the front for JSON.
func (c *Cloud) Listed() []report.Object { return c.columns().Objects(c.Front) }

// WriteCSV lists the front.
func (c *Cloud) WriteCSV(to io.Writer) error { return c.columns().CSV(to, c.Front) }

// Tables are the points as CSV and the front's as JSON.
func (c *Cloud) Tables() (list, doc string, err error) {
	var table, points strings.Builder
	err = errors.Join(c.WriteCSV(&table), WriteJSON(&points, c.Listed()))
	return table.String(), points.String(), err
}
