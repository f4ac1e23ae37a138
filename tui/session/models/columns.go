package models

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/tui/session/campaigns"
)

// Columns are the columns of a list of models; now is the user's time.
func Columns(now func() time.Time) report.Table[Info] {
	of := func(value func(i Info) string) func(Info) string {
		return func(i Info) string {
			if i.Err != nil {
				return "–"
			}
			return value(i)
		}
	}
	return report.Table[Info]{
		{Title: "model", Width: 17, Text: func(i Info) string { return i.Name }},
		{Title: "method", Width: 10, Drop: 3, Text: func(i Info) string {
			if i.Err != nil {
				return "unreadable"
			}
			return string(i.Model.Method)
		}},
		{Title: "modes", Width: 5, Right: true, Text: of(func(i Info) string { return text.Thousands(i.Modes()) })},
		{Title: "time", Width: 7, Right: true,
			Text: of(func(i Info) string { return ErrorText(i.Model.CV.TimeMAPEPct) })},
		{Title: "power", Width: 7, Right: true,
			Text: of(func(i Info) string { return ErrorText(i.Model.CV.PowerMAPEPct) })},
		{Title: "workload", Text: of(func(i Info) string {
			workload, _, _ := strings.Cut(i.Model.Provenance.Workload, ",")
			return cmp.Or(workload, "–")
		})},
		{Title: "age", Width: 7, Right: true, Drop: 2, Text: func(i Info) string {
			if i.Modified.IsZero() {
				return "" // inside this program
			}
			return units.Age(now().Sub(i.Modified))
		}},
		{Title: "device", Width: 12, Drop: 4, Text: of(func(i Info) string {
			return campaigns.OfDevice(i.Model.Provenance.Device, i.Model.Provenance.Virtual)
		})},
	}
}

// ErrorText formats a model's error.
func ErrorText(pct float64) string {
	switch {
	case math.IsNaN(pct) || pct <= 0:
		return "–"
	case pct >= 100:
		return fmt.Sprintf("±%.0f %%", pct)
	}
	return fmt.Sprintf("±%.1f %%", pct)
}
