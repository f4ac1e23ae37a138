package tegra

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"jtune/internal/text"
)

// snapTolerance is the largest relative difference between a nominal frequency and the listed one it means: papers
// print "670 MHz" for 675.75 MHz.
const snapTolerance = 0.03

// Snap moves each clock to the nearest listed value within snapTolerance. Cores must be listed exactly. Otherwise, or
// if the combination does not exist, it returns an error that names the neighbours.
func (s *Space) Snap(m Mode) (Mode, error) {
	if !slices.Contains(s.Cores, m.Cores) {
		return m, s.unlistedCores(m.Cores)
	}
	v := m.Values()
	for k := KnobCPU; k < NumKnobs; k++ {
		f, err := snapFreq(k, s.freqs(k), Freq(v[k]))
		if err != nil {
			return m, err
		}
		v[k] = int64(f)
	}
	out := ModeOfValues(v)
	return out, s.member(out)
}

func (s *Space) member(m Mode) error {
	if s.Contains(m) {
		return nil
	}
	if s.Len() == 0 {
		return fmt.Errorf("power mode %s: no mode is known here", s.Format(m))
	}
	return fmt.Errorf("power mode %s is not among the %d known here; nearest is %s", s.Format(m), s.Len(),
		s.Format(s.Nearest(m)))
}

// Nearest returns the mode of the space closest to m; the space must not be empty.
func (s *Space) Nearest(m Mode) Mode {
	if s.members == nil { // a full grid: knobs are independent
		v := m.Values()
		v[KnobCores] = int64(slices.MinFunc(s.Cores, func(a, b int) int {
			return cmp.Compare(math.Abs(float64(a-m.Cores)), math.Abs(float64(b-m.Cores)))
		}))
		for k := KnobCPU; k < NumKnobs; k++ {
			v[k] = int64(Nearest(s.freqs(k), Freq(v[k])))
		}
		return ModeOfValues(v)
	}
	return slices.MinFunc(s.members, func(a, b Mode) int { return cmp.Compare(Distance(a, m), Distance(b, m)) })
}

// Distance returns the distance between modes in octaves, summed over the knobs.
func Distance(a, b Mode) float64 {
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
	return fmt.Errorf("%d cores is not a setting of this device; nearest: %s", n,
		either(strconv.Itoa(lo), strconv.Itoa(hi)))
}

func snapFreq(k Knob, list []Freq, f Freq) (Freq, error) {
	if len(list) == 0 {
		return 0, fmt.Errorf("%s %s: no %s frequencies are known here", k, f, k)
	}
	best := Nearest(list, f)
	if float64(abs(best-f)) <= snapTolerance*float64(best) {
		return best, nil
	}
	lo, hi := neighbours(list, f)
	return 0, fmt.Errorf("%s %s is not a setting of this device; nearest: %s", k, f, either(lo.String(), hi.String()))
}

// neighbours returns the listed values around v; at an end both are that end.
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

// Format prints a mode in compact notation with as many decimals as keep this space's values distinct, at least two.
func (s *Space) Format(m Mode) string { return m.format(s.decimals) }

// Setting is Format with the batch size if that is chosen too.
func (s *Space) Setting(at Setting) string {
	return s.Format(at.Mode) + text.IfAny(" at batch size %d", at.Batch)
}

// decimalsFor returns how many decimals of a gigahertz keep the list's values distinct: two to six (a kilohertz).
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
