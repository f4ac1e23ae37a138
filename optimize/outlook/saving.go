package outlook

import "math"

// Saves returns what the chosen mode saves relative to this one, in the most relevant quantity: energy, else power,
// else time, in percent with its 95 % band; negative is less. Without a saving in any quantity it returns the energy,
// which is then not negative.
func (c *Comparison) Saves() (what string, pct, lo, hi float64) {
	switch {
	case math.Round(c.EnergyPct) < 0:
	case math.Round(c.PowerPct) < 0:
		return "power", c.PowerPct, c.Lo.PowerPct, c.Hi.PowerPct
	case math.Round(c.TimePct) < 0:
		return "time", c.TimePct, c.Lo.TimePct, c.Hi.TimePct
	}
	return "energy", c.EnergyPct, c.Lo.EnergyPct, c.Hi.EnergyPct
}
