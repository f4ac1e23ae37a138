package fit

import (
	"testing"

	"jtune/internal/must"
	"jtune/learn/baseline/nn"
	"jtune/tegra"
)

// What is listed must be what the networks learn from: the rows of nn.Entries.
func TestReplicatedCountsTheRowsThatNetworksSee(t *testing.T) {
	t.Parallel()
	var medians []tegra.Measured
	var entries []nn.Sample
	for i, n := range []int{40, 7, 0} { // of the third only the median is known
		m := tegra.Mode{Cores: i + 1, CPU: tegra.GHz, GPU: tegra.GHz, EMC: tegra.GHz}
		medians = append(medians, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 10, PowerW: 20})
		entries = append(entries, nn.Sample{Mode: m, TimesMS: make([]float64, n), PowersW: make([]float64, n/5)})
	}
	list := replicate(medians, entries)
	want := []Replicated{{medians[0].Mode, 40, 40, 8, 8}, {medians[1].Mode, 7, 40, 1, 8},
		{medians[2].Mode, 1, 40, 1, 8}}
	for i, got := range list {
		must.Equal(t, got, want[i])
	}
	x, _ := nn.Entries(nn.Inputs(tegra.ModesOf(tegra.SettingsOf(medians))),
		[][]float64{entries[0].TimesMS, entries[1].TimesMS, {10}})
	must.Equal(t, list[0].TimeRows+list[1].TimeRows+list[2].TimeRows, len(x))
}
