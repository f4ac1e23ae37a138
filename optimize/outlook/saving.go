package outlook

import "math"

// Saving is what one mode saves against another, in the quantity where that is most telling:
// energy, else power, else time.
type Saving struct {
	What        string  // "energy", "power" or "time"
	Pct, Lo, Hi float64 // of the other mode; negative is less. Lo and Hi are the 95 % band; Pct where both are measured
	Against     string  // the other mode's name
	Measured    bool    // both are measured
}

// Saves says what the chosen mode saves against this one. Without a saving in anything it is
// the energy, which is not negative then.
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
