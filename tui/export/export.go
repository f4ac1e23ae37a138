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

	"jtune/internal/report"
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
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

// VirtualColumn says of each row whether its numbers are of a virtual board.
const VirtualColumn = "virtual"

// ModeColumns are the knobs of a row's mode.
func ModeColumns[T any](of func(T) tegra.Mode) report.Table[T] {
	return report.Table[T]{
		{Key: "cores", Of: func(row T) any { return of(row).Cores }},
		{Key: "cpu_khz", Of: func(row T) any { return of(row).CPU.KHz() }},
		{Key: "gpu_hz", Of: func(row T) any { return int64(of(row).GPU) }},
		{Key: "mem_hz", Of: func(row T) any { return tegra.Val[int64]{V: int64(of(row).EMC), OK: of(row).EMC != 0} }},
	}
}

// standingColumns are where a row stands, as Standing.
func standingColumns[T any](of func(T) optimize.Standing) report.Table[T] {
	return report.Table[T]{
		{Key: "measured", Of: func(row T) any { return !of(row).Predicted() }},
		{Key: "n", Of: func(row T) any { return of(row).N }},
		{Key: "state", Of: func(row T) any { return of(row).State }},
		{Key: "chance_over", Of: func(row T) any { return of(row).ChanceOver }},
	}
}

func virtualColumn[T any](virtual bool) report.Table[T] {
	return report.Table[T]{{Key: VirtualColumn, Of: func(T) any { return virtual }}}
}

// Text is report.Number.
func Text(v float64) string { return report.Number(v) }

// WriteJSON writes one indented document.
func WriteJSON(to io.Writer, v any) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
