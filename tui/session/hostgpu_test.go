package session

import (
	"testing"

	"jtune/tegra"
)

func TestHostReadsLinesOfNvidiaSMI(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]struct {
		index   int
		w, load tegra.Val[float64]
		ok      bool
	}{
		"0, 112.37, 87":                {0, tegra.Some(112.37), tegra.Some(87.0), true},
		"1, [N/A], 3":                  {1, tegra.Val[float64]{}, tegra.Some(3.0), true},
		"0, [Not Supported], [N/A]":    {ok: true},
		"0, 112.37 W, 87 %":            {ok: true},
		"No devices were found":        {},
		"-1, 5, 5":                     {},
		"0, 1e9, 150":                  {ok: true},
		"Failed to initialize NVML, x": {},
	} {
		index, got, ok := parseGPU(line)
		if index != want.index || got.powerW != want.w || got.loadPct != want.load || ok != want.ok {
			t.Errorf("%q: %d, %+v, %v", line, index, got, ok)
		}
	}
}
