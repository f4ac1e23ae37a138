package learn

import (
	_ "embed"
	"fmt"
	"sync"

	"jtune/learn/baseline/nn"
	"jtune/tegra"
)

// The shipped reference: ResNet-18 training on an AGX Orin, as networks (package nn)
// and as a compact residual (ref/README.md).
//
//go:embed ref/resnet18-agx-orin.reference
var shippedCompact []byte

// ShippedName is what --reference calls the shipped reference.
const ShippedName = nn.ReferenceName

// ShippedReference is inside this program: ResNet-18 training on an AGX Orin
// in the 4,368 modes of PowerTrain's grid.
func ShippedReference() *Reference {
	pair, _ := nn.ResNetReference()
	r := loadCompact().reference()
	r.Name += " (shipped)"
	r.Networks = &pair
	return r
}

var loadCompact = sync.OnceValue(func() *Compact {
	c, err := decodeCompact(shippedCompact)
	if err != nil {
		panic(fmt.Sprintf("learn: the built-in reference: %v", err))
	}
	return c
})

// ReferenceFor returns the shipped reference for the kind of board it was measured on,
// or a replay of one; nil for others, and for simulated boards, whose deviations are
// their own.
func ReferenceFor(b tegra.Board) *Reference {
	simulated := b.Virtual && b.Replay == ""
	// The 32 GB module has another GPU, another CPU and other clocks.
	if simulated || b.Name != loadCompact().Device || b.Module == "p3701-0004" {
		return nil
	}
	return ShippedReference()
}
