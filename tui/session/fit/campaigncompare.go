package fit

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"jtune/internal/conclusion"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/optimize/earlier"
	"jtune/optimize/outlook"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/campaigns"
)

// Compared is a setting whose time and power two campaigns measured; both by their medians.
type Compared struct {
	tegra.Setting
	One, Other         tegra.Measured
	outlook.Difference // of Other relative to One
}

// CampaignComparison compares two campaigns in the settings that both measured.
type CampaignComparison struct {
	One, Other         campaigns.Campaign // One is older
	Usable             [2]int             // settings with a usable reading
	Common             []Compared
	outlook.Difference                   // medians over Common; zero without any
	Aligned            earlier.Alignment // how a model that learns from both adjusts the older one
	Apart              []string          // other differences between the campaigns
}

// CompareCampaigns compares two campaigns, the older one first.
func CompareCampaigns(a, b campaigns.Campaign) CampaignComparison {
	if b.Header.Created.Before(a.Header.Created) {
		a, b = b, a
	}
	lists := [][]tegra.Measured{record.Usable(a.Rows()), record.Usable(b.Rows())}
	one, other := tegra.OncePerSetting(lists[0]), tegra.OncePerSetting(lists[1])
	c := CampaignComparison{One: a, Other: b, Usable: [2]int{len(one), len(other)}, Apart: differences(a, b)}
	there := map[tegra.Setting]tegra.Measured{}
	for _, m := range other {
		there[m.Setting] = m
	}
	var all []outlook.Difference
	for _, m := range one {
		if o, both := there[m.Setting]; both && m.HasPower() && o.HasPower() {
			d := outlook.Against(o, m)
			all = append(all, d)
			c.Common = append(c.Common, Compared{m.Setting, m, o, d})
		}
	}
	c.Difference = outlook.MedianOf(all)
	_, c.Aligned = earlier.Align(lists)
	return c
}

// differences lists the differences between two campaigns besides their readings.
func differences(a, b campaigns.Campaign) []string {
	var out []string
	for _, part := range []struct{ what, one, other string }{
		{"board", a.Board, b.Board},
		{"workload", a.Header.Workload.Name, b.Header.Workload.Name},
		{"batch size", fmt.Sprint(a.Header.Workload.Batch), fmt.Sprint(b.Header.Workload.Batch)},
		{"loader workers", fmt.Sprint(a.Header.Workload.Workers), fmt.Sprint(b.Header.Workload.Workers)},
		{"software", record.Framework(a.Versions), record.Framework(b.Versions)},
		{"minibatches per mode", fmt.Sprint(a.Header.Settings.Minibatches), fmt.Sprint(b.Header.Settings.Minibatches)},
	} {
		if part.one != part.other {
			out = append(out, fmt.Sprintf("%s %s, then %s", part.what, cmp.Or(part.one, "unknown"),
				cmp.Or(part.other, "unknown")))
		}
	}
	one, other := record.SoftwareOf(a.Versions, *a.Header), record.SoftwareOf(b.Versions, *b.Header)
	if list := tegra.SoftwareDifferences(one, other); list != nil {
		out = append(out, "software versions, which affect results: "+strings.Join(list, ", "))
	}
	return out
}

// several are settings that two campaigns measured, with the medians of their differences in percent.
type several struct {
	Common                       int     `turn:"0 5"`
	TimePct, PowerPct, EnergyPct float64 `shown:"-20 20"`
}

var inCommon = conclusion.New("campaigns: what both measured", 2, func(x several) string {
	if x.Common == 0 {
		return "No mode was measured well by both: there is nothing to compare."
	}
	return fmt.Sprintf("%s measured by both: the later campaign takes %+.1f %% time, %+.1f %% power, %+.1f %% energy "+
		"(medians).", text.Count(x.Common, "mode"), x.TimePct, x.PowerPct, x.EnergyPct)
})

// both is what decides how a model learns from two campaigns.
type both struct {
	Same    bool    // workload, batch size and board
	Aligned string  `turn:"absent"` // how the older readings count
	Common  int     `turn:"0 5"`
	MostPct float64 `turn:"0 12"` // largest difference of a mode's time or power
}

var learning = conclusion.New("campaigns: a model of both", 6, func(x both) string {
	switch {
	case !x.Same:
		return "They are of different workloads, batch sizes or boards: no model learns from both."
	case x.Aligned != "":
		return fmt.Sprintf("A model that learns from both: %s.", x.Aligned)
	case x.Common == 0:
		return ""
	case x.Common == 1:
		return "One common mode cannot show a drift: repeat two modes."
	case x.MostPct > earlier.DriftPct:
		return fmt.Sprintf("Single modes moved by up to %.0f %%, not all: a model learns from both unchanged.",
			x.MostPct)
	}
	return "No common drift: a model learns from both unchanged."
})

// Conclusion describes the result of the comparison in sentences.
func (c CampaignComparison) Conclusion() []string {
	one, other := c.One.Header, c.Other.Header
	same := c.One.Fingerprint == c.Other.Fingerprint && c.One.Board == c.Other.Board &&
		(one.Workload.Batch == other.Workload.Batch || one.Plan.Batches != nil && other.Plan.Batches != nil)
	n, most := len(c.Common), 0.0
	for _, m := range c.Common {
		most = max(most, math.Abs(m.TimePct), math.Abs(m.PowerPct))
	}
	out := text.Said(inCommon.Say(several{n, c.TimePct, c.PowerPct, c.EnergyPct}),
		learning.Say(both{same, c.Aligned.String(), n, most}))
	if len(c.Apart) > 0 {
		out.Add("They differ in %s.", strings.Join(c.Apart, "; "))
	}
	return out
}

// Columns are the columns of the settings that both campaigns measured, the older one first; format writes a mode.
func (c CampaignComparison) Columns(format func(tegra.Mode) string) report.Table[Compared] {
	pct := func(v float64) string { return fmt.Sprintf("%+.1f %%", v) }
	watts := func(w float64) string { return strconv.FormatFloat(w, 'f', 1, 64) }
	return report.Table[Compared]{
		{Key: "mode", Title: "mode", Width: 20, Whole: true, Of: func(m Compared) any { return format(m.Mode) }},
		{Key: "batch", Title: "bs", Width: 3, Right: true, Drop: 4, Some: true,
			Of: func(m Compared) any { return m.Batch }},
		{Key: "time_ms", Of: func(m Compared) any { return [2]float64{m.One.TimeMS, m.Other.TimeMS} }},
		{Key: "power_w", Of: func(m Compared) any { return [2]float64{m.One.PowerW, m.Other.PowerW} }},
		{Title: "ms", Width: 5, Right: true, Drop: 3, Of: func(m Compared) any { return m.One.TimeMS }},
		{Title: "then", Width: 5, Right: true, Drop: 3, Of: func(m Compared) any { return m.Other.TimeMS }},
		{Key: "time_pct", Title: "time", Width: 7, Right: true, Of: func(m Compared) any { return m.TimePct },
			Text: func(m Compared) string { return pct(m.TimePct) }},
		{Title: "W", Width: 5, Right: true, Drop: 2, Text: func(m Compared) string { return watts(m.One.PowerW) }},
		{Title: "then", Width: 5, Right: true, Drop: 2, Text: func(m Compared) string { return watts(m.Other.PowerW) }},
		{Key: "power_pct", Title: "power", Width: 7, Right: true, Of: func(m Compared) any { return m.PowerPct },
			Text: func(m Compared) string { return pct(m.PowerPct) }},
		{Key: "energy_pct", Title: "energy", Width: 7, Right: true, Drop: 1,
			Of: func(m Compared) any { return m.EnergyPct }, Text: func(m Compared) string { return pct(m.EnergyPct) }},
	}
}
