package fit

import (
	"fmt"

	"jtune/internal/text"
	"jtune/learn/baseline"
	"jtune/learn/baseline/nn"
	"jtune/tegra"
)

// Replicated is how often the networks see what was measured in one mode. Where a mode has fewer minibatches or power
// readings than the most of any, its own are repeated in turn, so that every mode has the same weight (nn.Entries).
type Replicated struct {
	Mode              tegra.Mode
	Times, TimeRows   int // minibatches measured, and rows that they make; one and one for a median
	Powers, PowerRows int // power readings measured, and rows that they make
}

// replicate is what networks learn from medians and the single measurements behind them, mode by mode.
func replicate(medians []tegra.Measured, entries []nn.Sample) (out []Replicated) {
	mostTimes, mostPowers := 0, 0
	for _, s := range baseline.WithEntries(tegra.OncePerSetting(medians), entries) {
		out = append(out, Replicated{Mode: s.Mode, Times: len(s.TimesMS), Powers: len(s.PowersW)})
		mostTimes, mostPowers = max(mostTimes, len(s.TimesMS)), max(mostPowers, len(s.PowersW))
	}
	for i := range out {
		if out[i].TimeRows = mostTimes; out[i].Powers > 0 {
			out[i].PowerRows = mostPowers
		}
	}
	return out
}

// ReplicatedText says in a line how entries were replicated.
func ReplicatedText(list []Replicated) string {
	if len(list) == 0 {
		return ""
	}
	fewTimes, fewPowers := list[0].Times, list[0].Powers
	for _, r := range list {
		fewTimes, fewPowers = min(fewTimes, r.Times), min(fewPowers, r.Powers)
	}
	return fmt.Sprintf("%s of equal weight: %d to %d minibatches each, as %d rows; %d to %d power readings "+
		"each, as %d rows", text.Count(len(list), "mode"), fewTimes, list[0].TimeRows, list[0].TimeRows, fewPowers,
		list[0].PowerRows, list[0].PowerRows)
}
