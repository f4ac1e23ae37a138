package optimize

import (
	"context"
	"math"
	"testing"

	"jtune/learn"
	"jtune/tegra"
)

// toy is a small board whose workload follows the recipe's formula, with a
// wrinkle that the physics does not know.
type toy struct {
	space  *tegra.Space
	probed []tegra.Mode
	broken func(m tegra.Mode) error          // nil: never
	shake  func(call int, r *tegra.Measured) // nil: exact
}

func newToy(t testing.TB) *toy {
	t.Helper()
	var cpu, gpu []tegra.Freq
	for i := range 8 {
		cpu, gpu = append(cpu, tegra.Freq(300+250*i)*tegra.MHz), append(gpu, tegra.Freq(150+160*i)*tegra.MHz)
	}
	space, err := tegra.NewSpace([]int{2, 4, 6, 8}, cpu, gpu, []tegra.Freq{800 * tegra.MHz, 1600 * tegra.MHz, 3200 * tegra.MHz})
	if err != nil {
		t.Fatal(err)
	}
	return &toy{space: space}
}

func (b *toy) answer(m tegra.Mode) tegra.Measured {
	top := b.space.Max()
	c, f, g, e := m.Value(0)/top.Value(0), m.Value(1)/top.Value(1), m.Value(2)/top.Value(2), m.Value(3)/top.Value(3)
	t := math.Pow(math.Pow(60/g, 4)+math.Pow(40/(f*math.Sqrt(c)), 4)+math.Pow(30/e, 4), 0.25) * (1 + 0.02*math.Sin(9*g+5*f))
	p := 9 + 3*e + 5*g*g*g + 4*c*f*f*f + 1100/t*(0.4+0.6*g*g)
	return tegra.Measured{Mode: m, TimeMS: t, PowerW: p}
}

func (b *toy) measure(ctx context.Context, m tegra.Mode) (tegra.Measured, error) {
	b.probed = append(b.probed, m)
	r := b.answer(m)
	if b.shake != nil {
		b.shake(len(b.probed), &r)
	}
	if b.broken != nil {
		if err := b.broken(m); err != nil {
			return tegra.Measured{}, err
		}
	}
	return r, ctx.Err()
}

func (b *toy) all() []tegra.Measured {
	var out []tegra.Measured
	for _, m := range b.space.All() {
		out = append(out, b.answer(m))
	}
	return out
}

// bestOf is what a limit asks for among measured modes.
func bestOf(rows []tegra.Measured, l Limit) (Choice, error) {
	preds := make([]learn.Prediction, len(rows))
	for i, r := range rows {
		preds[i] = MeasuredPrediction(r)
	}
	return Choose(preds, l)
}

// ofModes makes what measures modes measure those of one minibatch size.
func ofModes(measure func(context.Context, tegra.Mode) (tegra.Measured, error)) Measure {
	return func(ctx context.Context, a learn.Setting) (tegra.Measured, error) { return measure(ctx, a.Mode) }
}

// tuneModes is Tune over modes alone.
func tuneModes(ctx context.Context, measure func(context.Context, tegra.Mode) (tegra.Measured, error), o TuneOptions) (Result, error) {
	return Tune(ctx, ofModes(measure), o)
}
