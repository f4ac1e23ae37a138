package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"jtune/tegra"
	"jtune/tui/export"
)

// printJSON prints an indented document.
func printJSON(w io.Writer, v any) error { return export.WriteJSON(w, v) }

// printLine prints a document on one line, for streams.
func printLine(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// listOf returns a list that is [] instead of null in JSON when empty.
func listOf[T any](list []T) []T { return append([]T{}, list...) }

// dash formats a value; an absent one is a dash.
func dash[T any](v tegra.Val[T], format string) string {
	if !v.OK {
		return "–"
	}
	return fmt.Sprintf(format, v.V)
}

// change formats a difference in per cent, without decimals for large ones.
func change(pct float64) string {
	if math.Abs(pct) >= 1000 {
		return fmt.Sprintf("%+.0f %%", pct)
	}
	return fmt.Sprintf("%+.1f %%", pct)
}
