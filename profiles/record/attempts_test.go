package record

import (
	"slices"
	"testing"

	"jtune/tegra"
)

// span adds n minibatches of a second each, and a reading in the middle of each.
func span(a *attempts, from float64, n int, ms float64) {
	for i := range n {
		end := from + float64(i+1)
		a.Line(end, i == 0)
		a.Minibatch(end, ms)
	}
}

func readings(a *attempts, from float64, n int, watts float64) {
	for i := range n {
		a.Sample(from+float64(i)+0.5, tegra.Some(watts))
	}
}

// The readings belong to the attempts of the same jtune, though its clock and that of another show the same times.
func TestAttemptsHaveTheReadingsOfTheirSession(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from          []float64 // of each attempt
		keep          int
		times, powers []float64
	}{
		"one":                        {[]float64{20}, 1, []float64{1000, 1000}, []float64{1, 1}},
		"tried again":                {[]float64{20, 60}, 1, []float64{1000, 1000}, []float64{2, 2}},
		"repeated":                   {[]float64{20, 60}, 2, []float64{1000, 1000, 1000, 1000}, []float64{1, 1, 2, 2}},
		"resumed":                    {[]float64{300, 20}, 1, []float64{1000, 1000}, []float64{2, 2}},
		"repeated by another jtune":  {[]float64{300, 20}, 2, []float64{1000, 1000, 1000, 1000}, []float64{1, 1, 2, 2}},
		"resumed at about that time": {[]float64{21, 20}, 1, []float64{1000, 1000}, []float64{2, 2}},
		"resumed later than that":    {[]float64{20, 300}, 1, []float64{1000, 1000}, []float64{2, 2}},
		"resumed twice": {[]float64{300, 20, 5}, 2, []float64{1000, 1000, 1000, 1000},
			[]float64{2, 2, 3, 3}},
		"resumed twice, repeated": {[]float64{20, 300, 20}, 3, nil, []float64{1, 1, 2, 2, 3, 3}},
		"fewer than asked for":    {[]float64{20}, 3, []float64{1000, 1000}, []float64{1, 1}},
	} {
		a := &attempts{}
		for _, from := range c.from {
			span(a, from, 2, 1000)
		}
		a.Keep(c.keep)
		for i, from := range c.from {
			readings(a, from, 2, float64(i+1))
		}
		times, powers := a.Values()
		if c.times != nil && !slices.Equal(times, c.times) || !slices.Equal(powers, c.powers) {
			t.Errorf("%s: %v ms, %v W, want %v and %v", name, times, powers, c.times, c.powers)
		}
	}
}

// A job's lines may be a moment out of order; that is no other jtune.
func TestAttemptsGoOnThroughTimesOutOfOrder(t *testing.T) {
	t.Parallel()
	a := &attempts{}
	for _, end := range []float64{10, 11, 10.5, 12} {
		a.Line(end, false)
		a.Minibatch(end, 500)
	}
	a.Keep(1)
	a.Sample(9.5, tegra.Some(1.0))
	a.Sample(11, tegra.Some(2.0))
	a.Sample(11.5, tegra.Val[float64]{})
	a.Sample(12, tegra.Some(3.0))
	a.Sample(12.1, tegra.Some(4.0))
	if times, powers := a.Values(); len(times) != 4 || !slices.Equal(powers, []float64{1, 2, 3}) {
		t.Errorf("%v ms, %v W", times, powers)
	}
}
