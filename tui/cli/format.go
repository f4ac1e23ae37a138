package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"jtune/tegra"
	"jtune/tui/export"
)

// What export writes, by the names that the documents here use.
type (
	modeJSON  = export.Mode
	bandsJSON = export.Bands
	number    = export.Number
)

// optionalMode is null when absent.
func optionalMode(m tegra.Val[tegra.Mode]) *modeJSON {
	if !m.OK {
		return nil
	}
	out := export.ModeOf(m.V)
	return &out
}

// measuredJSON is a measurement.
type measuredJSON struct {
	TimeMS  number `json:"time_ms"`
	PowerW  number `json:"power_w"`
	EnergyJ number `json:"energy_j"`
	// Suspicious: it disagrees with all others and was not repeated, the prediction counts.
	Suspicious bool `json:"suspicious,omitempty"`
}

func toMeasuredJSON(m tegra.Measured) *measuredJSON {
	return &measuredJSON{TimeMS: number(m.TimeMS), PowerW: number(m.PowerW), EnergyJ: number(m.EnergyJ())}
}

// notKnown prints as null.
var notKnown = number(math.NaN())

func optionalNumber(v tegra.Val[float64]) number {
	if !v.OK {
		return notKnown
	}
	return number(v.V)
}

func optionalFreq(v tegra.Val[tegra.Freq]) *int64 {
	if !v.OK {
		return nil
	}
	hz := int64(v.V)
	return &hz
}

func optionalText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// printJSON prints one indented document.
func printJSON(w io.Writer, v any) error { return export.WriteJSON(w, v) }

// printLine prints one document on one line, for streams.
func printLine(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// table prints rows in columns; the first row is the heading.
func table(w io.Writer, rows ...[]string) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(t, strings.Join(r, "\t"))
	}
	t.Flush()
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// dash prints an absent value as a dash.
func dash(v tegra.Val[float64], format string) string {
	if !v.OK {
		return "–"
	}
	return fmt.Sprintf(format, v.V)
}

func dashFreq(v tegra.Val[tegra.Freq]) string {
	if !v.OK {
		return "–"
	}
	return v.V.String()
}

// text is an optional text as it is printed.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// known tells a number from one that prints as null.
func known(n number) bool { return !math.IsNaN(float64(n)) }

// change prints by how many percent something differs, without a decimal that
// nobody reads where it is many times as much.
func change(pct float64) string {
	if math.Abs(pct) >= 1000 {
		return fmt.Sprintf("%+.0f %%", pct)
	}
	return fmt.Sprintf("%+.1f %%", pct)
}
