package outlook

import (
	"slices"
	"testing"

	"jtune/optimize"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
)

func TestVersusNamesEachModeOnce(t *testing.T) {
	modes := []tegra.Mode{{Cores: 1}, {Cores: 2}, {Cores: 3}}
	is := func(name string, m tegra.Mode) Comparison {
		c := Comparison{Name: name}
		c.Other.Mode = m
		return c
	}
	maxn, present := is("MAXN", modes[0]), is("present", modes[0])
	other := is("present", modes[1])
	for _, c := range []struct {
		name   string
		versus Comparisons
		want   []string
	}{
		{"the board is in MAXN", Comparisons{MaxN: &maxn, Present: &present,
			Presets: []Comparison{is("MAXN", modes[0]), is("30W", modes[2])}}, []string{"MAXN = present", "30W"}},
		{"the board is in a preset", Comparisons{MaxN: &maxn, Present: &other,
			Presets: []Comparison{is("MAXN", modes[0]), is("30W", modes[1])}}, []string{"MAXN", "present = 30W"}},
		{"a preset that is MAXN under another name",
			Comparisons{MaxN: &maxn, Presets: []Comparison{is("MODE_60W", modes[0])}}, []string{"MAXN = MODE_60W"}},
		{"nothing known", Comparisons{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, o := range c.versus.Distinct() {
				got = append(got, o.Name)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Only root can read the memory clock that a preset without one has: the top rate.
func TestCompareTakesAPresetWithoutMemoryClockAtTheTopRate(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	top := b.Answer(b.Space.Max())
	preset := tegra.Preset{ID: 0, Name: "MAXN", Mode: top.Mode}
	preset.Mode.EMC = 0
	chosen := optimize.MeasuredPrediction(b.Answer(b.Space.At(b.Space.Len() / 2)))
	v := Compare(chosen, nil, []tegra.Measured{top}, b.Space, []tegra.Preset{preset}, tegra.Setup{})
	if len(v.Presets) != 1 || v.Presets[0].Other.Measured != top || !v.Presets[0].Measured || len(v.Distinct()) != 1 {
		t.Errorf("presets %+v, want MAXN as it was measured, once: %v", v.Presets, v.Distinct())
	}
}
