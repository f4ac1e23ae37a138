package outlook

import (
	"math"
	"math/rand/v2"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/sweep/sweeptest"
	"jtune/tegra/virtual"
	"jtune/tegra/virtual/physics"
)

// sampled is an outlook of a sweep: modes are predicted with errors, and those that are read once or twice are fewer
// with every seed.
func sampled(t *testing.T, rows []tegra.Measured, seed uint64) *Outlook {
	t.Helper()
	few := int(20 * seed)
	rng := rand.New(rand.NewPCG(seed, 48))
	var preds []learn.Prediction
	var read []tegra.Measured
	for i, m := range rows {
		if i%8 != 0 && len(rows) > 1000 {
			continue
		}
		p := learn.Prediction{Measured: m, LnTimeSD: 0.01 + 0.05*rng.Float64(), LnPowerSD: 0.01 + 0.03*rng.Float64()}
		p.TimeMS *= math.Exp(p.LnTimeSD * rng.NormFloat64())
		p.PowerW *= math.Exp(p.LnPowerSD * rng.NormFloat64())
		p.TimeLoMS, p.TimeHiMS = p.TimeMS*math.Exp(-2*p.LnTimeSD), p.TimeMS*math.Exp(2*p.LnTimeSD)
		p.PowerLoW, p.PowerHiW = p.PowerW*math.Exp(-2*p.LnPowerSD), p.PowerW*math.Exp(2*p.LnPowerSD)
		preds = append(preds, p)
		for range max(0, rng.IntN(3)-rng.IntN(1+few)) {
			m.TimeMS, m.PowerW = m.TimeMS*(1+0.01*rng.NormFloat64()), m.PowerW*(1+0.01*rng.NormFloat64())
			read = append(read, m)
		}
	}
	return build(nil, "w", &learn.Model{}, tegra.MeansOf(read), nil, preds)
}

// families are the limits that only one number tells apart: what is limited, and what the choice makes least.
var families = [][2]*metric.Metric{{metric.Power, metric.Time}, {metric.Time, metric.Power},
	{metric.Time, metric.Energy}, {metric.Power, metric.Energy}, {metric.Energy, metric.Time}}

// known is how well a choice is known: 0 measured, 1 surely within the limit, 2 predicted; 3: measured at the limit.
func known(s standing.Standing) int {
	switch {
	case s.State == standing.Measured:
		return 0
	case !s.Predicted():
		return 3
	case s.State == standing.Sure && !s.Wide:
		return 1
	}
	return 2
}

// noise is the difference within which the better known of two settings is chosen.
const noise = 0.02

// checkChoices turns the limit of every family from the least to the largest value of the outlook.
func checkChoices(t *testing.T, name string, o *Outlook) {
	t.Helper()
	for plane, p := range Planes {
		for _, i := range o.Front(plane) {
			at := o.Known[i].Measured
			for _, q := range o.Known {
				if m := q.Measured; !q.Clamped && p.Across.Of(m) < p.Across.Of(at) && p.Up.Of(m) < p.Up.Of(at) {
					t.Fatalf("%s, plane %d: %v of the front is beaten by %v", name, plane, at, m)
				}
			}
		}
	}
	for _, f := range families {
		axis, aim := f[0].Of, f[1].Aim
		lo, hi := math.Inf(1), 0.0
		for _, p := range o.Known {
			if v := axis(p.Measured); v > 0 && !p.Clamped {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		before, rank, chosen := math.Inf(1), 3, 0
		const steps = 30
		for k := range steps + 1 {
			l := metric.Goal{Limits: f[0].Max(lo * math.Pow(1.05*hi/lo, float64(k)/steps)), Objective: f[1]}
			at, err := o.Choose(l)
			if err != nil {
				if before < math.Inf(1) {
					t.Errorf("%s, %v: nothing, but within a smaller limit there was a choice", name, l)
				}
				continue
			}
			chosen++
			p, s := o.Known[at].Measured, known(o.Standing(at, l))
			worst := before
			if s < rank {
				worst *= 1 + noise
			}
			if aim(p) > worst*(1+1e-9) {
				t.Errorf("%s, %v: the %s rises from %.5g to %.5g", name, l, f[1], before, aim(p))
			}
			before, rank = aim(p), s
			for i, q := range o.Known {
				m := q.Measured
				if q.Clamped || !(m.TimeMS > 0) || aim(m) >= aim(p) || axis(m) >= axis(p) {
					continue
				}
				if other := o.Standing(i, l); other.Within() && known(other) == s {
					t.Fatalf("%s, %v: %v is chosen, and %v of the same standing beats it in both", name, l, p, m)
				}
			}
		}
		if chosen == 0 {
			t.Errorf("%s, least %s in %s: no limit had a choice", name, f[1], f[0])
		}
	}
}

// More time or power allowed never makes the choice worse, and no setting known as well beats it in both quantities;
// the fronts have no beaten setting either. The sweeps of inference have five batch sizes.
func TestChoiceIsUnbeatenAndItsAimMonotoneInTheLimit(t *testing.T) {
	t.Parallel()
	for i, name := range []string{sweeptest.ResNet, sweeptest.MobileNet, sweeptest.LSTM, sweeptest.OrinNano} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkChoices(t, name, sampled(t, sweeptest.Load(t, name), uint64(i)))
		})
	}
	for i, name := range []string{"infer/mobnet_infer", "infer/resnet_infer"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkChoices(t, name, sampled(t, sweeptest.Settings(t, name), uint64(i)))
		})
	}
	w, _ := physics.Find("mobilenet")
	for i, name := range virtual.Names() {
		b := must.Get(virtual.New(virtual.Options{Name: name, Speed: math.Inf(1)}))(t)
		d := must.Get(b.Open())(t)
		var rows []tegra.Measured
		for i, m := range d.Space().Modes() {
			if all := d.Space().Len(); i%(1+all/500) != 0 {
				continue
			}
			s := w.Steady(physics.On(name), physics.At(m))
			rows = append(rows, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: s.TimeMS,
				PowerW: s.Power.Total()})
		}
		checkChoices(t, name, sampled(t, rows, uint64(i%3)))
	}
}
