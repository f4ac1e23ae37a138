package campaigns

import (
	"jtune/profiles/record"
	"jtune/tegra"
)

// OfEnergy reports whether a plan is an energy study's.
func OfEnergy(p record.PlanHeader) bool {
	return p.Kind == record.ExperimentKind && p.Source == EnergySource
}

// ClockPairs are the rows of a study's pairs of clocks, which were locked and belong to its own workload; nil where its
// device does not give the modes.
func ClockPairs(h record.Header, rows []record.Row) []record.Row {
	space, err := h.Device.Space()
	if err != nil {
		return nil
	}
	return PairRows(space, rows)
}

// PairRows are the rows of pairs: those of no other kind.
func PairRows(space *tegra.Space, rows []record.Row) (out []record.Row) {
	for _, r := range rows {
		if len(r.Extra) > 0 && r.Extra[0] == space.Format(r.Mode) {
			out = append(out, r)
		}
	}
	return out
}
