// Package optimizetest provides a toy board and measured sweeps for tests of searches.
package optimizetest

import (
	"context"
	"math"
	"testing"

	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/tegra"
)

// Board is a small board whose time follows the mean functions of package learn, with a ripple that these do not model.
type Board struct {
	Space  *tegra.Space
	Probed []tegra.Mode                      // by Measure, in order
	Broken func(m tegra.Mode) error          // nil: never
	Shake  func(call int, r *tegra.Measured) // nil: exact
}

// New returns a board of 768 modes.
func New(t testing.TB) *Board {
	t.Helper()
	var cpu, gpu []tegra.Freq
	for i := range 8 {
		cpu, gpu = append(cpu, tegra.Freq(300+250*i)*tegra.MHz), append(gpu, tegra.Freq(150+160*i)*tegra.MHz)
	}
	space, err := tegra.NewSpace(
		[]int{2, 4, 6, 8},
		cpu,
		gpu,
		[]tegra.Freq{800 * tegra.MHz, 1600 * tegra.MHz, 3200 * tegra.MHz},
	)
	if err != nil {
		t.Fatal(err)
	}
	return &Board{Space: space}
}

// Answer returns the exact reading in a mode.
func (b *Board) Answer(m tegra.Mode) tegra.Measured {
	top := b.Space.Max()
	c, f, g, e := m.Value(0)/top.Value(0), m.Value(1)/top.Value(1), m.Value(2)/top.Value(2), m.Value(3)/top.Value(3)
	t := math.Pow(
		math.Pow(60/g, 4)+math.Pow(40/(f*math.Sqrt(c)), 4)+math.Pow(30/e, 4),
		0.25,
	) * (1 + 0.02*math.Sin(9*g+5*f))
	p := 9 + 3*e + 5*g*g*g + 4*c*f*f*f + 1100/t*(0.4+0.6*g*g)
	return tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: t, PowerW: p}
}

// Measure is a probe: it records the mode and applies Shake and Broken.
func (b *Board) Measure(ctx context.Context, m tegra.Mode) (tegra.Measured, error) {
	b.Probed = append(b.Probed, m)
	r := b.Answer(m)
	if b.Shake != nil {
		b.Shake(len(b.Probed), &r)
	}
	if b.Broken != nil {
		if err := b.Broken(m); err != nil {
			return tegra.Measured{}, err
		}
	}
	return r, ctx.Err()
}

// All returns the exact readings of all modes.
func (b *Board) All() []tegra.Measured {
	var out []tegra.Measured
	for _, m := range b.Space.All() {
		out = append(out, b.Answer(m))
	}
	return out
}

// Served returns the exact reading of a setting with a batch size: kernel launches on one CPU thread, then the
// minibatch scaled to its number of samples.
func (b *Board) Served(a tegra.Setting) tegra.Measured {
	work := b.Answer(a.Mode)
	n := float64(a.Batch)
	ms := 8/a.Mode.CPU.GHz() + work.TimeMS*(0.1+n/32)
	return tegra.Measured{Setting: a, TimeMS: ms, PowerW: 9 + (work.PowerW-9)*min(1, (0.1+n/32)*work.TimeMS/ms)}
}

// Sizes are batch sizes for Serve.
var Sizes = []int{32, 1, 4, 16, 64}

// Serve is a probe of a setting with a batch size.
func (b *Board) Serve(_ context.Context, a tegra.Setting) (tegra.Measured, error) {
	return b.Served(a), nil
}

// Reference returns the board's workload with different times and, on request, networks trained for a few epochs:
// enough to transfer from.
func Reference(t *testing.T, b *Board, networks bool) *learn.Reference {
	t.Helper()
	r := &learn.Reference{Name: "other workload"}
	for i, m := range b.All() {
		if i%5 == 0 {
			m.TimeMS *= 0.7
			r.Samples = append(r.Samples, m)
		}
	}
	if networks {
		pair, err := nn.TrainPair(t.Context(), nn.Medians(r.Samples), nn.Config{Epochs: 20, MinSteps: 1, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		r.Networks = &pair
	}
	return r
}

// OfModes converts a probe of modes to one of settings without a batch size.
func OfModes(
	measure func(context.Context, tegra.Mode) (tegra.Measured, error),
) func(context.Context, tegra.Setting) (tegra.Measured, error) {
	return func(ctx context.Context, a tegra.Setting) (tegra.Measured, error) { return measure(ctx, a.Mode) }
}
