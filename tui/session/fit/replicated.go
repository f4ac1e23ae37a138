package fit

import (
	"fmt"

	"jtune/internal/text"
	"jtune/learn/baseline"
	"jtune/learn/baseline/nn"
	"jtune/tegra"
)

// Replicated says how often the networks see the measurements of one mode. A mode with fewer minibatches or power
// readings than the maximum repeats its own in turn, so that every mode has the same weight (nn.Entries).
type Replicated struct {
	Mode              tegra.Mode
	Times, TimeRows   int // measured minibatches, and rows made from them; 1 and 1 for a median
	Powers, PowerRows int // measured power readings, and rows made from them
}

// replicate returns what networks learn from medians and the measurements behind them, by mode.
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

// ReplicatedText describes in a line how entries were replicated.
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
