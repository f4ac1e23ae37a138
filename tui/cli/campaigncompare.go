package cli

import (
	"fmt"

	"jtune/internal/document"
	"jtune/internal/report"
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
	columns := x.Columns(space.Format)
	var median any // null if no mode is in both
	if len(x.Common) > 0 {
		parts, median = append(parts, columns.Document(x.Common)), x.Difference
	}
	return c.app.show(report.Object{
		{"campaigns", [2]string{x.One.Name, x.Other.Name}},
		{"virtual", x.One.Header.Device.Virtual || x.Other.Header.Device.Virtual}, // at least one is not a measurement
		{"usable", x.Usable},
		{"common", len(x.Common)},
		{"median", median},
		{"conclusion", x.Conclusion()},
		{"modes", columns.Objects(x.Common)},
	}, append(parts, linesOf(x.Conclusion()...)...)...)
}
