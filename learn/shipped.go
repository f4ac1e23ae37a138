package learn

import (
	"jtune/learn/baseline/nn"
	"jtune/tegra"
)

// ShippedName is the name of the shipped reference for --reference.
const ShippedName = nn.ReferenceName

// ShippedReference is the reference in this program: the networks of ResNet-18 training on an AGX Orin in the 4,368
// modes of PowerTrain's grid. It has no measured modes.
func ShippedReference() *Reference {
	pair, from := nn.ResNetReference()
	return &Reference{
		Name:     ShippedName + " (shipped)",
		Networks: &pair,
		Grid: [2]tegra.Mode{{Cores: 2, CPU: 268_800_000, GPU: 114_750_000, EMC: 204_000_000},
			{Cores: 12, CPU: 2_201_600_000, GPU: 1_300_500_000, EMC: 3_199_000_000}},
		Provenance: Provenance{Workload: from.Workload, Device: "AGX Orin"},
	}
}
