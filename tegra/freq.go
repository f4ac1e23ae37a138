package tegra

import (
	"math"
	"strconv"
)

// Freq is a clock frequency in hertz. The kernel prints CPU clocks in kHz and GPU and memory clocks in Hz, tegrastats
// MHz, and some kernels and forks another of these: readers convert a number on input by its magnitude (ClockOf).
type Freq int64

// Units of Freq.
const (
	Hz  Freq = 1
	KHz      = 1000 * Hz
	MHz      = 1000 * KHz
	GHz      = 1000 * MHz
)

// maxFreq is the highest accepted clock, far above any clock of a Jetson.
const maxFreq = 100 * GHz

// leastClock is the least clock of a Jetson that a number can mean; the highest is below a thousand times as much.
const leastClock = 10 * MHz

// ClockOf returns the clock that a number without a unit means: MHz, kHz or Hz, whichever makes it a Jetson's.
func ClockOf(v int64) Freq {
	switch {
	case v < int64(leastClock/MHz)*1000:
		return Freq(v) * MHz
	case v < int64(leastClock/KHz)*1000:
		return Freq(v) * KHz
	}
	return Freq(v)
}

// KHz returns the frequency in kilohertz, as cpufreq prints it.
func (f Freq) KHz() int64 { return int64(f / KHz) }

// InKHz returns a frequency in kilohertz; absent stays absent.
func InKHz(v Val[Freq]) Val[int64] { return Val[int64]{v.V.KHz(), v.OK} }

// In prints the frequency in the given unit, as kernel files hold it.
func (f Freq) In(unit Freq) string { return strconv.FormatInt(int64(f/unit), 10) }

// GHz returns the frequency in gigahertz.
func (f Freq) GHz() float64 { return float64(f) / float64(GHz) }

// MHz returns the frequency in megahertz.
func (f Freq) MHz() float64 { return float64(f) / float64(MHz) }

// String prints "1.30 GHz", "729.6 MHz" or "12 kHz".
func (f Freq) String() string {
	switch {
	case f >= GHz:
		return strconv.FormatFloat(f.GHz(), 'f', 2, 64) + " GHz"
	case f >= MHz:
		return strconv.FormatFloat(math.Round(f.MHz()*100)/100, 'f', -1, 64) + " MHz"
	case f >= KHz:
		return f.In(KHz) + " kHz"
	}
	return f.In(Hz) + " Hz"
}
