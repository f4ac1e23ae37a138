package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"jtune/tegra"
	"jtune/tui/export"
)

// printJSON prints one indented document.
func printJSON(w io.Writer, v any) error { return export.WriteJSON(w, v) }

// printLine prints one document on one line, for streams.
func printLine(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// listOf is a list in a document, where an empty one is [] and not null.
func listOf[T any](list []T) []T { return append([]T{}, list...) }

// dash prints an absent value as a dash.
func dash[T any](v tegra.Val[T], format string) string {
	if !v.OK {
		return "–"
	}
	return fmt.Sprintf(format, v.V)
}

// change prints by how many percent something differs, without a decimal that
// nobody reads where it is many times as much.
func change(pct float64) string {
	if math.Abs(pct) >= 1000 {
		return fmt.Sprintf("%+.0f %%", pct)
	}
	return fmt.Sprintf("%+.1f %%", pct)
}
