package sweep

import (
	"errors"
	"fmt"
	"math"

	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/tegra"
)

const (
	// swapRows is the fewest modes for judging which column falls with rising clocks.
	swapRows = 8
	// swapCorrelation is the correlation that both columns must exceed.
	swapCorrelation = 0.5
)

// Swapped returns an error if times rise and powers fall with the clocks: the two columns are then swapped.
func Swapped(rows []tegra.Measured) error {
	var clocks, times, powers []float64
	for _, m := range tegra.OncePerSetting(rows) {
		if m.HasPower() {
			speed := float64(m.Mode.Cores) * m.Mode.CPU.GHz() * m.Mode.GPU.GHz() * m.Mode.EMC.GHz()
			clocks, times, powers = append(clocks, math.Log(speed)), append(times, math.Log(m.TimeMS)),
				append(powers, math.Log(m.PowerW))
		}
	}
	if len(clocks) >= swapRows && correlation(clocks, times) > swapCorrelation &&
		correlation(clocks, powers) < -swapCorrelation {
		return errors.New("columns time_ms and power_w look swapped: over all rows the time rises with the clocks " +
			"and the power falls")
	}
	return nil
}

// scattered returns an error if a clock has more values than a board lists: it was then measured, not set.
func scattered(rows []tegra.Measured) error {
	for knob := range tegra.NumKnobs {
		seen := map[int64]bool{}
		for _, m := range rows {
			if seen[m.Mode.Values()[knob]] = true; len(seen) > mostClocks {
				return fmt.Errorf("column %s holds more than %s values, and a board lists a few dozen: it takes the "+
					"clocks that were set, not those that were read", Columns[knob], text.Thousands(mostClocks))
			}
		}
	}
	return nil
}

// correlation is Pearson's coefficient; 0 if one of the lists is constant.
func correlation(a, b []float64) float64 {
	ma, mb := stats.Mean(a), stats.Mean(b)
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - ma) * (b[i] - mb)
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
	}
	if aa <= 0 || bb <= 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// Range of usual median times of a minibatch in ms; outside it the unit may be wrong.
const (
	shortMS = 1
	longMS  = 60_000
)

// doubt describes what looks wrong, though possible; "" for nothing.
func doubt(rows []tegra.Measured) string {
	times := make([]float64, 0, len(rows))
	for _, m := range rows {
		if m.TimeMS > 0 {
			times = append(times, m.TimeMS)
		}
	}
	if len(times) == 0 {
		return ""
	}
	switch mid := stats.Median(times); {
	case mid < shortMS:
		return fmt.Sprintf("the median time of a minibatch is %.3g ms: if the times are seconds, multiply them by 1000",
			mid)
	case mid > longMS:
		return fmt.Sprintf("the median time of a minibatch is %.3g ms: if these are microseconds or times of whole "+
			"epochs, divide them", mid)
	}
	return ""
}
