package tegra

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// SnapTolerance is how far a nominal frequency may lie from a listed one and
// still mean it: papers print "670 MHz" for 675.75 (method note a.3).
const SnapTolerance = 0.03

// Snap moves each knob to its nearest listed value when that lies within
// SnapTolerance. Cores must be listed exactly. What cannot be snapped, and a
// combination that does not exist, is an error naming the neighbours.
func (s *Space) Snap(m Mode) (Mode, error) {
	out := Mode{Cores: m.Cores}
	if !slices.Contains(s.Cores, m.Cores) {
		return m, s.unlistedCores(m.Cores)
	}
	var err error
	if out.CPU, err = snapFreq(KnobCPU, s.CPU, m.CPU); err != nil {
		return m, err
	}
	if out.GPU, err = snapFreq(KnobGPU, s.GPU, m.GPU); err != nil {
		return m, err
	}
	if out.EMC, err = snapFreq(KnobEMC, s.EMC, m.EMC); err != nil {
		return m, err
	}
	return out, s.member(out)
}

func (s *Space) member(m Mode) error {
	if s.Contains(m) {
		return nil
	}
	if s.Len() == 0 {
		return fmt.Errorf("power mode %s: no mode is known here", s.Format(m))
	}
	near := slices.MinFunc(s.members, func(a, b Mode) int { return cmp.Compare(distance(a, m), distance(b, m)) })
	return fmt.Errorf("power mode %s is not among the %d known here; nearest is %s", s.Format(m), s.Len(), s.Format(near))
}

// distance between modes in octaves summed over the knobs.
func distance(a, b Mode) float64 {
	d := 0.0
	for k := range NumKnobs {
		d += math.Abs(math.Log2(a.Value(k) / b.Value(k)))
	}
	return d
}

func (s *Space) unlistedCores(n int) error {
	if len(s.Cores) == 0 {
		return fmt.Errorf("%d cores: no core counts are known here", n)
	}
	lo, hi := neighbours(s.Cores, n)
	return fmt.Errorf("%d cores is not a setting of this device; nearest: %s", n, either(strconv.Itoa(lo), strconv.Itoa(hi)))
}

func snapFreq(k Knob, list []Freq, f Freq) (Freq, error) {
	if len(list) == 0 {
		return 0, fmt.Errorf("%s %s: no %s frequencies are known here", k, f, k)
	}
	best := slices.MinFunc(list, func(a, b Freq) int { return cmp.Compare(abs(a-f), abs(b-f)) })
	if float64(abs(best-f)) <= SnapTolerance*float64(best) {
		return best, nil
	}
	lo, hi := neighbours(list, f)
	return 0, fmt.Errorf("%s %s is not a setting of this device; nearest: %s", k, f, either(lo.String(), hi.String()))
}

// neighbours gives the listed values around v; both alike at an end.
func neighbours[T cmp.Ordered](list []T, v T) (lo, hi T) {
	i, _ := slices.BinarySearch(list, v)
	switch i {
	case 0:
		return list[0], list[0]
	case len(list):
		return list[i-1], list[i-1]
	}
	return list[i-1], list[i]
}

func either(lo, hi string) string {
	if lo == hi {
		return lo
	}
	return lo + " and " + hi
}

func abs(f Freq) Freq {
	if f < 0 {
		return -f
	}
	return f
}

// Format prints a mode in the compact notation with as many decimals as this
// space needs to tell its values apart, two at least.
func (s *Space) Format(m Mode) string { return m.format(s.decimals) }

// Parse reads the compact notation: per knob the one listed value that prints
// so, else the nearest within SnapTolerance, else an error naming neighbours.
func (s *Space) Parse(text string) (Mode, error) {
	p, err := parseNotation(text)
	if err != nil {
		return Mode{}, err
	}
	m := Mode{Cores: p.cores}
	if !slices.Contains(s.Cores, m.Cores) {
		return Mode{}, s.unlistedCores(m.Cores)
	}
	if m.CPU, err = parseListed(KnobCPU, s.CPU, p.text[KnobCPU], p.value[KnobCPU]); err != nil {
		return Mode{}, err
	}
	if m.GPU, err = parseListed(KnobGPU, s.GPU, p.text[KnobGPU], p.value[KnobGPU]); err != nil {
		return Mode{}, err
	}
	if m.EMC, err = parseListed(KnobEMC, s.EMC, p.text[KnobEMC], p.value[KnobEMC]); err != nil {
		return Mode{}, err
	}
	return m, s.member(m)
}

func parseListed(k Knob, list []Freq, text string, ghz float64) (Freq, error) {
	decimals := 0
	if _, frac, ok := strings.Cut(text, "."); ok {
		decimals = len(frac)
	}
	var alike []Freq
	for _, f := range list {
		if strconv.FormatFloat(f.GHz(), 'f', decimals, 64) == text {
			alike = append(alike, f)
		}
	}
	if len(alike) == 1 {
		return alike[0], nil
	}
	return snapFreq(k, list, Freq(math.Round(ghz*float64(GHz))))
}

// decimalsFor is how many decimals of a gigahertz tell the list's values
// apart: two at least, six (a kilohertz) at most.
func decimalsFor(list []Freq) int {
	for d := 2; d < 6; d++ {
		seen := map[string]bool{}
		for _, f := range list {
			seen[strconv.FormatFloat(f.GHz(), 'f', d, 64)] = true
		}
		if len(seen) == len(list) {
			return d
		}
	}
	return 6
}
