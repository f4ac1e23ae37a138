package telemetry

import "jtune/tegra"

// Peaks are the extremes of a run: what it asks of the supply at most. A sensor that never answered has none.
type Peaks struct {
	PowerW tegra.Val[float64] // the module's most
	Rails  []RailPeaks        // in the order in which they were read first
}

// RailPeaks are the extremes of one rail.
type RailPeaks struct {
	Name    string
	PowerW  tegra.Val[float64] // most
	Amperes tegra.Val[float64] // most
	LeastV  tegra.Val[float64] // the lowest voltage
	Limits  tegra.CurrentLimits
}

// Take adds a reading.
func (p *Peaks) Take(r tegra.Reading) {
	raise(&p.PowerW, r.TotalW)
	for i, rail := range r.Rails {
		at := p.rail(i, rail.Name)
		raise(&at.PowerW, rail.PowerW)
		raise(&at.Amperes, rail.Amperes)
		if v := rail.Volts; v.OK && (!at.LeastV.OK || v.V < at.LeastV.V) {
			at.LeastV = v
		}
		at.Limits = rail.Limits
	}
}

// rail finds a rail, which most often has the place that it had in the reading before.
func (p *Peaks) rail(i int, name string) *RailPeaks {
	if i < len(p.Rails) && p.Rails[i].Name == name {
		return &p.Rails[i]
	}
	for i := range p.Rails {
		if p.Rails[i].Name == name {
			return &p.Rails[i]
		}
	}
	p.Rails = append(p.Rails, RailPeaks{Name: name})
	return &p.Rails[len(p.Rails)-1]
}

// Of is a rail's extremes; nil when it was never read.
func (p *Peaks) Of(name string) *RailPeaks {
	for i := range p.Rails {
		if p.Rails[i].Name == name {
			return &p.Rails[i]
		}
	}
	return nil
}

// Supply is the rail whose current and voltage stand for the supply: the one that feeds the module, and where several
// add up to it the one with the largest current. nil: no rail has shown a current.
func (p *Peaks) Supply(b tegra.Board) *RailPeaks {
	if feed := p.Of(b.FeedRail()); feed != nil && feed.Amperes.OK {
		return feed
	}
	var most *RailPeaks
	for i := range p.Rails {
		if r := &p.Rails[i]; r.Amperes.OK && (most == nil || r.Amperes.V > most.Amperes.V) {
			most = r
		}
	}
	return most
}

func raise(most *tegra.Val[float64], v tegra.Val[float64]) {
	if v.OK && (!most.OK || v.V > most.V) {
		*most = v
	}
}
