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
	"jtune/learn"
	"jtune/tui/session/campaigns"
)

// Columns are the columns of a list of models; now is the user's time.
func Columns(now func() time.Time) report.Table[Info] {
	type m = *learn.Model
	shown := func(value func(m m) string) func(Info) string {
		return func(i Info) string {
			if i.Err != nil || i.Model == nil {
				return "–"
			}
			return value(i.Model)
		}
	}
	of := func(value func(m m) any) func(Info) any { // of an unreadable file, those of an empty model
		return func(i Info) any { return value(cmp.Or(i.Model, &learn.Model{})) }
	}
	return report.Table[Info]{
		{Key: "name", Title: "model", Width: 17, Of: func(i Info) any { return i.Name }},
		{Key: "path", Of: func(i Info) any { return text.Optional(i.Path) }}, // absent: inside this program
		{Key: "method", Title: "method", Width: 10, Drop: 3, Of: of(func(m m) any { return text.Optional(m.Method) }),
			Text: func(i Info) string {
				if i.Err != nil {
					return "unreadable"
				}
				return string(i.Model.Method)
			}},
		{Key: "modes", Title: "modes", Width: 5, Right: true, Of: func(i Info) any { return i.Modes() },
			Text: func(i Info) string {
				if i.Err != nil {
					return "–"
				}
				return text.Thousands(i.Modes())
			}},
		{Key: "samples", Of: func(i Info) any { return i.Samples() }},
		{Title: "time", Width: 7, Right: true, Text: shown(func(m m) string { return ErrorText(m.CV.TimeMAPEPct) })},
		{Title: "power", Width: 7, Right: true, Text: shown(func(m m) string { return ErrorText(m.CV.PowerMAPEPct) })},
		{Key: "cv", Of: of(func(m m) any { return m.CV })},
		{Key: "workload", Title: "workload", Of: of(func(m m) any { return text.Optional(m.Provenance.Workload) }),
			Text: shown(func(m m) string {
				workload, _, _ := strings.Cut(m.Provenance.Workload, ",")
				return cmp.Or(workload, "–")
			})},
		{Title: "age", Width: 7, Right: true, Drop: 2, Text: func(i Info) string {
			if i.Modified.IsZero() {
				return "" // inside this program
			}
			return units.Age(now().Sub(i.Modified))
		}},
		{Key: "device", Title: "device", Width: 12, Drop: 4,
			Of: of(func(m m) any { return text.Optional(m.Provenance.Device) }),
			Text: shown(func(m m) string {
				return campaigns.OfDevice(m.Provenance.Device, m.Provenance.Virtual)
			})},
		{Key: "virtual", Of: of(func(m m) any { return m.Provenance.Virtual })},
		// 0: the modes were given otherwise.
		{Key: "campaigns", Of: of(func(m m) any { return m.Provenance.Campaigns })},
		{Key: "version", Of: func(i Info) any { return report.IfAny(i.Shipped.Version) }},
		{Key: "source", Of: func(i Info) any { return report.IfAny(i.Shipped.Source) }},
		{Key: "licence", Of: func(i Info) any { return report.IfAny(i.Shipped.Licence) }},
		{Key: "commands", Of: func(i Info) any { return report.IfAny(text.Said(i.Shipped.Command)) }},
		{Key: "made", Of: func(i Info) any { return i.Made() }},
		{Key: "when", Of: func(i Info) any { return i.Made() }}, // its older name
		{Key: "warnings", Of: of(func(m m) any { return append([]string{}, m.Warnings...) })},
		{Key: "error", Of: func(i Info) any {
			if i.Err == nil {
				return nil
			}
			return i.Err.Error()
		}},
		{Key: "networks", Of: of(func(m m) any { return report.IfAny(learn.NetworksOf(m)) })}, // of powertrain and nn
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
