package physics_test

import (
	"fmt"

	"jtune/tegra"
	"jtune/tegra/virtual/physics"
)

// A minibatch of ResNet-18 on an AGX Orin: a higher GPU clock saves less and
// less time and takes more and more power.
func ExampleWorkload_Steady() {
	w, _ := physics.Find("resnet18")
	mode := tegra.Mode{Cores: 8, CPU: 1500 * tegra.MHz, EMC: 3199 * tegra.MHz}
	for _, mhz := range []tegra.Freq{300, 800, 1300} {
		mode.GPU = mhz * tegra.MHz
		s := w.Steady(physics.On("agx-orin"), physics.At(mode))
		fmt.Printf("%d MHz: %.0f ms, %.0f W\n", mhz, s.TimeMS, s.Power.Total())
	}
	// Output:
	// 300 MHz: 184 ms, 22 W
	// 800 MHz: 81 ms, 32 W
	// 1300 MHz: 61 ms, 46 W
}
