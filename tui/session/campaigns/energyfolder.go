package campaigns

import (
	"jtune/profiles/record"
	"jtune/tegra"
)

// OfEnergy reports whether a plan belongs to an energy study.
func OfEnergy(p record.PlanHeader) bool {
	return p.Kind == record.ExperimentKind && p.Source == EnergySource
}

// ClockPairs returns the rows of a study's clock pairs, which were measured with locked clocks and the study's own
// workload; nil if its device does not list its modes.
func ClockPairs(h record.Header, rows []record.Row) []record.Row {
	space, err := h.Device.Space()
	if err != nil {
		return nil
	}
	return PairRows(space, rows)
}

// PairRows returns the rows of clock pairs and omits all others.
func PairRows(space *tegra.Space, rows []record.Row) (out []record.Row) {
	for _, r := range rows {
		if len(r.Extra) > 0 && r.Extra[0] == space.Format(r.Mode) {
			out = append(out, r)
		}
	}
	return out
}
