package mix

import (
	"context"
	"testing"

	"jtune/internal/arrivals"
	"jtune/optimize"
	"jtune/tegra"
)

// An answer under a load is compared with the preset that draws less by its readings: each counts once, and only for
// its own batch size.
func TestTuneComparesWithThePresetThatIsBestByItsReadings(t *testing.T) {
	t.Parallel()
	space := smallSpace(t)
	reading := func(mode, batch int, watts float64) tegra.Measured {
		at := tegra.Setting{Mode: space.Modes()[mode], Batch: batch}
		return tegra.Measured{Setting: at, TimeMS: 10, PowerW: watts}
	}
	const answer, one, other = 0, 100, 101
	for _, c := range []struct {
		name     string
		board    []tegra.Measured // what is read in each setting; the second is the present one
		known    []tegra.Measured // readings from before
		batches  []int
		perS     float64
		compared int
	}{
		{"of 20 W known and 21 W read the median is 20.5 W",
			[]tegra.Measured{reading(answer, 0, 10), reading(one, 0, 21), reading(other, 0, 20.7)},
			[]tegra.Measured{reading(one, 0, 20), reading(other, 0, 20.7)}, nil, 5, one},
		{"10 W at batch size 1, which cannot serve the load, are not those of batch size 8",
			[]tegra.Measured{reading(answer, 8, 9), reading(one, 1, 10), reading(one, 8, 22), reading(other, 8, 21)},
			[]tegra.Measured{reading(answer, 8, 9), reading(one, 8, 22), reading(other, 8, 21)},
			[]int{1, 8}, 200, other},
	} {
		measure := func(_ context.Context, at tegra.Setting) (tegra.Measured, error) {
			for _, m := range c.board {
				if m.Setting == at {
					return m, nil
				}
			}
			t.Errorf("%s: %v is measured", c.name, at)
			return tegra.Measured{}, context.Canceled
		}
		o := optimize.TuneOptions{Space: space, Seed: 1, Known: c.known, Batches: c.batches,
			Only: tegra.SettingsOf(c.board), Baselines: optimize.Baselines{
				Present: tegra.Some(c.board[1].Setting),
				Presets: []tegra.Preset{{Name: "1", Mode: space.Modes()[one]}, {Name: "2", Mode: space.Modes()[other]}},
			}}
		r, best, err := Tune(t.Context(), measure, Ask{Load: load(arrivals.Uniform, c.perS)}, o, 1)
		if err != nil || best.Mode != space.Modes()[answer] || r.Preset.Mode != space.Modes()[c.compared] {
			t.Errorf("%s: answer %v, compared with %v: %v", c.name, best.Setting, r.Preset, err)
		}
	}
}
