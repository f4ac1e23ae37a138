package tegra

import (
	"cmp"
	"math"
	"slices"
)

// XavierStudy are the power modes a to n, in nominal clocks, in which the 2022 study (Characterizing the Performance of
// Accelerated Jetson Edge Devices for Training Deep Learning Models, table of power modes) measured an AGX Xavier. It
// measured every workload in the first ten.
var XavierStudy = []Mode{
	nominal(4, 1200, 670, 1333),
	nominal(8, 1200, 670, 1333),
	nominal(8, 1200, 900, 1333),
	nominal(8, 1200, 900, 1600),
	nominal(8, 2100, 900, 1600),
	nominal(2, 2100, 900, 1600),
	nominal(8, 2265, 1377, 2133), // every knob at its maximum
	nominal(8, 2265, 1377, 1066),
	nominal(8, 2265, 1377, 1333),
	nominal(8, 2265, 1377, 1600),
	nominal(4, 1036, 420, 2133),
	nominal(8, 1036, 420, 2133),
	nominal(8, 2265, 420, 2133),
	nominal(8, 2265, 900, 2133),
}

// nominal returns a mode from clocks in MHz.
func nominal(cores int, cpu, gpu, emc Freq) Mode {
	return Mode{Cores: cores, CPU: cpu * MHz, GPU: gpu * MHz, EMC: emc * MHz}
}

// SnapAll snaps modes to the space; false if the space lacks one.
func (s *Space) SnapAll(modes []Mode) (out []Mode, ok bool) {
	for _, m := range modes {
		m, err := s.Snap(m)
		if err != nil {
			return nil, false
		}
		out = append(out, m)
	}
	return out, true
}

// StudyModes returns the modes a to n on a board. If the board lacks them, they are scaled to the same shares of its
// maxima at the nearest steps, and like is true.
func (s *Space) StudyModes() (modes []Mode, like bool) {
	if modes, ok := s.SnapAll(XavierStudy); ok && s.Max().Cores == 8 {
		return modes, false
	}
	full := XavierStudy[6]
	for _, x := range XavierStudy {
		var at [NumKnobs]int64
		for k := range at {
			knob := Knob(k)
			want := math.Round(s.Max().Value(knob) * x.Value(knob) / full.Value(knob))
			at[k] = int64(slices.MinFunc(s.Values(knob), func(a, b float64) int {
				return cmp.Compare(math.Abs(a-want), math.Abs(b-want))
			}))
		}
		modes = append(modes, ModeOfValues(at))
	}
	return modes, true
}
