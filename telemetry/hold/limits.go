package hold

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/tegra"
)

// Limits are the limits that the load must keep; an absent one is no limit.
type Limits struct {
	PowerW  tegra.Val[float64] // of the module
	TempC   tegra.Val[float64] // of the hottest zone
	Amperes tegra.Val[float64] // of Rail, or of every rail
	Volts   tegra.Val[float64] // lower limit: of VoltsRail, or of the supply rail
	Rail    string
	VRail   string
}

// mostOf are the largest values that a limit may have, by unit.
var mostOf = map[string]float64{"W": 1000, "C": 150, "A": 200, "V": 100}

// ParseLimits parses limits such as "15 W, 85 °C, 5 A VDD_IN, 4.75 V".
func ParseLimits(line string) (l Limits, err error) {
	if strings.TrimSpace(line) == "" {
		return l, nil
	}
	for part := range strings.SplitSeq(line, ",") {
		if err := l.take(strings.TrimSpace(part)); err != nil {
			return Limits{}, usage.Limit.Errorf("%w", err)
		}
	}
	return l, nil
}

const limitForms = "give limits such as 15 W, 85 °C, 5 A VDD_IN, 4.75 V"

func (l *Limits) take(part string) error {
	at := strings.IndexFunc(part, func(r rune) bool { return !strings.ContainsRune("0123456789.+-eE", r) })
	if at <= 0 {
		return fmt.Errorf("%q: %s", text.Clip(part), limitForms)
	}
	value, err := strconv.ParseFloat(part[:at], 64)
	words := strings.Fields(strings.Replace(part[at:], "° ", "°", 1))
	if err != nil || len(words) == 0 || len(words) > 2 {
		return fmt.Errorf("%q: %s", text.Clip(part), limitForms)
	}
	unit, rail := strings.TrimPrefix(words[0], "°"), ""
	most, known := mostOf[unit]
	if len(words) == 2 {
		rail = words[1]
	}
	switch {
	case !known || rail != "" && unit != "A" && unit != "V":
		return fmt.Errorf("%q: %s", text.Clip(part), limitForms)
	case !(value > 0 && value <= most) || math.IsInf(value, 0):
		return fmt.Errorf("%q: a limit is above 0 and at most %g %s", text.Clip(part), most, unit)
	}
	to := map[string]*tegra.Val[float64]{"W": &l.PowerW, "C": &l.TempC, "A": &l.Amperes, "V": &l.Volts}[unit]
	if to.OK {
		return fmt.Errorf("%q: there is a limit in %s before it", text.Clip(part), unit)
	}
	*to = tegra.Some(value)
	switch unit {
	case "A":
		l.Rail = rail
	case "V":
		l.VRail = rail
	}
	return nil
}

// Fits returns an error when the board does not report the quantity of a limit.
func (l Limits) Fits(b tegra.Board, r tegra.Reading) error {
	named := func(rail string) error {
		if rail == "" || slices.ContainsFunc(r.Rails, func(x tegra.RailReading) bool { return x.Name == rail }) {
			return nil
		}
		return usage.Limit.Errorf("this board has no rail %s", text.Clip(rail)).Advise("give one of %s", names(r))
	}
	shows := func(of func(tegra.RailReading) bool) bool { return slices.ContainsFunc(r.Rails, of) }
	switch {
	case l.PowerW.OK && !r.TotalW.OK:
		return usage.Limit.Errorf("a limit in W, but this board shows no power of its module")
	case l.TempC.OK && len(r.Temps) == 0:
		return usage.Limit.Errorf("a limit in °C, but this board shows no temperature")
	case l.Amperes.OK && !shows(func(x tegra.RailReading) bool { return x.Amperes.OK }):
		return usage.Limit.Errorf("a limit in A, but no rail of this board shows a current")
	case l.Volts.OK && !shows(func(x tegra.RailReading) bool { return x.Volts.OK }):
		return usage.Limit.Errorf("a limit in V, but no rail of this board shows a voltage")
	case l.Volts.OK && l.VRail == "" && b.TotalRule == "":
		return usage.Limit.Errorf("a limit in V without a rail, and no rail of this board is known to feed the module").
			Advise("give one of %s", names(r))
	}
	if err := named(l.Rail); err != nil {
		return err
	}
	return named(l.VRail)
}

// names lists the rails of a reading.
func names(r tegra.Reading) string {
	var list []string
	for _, x := range r.Rails {
		list = append(list, x.Name)
	}
	return strings.Join(list, ", ")
}
