package bench

import (
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/sweep"
	"jtune/tegra/sweep/sweeptest"
)

// stuckAt4Cores are a sweep's readings and which of them were taken at the highest GPU clock in place of their own.
func stuckAt4Cores(b *optimizetest.Board) (rows []tegra.Measured, wrong []int) {
	gpus := b.Space.GPU
	for _, a := range tegra.Settings(b.Space.Modes(), []int{1, 16}) {
		r := b.Served(a)
		if a.Mode.Cores == 4 && a.Mode.EMC == 1600*tegra.MHz && a.Batch == 16 && a.Mode.GPU > gpus[0] {
			m := a.Mode
			m.GPU = gpus[len(gpus)-1]
			r = b.Served(tegra.Setting{Mode: m, Batch: a.Batch})
			r.Mode = a.Mode
			wrong = append(wrong, len(rows))
		}
		rows = append(rows, r)
	}
	return rows, wrong
}

func TestStuckFindsAClockThatWasNeverSet(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	rows, want := stuckAt4Cores(b)
	got, words := stuck(rows)
	if !slices.Equal(got, want) || len(words) != 1 ||
		!strings.Contains(words[0], "4 cores, memory at 1.60 GHz, batch size 16") {
		t.Fatalf("found %d settings of %d: %v", len(got), len(want), words)
	}
	if got, words := stuck(b.All()); len(got) != 0 {
		t.Errorf("a sound sweep: %v", words)
	}
	if got, _ := stuck(rows[:3]); len(got) != 0 {
		t.Error("three rows are too few")
	}
}

// The notes on the tails rest on the faults of the published sweeps.
func TestStuckOnThePublishedInferenceSweeps(t *testing.T) {
	t.Parallel()
	const dir = "data/sweeps/powertrain-agx-orin/"
	for name, want := range map[string]int{
		dir + "infer/mobnet_infer_data_final.csv": 210,
		dir + "infer/resnet_infer_data_final.csv": 126,
		sweeptest.MobileNet:                       0,
		sweeptest.ResNet:                          0,
		sweeptest.LSTM:                            0,
	} {
		table := must.Get(sweep.ReadFile(sweeptest.Shared(t, name), sweep.Options{}))(t)
		rows := table.Settings()
		index, words := stuck(rows)
		if len(index) != want {
			t.Errorf("%s: %d settings, want %d: %v", name, len(index), want, words)
		}
		for _, i := range index {
			if m := rows[i].Mode; m.Cores != 4 || m.EMC != 2133*tegra.MHz {
				t.Errorf("%s: %v", name, m)
				break
			}
		}
	}
}
