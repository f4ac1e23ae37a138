package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"jtune/learn"
	"jtune/tegra"
)

// modeJSON is a power mode in every JSON document.
type modeJSON struct {
	Cores  int   `json:"cores"`
	CPUKHz int64 `json:"cpu_khz"`
	GPUHz  int64 `json:"gpu_hz"`
	MemHz  memHz `json:"mem_hz"`
}

// memHz is null where a preset means the top rate and root alone may read it.
type memHz int64

func (f memHz) MarshalJSON() ([]byte, error) {
	if f == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(int64(f))
}

func toModeJSON(m tegra.Mode) modeJSON {
	return modeJSON{m.Cores, m.CPU.KHz(), int64(m.GPU), memHz(m.EMC)}
}

// optionalMode is null when absent.
func optionalMode(m tegra.Val[tegra.Mode]) *modeJSON {
	if !m.OK {
		return nil
	}
	out := toModeJSON(m.V)
	return &out
}

// bandsJSON is a prediction; bands are null for a measured value.
type bandsJSON struct {
	TimeMS   number `json:"time_ms"`
	TimeLo   number `json:"time_lo_ms"`
	TimeHi   number `json:"time_hi_ms"`
	PowerW   number `json:"power_w"`
	PowerLoW number `json:"power_lo_w"`
	PowerHiW number `json:"power_hi_w"`
	EnergyJ  number `json:"energy_j"`
}

func toBandsJSON(p learn.Prediction) bandsJSON {
	return bandsJSON{number(p.TimeMS), number(p.TimeLoMS), number(p.TimeHiMS), number(p.PowerW), number(p.PowerLoW), number(p.PowerHiW), number(p.EnergyJ())}
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

// number prints as JSON null when it is no finite number.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
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
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

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

// short prints a value with six significant digits and no exponent.
func short(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
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

func knobFields(m tegra.Mode) []string {
	return []string{strconv.Itoa(m.Cores), strconv.FormatInt(m.CPU.KHz(), 10), strconv.FormatInt(int64(m.GPU), 10), strconv.FormatInt(int64(m.EMC), 10)}
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
