// Package earlier says how readings of earlier days count beside later ones, by the settings that were measured again.
//
//	lists of readings, oldest first ──► Align ──► one list to fit a model to
//	readings and later ones ──► Compare ──► by how much the board has drifted
package earlier

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/tegra"
)

const driftLeast = 0.03 // in logarithms: a drift that is always tolerated

// DriftPct is driftLeast in percent.
const DriftPct = 100 * driftLeast

// Drift is the change of a board's readings since earlier ones, in logarithms.
type Drift struct{ LnTime, LnPower float64 }

func (d Drift) String() string {
	return fmt.Sprintf("time %+.1f %%, power %+.1f %%", 100*math.Expm1(d.LnTime), 100*math.Expm1(d.LnPower))
}

// Of returns an earlier reading corrected for the drift.
func (d Drift) Of(m tegra.Measured) tegra.Measured {
	m.TimeMS *= math.Exp(d.LnTime)
	m.PowerW *= math.Exp(d.LnPower)
	return m
}

// far reports whether readings have moved by more than is tolerated.
func (d Drift) far() bool { return math.Abs(d.LnTime) > driftLeast || math.Abs(d.LnPower) > driftLeast }

// between returns the drift from one reading to a later one.
func between(earlier, later tegra.Measured) Drift {
	return Drift{math.Log(later.TimeMS / earlier.TimeMS), math.Log(later.PowerW / earlier.PowerW)}
}

// Alignment is how Align treated the older lists.
type Alignment struct {
	Moved, LeftOut         int // numbers of lists
	MovedRows, LeftOutRows int
}

// String describes the alignment, one clause per kind; "" if all rows count as measured.
func (a Alignment) String() string {
	var out []string
	if a.Moved > 0 {
		out = append(out, fmt.Sprintf("the board has drifted since: %s of %s count with an offset",
			text.Count(a.MovedRows, "reading"), text.Count(a.Moved, "campaign")))
	}
	if a.LeftOut > 0 {
		out = append(out, fmt.Sprintf("%s of %s disagree with later ones and are left out",
			text.Count(a.LeftOutRows, "reading"), text.Count(a.LeftOut, "campaign")))
	}
	return strings.Join(out, "; ")
}

// Align merges the measurements of several searches, oldest list first, into one list to fit a model to. If at least
// two modes of older lists were measured again and all of them have moved by more than driftLeast:
//
//	by as much    older rows are shifted to the later ones, in ln time and ln power
//	otherwise     they are dropped
//
// A list uses its own modes if two of them were measured again, else those of all older lists, assuming that these were
// measured at about the same time.
func Align(lists [][]tegra.Measured) (rows []tegra.Measured, a Alignment) {
	parts := make([][]tegra.Measured, 0, len(lists)) // nil: dropped
	moved := make([]bool, len(lists))
	with := map[tegra.Setting][]int{} // parts that measured it: only these are compared, for there may be thousands
	for n, list := range lists {
		now := bySetting(list)
		again := map[int][]tegra.Measured{} // rows of a part whose settings the list measured too
		for at := range now {
			for _, i := range with[at] {
				again[i] = nil
			}
			with[at] = append(with[at], n)
		}
		var of []tegra.Measured
		for _, i := range slices.Sorted(maps.Keys(again)) {
			for _, m := range parts[i] {
				if _, ok := now[m.Setting]; ok {
					again[i] = append(again[i], m)
				}
			}
			of = append(of, again[i]...)
		}
		all := Compare(of, now)
		for i, part := range parts {
			if again[i] == nil && !all.moved() {
				continue
			}
			own := Compare(again[i], now)
			switch {
			case own.Modes > 1 && own.Far && !own.Alike:
				parts[i] = nil
				continue
			case own.Modes < 2:
				own = all
			}
			if !own.moved() {
				continue
			}
			moved[i] = true
			for j, m := range part {
				part[j] = own.Of(m)
			}
		}
		parts = append(parts, slices.Clone(list))
	}
	for i, part := range parts {
		switch {
		case part == nil && len(lists[i]) > 0:
			a.LeftOut++
			a.LeftOutRows += len(lists[i])
		case moved[i]:
			a.Moved++
			a.MovedRows += len(part)
		}
	}
	return slices.Concat(parts...), a
}

// Common summarises the remeasured modes of a list.
type Common struct {
	Drift      // mean over them
	Modes int  // number remeasured
	Far   bool // all of them have moved
	Alike bool // they have moved by the same amount
}

// moved reports whether all of several remeasured modes have moved by the same amount.
func (c Common) moved() bool { return c.Modes > 1 && c.Far && c.Alike }

// Compare compares a list with later readings of the same settings.
func Compare(list []tegra.Measured, later map[tegra.Setting]tegra.Measured) (c Common) {
	var time, power []float64
	c.Far = true
	for _, m := range tegra.OncePerSetting(list) {
		now, ok := later[m.Setting]
		if !ok || !stats.Positive(m.TimeMS, m.PowerW) || !stats.Positive(now.TimeMS, now.PowerW) {
			continue
		}
		d := between(m, now)
		time, power = append(time, d.LnTime), append(power, d.LnPower)
		c.Far = c.Far && d.far()
	}
	if c.Modes = len(time); c.Modes == 0 {
		return Common{}
	}
	c.LnTime, c.LnPower = stats.Mean(time), stats.Mean(power)
	width := func(v []float64) float64 { return slices.Max(v) - slices.Min(v) }
	c.Alike = width(time) <= 2*driftLeast && width(power) <= 2*driftLeast
	return c
}

// bySetting returns the medians of a list's settings.
func bySetting(list []tegra.Measured) map[tegra.Setting]tegra.Measured {
	out := map[tegra.Setting]tegra.Measured{}
	for _, m := range tegra.OncePerSetting(list) {
		out[m.Setting] = m
	}
	return out
}
