package pareto_test

import (
	"fmt"

	"jtune/optimize/pareto"
	"jtune/tegra"
)

// FrontOf returns the modes that no other beats in both quantities.
func ExampleFrontOf() {
	reading := func(gpu tegra.Freq, timeMS, powerW float64) tegra.Measured {
		mode := tegra.Mode{Cores: 4, CPU: 2 * tegra.GHz, GPU: gpu, EMC: 3200 * tegra.MHz}
		return tegra.Measured{Setting: tegra.Setting{Mode: mode}, TimeMS: timeMS, PowerW: powerW}
	}
	rows := []tegra.Measured{
		reading(300*tegra.MHz, 300, 12),
		reading(600*tegra.MHz, 150, 16),
		reading(900*tegra.MHz, 160, 20), // slower than the next and hungrier than the one before
		reading(1200*tegra.MHz, 80, 28),
	}
	for _, i := range pareto.FrontOf(rows, pareto.Power, pareto.Time) {
		fmt.Printf("%v: %g W, %g ms\n", rows[i].Mode.GPU, rows[i].PowerW, rows[i].TimeMS)
	}
	// Output:
	// 300 MHz: 12 W, 300 ms
	// 600 MHz: 16 W, 150 ms
	// 1.20 GHz: 28 W, 80 ms
}
