package session

import (
	"jtune/profiles/record"
	"jtune/tegra"
)

// ofEnergy reports whether a plan is an energy study's.
func ofEnergy(p record.PlanHeader) bool {
	return p.Kind == record.ExperimentKind && p.Source == energySource
}

// clockPairs are the rows of a study's pairs of clocks, which were locked and are of its own workload; nil where the
// modes of its device cannot be told.
func clockPairs(h record.Header, rows []record.Row) []record.Row {
	space, err := h.Device.Space()
	if err != nil {
		return nil
	}
	return pairRows(space, rows)
}

// pairRows are the rows of pairs: those of no other kind.
func pairRows(space *tegra.Space, rows []record.Row) (out []record.Row) {
	for _, r := range rows {
		if len(r.Extra) > 0 && r.Extra[0] == space.Format(r.Mode) {
			out = append(out, r)
		}
	}
	return out
}
