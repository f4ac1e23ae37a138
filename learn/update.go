package learn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"jtune/internal/usage"
	"jtune/tegra"
)

// With refits a gp model to its samples and more, with the same reference. A mode measured before counts with the
// median of all its readings. check cross-validates, which multiplies the cost. For other methods, which Fit fits from
// all samples, it returns an error.
func (m *Model) With(ctx context.Context, more []tegra.Measured, check bool) (*Model, error) {
	if m.Method != GP {
		return nil, fmt.Errorf("only gp models can be updated with new measurements, this one has method %s: fit "+
			"one with %s gp", m.Method, usage.Method)
	}
	return Fit(ctx, slices.Concat(m.Samples, more), Options{
		Method:     GP,
		Space:      m.Space,
		Reference:  m.usedReference(),
		Seed:       m.Seed,
		Provenance: m.Provenance,
		SkipCV:     !check,
		Means:      m.Means,
		repeated:   m.Repeated,
	})
}

// usedReference returns the reference of a gp model; nil for none.
func (m *Model) usedReference() *Reference {
	if len(m.reference) == 0 {
		return nil
	}
	name, _, _ := strings.Cut(m.Reference, " modes: counts") // describeReference adds this suffix
	if i := strings.LastIndex(name, ", "); i > 0 {
		name = name[:i]
	}
	return &Reference{Name: name, Samples: m.reference}
}
