package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
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
}

func toMeasuredJSON(m tegra.Measured) *measuredJSON {
	return &measuredJSON{number(m.TimeMS), number(m.PowerW), number(m.EnergyJ())}
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

// shown prints a time, power or energy for a person: three digits, one
// decimal from ten on, for no reading and no prediction is better than that;
// a dash where there is none. Documents for machines keep all digits.
func shown(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case v == 0:
		return "0"
	case v < 1:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case v < 10:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 1000:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

func dashFreq(v tegra.Val[tegra.Freq]) string {
	if !v.OK {
		return "–"
	}
	return v.V.String()
}

// thousands prints a count as 18,096.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// counted prints "1 mode" and "18,096 modes".
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return thousands(n) + " " + what
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
