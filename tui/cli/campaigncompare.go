package cli

import (
	"fmt"
	"strconv"

	"jtune/tegra"
	"jtune/tui/session"
)

// campaignsComparedJSON is what `jtune campaigns compare --json` prints.
type campaignsComparedJSON struct {
	Campaigns  [2]string           `json:"campaigns"` // the older one first
	Virtual    bool                `json:"virtual"`   // one of them at least is no measurement
	Usable     [2]int              `json:"usable"`
	Common     int                 `json:"common"`
	Median     *session.Difference `json:"median"` // null where nothing is common
	Conclusion []string            `json:"conclusion"`
	Modes      []comparedJSON      `json:"modes"`
}

type comparedJSON struct {
	Mode   string     `json:"mode"`
	Batch  int        `json:"batch,omitempty"`
	TimeMS [2]float64 `json:"time_ms"`
	PowerW [2]float64 `json:"power_w"`
	session.Difference
}

func (a *app) compareCampaigns(one, other string) error {
	var list [2]session.Campaign
	for i, name := range []string{one, other} {
		var err error
		if list[i], err = a.options.FindCampaign(name); err != nil {
			return err
		}
	}
	c := session.CompareCampaigns(list[0], list[1])
	space, err := c.One.Header.Device.Space()
	if err != nil {
		return err
	}
	if a.asJSON {
		return printJSON(a.out, toCampaignsComparedJSON(c, space))
	}
	for _, at := range []session.Campaign{c.One, c.Other} {
		fmt.Fprintf(a.out, "%s: %s, %s%s\n", at.Name, at.Header.Workload.Name, at.What(),
			originOf(at.Header.Device.Board()))
	}
	rows := [][]string{{"mode", "bs", "ms", "ms", "time", "W", "W", "power", "energy"}}
	for _, m := range c.Common {
		batch := "–"
		if m.Batch > 0 {
			batch = strconv.Itoa(m.Batch)
		}
		pct := func(v float64) string { return fmt.Sprintf("%+.1f %%", v) }
		rows = append(rows, []string{space.Format(m.Mode), batch, fmt.Sprintf("%.1f", m.One.TimeMS),
			fmt.Sprintf("%.1f", m.Other.TimeMS), pct(m.TimePct), fmt.Sprintf("%.1f", m.One.PowerW),
			fmt.Sprintf("%.1f", m.Other.PowerW), pct(m.PowerPct), pct(m.EnergyPct)})
	}
	if len(c.Common) > 0 {
		if err := table(a.out, rows...); err != nil {
			return err
		}
	}
	for _, line := range c.Conclusion() {
		fmt.Fprintln(a.out, line)
	}
	return nil
}

func toCampaignsComparedJSON(c session.CampaignComparison, space *tegra.Space) campaignsComparedJSON {
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
