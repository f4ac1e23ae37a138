package telemetry

import (
	"strings"

	"jtune/tegra"
)

// Peaks are the extremes of a run: the highest demand on the supply. A sensor that never answered has none.
type Peaks struct {
	PowerW tegra.Val[float64] // the module's highest
	Rails  []RailPeaks        // in the order of first reading
}

// RailPeaks are the extremes of one rail.
type RailPeaks struct {
	Name    string              `json:"name"`
	PowerW  tegra.Val[float64]  `json:"peak_w"`  // highest
	Amperes tegra.Val[float64]  `json:"peak_a"`  // highest
	LeastV  tegra.Val[float64]  `json:"least_v"` // lowest
	Limits  tegra.CurrentLimits `json:"-"`
}

// Take adds a reading.
func (p *Peaks) Take(r tegra.Reading) {
	raise(&p.PowerW, r.TotalW)
	for _, rail := range r.Rails {
		at := p.rail(rail.Name)
		raise(&at.PowerW, rail.PowerW)
		raise(&at.Amperes, rail.Amperes)
		if v := rail.Volts; v.OK {
			at.LeastV = tegra.Some(min(v.V, at.LeastV.Or(v.V)))
		}
		at.Limits = rail.Limits
	}
}

// rail returns a rail's extremes, which begin with its first reading.
func (p *Peaks) rail(name string) *RailPeaks {
	if rail := p.Of(name); rail != nil {
		return rail
	}
	p.Rails = append(p.Rails, RailPeaks{Name: name})
	return &p.Rails[len(p.Rails)-1]
}

// Of returns a rail's extremes; nil when the rail was never read.
func (p *Peaks) Of(name string) *RailPeaks {
	for i := range p.Rails {
		if p.Rails[i].Name == name {
			return &p.Rails[i]
		}
	}
	return nil
}

// Supply returns the rail that represents the supply: the one that feeds the module, or, of several that add up to it,
// the one with the largest current. nil: no rail is known to feed the module, or it has reported no current.
func (p *Peaks) Supply(b tegra.Board) *RailPeaks {
	var most *RailPeaks
	for name := range strings.SplitSeq(strings.TrimPrefix(b.TotalRule, "SUM:"), ",") {
		if r := p.Of(name); r != nil && r.Amperes.OK && (most == nil || r.Amperes.V > most.Amperes.V) {
			most = r
		}
	}
	return most
}

func raise(most *tegra.Val[float64], v tegra.Val[float64]) {
	if v.OK {
		*most = tegra.Some(max(v.V, most.Or(v.V)))
	}
}
