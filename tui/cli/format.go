package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"jtune/internal/document"
	"jtune/internal/figure"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tui/export"
	"jtune/tui/session/fit"
)

// printJSON prints an indented document.
func printJSON(w io.Writer, v any) error { return export.WriteJSON(w, v) }

// printTable prints rows in columns, as JSON or as CSV.
func printTable[T any](a *app, columns report.Table[T], rows []T) error {
	switch {
	case a.asJSON:
		return printJSON(a.out, columns.Objects(rows))
	case a.asCSV:
		return columns.CSV(a.out, rows)
	}
	return a.print(columns.Document(rows))
}

// show prints a result: its object as JSON, else its parts as text.
func (a *app) show(object any, parts ...document.Part) error {
	if a.asJSON {
		return printJSON(a.out, object)
	}
	return a.print(parts...)
}

// print prints parts of a page as text.
func (a *app) print(parts ...document.Part) error {
	return report.Print(a.out, func(f figure.Figure) error { return printFigure(a, f, plotRequest{}) }, parts...)
}

// linesOf returns texts as lines of a page.
func linesOf(texts ...string) (parts []document.Part) {
	for _, t := range texts {
		parts = append(parts, document.Line(t))
	}
	return parts
}

// textsOf returns sentences as parts of a page.
func textsOf(sentences ...string) (parts []document.Part) {
	for _, s := range sentences {
		parts = append(parts, document.Text(s))
	}
	return parts
}

// words reports whether the output is text for people.
func words(a *app) bool { return !a.asJSON && !a.asCSV }

// printLine prints a document on one line, for streams.
func printLine(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// joined joins the texts that say something.
func joined(between string, texts ...string) string {
	return strings.Join(text.Said(texts...), between)
}

// listOf returns a list that is [] instead of null in JSON when empty.
func listOf[T any](list []T) []T { return append([]T{}, list...) }

// dash formats a value; an absent one is a dash.
func dash[T any](v tegra.Val[T], format string) string { return orDash(ifAny(v, format)) }

// ifAny formats a value, and more; an absent one is "".
func ifAny[T any](v tegra.Val[T], format string, more ...any) string {
	if !v.OK {
		return ""
	}
	return fmt.Sprintf(format, append([]any{v.V}, more...)...)
}

// change formats a difference in per cent, without decimals for large ones.
func change(pct float64) string {
	if math.Abs(pct) >= 1000 {
		return fmt.Sprintf("%+.0f %%", pct)
	}
	return fmt.Sprintf("%+.1f %%", pct)
}

// readSamples reads a sweep file or campaign folder, and notes what it says; no path: none.
func readSamples(a *app, path string, strict bool) (fit.Samples, error) {
	if path == "" {
		return fit.Samples{}, nil
	}
	s, err := fit.ReadSamples(path, a.options.Batches, strict)
	a.notes(s.Notes)
	return s, err
}
