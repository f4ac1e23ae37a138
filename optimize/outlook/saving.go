package outlook

import "math"

// Saving is what one mode saves relative to another, in the most relevant quantity: energy, else power, else time.
type Saving struct {
	What        string  // "energy", "power" or "time"
	Pct, Lo, Hi float64 // of the other mode; negative is less. Lo and Hi: 95 % band; equal to Pct if both are measured
	Against     string  // the other mode's name
	Measured    bool    // both are measured
}

// Saves returns what the chosen mode saves relative to this one. Without a saving in any quantity it returns the
// energy, which is then not negative.
func (c *Comparison) Saves() Saving {
	energy := Saving{"energy", c.EnergyPct, c.Lo.EnergyPct, c.Hi.EnergyPct, c.Name, c.Measured}
	for _, s := range []Saving{energy,
		{"power", c.PowerPct, c.Lo.PowerPct, c.Hi.PowerPct, c.Name, c.Measured},
		{"time", c.TimePct, c.Lo.TimePct, c.Hi.TimePct, c.Name, c.Measured}} {
		if math.Round(s.Pct) < 0 {
			return s
		}
	}
	return energy
}
