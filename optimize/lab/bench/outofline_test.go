package bench

import (
	"slices"
	"testing"

	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

func TestOutOfLineFindsReadingsOfAnotherClock(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	rows := b.All()
	if fast, slow := outOfLine(rows); len(fast)+len(slow) > 0 {
		t.Errorf("a sound sweep: %d too fast, %d too slow", len(fast), len(slow))
	}
	index := func(gpu int) int {
		return slices.IndexFunc(rows, func(r tegra.Measured) bool {
			return r.Mode.Cores == 4 && r.Mode.CPU == b.Space.CPU[3] && r.Mode.GPU == b.Space.GPU[gpu] &&
				r.Mode.EMC == b.Space.EMC[1]
		})
	}
	low, high := index(2), index(6)
	rows[low].TimeMS *= 0.4
	rows[high].TimeMS *= 1.6
	fast, slow := outOfLine(rows)
	if !slices.Equal(fast, []int{low}) || !slices.Equal(slow, []int{high}) {
		t.Errorf("found %v too fast and %v too slow, want %d and %d", fast, slow, low, high)
	}
}

// On each of the published training sweeps, all rows more than 40 % from a fit to 400 modes are among these.
func TestOutOfLineOnThePublishedSweeps(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]int{
		sweeptest.MobileNet: {20, 0},
		sweeptest.ResNet:    {11, 3},
		sweeptest.LSTM:      {0, 0},
		sweeptest.OrinNano:  {0, 0},
	} {
		fast, slow := outOfLine(sweeptest.Load(t, name))
		if got := [2]int{len(fast), len(slow)}; got != want {
			t.Errorf("%s: %v settings too fast and too slow, want %v", name, got, want)
		}
	}
}
