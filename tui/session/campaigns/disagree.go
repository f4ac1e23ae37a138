package campaigns

import (
	"fmt"
	"math"
	"slices"

	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tegra"
)

const (
	// disagreement is the median difference at which a device is reported: the medians of a run repeat within 2 to 3 %.
	disagreement = 5.0 // percent
	// fewest is the minimum number of modes on each side of a comparison.
	fewest = 8
	// compared caps the modes that a comparison takes from each side.
	compared = 150
)

// part is one of the folders to merge.
type part struct {
	dir  string
	rows []tegra.Measured
}

// difference is how much a device's numbers differ from those of the others.
type difference struct {
	outlook.Difference // medians
	dir                string
	modes              int
	shared             bool // measured in the same modes; else against a model of the others
}

func (d difference) size() float64 { return max(math.Abs(d.TimePct), math.Abs(d.PowerPct)) }

// disagreements reports devices whose measurements differ from those of the others: in the same modes if there are
// enough, else from the predictions of a model of the others. The worst is removed before the next one is searched, so
// that it does not make the others look wrong. A device with too few modes is reported too.
func disagreements(parts []part, space *tegra.Space) (notes []string) {
	parts = slices.Clone(parts)
	for _, p := range parts {
		if len(parts) > 1 && len(p.rows) < fewest {
			notes = append(notes, fmt.Sprintf("%s: %d usable modes are too few to compare it with the "+
				"others: it takes %d", p.dir, len(p.rows), fewest))
		}
	}
	for len(parts) > 1 {
		worst, at := difference{}, -1
		for i, p := range parts {
			d, ok := compare(p, slices.Delete(slices.Clone(parts), i, i+1), space)
			if ok && d.size() > worst.size() {
				worst, at = d, i
			}
		}
		if worst.size() < disagreement {
			break
		}
		others := "the others"
		if len(parts) == 2 {
			others = parts[1-at].dir
		}
		how := "the predictions of a model of them for its"
		if worst.shared {
			how = "their measurements of the same"
		}
		notes = append(notes, fmt.Sprintf("%s disagrees with %s: time %+.0f %%, power %+.0f %% against %s %d modes "+
			"(medians): different cooling, supply or software?",
			worst.dir, others, worst.TimePct, worst.PowerPct, how, worst.modes))
		parts = slices.Delete(parts, at, at+1)
	}
	return notes
}

// compare compares a device with the others; false with too few rows.
func compare(p part, others []part, space *tegra.Space) (difference, bool) {
	var rest []tegra.Measured
	for _, o := range others {
		rest = append(rest, o.rows...)
	}
	rest = tegra.OncePerSetting(rest)
	known := map[tegra.Setting]tegra.Measured{}
	for _, m := range rest {
		known[m.Setting] = m
	}
	var off []outlook.Difference
	for _, m := range p.rows {
		if o, both := known[m.Setting]; both {
			off = append(off, outlook.Against(m, o))
		}
	}
	d := difference{dir: p.dir, modes: len(off), shared: true}
	if len(off) < fewest {
		if len(p.rows) < fewest || len(rest) < fewest {
			return d, false
		}
		s, err := learn.FitSurrogate(space, spread(rest), learn.SurrogateOptions{Robust: 1})
		if err != nil {
			return d, false
		}
		mine := spread(p.rows)
		off = nil
		for i, predicted := range s.PredictSettings(tegra.SettingsOf(mine)) {
			off = append(off, outlook.Against(mine[i], predicted.Measured))
		}
		d.modes, d.shared = len(mine), false
	}
	d.Difference = outlook.MedianOf(off)
	return d, true
}

// spread picks at most `compared` of the rows, evenly.
func spread(rows []tegra.Measured) []tegra.Measured {
	if len(rows) <= compared {
		return rows
	}
	out := make([]tegra.Measured, compared)
	for i := range out {
		out[i] = rows[i*len(rows)/compared]
	}
	return out
}
