package serving

import (
	"cmp"

	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Listing holds the table columns of an outlook's modes. For inference it adds units per second, and under a load the
// latency replaces the batch time.
type Listing struct {
	Time, Power, Energy *Quantity // per minibatch; for inference the energy per unit
	Speed               *Quantity // nil for training
	served              *LoadView // nil without a load
}

// ListingOf returns the listing of an outlook.
func ListingOf(o *outlook.Outlook, u Unit, l metric.Goal, served *LoadView) Listing {
	var out Listing
	for _, t := range Trades(o, u, l, served) {
		for _, q := range []*Quantity{t.Across, t.Up} {
			switch q.Word {
			case wordPower:
				out.Power = cmp.Or(out.Power, q)
			case wordEnergy:
				out.Energy = cmp.Or(out.Energy, q)
			case wordSpeed:
				out.Speed = cmp.Or(out.Speed, q)
			default:
				out.Time = cmp.Or(out.Time, q)
			}
		}
	}
	if served.Of(o) {
		out.served = served
	}
	return out
}

// FilterKeys returns the filter keys of this list in addition to the general ones.
func (l Listing) FilterKeys() []string {
	if l.Speed == nil {
		return nil
	}
	return tegra.InferenceKeys()
}

// Passes reports whether a mode passes a filter, including terms on the table's columns.
func (l Listing) Passes(f tegra.Filter, i int, m tegra.Measured) bool {
	return f.MatchAlso(m, func(key string) float64 {
		switch key {
		case tegra.FilterLatency:
			return l.Time.Values[i]
		case tegra.FilterSpeed:
			return l.Speed.Values[i]
		}
		return l.Energy.Values[i] * cmp.Or(l.Energy.Per, 1) // in joules
	})
}

// Pass returns the indices of the settings that pass a filter.
func Pass(o *outlook.Outlook, f tegra.Filter, l Listing) []int {
	out := []int{}
	for i, p := range o.Known {
		if l.Passes(f, i, p.Measured) {
			out = append(out, i)
		}
	}
	return out
}
