package cli

import (
	"fmt"
	"math"
	"os"

	"jtune/internal/report"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tegra"
)

// compareEstimates prints another estimator's power beside a model's, and the errors of both.
func (c *predictCmd) compareEstimates(m *learn.Model) error {
	f, err := os.Open(c.estimates)
	if err != nil {
		return err
	}
	defer f.Close()
	list, err := outlook.ReadEstimates(f, m.Space, m.Provenance.Presets)
	if err != nil {
		return usagef("--estimates %s: %v", c.estimates, err)
	}
	others, err := readSamples(c.app, c.measured, false)
	if err != nil {
		return err
	}
	rows, err := outlook.New(m.Provenance.Workload, m, m.Space).CompareEstimates(list, others.Measured)
	if err != nil {
		return usagef("--estimates %s: %v", c.estimates, err)
	}
	if c.asJSON {
		return printJSON(c.out, listOf(rows))
	}
	off := func(v tegra.Val[float64]) string { return dash(v, "%+.1f %%") }
	text := [][]string{{"mode", "", "estimate", "predicted", "measured", "estimate off", "prediction off"}}
	for _, r := range rows {
		text = append(text, []string{r.Name, m.Space.Format(r.Mode), inUnit(r.PowerW, "W"),
			inUnit(r.PredictedW.Or(math.NaN()), "W"),
			dash(r.MeasuredW, "%.1f W"), off(r.EstimatePct), off(r.PredictedPct)})
	}
	if err := report.Grid(c.out, text...); err != nil {
		return err
	}
	for _, r := range rows {
		if !r.MeasuredW.OK {
			fmt.Fprintln(c.out, "no error is known of modes that were not measured: jtune lab profile --list FILE "+
				"measures them, then give --measured DIR")
			break
		}
	}
	return c.printOrigin(m.Provenance.Origin())
}
