package outlook

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/text"
	"jtune/tegra"
)

// Estimate is another estimator's power for a mode, such as NVIDIA's.
type Estimate struct {
	Name   string     `json:"name"` // mode as given
	Mode   tegra.Mode `json:"mode"`
	PowerW float64    `json:"estimate_w"`
}

// EstimateRow compares an estimate with a model's prediction, and both with the measurement if there is one.
type EstimateRow struct {
	Estimate
	PredictedW   tegra.Val[float64] `json:"predicted_w"` // absent if the model has only times
	MeasuredW    tegra.Val[float64] `json:"measured_w"`
	EstimatePct  tegra.Val[float64] `json:"estimate_off_pct"` // relative to the measured value
	PredictedPct tegra.Val[float64] `json:"predicted_off_pct"`
	Virtual      bool               `json:"virtual"`
}

// mostEstimates limits a file of estimates.
const mostEstimates = 10_000

// ReadEstimates reads lines of mode and watts under the header mode,power_w; a mode is a preset or in any notation.
func ReadEstimates(r io.Reader, space *tegra.Space, presets []tegra.Preset) (list []Estimate, err error) {
	in := csv.NewReader(r)
	in.TrimLeadingSpace = true
	head, err := in.Read()
	if err != nil || !slices.Equal(head, []string{"mode", "power_w"}) {
		return nil, fmt.Errorf("want CSV with the header mode,power_w")
	}
	for len(list) < mostEstimates {
		row, err := in.Read()
		if err == io.EOF {
			return list, nil
		}
		line, _ := in.FieldPos(0)
		if err != nil {
			return nil, err
		}
		e := Estimate{Name: row[0]}
		if e.PowerW, err = strconv.ParseFloat(strings.TrimSpace(row[1]), 64); err != nil || !(e.PowerW > 0) ||
			e.PowerW > mostWatts {
			return nil, fmt.Errorf("line %d: power_w %q is no number of watts", line, text.Clip(row[1]))
		}
		if e.Mode, err = tegra.FindMode(row[0], space, presets); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		list = append(list, e)
	}
	return nil, fmt.Errorf("more than %d lines", mostEstimates)
}

// mostWatts is above the power of any board.
const mostWatts = 1000

// CompareEstimates compares estimates with the outlook's model, and both with readings: the model's own, or others of
// modes it has not learned from.
func (o *Outlook) CompareEstimates(list []Estimate, others []tegra.Measured) (out []EstimateRow, err error) {
	measured := map[tegra.Mode]float64{}
	for _, m := range append(slices.Clone(others), o.Measured()...) { // its own come last and so take precedence
		if m.HasPower() {
			measured[m.Mode] = m.PowerW
		}
	}
	for _, e := range list {
		i, ok := o.Index(e.Mode)
		if !ok {
			return nil, fmt.Errorf("the model does not cover %s", e.Name)
		}
		row := EstimateRow{Estimate: e, PredictedW: tegra.Finite(o.At(i).Predicted.PowerW),
			Virtual: o.Model.Provenance.Virtual}
		if w, ok := measured[e.Mode]; ok {
			off := func(v float64) tegra.Val[float64] { return tegra.Some(100 * (v/w - 1)) }
			row.MeasuredW, row.EstimatePct, row.PredictedPct = tegra.Some(w), off(e.PowerW), off(row.PredictedW.V)
		}
		out = append(out, row)
	}
	return out, nil
}
