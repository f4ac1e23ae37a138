package tegra

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Freq is a clock frequency in hertz. The kernel prints CPU clocks in kHz and
// GPU and memory clocks in Hz: convert at the edge, once.
type Freq int64

// Units of Freq.
const (
	Hz  Freq = 1
	KHz      = 1000 * Hz
	MHz      = 1000 * KHz
	GHz      = 1000 * MHz
)

// maxFreq bounds what is accepted as a clock: nothing on a Jetson reaches 100 GHz.
const maxFreq = 100 * GHz

// KHz gives the frequency in kilohertz, as cpufreq prints it.
func (f Freq) KHz() int64 { return int64(f / KHz) }

// GHz gives the frequency in gigahertz.
func (f Freq) GHz() float64 { return float64(f) / float64(GHz) }

// MHz gives the frequency in megahertz.
func (f Freq) MHz() float64 { return float64(f) / float64(MHz) }

// String prints "1.30 GHz", "729.6 MHz" or "12 kHz".
func (f Freq) String() string {
	switch {
	case f >= GHz:
		return strconv.FormatFloat(f.GHz(), 'f', 2, 64) + " GHz"
	case f >= MHz:
		return strconv.FormatFloat(math.Round(f.MHz()*100)/100, 'f', -1, 64) + " MHz"
	case f >= KHz:
		return strconv.FormatInt(f.KHz(), 10) + " kHz"
	}
	return strconv.FormatInt(int64(f), 10) + " Hz"
}

// ParseFreq reads "1.30 GHz", "1300MHz", "729600 kHz" or a bare number of
// hertz such as "1300500000". The unit is matched without regard to case.
func ParseFreq(s string) (Freq, error) {
	text := strings.TrimSpace(s)
	lower := strings.ToLower(text)
	unit := Hz
	for _, u := range []struct {
		suffix string
		unit   Freq
	}{{"ghz", GHz}, {"mhz", MHz}, {"khz", KHz}, {"hz", Hz}} {
		if strings.HasSuffix(lower, u.suffix) {
			unit, lower = u.unit, strings.TrimSpace(strings.TrimSuffix(lower, u.suffix))
			break
		}
	}
	v, err := strconv.ParseFloat(lower, 64)
	if err != nil || math.IsNaN(v) || strings.ContainsAny(lower, "xXpP_") {
		return 0, fmt.Errorf("frequency %q: want a number with GHz, MHz, kHz or Hz", clip(text))
	}
	hz := math.Round(v * float64(unit))
	if hz < 0 || hz > float64(maxFreq) {
		return 0, fmt.Errorf("frequency %q: outside 0 to 100 GHz", clip(text))
	}
	return Freq(hz), nil
}

// clip shortens text from outside before it is quoted in an error.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}
