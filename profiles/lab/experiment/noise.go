package experiment

import (
	"fmt"
	"math"

	"jtune/internal/stats"
	"jtune/profiles/record"
)

// Two runs differ by noise: time and power are averages of scattered minibatches and readings, and repeats differ.
// Differences within the noise do not count.
const (
	// alike is the share below which two times or powers are equal whatever their number of readings: the noise of one
	// run (the papers' sweeps scatter by 2 to 3 %).
	alike = 0.03
	// deviations is the assumed error of a mean, in standard deviations.
	deviations = 2
	// betweenQuartiles is the interquartile range of a normal distribution in standard deviations.
	betweenQuartiles = 1.349
	// leastReadings is how many readings are needed to estimate their scatter.
	leastReadings = 3
)

// noise is the possible error of a line's numbers, as shares; infinite with too few readings.
type noise struct{ time, power float64 }

// meanNoise returns the possible error of the mean of n readings, as a share.
func meanNoise(quartileDistance, mean float64, n int) float64 {
	if n < leastReadings || !(mean > 0) {
		return math.Inf(1)
	}
	return deviations * quartileDistance / betweenQuartiles / math.Sqrt(float64(n)) / mean
}

// noiseOf returns the noise of one run in one of its parts.
func noiseOf(row record.Row, c record.Character, p record.Part) noise {
	readings := row.PowerSamples
	if c.All.Minibatches > 0 {
		readings = readings * p.Minibatches / c.All.Minibatches
	}
	return noise{meanNoise(row.TimeIQRMS, p.TimeMS, p.Minibatches), meanNoise(row.PowerIQRW, p.PowerW.Or(0), readings)}
}

// over returns the noise of a median over repeats, which may differ by more than their readings suggest.
func over(own []float64, repeats Stat) float64 {
	from, between := stats.Mean(own)/math.Sqrt(float64(len(own))), 0.0
	if len(own) > 1 && repeats.Median > 0 {
		between = (repeats.Hi - repeats.Lo) / 2 / repeats.Median
	}
	if len(own) >= leastReadings && math.IsInf(from, 1) {
		return between
	}
	return max(from, between)
}

// line returns the line of a part.
func (r *Report) line(at lineKey) (Line, bool) {
	for _, l := range r.Lines {
		if l.lineKey == at {
			return l, true
		}
	}
	return Line{}, false
}

// main returns the line of each setting that represents long training.
func (r *Report) main() (out []Line) {
	for _, s := range r.settings() {
		if l, ok := r.line(r.pace(s)); ok {
			out = append(out, l)
		}
	}
	return out
}

// between returns the share by which a number of two lines may differ by noise; infinite with too few readings.
func (r *Report) between(key string, from, to lineKey) float64 {
	a, _ := r.line(from)
	b, _ := r.line(to)
	time, power := math.Hypot(a.noise.time, b.noise.time), math.Hypot(a.noise.power, b.noise.power)
	switch key {
	case "power_w":
		return power
	case "energy_j", "epoch_j":
		return math.Hypot(time, power)
	}
	return time
}

// margin returns the share within which a number of two lines counts as equal.
func (r *Report) margin(key string, from, to lineKey) float64 {
	return max(alike, r.between(key, from, to))
}

// tooShort says which numbers rest on too few readings to be compared; "" for none. nothing: no number can be compared.
func (r *Report) tooShort() (why string, nothing bool) {
	time, power := false, false
	for _, l := range r.Lines {
		time = time || math.IsInf(l.noise.time, 1)
		power = power || math.IsInf(l.noise.power, 1) && l.Stats["power_w"] != (Stat{})
	}
	switch {
	case time && r.Experiment.spreadKey() == "time_ms":
		return fmt.Sprintf(
			"The runs are too short to be compared: with fewer than %d minibatches nobody can tell noise from effect.",
			leastReadings,
		), true
	case power:
		return fmt.Sprintf(
			"The runs are too short to compare power and energy: there are fewer than %d readings of power in "+
				"one of them. More minibatches, or repeats, tell more.",
			leastReadings,
		), false
	}
	return "", false
}

// percent formats a share.
func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }
