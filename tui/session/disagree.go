package session

import (
	"fmt"
	"math"
	"slices"

	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/quantile"
)

const (
	// disagreement is the median difference at which a device is told: one
	// run's medians repeat within 2 to 3 %.
	disagreement = 0.05
	// fewest modes on either side for a comparison to mean something.
	fewest = 8
	// compared bounds the modes that a comparison takes of either side.
	compared = 150
)

// part is one of the folders to be joined.
type part struct {
	dir  string
	rows []tegra.Measured
}

// difference is by how much a device's numbers are off what the others say.
type difference struct {
	dir         string
	time, power float64 // medians of the ratio, less 1
	modes       int
	shared      bool // of the very same modes; else of what a model of the others says
}

func (d difference) size() float64 { return max(math.Abs(d.time), math.Abs(d.power)) }

// disagreements tells of devices whose measurements do not go with those of
// the others: of the same modes where there are enough, else of what a model
// learnt from the others predicts. The worst is set aside before the next is
// looked for, so that it does not make the others look wrong. A device with too
// few modes to be judged is told too.
func disagreements(parts []part, space *tegra.Space) (notes []string) {
	parts = slices.Clone(parts)
	for _, p := range parts {
		if len(parts) > 1 && len(p.rows) < fewest {
			notes = append(notes, fmt.Sprintf("%s: %d usable modes are too few to tell whether it agrees with the others: %d would do", p.dir, len(p.rows), fewest))
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
		how := "what a model learnt from them says of its"
		if worst.shared {
			how = "their measurements of the same"
		}
		notes = append(notes, fmt.Sprintf("%s disagrees with %s: time %+.0f %%, power %+.0f %% against %s %d modes (medians): another cooling, supply or software?",
			worst.dir, others, 100*worst.time, 100*worst.power, how, worst.modes))
		parts = slices.Delete(parts, at, at+1)
	}
	return notes
}

// compare sets a device against the others; false when there is too little.
func compare(p part, others []part, space *tegra.Space) (difference, bool) {
	var rest []tegra.Measured
	for _, o := range others {
		rest = append(rest, o.rows...)
	}
	rest = oncePerSetting(rest)
	known := map[learn.Setting]tegra.Measured{}
	for _, m := range rest {
		known[learn.SettingOf(m)] = m
	}
	var time, power []float64
	for _, m := range p.rows {
		if o, both := known[learn.SettingOf(m)]; both {
			time, power = append(time, m.TimeMS/o.TimeMS-1), append(power, m.PowerW/o.PowerW-1)
		}
	}
	d := difference{dir: p.dir, modes: len(time), shared: true}
	if len(time) < fewest {
		if len(p.rows) < fewest || len(rest) < fewest {
			return d, false
		}
		s, err := learn.FitSurrogate(space, spread(rest), learn.SurrogateOptions{Robust: 1, Batches: severalOf(rest)})
		if err != nil {
			return d, false
		}
		mine := spread(p.rows)
		settings := make([]learn.Setting, len(mine))
		for i, m := range mine {
			settings[i] = learn.SettingOf(m)
		}
		time, power = nil, nil
		for i, says := range s.PredictSettings(settings) {
			time, power = append(time, mine[i].TimeMS/says.TimeMS-1), append(power, mine[i].PowerW/says.PowerW-1)
		}
		d.modes, d.shared = len(mine), false
	}
	d.time, d.power = quantile.Median(time).V, quantile.Median(power).V
	return d, true
}

// severalOf is sizesOf where they are several, and so an input.
func severalOf(rows []tegra.Measured) []int {
	if sizes := sizesOf(rows); len(sizes) > 1 {
		return sizes
	}
	return nil
}

// spread takes at most `compared` of the rows, evenly.
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
