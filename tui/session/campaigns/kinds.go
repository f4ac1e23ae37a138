package campaigns

import "jtune/tegra"

// EnergySource is the name of the energy study among the experiments.
const EnergySource = "energy"

// How much of the Pareto front a search learns (record.Asked.Coverage).
const (
	CoverLimit = "limit" // what one limit needs, with few probes
	CoverFront = "front" // the whole front, with a campaign, for any limit
)

// RunKind is the kind of plan of a single run in the board's present mode.
const RunKind = "run"

// WhenSteady is the source of a run that ends by itself after enough minibatches at steady power.
const WhenSteady = "steady power"

// SoakResult is the file with the result of a soak.
const SoakResult = "soak.json"

// SoakSource is the source of a soak: a run that tests whether a mode can be sustained.
const SoakSource = "soak"

// GridSource marks modes drawn from the grid.
const GridSource = "grid"

// ToCome returns the settings of an order without those already measured, counted with multiplicity; it changes done.
func ToCome(order []tegra.Setting, done map[tegra.Setting]int) []tegra.Setting {
	var out []tegra.Setting
	for _, at := range order {
		if done[at]--; done[at] < 0 {
			out = append(out, at)
		}
	}
	return out
}
