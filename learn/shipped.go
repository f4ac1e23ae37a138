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

// ShippedName is the name of the shipped reference for --reference.
const ShippedName = nn.ReferenceName

// ShippedReference is the reference in this program: ResNet-18 training on an AGX Orin in the 4,368 modes of
// PowerTrain's grid.
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

// ReferenceFor returns the profile for a kind of board, with the shipped networks, if b is such a board or a replay of
// one and the profile covers space. It returns nil for other boards, and for simulated ones, whose deviations differ.
// space nil: unknown.
func ReferenceFor(b tegra.Board, space *tegra.Space) *Reference {
	simulated := b.Virtual && b.Replay == ""
	// These modules have a different GPU, CPU and clocks from the measured ones.
	if simulated || b.Module == "p3701-0004" || b.Module == "p3767-0004" {
		return nil
	}
	for _, p := range Profiles() {
		if p.Device == b.Name {
			return p.referenceFor(space)
		}
	}
	return nil
}

func (p *Profile) referenceFor(space *tegra.Space) *Reference {
	r := p.Reference("")
	if space != nil && !r.Compact.suits(space) {
		return nil
	}
	r.Name += " (shipped)"
	return r
}
