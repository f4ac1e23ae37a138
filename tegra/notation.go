package tegra

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/text"
)

// typed is a knob value as typed. A listed value that prints the same takes precedence over a near one.
type typed struct {
	value    float64 // hertz, or a count of cores
	digits   string  // the number without its unit
	unit     float64 // unit of the digits
	decimals int
}

// A bare number is in GHz below mostGHz, in MHz below mostMHz, in kHz below mostKHz (from a cpufreq file) and else in
// hertz (from a devfreq file). These ranges do not overlap for the clocks of a Jetson.
const (
	mostGHz = 10
	mostMHz = 1e5
	mostKHz = 5e7
)

// knobLetters end the fields of the compact notation, whose clocks are in GHz.
var knobLetters = [NumKnobs]string{"c", "C", "G", "M"}

var errNoNumber = errors.New("not a positive number")

// parseKnob reads one knob value: a core count such as 8 or 8c, or a clock such as 1.65C, 900MHz, 0.9 GHz or the bare
// 900 (MHz) and 0.9 (GHz).
func parseKnob(k Knob, s string) (typed, error) {
	t := typed{digits: strings.ToLower(strings.TrimSpace(s)), unit: 1}
	suffixes := []struct {
		name string
		unit Freq
	}{{"ghz", GHz}, {"mhz", MHz}, {"khz", KHz}, {"hz", Hz}, {strings.ToLower(knobLetters[k]), GHz}}
	if k == KnobCores {
		suffixes = suffixes[len(suffixes)-1:]
		suffixes[0].unit = 1
	}
	bare := k != KnobCores
	for _, u := range suffixes {
		if number, ok := strings.CutSuffix(t.digits, u.name); ok {
			t.digits, t.unit, bare = strings.TrimSpace(number), float64(u.unit), false
			break
		}
	}
	v, err := strconv.ParseFloat(t.digits, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 1) || strings.ContainsAny(t.digits, "xp_+") {
		return t, errNoNumber
	}
	if bare {
		t.unit = float64(bareUnit(v))
	}
	t.value = v * t.unit
	switch {
	case k == KnobCores && (v != math.Trunc(v) || v > math.MaxInt32):
		return t, errors.New("not a whole number of cores")
	case k != KnobCores && t.value > float64(maxFreq):
		return t, errors.New("not a clock: above 100 GHz")
	case k != KnobCores && t.value < float64(MHz):
		return t, errors.New("not a clock: below 1 MHz")
	}
	if _, frac, ok := strings.Cut(t.digits, "."); ok {
		t.decimals = len(frac)
	}
	return t, nil
}

func bareUnit(v float64) Freq {
	switch {
	case v < mostGHz:
		return GHz
	case v < mostMHz:
		return MHz
	case v < mostKHz:
		return KHz
	}
	return Hz
}

// alike returns the only listed value that prints as typed; false if there is none or several do.
func (t typed) alike(list []float64) (float64, bool) {
	var found []float64
	for _, v := range list {
		if strconv.FormatFloat(v/t.unit, 'f', t.decimals, 64) == t.digits {
			found = append(found, v)
		}
	}
	if len(found) != 1 {
		return 0, false
	}
	return found[0], true
}

// listed returns the setting meant by t: the only listed value that prints as typed, else the nearest within
// snapTolerance, else an error that names the neighbours.
func (s *Space) listed(k Knob, t typed) (int64, error) {
	if k == KnobCores {
		n := int(t.value)
		if !slices.Contains(s.Cores, n) {
			return 0, s.unlistedCores(n)
		}
		return int64(n), nil
	}
	if v, ok := t.alike(s.Values(k)); ok {
		return int64(v), nil
	}
	f, err := snapFreq(k, s.freqs(k), Freq(math.Round(t.value)))
	return int64(f), err
}

var errNotation = errors.New(`want cores/CPU/GPU/memory such as 12c/2.20C/1.30G/3.20M`)

// Parse reads the compact notation; its clocks may also have a unit. Each knob takes the only listed value that prints
// as typed, else the nearest within snapTolerance, else Parse returns an error that names the neighbours of each.
func (s *Space) Parse(mode string) (Mode, error) {
	var v [NumKnobs]int64
	values, err := parseTyped(mode)
	if err != nil {
		return Mode{}, err
	}
	var bad []string
	for k := range NumKnobs {
		if v[k], err = s.listed(k, values[k]); err != nil {
			bad = append(bad, err.Error())
		}
	}
	if bad != nil {
		return Mode{}, errors.New(strings.Join(bad, "; "))
	}
	m := ModeOfValues(v)
	return m, s.member(m)
}

// ParseMode reads the compact notation of a mode of any board, with the values as typed.
func ParseMode(mode string) (Mode, error) {
	var v [NumKnobs]int64
	values, err := parseTyped(mode)
	for k := range NumKnobs {
		v[k] = int64(math.Round(values[k].value))
	}
	return ModeOfValues(v), err
}

// parseTyped parses the knobs of a mode in compact notation.
func parseTyped(mode string) (values [NumKnobs]typed, err error) {
	fields := strings.Split(strings.TrimSpace(mode), "/")
	if len(fields) != len(values) {
		return values, fmt.Errorf("power mode %q: %w", text.Clip(mode), errNotation)
	}
	for k := range NumKnobs {
		if values[k], err = parseKnob(k, fields[k]); err != nil {
			return values, fmt.Errorf("power mode %q: %q is %w; %w", text.Clip(mode), text.Clip(fields[k]), err,
				errNotation)
		}
	}
	if !strings.HasSuffix(strings.ToLower(strings.TrimSpace(fields[KnobCores])), "c") {
		return values, fmt.Errorf("power mode %q: %q lacks its letter c; %w", text.Clip(mode),
			text.Clip(fields[KnobCores]), errNotation)
	}
	return values, nil
}

// Ranges describes the range of each knob, such as "1 to 12 cores, CPU 0.12 GHz to 2.20 GHz, …".
func (s *Space) Ranges() string {
	clocks := func(name string, list []Freq) string {
		if len(list) == 0 {
			return name + " unknown"
		}
		return fmt.Sprintf("%s %v to %v", name, list[0], list[len(list)-1])
	}
	cores := "no cores"
	if n := len(s.Cores); n > 0 {
		cores = fmt.Sprintf("%d to %d cores", s.Cores[0], s.Cores[n-1])
	}
	return strings.Join([]string{cores, clocks("CPU", s.CPU), clocks("GPU", s.GPU), clocks("memory", s.EMC)}, ", ")
}

// Select reads one mode in compact notation, or a filter such as "cores=2,4,6 gpu=0.62GHz,0.83GHz", and lists the
// matching modes.
func (s *Space) Select(expr string) ([]Mode, error) {
	if !strings.ContainsAny(expr, "<>=") {
		m, err := s.Parse(expr)
		return []Mode{m}, err
	}
	f, err := s.ParseFilter(expr)
	if err != nil {
		return nil, err
	}
	modes := s.Filter(f).Modes()
	if len(modes) == 0 {
		err = fmt.Errorf("no mode matches %s; the modes have %s", text.Clip(expr), s.Ranges())
	}
	return modes, err
}
