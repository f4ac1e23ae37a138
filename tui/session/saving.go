package session

import (
	"math"

	"jtune/optimize"
	"jtune/profiles/record"
)

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
func (c Comparison) Saves() Saving {
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

// Answered is the answer to one of the limits of a search.
type Answered struct {
	optimize.Result
	Limit   optimize.Limit
	Versus  Versus
	Serving *record.Serving // what inference did in the answer, by its newest reading; nil for training
	Sent    *Sent           // what it did with requests at the rate, or those of users; nil where that was not tried
}

// Standing is where the answer stands against a limit. That a mean is within a latency does not say that a quantile is.
func (a Answered) Standing(l optimize.Limit) optimize.Standing {
	out := a.Result.Standing(l)
	if a.Sent != nil && a.Sent.Users && a.Sent.Unsure != "" && l.TimeMS > 0 && out.State == optimize.Measured {
		out.State = optimize.Doubtful
	}
	return out
}

// Saves is the saving against the mode that the board was in, or against MAXN where that is
// not known; absent where neither is, or the board was in the answer itself.
func (a Answered) Saves() (Comparison, bool) {
	for _, c := range []*Comparison{a.Versus.Present, a.Versus.MaxN} {
		if c != nil {
			out := *c
			for _, same := range a.Versus.Distinct() {
				if same.Other.Mode == c.Other.Mode {
					out.Name = same.Name
				}
			}
			return out, c.Other.Mode != a.Mode
		}
	}
	return Comparison{}, false
}
