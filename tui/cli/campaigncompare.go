package cli

import (
	"fmt"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/tegra"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/fit"
)

func (c *campaignsCmd) compare(args []string) error {
	var list [2]campaigns.Campaign
	for i, name := range args {
		var err error
		if list[i], err = campaigns.Find(c.options.Paths, name); err != nil {
			return err
		}
	}
	x := fit.CompareCampaigns(list[0], list[1])
	space, err := x.One.Header.Device.Space()
	if err != nil {
		return err
	}
	var parts []document.Part
	for _, at := range []campaigns.Campaign{x.One, x.Other} {
		parts = append(parts, document.Line(fmt.Sprintf("%s: %s, %s%s", at.Name, at.Header.Workload.Name, at.What(),
			originOf(at.Header.Device.Board()))))
	}
	if len(x.Common) > 0 {
		parts = append(parts, x.Columns(space.Format).Document(x.Common))
	}
	return c.app.show(comparison(x, space), append(parts, linesOf(x.Conclusion()...)...)...)
}

// comparison is the document of `jtune campaigns compare --json`, older campaign first; the median is null if no mode
// is in both.
func comparison(c fit.CampaignComparison, space *tegra.Space) report.Object {
	var median any
	if len(c.Common) > 0 {
		median = c.Difference
	}
	modes := []report.Object{}
	for _, m := range c.Common {
		modes = append(modes, report.Object{
			{"mode", space.Format(m.Mode)},
			{"batch", report.IfAny(m.Batch)},
			{"time_ms", [2]float64{m.One.TimeMS, m.Other.TimeMS}},
			{"power_w", [2]float64{m.One.PowerW, m.Other.PowerW}},
			{"time_pct", m.TimePct},
			{"power_pct", m.PowerPct},
			{"energy_pct", m.EnergyPct},
		})
	}
	return report.Object{
		{"campaigns", [2]string{c.One.Name, c.Other.Name}},
		{"virtual", c.One.Header.Device.Virtual || c.Other.Header.Device.Virtual}, // at least one is not a measurement
		{"usable", c.Usable},
		{"common", len(c.Common)},
		{"median", median},
		{"conclusion", c.Conclusion()},
		{"modes", modes},
	}
}
