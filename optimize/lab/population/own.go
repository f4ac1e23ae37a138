package population

import (
	"math/rand/v2"

	"jtune/tegra"
	"jtune/tegra/virtual/physics"
)

// OwnWorkload draws the constants of a workload by the virtual boards' physics.
func OwnWorkload(rng *rand.Rand) physics.Workload {
	d := dice{rng}
	w := physics.Workload{Samples: 1 << 16, Batch: 16, Workers: []int{0, 1, 2, 4, 4, 4, 8}[d.IntN(7)]}
	w.Kernel = d.scale(3, 900)
	w.Traffic = w.Kernel * d.scale(0.6, 4)
	w.Fixed = d.scale(0.3, 6)
	w.Launch = d.scale(5, 110)
	w.Serial = d.scale(0.3, 9)
	w.Fetch = d.scale(2, 400)
	w.Jitter = d.scale(6, 130)
	w.Contention = d.scale(0.08, 2.7)
	w.InputMB = d.scale(0.02, 20)
	w.TransferJ = w.Traffic * d.scale(0.3, 4.4)
	w.SmallShare = d.uniform(0.05, 0.6)
	w.Roofline = d.uniform(1.9, 3.7)
	w.LaunchMem = w.Launch * d.uniform(0.03, 0.9)
	w.FetchMem = w.Fetch * d.uniform(0.25, 0.65)
	w.Overlap = d.uniform(3, 14)
	w.Crowding = d.uniform(0.7, 0.85)
	w.Thrash = d.uniform(0.2, 0.55)
	w.Switching = d.uniform(4, 30)
	w.CPUActive = d.uniform(0.31, 0.42)
	return w
}

func own(b *board, d dice) []tegra.Measured {
	w, chip := OwnWorkload(d.Rand), physics.On(b.name)
	out := make([]tegra.Measured, b.space.Len())
	for i, m := range b.space.All() {
		s := w.Steady(chip, physics.At(m))
		out[i] = tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: s.TimeMS, PowerW: s.Power.Total()}
	}
	return out
}
