package bench

import (
	"fmt"
	"slices"
	"strings"

	"jtune/internal/usage"
	"jtune/tegra"
)

// withoutStuck applies Stuck to the truth, and outOfLine to the rest. It notes the rows found, and removes them if
// LeaveOutStuck is set.
func (o *Options) withoutStuck() (notes []string) {
	note := func(found string, n int) {
		after := " Leave these %d settings out with " + usage.LeaveOutStuck.String()
		if o.LeaveOutStuck {
			after = " These %d settings are left out"
		}
		notes = append(notes, found+fmt.Sprintf(after, n))
	}
	index, words := stuck(o.Truth)
	rest := without(o.Truth, index)
	if len(index) > 0 {
		note(fmt.Sprintf("the GPU's clock changes neither time nor power, as it does elsewhere, with %s: was it "+
			"set there?", strings.Join(words, "; ")), len(index))
	}
	fast, slow := outOfLine(rest)
	odd := slices.Concat(fast, slow)
	if len(odd) > 0 {
		note(fmt.Sprintf("%d settings took too little time and %d too much for the GPU's neighbouring clocks: was "+
			"another clock set there?", len(fast), len(slow)), len(odd))
	}
	if o.LeaveOutStuck {
		slices.Sort(odd)
		o.Truth = without(rest, odd)
	}
	return notes
}

// without returns the rows except those with these ascending indices.
func without(rows []tegra.Measured, index []int) []tegra.Measured {
	var kept []tegra.Measured
	for i, r := range rows {
		if _, out := slices.BinarySearch(index, i); !out {
			kept = append(kept, r)
		}
	}
	return kept
}
