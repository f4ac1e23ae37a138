package learn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"jtune/tegra"
)

// With learns a gp model again from its samples and more, with what it leant
// on; a mode that was measured before counts with the median of all its
// measurements. check cross-validates, which multiplies the cost. Other methods
// are an error: they are fitted from their samples alone (Fit).
func (m *Model) With(ctx context.Context, more []tegra.Measured, check bool) (*Model, error) {
	if m.Method != GP {
		return nil, fmt.Errorf("a model of method %s is not learnt on: fit one with --method gp", m.Method)
	}
	return Fit(ctx, slices.Concat(m.Samples, more), Options{Method: GP, Space: m.Space, Reference: m.leant(), Seed: m.Seed, Provenance: m.Provenance, SkipCV: !check, repeated: m.Repeated})
}

// leant is the reference that a gp model leans on; nil for none.
func (m *Model) leant() *Reference {
	if m.compact == nil && len(m.reference) == 0 {
		return nil
	}
	name, _, _ := strings.Cut(m.Reference, " modes: counts") // describeReference adds that
	if i := strings.LastIndex(name, ", "); i > 0 {
		name = name[:i]
	}
	return &Reference{Name: name, Samples: m.reference, Compact: m.compact}
}
