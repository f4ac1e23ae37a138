// Package export writes power modes, and what is known of them, into files: for
// the line commands and for the screens alike.
//
//	predictions ──► Point, Bands, Means (JSON), Fields (CSV)
//	predictions, measured ──► Cloud (the Pareto front of two axes) ──► CSV, JSON
//	figures ──► SVG, CSV, JSON
//
// It opens no files and knows no devices. Absent values are null in JSON and
// empty in CSV.
package export

import (
	"encoding/json"
	"io"
	"math"
	"strconv"

	"jtune/internal/report"
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/sweep"
)

// Means are the time, power and energy of a minibatch.
type Means struct {
	TimeMS  tegra.Val[float64] `json:"time_ms"`
	PowerW  tegra.Val[float64] `json:"power_w"`
	EnergyJ tegra.Val[float64] `json:"energy_j"`
}

// MeansOf are those of a measurement.
func MeansOf(m tegra.Measured) Means {
	return Means{tegra.Finite(m.TimeMS), tegra.Finite(m.PowerW), tegra.Finite(m.EnergyJ())}
}

// Bands is a prediction per minibatch, with the ends of its 95 % bands, which
// are absent for a measured value.
type Bands struct {
	TimeMS   tegra.Val[float64] `json:"time_ms"`
	TimeLo   tegra.Val[float64] `json:"time_lo_ms"`
	TimeHi   tegra.Val[float64] `json:"time_hi_ms"`
	PowerW   tegra.Val[float64] `json:"power_w"`
	PowerLoW tegra.Val[float64] `json:"power_lo_w"`
	PowerHiW tegra.Val[float64] `json:"power_hi_w"`
	EnergyJ  tegra.Val[float64] `json:"energy_j"`
}

// BandsOf is a prediction as it is written.
func BandsOf(p learn.Prediction) Bands {
	return Bands{
		TimeMS:   tegra.Finite(p.TimeMS),
		TimeLo:   tegra.Finite(p.TimeLoMS),
		TimeHi:   tegra.Finite(p.TimeHiMS),
		PowerW:   tegra.Finite(p.PowerW),
		PowerLoW: tegra.Finite(p.PowerLoW),
		PowerHiW: tegra.Finite(p.PowerHiW),
		EnergyJ:  tegra.Finite(p.EnergyJ()),
	}
}

// Size is the batch size where it is an input beside the mode; nothing of it
// is written elsewhere.
type Size struct {
	Batch    int                `json:"batch,omitempty"`
	SampleMS tegra.Val[float64] `json:"time_per_sample_ms,omitzero"`
}

// SizeOf is the batch size of a measurement as it is written.
func SizeOf(m tegra.Measured) Size {
	if m.Batch == 0 {
		return Size{}
	}
	return Size{m.Batch, tegra.Finite(m.SampleMS())}
}

// Epoch is what an epoch takes; nothing of it is written where its minibatches are not known.
type Epoch struct {
	TimeS   tegra.Val[float64] `json:"epoch_s,omitzero"`
	EnergyJ tegra.Val[float64] `json:"epoch_j,omitzero"`
}

// Standing is what a point was measured to be, and where it stands against the limit.
type Standing struct {
	Measured   bool               `json:"measured"`
	N          int                `json:"n"` // readings, of which the mean counts
	State      optimize.State     `json:"state"`
	ChanceOver tegra.Val[float64] `json:"chance_over"`
}

// StandingOf is a standing as it is written.
func StandingOf(s optimize.Standing) Standing {
	return Standing{!s.Predicted(), s.N, s.State, s.ChanceOver}
}

// Point is a mode, what is predicted or known of it, and where it stands.
type Point struct {
	tegra.ModeUnits
	Bands
	Size
	Epoch
	Standing
	Virtual bool `json:"virtual"`
}

// ModeColumns are the knobs of a row's mode.
func ModeColumns[T any](of func(T) tegra.Mode) report.Table[T] {
	return report.Table[T]{
		{Key: "cores", Of: func(row T) any { return of(row).Cores }},
		{Key: "cpu_khz", Of: func(row T) any { return of(row).CPU.KHz() }},
		{Key: "gpu_hz", Of: func(row T) any { return int64(of(row).GPU) }},
		{Key: "mem_hz", Of: func(row T) any { return tegra.Val[int64]{V: int64(of(row).EMC), OK: of(row).EMC != 0} }},
	}
}

// Columns head the CSV of Fields. After them come those of the standing, SizeColumn where
// the batch size is an input, and VirtualColumn.
const (
	Columns = "cores,cpu_khz,gpu_hz,mem_hz,time_ms,time_lo_ms,time_hi_ms,power_w,power_lo_w,power_hi_w,energy_j"

	StandingColumns = "measured,n,state,chance_over"
	SizeColumn      = "bs"
	VirtualColumn   = "virtual"
)

// Fields are the fields of a prediction.
func Fields(p learn.Prediction) []string {
	out := sweep.ModeFields(p.Mode)
	for _, v := range []float64{
		p.TimeMS, p.TimeLoMS, p.TimeHiMS, p.PowerW, p.PowerLoW, p.PowerHiW, p.EnergyJ(),
	} {
		out = append(out, Text(v))
	}
	return out
}

// fields are the columns of a standing.
func (s Standing) fields() []string {
	chance := ""
	if s.ChanceOver.OK {
		chance = Text(s.ChanceOver.V)
	}
	return []string{strconv.FormatBool(s.Measured), strconv.Itoa(s.N), s.State.String(), chance}
}

// Text prints a value with six significant digits and no exponent; "" when it
// is not a finite number.
func Text(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// WriteJSON writes one indented document.
func WriteJSON(to io.Writer, v any) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
