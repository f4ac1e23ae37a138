package optimizetest_test

import (
	"context"
	"fmt"

	"jtune/optimize/optimizetest"
	"jtune/tegra"
)

// A probe of modes serves as a probe of settings, as optimize.Tune takes it.
func ExampleOfModes() {
	probe := optimizetest.OfModes(func(_ context.Context, m tegra.Mode) (tegra.Measured, error) {
		return tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 60 / m.GPU.GHz(), PowerW: 20}, nil
	})
	mode := tegra.Mode{Cores: 4, CPU: tegra.GHz, GPU: 600 * tegra.MHz, EMC: 3200 * tegra.MHz}
	got, err := probe(context.Background(), tegra.Setting{Mode: mode})
	fmt.Println(got.TimeMS, "ms", err)
	// Output: 100 ms <nil>
}
