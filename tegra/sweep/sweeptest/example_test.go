package sweeptest_test

import (
	"os"

	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// A sweep file for a test's own rows.
func ExampleWrite() {
	mode := tegra.Mode{Cores: 4, CPU: 1510400 * tegra.KHz, GPU: 624750 * tegra.KHz, EMC: 2133 * tegra.MHz}
	rows := []tegra.Measured{{Setting: tegra.Setting{Mode: mode}, TimeMS: 120, PowerW: 14.5}}
	if err := sweeptest.Write(os.Stdout, rows); err != nil {
		panic(err)
	}
	// Output:
	// cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w
	// 4,1510400,624750000,2133000000,120,14.5
}
