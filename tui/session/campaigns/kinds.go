package campaigns

import "jtune/tegra"

// EnergySource names the energy study among the experiments.
const EnergySource = "energy"

// Coverage is how much of the Pareto front a search learns.
type Coverage int

// Coverages.
const (
	CoverLimit Coverage = iota // what one limit needs, with few probes
	CoverFront                 // the whole front, with a campaign, for any limit
)

func (c Coverage) String() string { return [...]string{"limit", "front"}[c] }

// RunKind is the kind of plan of a single run, in the mode that the board was in.
const RunKind = "run"

// WhenSteady is the source of a run that ends by itself, after enough minibatches in
// steady power.
const WhenSteady = "steady power"

// SoakSource is the source of a run that proves that a mode holds.
const SoakSource = "soak"

// GridSource marks modes that are drawn from the even subset.
const GridSource = "grid"

// ToCome are the settings of an order without those that were measured, each that many times; it changes done.
func ToCome(order []tegra.Setting, done map[tegra.Setting]int) []tegra.Setting {
	var out []tegra.Setting
	for _, at := range order {
		if done[at]--; done[at] < 0 {
			out = append(out, at)
		}
	}
	return out
}
