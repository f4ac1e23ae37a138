package cli

import (
	"fmt"
	"strconv"

	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/fit"
)

// campaignsComparedJSON is what `jtune campaigns compare --json` prints.
type campaignsComparedJSON struct {
	Campaigns  [2]string           `json:"campaigns"` // the older one first
	Virtual    bool                `json:"virtual"`   // one of them at least is no measurement
	Usable     [2]int              `json:"usable"`
	Common     int                 `json:"common"`
	Median     *outlook.Difference `json:"median"` // null where nothing is common
	Conclusion []string            `json:"conclusion"`
	Modes      []comparedJSON      `json:"modes"`
}

type comparedJSON struct {
	Mode   string     `json:"mode"`
	Batch  int        `json:"batch,omitempty"`
	TimeMS [2]float64 `json:"time_ms"`
	PowerW [2]float64 `json:"power_w"`
	outlook.Difference
}

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
	if c.asJSON {
		return printJSON(c.out, toCampaignsComparedJSON(x, space))
	}
	for _, at := range []campaigns.Campaign{x.One, x.Other} {
		fmt.Fprintf(c.out, "%s: %s, %s%s\n", at.Name, at.Header.Workload.Name, at.What(),
			originOf(at.Header.Device.Board()))
	}
	rows := [][]string{{"mode", "bs", "ms", "ms", "time", "W", "W", "power", "energy"}}
	for _, m := range x.Common {
		batch := "–"
		if m.Batch > 0 {
			batch = strconv.Itoa(m.Batch)
		}
		pct := func(v float64) string { return fmt.Sprintf("%+.1f %%", v) }
		rows = append(rows, []string{space.Format(m.Mode), batch, fmt.Sprintf("%.1f", m.One.TimeMS),
			fmt.Sprintf("%.1f", m.Other.TimeMS), pct(m.TimePct), fmt.Sprintf("%.1f", m.One.PowerW),
			fmt.Sprintf("%.1f", m.Other.PowerW), pct(m.PowerPct), pct(m.EnergyPct)})
	}
	if len(x.Common) > 0 {
		if err := table(c.out, rows...); err != nil {
			return err
		}
	}
	for _, line := range x.Conclusion() {
		fmt.Fprintln(c.out, line)
	}
	return nil
}

func toCampaignsComparedJSON(c fit.CampaignComparison, space *tegra.Space) campaignsComparedJSON {
	out := campaignsComparedJSON{Campaigns: [2]string{c.One.Name, c.Other.Name}, Usable: c.Usable,
		Common:     len(c.Common),
		Virtual:    c.One.Header.Device.Virtual || c.Other.Header.Device.Virtual,
		Conclusion: c.Conclusion(), Modes: []comparedJSON{}}
	if len(c.Common) > 0 {
		out.Median = &c.Difference
	}
	for _, m := range c.Common {
		out.Modes = append(out.Modes, comparedJSON{Mode: space.Format(m.Mode), Batch: m.Batch,
			TimeMS: [2]float64{m.One.TimeMS, m.Other.TimeMS}, PowerW: [2]float64{m.One.PowerW, m.Other.PowerW},
			Difference: m.Difference})
	}
	return out
}
