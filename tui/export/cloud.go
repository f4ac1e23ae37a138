package export

import (
	"errors"
	"slices"
	"strings"

	"jtune/internal/report"
	"jtune/learn"
	"jtune/optimize/standing"
	"jtune/tegra"
)

// Points are settings with what is predicted or known of them, and how they compare with the limit.
type Points struct {
	Known     []learn.Prediction
	Standings []standing.Standing // by index of Known
	Virtual   bool                // from a virtual board
	PerEpoch  int                 // minibatches per epoch; 0: unknown
}

// Cloud is a set of modes and their front.
type Cloud struct {
	Points
	Front []int // indexes into Known: the second quantity ascends, the first descends
}

// NewCloud takes modes and their front for two quantities: indexes, the first quantity ascending.
func NewCloud(of Points, front []int) *Cloud {
	c := &Cloud{of, slices.Clone(front)}
	slices.Reverse(c.Front)
	return c
}

// List returns a Cloud of all modes in their order, for CSV and JSON.
func List(of Points) *Cloud {
	c := &Cloud{Points: of}
	for i := range of.Known {
		c.Front = append(c.Front, i)
	}
	return c
}

// Columns returns the columns of a member by its index into Known.
func (c *Cloud) Columns() report.Table[int] {
	float := func(key, title string, of func(p learn.Prediction) float64) report.Column[int] {
		return report.Column[int]{Key: key, Title: title, Of: func(k int) any { return of(c.Known[k]) }}
	}
	epoch := func(p learn.Prediction) float64 { return float64(c.PerEpoch) * p.TimeMS / 1000 }
	batch := func(k int) any { return c.Known[k].Batch }
	perSample := func(k int) any { return c.Known[k].PerSampleMS() }
	sized := []report.Column[int]{
		{Key: "batch", Form: report.JSON, Some: true, Of: batch},
		{Key: "time_per_sample_ms", Form: report.JSON, Some: true, Of: perSample},
	}
	epochs := []report.Column[int]{
		{Key: "epoch_s", Form: report.JSON, Of: func(k int) any { return report.IfAny(epoch(c.Known[k])) }},
		{Key: "epoch_j", Form: report.JSON,
			Of: func(k int) any { return report.IfAny(epoch(c.Known[k]) * c.Known[k].PowerW) }},
	}
	size := []report.Column[int]{
		{Key: "bs", Form: report.CSV, Title: "batch", Some: true, Of: batch},
		{Title: "ms per sample", Some: true, Of: perSample},
	}
	mode := report.Table[int]{{Title: "mode", Text: func(k int) string { return c.Known[k].Mode.String() }}}
	stands := report.Table[int]{{Text: func(k int) string { return c.Standings[k].String() }}}
	return slices.Concat(mode, ModeColumns(func(k int) tegra.Mode { return c.Known[k].Mode }), report.Table[int]{
		float("time_ms", "ms", func(p learn.Prediction) float64 { return p.TimeMS }),
		float("time_lo_ms", "", func(p learn.Prediction) float64 { return p.TimeLoMS }),
		float("time_hi_ms", "", func(p learn.Prediction) float64 { return p.TimeHiMS }),
		float("power_w", "W", func(p learn.Prediction) float64 { return p.PowerW }),
		float("power_lo_w", "", func(p learn.Prediction) float64 { return p.PowerLoW }),
		float("power_hi_w", "", func(p learn.Prediction) float64 { return p.PowerHiW }),
		float("energy_j", "J", learn.Prediction.EnergyJ),
	}, sized, epochs, standing.Columns(func(k int) standing.Standing { return c.Standings[k] }), stands, size,
		virtualColumn[int](c.Virtual))
}

// Tables returns the points as CSV and the front's members as JSON.
func (c *Cloud) Tables() (list, doc string, err error) {
	var table, points strings.Builder
	columns := c.Columns()
	err = errors.Join(columns.CSV(&table, c.Front), WriteJSON(&points, columns.Objects(c.Front)))
	return table.String(), points.String(), err
}
