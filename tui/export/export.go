// Package export writes power modes, and what is known of them, to files, for
// commands and screens.
//
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
	"jtune/tegra"
)

// VirtualColumn says whether a row's numbers come from a virtual board.
const VirtualColumn = "virtual"

// ModeColumns are the columns of a row's knobs.
func ModeColumns[T any](of func(T) tegra.Mode) report.Table[T] {
	return report.Table[T]{
		{Key: "cores", Of: func(row T) any { return of(row).Cores }},
		{Key: "cpu_khz", Of: func(row T) any { return of(row).CPU.KHz() }},
		{Key: "gpu_hz", Of: func(row T) any { return int64(of(row).GPU) }},
		{Key: "mem_hz", Of: func(row T) any { return tegra.Val[int64]{V: int64(of(row).EMC), OK: of(row).EMC != 0} }},
	}
}

func virtualColumn[T any](virtual bool) report.Table[T] {
	return report.Table[T]{{Key: VirtualColumn, Of: func(T) any { return virtual }}}
}

// WriteJSON writes one indented document.
func WriteJSON(to io.Writer, v any) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
