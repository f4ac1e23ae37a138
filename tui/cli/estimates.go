package cli

import (
	"fmt"
	"os"

	"jtune/learn"
	"jtune/tegra"
	"jtune/tui/session"
)

// estimateJSON is one entry of `jtune predict --estimates FILE --json`.
type estimateJSON struct {
	Name         string             `json:"name"`
	Mode         tegra.Mode         `json:"mode"`
	EstimateW    float64            `json:"estimate_w"`
	PredictedW   tegra.Val[float64] `json:"predicted_w"`
	MeasuredW    tegra.Val[float64] `json:"measured_w"`
	EstimatePct  tegra.Val[float64] `json:"estimate_off_pct"`
	PredictedPct tegra.Val[float64] `json:"predicted_off_pct"`
	Virtual      bool               `json:"virtual"`
}

// compareEstimates prints another estimator's watts beside a model's, and the errors of both.
func (a *app) compareEstimates(m *learn.Model, path, measured string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	list, err := session.ReadEstimates(f, m.Space, a.options.Situation(m, m.Space.Max()).Presets)
	if err != nil {
		return usagef("--estimates %s: %v", path, err)
	}
	var others []tegra.Measured
	if measured != "" {
		s, err := session.ReadSamples(measured, a.options.Batches, false)
		if err != nil {
			return err
		}
		a.notes(s.Notes)
		others = s.Measured
	}
	rows, err := session.NewOutlook(m.Provenance.Workload, m, m.Space).CompareEstimates(list, others)
	if err != nil {
		return usagef("--estimates %s: %v", path, err)
	}
	out := []estimateJSON{}
	text := [][]string{{"mode", "", "estimate", "predicted", "measured", "estimate off", "prediction off"}}
	off := func(v tegra.Val[float64]) string { return dash(v, "%+.1f %%") }
	for _, r := range rows {
		out = append(out, estimateJSON{r.Name, r.Mode, r.PowerW, tegra.Finite(r.PredictedW), r.MeasuredW, r.EstimatePct,
			r.PredictedPct, m.Provenance.Virtual})
		text = append(text, []string{r.Name, m.Space.Format(r.Mode), inUnit(r.PowerW, "W"), inUnit(r.PredictedW, "W"),
			dash(r.MeasuredW, "%.1f W"), off(r.EstimatePct), off(r.PredictedPct)})
	}
	if a.asJSON {
		return printJSON(a.out, out)
	}
	if err := table(a.out, text...); err != nil {
		return err
	}
	for _, r := range rows {
		if !r.MeasuredW.OK {
			fmt.Fprintln(a.out, "errors need a measurement: jtune profile --list FILE measures modes, "+
				"--measured DIR reads it")
			break
		}
	}
	return a.printOrigin(m.Provenance.Origin())
}
