package linear_test

import (
	"fmt"

	"jtune/learn/baseline/linear"
	"jtune/tegra"
)

// The time of an epoch from epochs in four modes, in which the GPU clock alone
// was changed.
func ExampleFitTime() {
	mode := func(mhz int) tegra.Mode {
		return tegra.Mode{Cores: 4, CPU: tegra.GHz, GPU: tegra.Freq(mhz) * tegra.MHz, EMC: 3200 * tegra.MHz}
	}
	var epochs []linear.Epoch
	for _, mhz := range []int{300, 600, 900, 1200} {
		epochs = append(epochs, linear.Epoch{Mode: mode(mhz), TimeS: 400 - 0.25*float64(mhz)})
	}
	model, err := linear.FitTime(epochs)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.0f s at 800 MHz; inputs that varied: %d\n", model.TimeS(mode(800)), model.Varied)
	// Output: 200 s at 800 MHz; inputs that varied: 1
}
