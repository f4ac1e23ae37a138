package tegra

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Mode is a power mode: how many cores are online and at which CPU, GPU and
// memory (EMC) frequency the module runs. Cores = n means the n
// lowest-numbered present cores.
type Mode struct {
	Cores         int
	CPU, GPU, EMC Freq
}

// Knob names one of the four dimensions of a power mode.
type Knob int

// The knobs, in the order that every vector of knob values uses.
const (
	KnobCores Knob = iota
	KnobCPU
	KnobGPU
	KnobEMC
	NumKnobs
)

func (k Knob) String() string {
	return [...]string{"cores", "CPU", "GPU", "EMC"}[k]
}

// Value gives the knob's setting as a number: a core count, or hertz.
func (m Mode) Value(k Knob) float64 {
	switch k {
	case KnobCores:
		return float64(m.Cores)
	case KnobCPU:
		return float64(m.CPU)
	case KnobGPU:
		return float64(m.GPU)
	}
	return float64(m.EMC)
}

// String prints the compact notation with two decimals of a gigahertz:
// "12c/2.20C/1.30G/3.20M". Space.Format uses more where a device needs them.
func (m Mode) String() string { return m.format([NumKnobs]int{0, 2, 2, 2}) }

// format writes a dash for a clock that is not known, as a preset's that means
// the top memory rate where root alone may read it.
func (m Mode) format(decimals [NumKnobs]int) string {
	g := func(f Freq, k Knob) string {
		if f == 0 {
			return "–"
		}
		return strconv.FormatFloat(f.GHz(), 'f', decimals[k], 64)
	}
	return fmt.Sprintf("%dc/%sC/%sG/%sM", m.Cores, g(m.CPU, KnobCPU), g(m.GPU, KnobGPU), g(m.EMC, KnobEMC))
}

// parsedMode is the compact notation as it was typed: a value per knob and
// how it was written, since a listed value that prints alike comes first.
type parsedMode struct {
	cores int
	value [NumKnobs]float64 // GHz; unused for cores
	text  [NumKnobs]string  // digits as typed
}

var errNotation = errors.New(`want cores/CPU/GPU/memory such as 12c/2.20C/1.30G/3.20M`)

func parseNotation(s string) (parsedMode, error) {
	var p parsedMode
	fields := strings.Split(strings.TrimSpace(s), "/")
	if len(fields) != int(NumKnobs) {
		return p, fmt.Errorf("power mode %q: %w", clip(s), errNotation)
	}
	for k, suffix := range [NumKnobs]string{"c", "C", "G", "M"} {
		text, ok := strings.CutSuffix(strings.TrimSpace(fields[k]), suffix)
		if !ok {
			return p, fmt.Errorf("power mode %q: %q lacks its letter %s; %w", clip(s), clip(fields[k]), suffix, errNotation)
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || v <= 0 || v > maxFreq.GHz() || strings.ContainsAny(text, "xXpP_+") {
			return p, fmt.Errorf("power mode %q: %q is no positive number; %w", clip(s), clip(fields[k]), errNotation)
		}
		p.text[k], p.value[k] = text, v
	}
	n, err := strconv.Atoi(p.text[KnobCores])
	if err != nil {
		return p, fmt.Errorf("power mode %q: %q is no whole number of cores; %w", clip(s), clip(fields[0]), errNotation)
	}
	p.cores = n
	return p, nil
}
