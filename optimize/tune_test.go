package optimize

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"jtune/learn"
	"jtune/tegra"
)

// toy is a small board whose workload follows the recipe's formula, with a
// wrinkle that the physics does not know.
type toy struct {
	space  *tegra.Space
	probed []tegra.Mode
	broken func(m tegra.Mode) error                  // nil: never
	shake  func(call int, r *tegra.Measured)         // nil: exact
	after  func(call int, cancel context.CancelFunc) // nil: nothing
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

func TestTuneFindsTheBestModeOfAToyBoard(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limit  Limit
		within float64 // of the true optimum's objective
	}{
		{Limit{PowerW: 20}, 0.04},
		{Limit{PowerW: 30}, 0.04},
		{Limit{TimeMS: 110}, 0.04},
		{Limit{TimeMS: 110, PowerW: 26}, 0.04},
		{Limit{Energy: true}, 0.04},
		{Limit{Energy: true, PowerW: 20}, 0.04},
		{Limit{PowerW: 1000}, 0.02},
	} {
		for seed := range uint64(4) {
			b := newToy(t)
			want, err := ChooseMeasured(b.all(), c.limit)
			if err != nil {
				t.Fatal(err)
			}
			res, err := Tune(t.Context(), b.measure, TuneOptions{Limit: c.limit, Space: b.space, Seed: seed})
			if err != nil {
				t.Errorf("%v, seed %d: %v", c.limit, seed, err)
				continue
			}
			got, _ := c.limit.objective().value(MeasuredPoint(res.Measured))
			best, _ := c.limit.objective().value(PredictedPoint(want.Prediction))
			if got > best*(1+c.within) || !c.limit.Met(MeasuredPoint(res.Measured)) || !res.Verified || res.Ended != Converged {
				t.Errorf("%v, seed %d: got %v (%.2f, %v after %d probes), want %v (%.2f)", c.limit, seed, res.Measured, got, res.Ended, len(res.Probes), want.Mode, best)
			}
		}
	}
}

func TestTuneTellsWhatItDid(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	var seen []Probe
	res, err := Tune(t.Context(), b.measure, TuneOptions{Limit: Limit{PowerW: 25}, Space: b.space, Seed: 3, Observe: func(p Probe, m *learn.Surrogate) {
		if m == nil || len(m.Samples()) == 0 {
			t.Errorf("probe %d came without a model", len(seen))
		}
		seen = append(seen, p)
	}})
	if err != nil {
		t.Fatal(err)
	}
	n := len(res.Probes)
	if len(seen) != n || len(b.probed) != n || res.Probes[0].Why != Start || res.Probes[n-1].Why != Verify || res.Probes[n-1].Mode != res.Mode {
		t.Errorf("%d probes seen, %d measured, %d told: %v", len(seen), len(b.probed), n, res.Probes)
	}
	for i, p := range res.Probes[1:] {
		if p.Predicted.Mode != p.Mode || !(p.Predicted.TimeLoMS < p.Predicted.TimeHiMS) {
			t.Errorf("probe %d tells no prediction: %+v", i+1, p)
		}
		if p.Why == Improve && p.PowerW > 25*1.2 {
			t.Errorf("probe %d draws %.1f W under a limit of 25", i+1, p.PowerW)
		}
	}
	if res.Model == nil || res.Predicted.Mode != res.Mode || res.Predicted.PowerLoW >= res.Predicted.PowerHiW {
		t.Errorf("no model or prediction of the answer: %+v", res.Predicted)
	}
}

func TestTuneIsDeterministicBySeed(t *testing.T) {
	t.Parallel()
	for _, strategy := range []Strategy{Auto, Binary, Random} {
		run := func(seed uint64) []Probe {
			b := newToy(t)
			res, err := Tune(t.Context(), b.measure, TuneOptions{Limit: Limit{PowerW: 25}, Space: b.space, Seed: seed, Strategy: strategy, Probes: 20})
			if err != nil {
				t.Fatal(err)
			}
			return res.Probes
		}
		if one, two := run(5), run(5); !reflect.DeepEqual(one, two) {
			t.Errorf("%s: equal seeds differ: %v and %v", strategy, one, two)
		}
		if strategy != Binary && reflect.DeepEqual(run(5), run(6)) {
			t.Errorf("%s: other seeds give the same probes", strategy)
		}
	}
}

func TestProbesAreAHardCap(t *testing.T) {
	t.Parallel()
	for _, strategy := range []Strategy{Auto, Binary, Random} {
		for _, n := range []int{1, 2, 3, 5, 9, 15} {
			b := newToy(t)
			res, err := Tune(t.Context(), b.measure, TuneOptions{Limit: Limit{PowerW: 40}, Space: b.space, Probes: n, Strategy: strategy, Effort: Thorough})
			if len(b.probed) > n || len(res.Probes) != len(b.probed) {
				t.Errorf("%s: %d probes under a cap of %d, %d told", strategy, len(b.probed), n, len(res.Probes))
			}
			if err != nil && !errors.Is(err, ErrInfeasible) {
				t.Errorf("%s, %d probes: %v", strategy, n, err)
			}
			if n > 2 && err == nil && !res.Verified {
				t.Errorf("%s, %d probes: the answer was not measured twice", strategy, n)
			}
		}
	}
}

func TestTuneWithoutAFeasibleMode(t *testing.T) {
	t.Parallel()
	for _, strategy := range []Strategy{Auto, Binary, Random} {
		for _, l := range []Limit{{PowerW: 9}, {TimeMS: 20}, {PowerW: 14, TimeMS: 80}} {
			b := newToy(t)
			res, err := Tune(t.Context(), b.measure, TuneOptions{Limit: l, Space: b.space, Strategy: strategy, Probes: 25})
			var no *InfeasibleError
			if !errors.Is(err, ErrInfeasible) || !errors.As(err, &no) || no.Nearest.Mode != res.Mode || res.Feasible {
				t.Errorf("%s, %v: got %v, %v", strategy, l, res.Measured, err)
			}
			if strategy == Auto && (res.Ended != NoWay || len(res.Probes) > 20) {
				t.Errorf("%v: ended %q after %d probes, want an early end", l, res.Ended, len(res.Probes))
			}
		}
	}
	b := newToy(t)
	res, _ := Tune(t.Context(), b.measure, TuneOptions{Limit: Limit{PowerW: 9}, Space: b.space})
	least, _ := ChooseMeasured(b.all(), Limit{TimeMS: 1e9})
	if res.Measured.PowerW > least.PowerW*1.03 {
		t.Errorf("nearest draws %.2f W, the least of all is %.2f", res.Measured.PowerW, least.PowerW)
	}
}

func TestTuneGoesOnAfterAModeThatCannotBeMeasured(t *testing.T) {
	t.Parallel()
	for _, strategy := range []Strategy{Auto, Binary, Random} {
		b := newToy(t)
		b.broken = func(m tegra.Mode) error {
			if len(b.probed)%4 == 2 {
				return fmt.Errorf("harness died in %v", m)
			}
			return nil
		}
		res, err := Tune(t.Context(), b.measure, TuneOptions{Limit: Limit{PowerW: 30}, Space: b.space, Strategy: strategy, Probes: 30})
		if err != nil || !res.Feasible {
			t.Errorf("%s: %v", strategy, err)
		}
		failed := 0
		for _, p := range res.Probes {
			if p.Err != nil {
				failed++
				if p.TimeMS != 0 || p.Feasible {
					t.Errorf("%s: a failed probe has values: %+v", strategy, p)
				}
			}
		}
		if failed == 0 {
			t.Errorf("%s: no failed probe is told", strategy)
		}
	}
}

func TestTuneGivesUpWhenEveryMeasurementFails(t *testing.T) {
	t.Parallel()
	dead := errors.New("no such container")
	for _, strategy := range []Strategy{Auto, Binary, Random} {
		b := newToy(t)
		b.broken = func(tegra.Mode) error { return dead }
		res, err := Tune(t.Context(), b.measure, TuneOptions{Limit: Limit{PowerW: 30}, Space: b.space, Strategy: strategy})
		if !errors.Is(err, dead) || errors.Is(err, ErrInfeasible) || res.Ended != Failing || len(b.probed) != failuresInARow {
			t.Errorf("%s: got %v, %v after %d probes", strategy, err, res.Ended, len(b.probed))
		}
	}
}

func TestReadingsWithoutSenseAreFailures(t *testing.T) {
	t.Parallel()
	for _, bad := range []float64{math.NaN(), 0, -3, math.Inf(1)} {
		b := newToy(t)
		b.shake = func(call int, r *tegra.Measured) {
			if call == 1 || call == 4 {
				r.PowerW = bad
			}
		}
		res, err := Tune(t.Context(), b.measure, TuneOptions{Limit: Limit{PowerW: 30}, Space: b.space})
		if err != nil || !res.Feasible || res.Probes[0].Err == nil || res.Probes[3].Err == nil {
			t.Errorf("readings of %g W: %v, first probe %+v", bad, err, res.Probes[0])
		}
	}
}

func TestALuckyWinnerGivesWayToTheNextBest(t *testing.T) {
	t.Parallel()
	limit := Limit{PowerW: 25}
	b := newToy(t)
	twice := map[tegra.Mode]int{}
	verified := 0
	b.shake = func(_ int, r *tegra.Measured) {
		twice[r.Mode]++
		if twice[r.Mode] == 2 {
			if verified++; verified == 1 {
				r.PowerW = 27 // what it really draws
			}
		}
	}
	res, err := Tune(t.Context(), b.measure, TuneOptions{Limit: limit, Space: b.space, Seed: 1})
	if err != nil || !res.Verified || verified != 2 {
		t.Fatalf("got %v, %d verifications", err, verified)
	}
	for _, p := range res.Probes {
		if p.Mode == res.Mode && p.PowerW > limit.PowerW {
			t.Errorf("the answer broke the limit in a reading: %+v", p)
		}
	}
}

func TestAWinnerThatWasOnlyFastOnceGivesWay(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	count := map[tegra.Mode]int{}
	b.shake = func(call int, r *tegra.Measured) {
		if count[r.Mode]++; call == 6 {
			r.TimeMS /= 2 // the sixth probe looks twice as fast as it is
		}
	}
	res, err := Tune(t.Context(), b.measure, TuneOptions{Limit: Limit{PowerW: 25}, Space: b.space, Seed: 2})
	if err != nil || !res.Verified {
		t.Fatal(err)
	}
	if want := b.answer(res.Mode).TimeMS; math.Abs(res.Measured.TimeMS/want-1) > 1e-9 && count[res.Mode] < 2 {
		t.Errorf("answer's time %.1f ms, the mode takes %.1f", res.Measured.TimeMS, want)
	}
}

func TestTuneStopsWhenTheContextEnds(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.shake = func(call int, _ *tegra.Measured) {
		if call == 4 {
			cancel()
		}
	}
	res, err := Tune(ctx, b.measure, TuneOptions{Limit: Limit{PowerW: 30}, Space: b.space})
	if !errors.Is(err, context.Canceled) || res.Ended != Cancelled || len(res.Probes) != 3 {
		t.Errorf("got %v, %v, %d probes", err, res.Ended, len(res.Probes))
	}
}

func TestTuneOnTinySpaces(t *testing.T) {
	t.Parallel()
	full := newToy(t)
	for n := 1; n <= 6; n++ {
		for _, strategy := range []Strategy{Auto, Binary, Random} {
			b := newToy(t)
			var err error
			if b.space, err = full.space.Restrict(full.space.Sample(n, 1)); err != nil {
				t.Fatal(err)
			}
			want, err := ChooseMeasured(b.all(), Limit{PowerW: 100})
			if err != nil {
				t.Fatal(err)
			}
			res, err := Tune(t.Context(), b.measure, TuneOptions{Limit: Limit{PowerW: 100}, Space: b.space, Strategy: strategy})
			if err != nil || !res.Verified {
				t.Errorf("%d modes, %s: %v, %+v", n, strategy, err, res)
			}
			if strategy != Binary && res.Measured.TimeMS > want.TimeMS*1.02 {
				t.Errorf("%d modes, %s: %.1f ms, the fastest takes %.1f", n, strategy, res.Measured.TimeMS, want.TimeMS)
			}
		}
	}
}

func TestTuneOnAWorkloadThatIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	b.shake = func(_ int, r *tegra.Measured) { r.TimeMS, r.PowerW = 50, 15 }
	res, err := Tune(t.Context(), b.measure, TuneOptions{Limit: Limit{PowerW: 20}, Space: b.space})
	if err != nil || res.Measured.TimeMS != 50 || res.Ended != Converged {
		t.Errorf("got %v, %v, %v", res.Measured, res.Ended, err)
	}
}

func TestTuneLearnsFromModesMeasuredBefore(t *testing.T) {
	t.Parallel()
	cold, warm := newToy(t), newToy(t)
	o := TuneOptions{Limit: Limit{PowerW: 25}, Space: cold.space, Seed: 4}
	first, err := Tune(t.Context(), cold.measure, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range first.Probes {
		o.Start = append(o.Start, p.Measured)
	}
	o.Start = append(o.Start, tegra.Measured{Mode: tegra.Mode{Cores: 99}, TimeMS: 1, PowerW: 1}, tegra.Measured{Mode: first.Mode, TimeMS: math.NaN(), PowerW: 1})
	second, err := Tune(t.Context(), warm.measure, o)
	if err != nil || len(warm.probed) > 4 || second.Measured.TimeMS > first.Measured.TimeMS*1.001 {
		t.Errorf("going on took %d probes for %.2f ms after %.2f ms: %v", len(warm.probed), second.Measured.TimeMS, first.Measured.TimeMS, err)
	}
}

func TestTuneRefusesWhatItCannotDo(t *testing.T) {
	t.Parallel()
	b := newToy(t)
	for name, o := range map[string]TuneOptions{
		"no space":                    {Limit: Limit{PowerW: 30}},
		"a knee":                      {Limit: Limit{Knee: true}, Space: b.space},
		"a slowdown":                  {Limit: Limit{MaxSlowdownPct: 5}, Space: b.space},
		"a limit below zero":          {Limit: Limit{PowerW: -3}, Space: b.space},
		"probes below zero":           {Limit: Limit{PowerW: 3}, Space: b.space, Probes: -1},
		"an unknown strategy":         {Limit: Limit{PowerW: 3}, Space: b.space, Strategy: "luck"},
		"binary search for energy":    {Limit: Limit{Energy: true}, Space: b.space, Strategy: Binary},
		"a rotation that lacks knobs": {Limit: Limit{PowerW: 30}, Space: b.space, Strategy: Binary, Rotation: []tegra.Knob{tegra.KnobCPU}},
		"a rotation that doubles one": {Limit: Limit{PowerW: 30}, Space: b.space, Strategy: Binary, Rotation: []tegra.Knob{0, 1, 2, 2}},
	} {
		if _, err := Tune(t.Context(), b.measure, o); err == nil || errors.Is(err, ErrInfeasible) {
			t.Errorf("%s: got %v, want an error about the request", name, err)
		}
	}
	if len(b.probed) != 0 {
		t.Errorf("%d modes were measured all the same", len(b.probed))
	}
}
