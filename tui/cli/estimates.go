package cli

import (
	"errors"
	"math"
	"os"

	"jtune/internal/document"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tegra"
)

// compareEstimates prints another estimator's power beside a model's, and the errors of both.
func (c *predictCmd) compareEstimates(m *learn.Model) error {
	f, err := os.Open(c.Estimates)
	if err != nil {
		return err
	}
	defer f.Close()
	list, err := outlook.ReadEstimates(f, m.Space, m.Provenance.Presets)
	if err != nil {
		return usagef("--estimates %s: %v", c.Estimates, err)
	}
	others, err := readSamples(c.app, c.Measured, false)
	if err != nil {
		return err
	}
	rows, err := outlook.New(m.Provenance.Workload, m, m.Space).CompareEstimates(list, others.Measured)
	if err != nil {
		return usagef("--estimates %s: %v", c.Estimates, err)
	}
	off := func(v tegra.Val[float64]) string { return dash(v, "%+.1f %%") }
	t := document.Table{Head: []string{"mode", "", "estimate", "predicted", "measured", "estimate off",
		"prediction off"}}
	unknown := ""
	for _, r := range rows {
		t.Rows = append(t.Rows, []string{r.Name, m.Space.Format(r.Mode), inUnit(r.PowerW, "W"),
			inUnit(r.PredictedW.Or(math.NaN()), "W"),
			dash(r.MeasuredW, "%.1f W"), off(r.EstimatePct), off(r.PredictedPct)})
		if !r.MeasuredW.OK {
			unknown = "no error is known of modes that were not measured: jtune lab profile --list FILE measures " +
				"them, then give --measured DIR"
		}
	}
	err = c.show(listOf(rows), append([]document.Part{t}, linesOf(text.Said(unknown)...)...)...)
	return errors.Join(err, c.printOrigin(m.Provenance.Origin()))
}
