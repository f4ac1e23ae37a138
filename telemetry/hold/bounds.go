package hold

import (
	"strconv"

	"jtune/tegra"
	"jtune/tegra/metric"
)

// Bound is the extreme of a quantity (the lowest voltage, the highest of all others) with its limit.
type Bound struct {
	Name   string // "most power of the module"
	Of     string // short: "power", or the rail
	Unit   string
	Digits int
	Seen   tegra.Val[float64]
	Limit  tegra.Val[float64]
	Left   tegra.Val[float64]
}

// Text formats a value of the bound with its unit, or a dash where it is absent.
func (b Bound) Text(v tegra.Val[float64]) string {
	if !v.OK {
		return "–"
	}
	return strconv.FormatFloat(v.V, 'f', b.Digits, 64) + " " + b.Unit
}

// Bounds returns power, current, temperature and voltage with their limits: the given ones, else the board's own. A
// limit in watts is compared with the highest mean of a minute.
func (s State) Bounds(given metric.Limits) []Bound {
	p, l, m := s.Peak, s.Least, s.Margins
	bound := func(name, of, unit string, digits int, seen, left tegra.Val[float64], sign float64) Bound {
		limit := tegra.Val[float64]{V: seen.V + sign*left.V, OK: seen.OK && left.OK}
		return Bound{Name: name, Of: of, Unit: unit, Digits: digits, Seen: seen, Limit: limit, Left: left}
	}
	watts, of, power := "most power of the module", "power", p.PowerW
	if w := given.Val(metric.Power); w.OK && m.PowerW.OK {
		watts, of, power = "most power of the module, mean of a minute", "power, minute", tegra.Some(w.V-m.PowerW.V)
	}
	supply, sagged := p.Rail.Or("–"), l.Rail.Or("–")
	return []Bound{
		bound(watts, of, "W", 2, power, m.PowerW, 1),
		bound("most current, "+supply, supply, "A", 2, p.Amperes, m.Amperes, 1),
		bound("hottest zone", "hottest", "°C", 1, p.TjC, m.TjC, 1),
		bound("least voltage, "+sagged, sagged, "V", 3, l.Volts, m.Volts, -1),
	}
}
