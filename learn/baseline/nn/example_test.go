package nn_test

import (
	"fmt"

	"jtune/learn/baseline/nn"
	"jtune/tegra"
)

// The shipped networks predict ResNet-18 on an AGX Orin; Pair.Transfer transfers them to another workload from a few
// measured modes.
func ExampleResNetReference() {
	reference, source := nn.ResNetReference()
	fmt.Println("trained on", source.Modes, "modes; can be transferred:", reference.Transfers())
	fast := tegra.Mode{Cores: 12, CPU: 2201600 * tegra.KHz, GPU: 1300500 * tegra.KHz, EMC: 3199 * tegra.MHz}
	slow := tegra.Mode{Cores: 2, CPU: 422400 * tegra.KHz, GPU: 114750 * tegra.KHz, EMC: 665600 * tegra.KHz}
	ms, watts := reference.Predict([]tegra.Mode{fast, slow})
	fmt.Println("faster:", ms[0] < ms[1], "more power:", watts[0] > watts[1])
	// Output:
	// trained on 4368 modes; can be transferred: true
	// faster: true more power: true
}
