package optimize

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
)

func TestTuneAnswersSeveralLimitsFromOneSearch(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	watts := []float64{30, 20, 25} // answered in the order in which they are given
	o := TuneOptions{Space: b.Space, Seed: 3}
	for _, w := range watts {
		o.Limits = append(o.Limits, metric.Watts(w))
	}
	res := must.Get(tuneOn(t, b, o))(t)
	alone := 0
	for i, r := range res.Answers {
		if !r.Feasible || !r.Verified || r.PowerW > watts[i] || len(res.Probes) != len(b.Probed) {
			t.Errorf("%g W: %+v with %d of %d probes", watts[i], r.Measured, len(res.Probes), len(b.Probed))
		}
		other := optimizetest.New(t)
		one := must.Get(tuneModes(t.Context(), other.Measure,
			TuneOptions{Limits: goals(metric.Watts(watts[i])), Space: b.Space, Seed: 3}))(t)
		if alone += len(one.Probes); r.TimeMS > 1.05*one.TimeMS {
			t.Errorf("%g W: %.1f ms, a search of its own finds %.1f ms", watts[i], r.TimeMS, one.TimeMS)
		}
	}
	if n := len(res.Probes); n >= alone {
		t.Errorf("%d probes for three limits, three searches take %d", n, alone)
	}
}

func TestTuneSharesACapAmongLimits(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	res, err := tuneOn(t, b, TuneOptions{Limits: goals(metric.Watts(20), metric.Watts(1), metric.Watts(30)), Seed: 3,
		Probes: 9})
	if none, ok := errors.AsType[*InfeasibleError](err); !ok || none.Limit.Of(metric.Power) != 1 {
		t.Errorf("the error is %v, want that none keeps 1 W", err)
	}
	if len(res.Probes) > 9 || !res.Feasible || len(res.Answers) != 3 || res.Answers[1].Feasible ||
		!res.Answers[2].Feasible {
		t.Errorf("%d probes; 20 W: %v, 1 W and 30 W: %+v", len(res.Probes), res.Feasible, res.Answers)
	}
	for i, p := range res.Probes {
		if share := map[float64]int{1: 3, 20: 6, 30: 9}[p.Limit.Of(metric.Power)]; i >= share {
			t.Errorf("probe %d is for %v, whose share ends with probe %d", i+1, p.Limit, share)
		}
	}
}

func TestTuneNamesSeveralLimitsThatNothingKeepsOnce(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	_, err := tuneOn(t, b, TuneOptions{Limits: goals(metric.Watts(1), metric.Watts(2), metric.Watts(3)), Seed: 3,
		Probes: 15})
	if none, ok := errors.AsType[*InfeasibleError](err); !ok || len(none.Also) != 2 ||
		strings.Count(err.Error(), "nearest") != 1 || !strings.Contains(err.Error(), ", nor 2 W, nor 3 W: ") {
		t.Errorf("got %v", err)
	}
}

func TestTuneSaysWhyItMeasuresAMode(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	var steps []Step
	var seen []Seen
	res, err := tuneOn(t, b, TuneOptions{Limits: goals(metric.Watts(30)), Seed: 3,
		Choosing: func(s Step) { steps = append(steps, s) }, Observe: func(s Seen) { seen = append(seen, s) }})
	must.NoError(t, err)
	gains := 0
	for i, s := range steps {
		if s.Setting != res.Probes[i].Setting || s.Why != res.Probes[i].Why {
			t.Errorf("step %d is %v, probe %v", i, s, res.Probes[i])
		}
		if s.Keeps.OK && (s.Keeps.V < 0 || s.Keeps.V > 1) || s.Gain.OK && s.Gain.V < 0 || s.String() == "" {
			t.Errorf("step %d: %+v", i, s)
		}
		if i == 0 && (s.Keeps.OK || s.Gain.OK) {
			t.Errorf("before anything is measured it expects %+v", s)
		}
		if s.Why == Improve && s.Gain.OK && !s.Toward.OK {
			gains++
		}
	}
	if len(steps) != len(res.Probes) || gains == 0 {
		t.Errorf("%d steps, %d with a gain, for %d probes", len(steps), gains, len(res.Probes))
	}
	if last := seen[len(seen)-1].Best; last.Measured != res.Measured || last.N != res.N {
		t.Errorf("the best at the end is %+v, the answer %+v", last, res.Measured)
	}
}

// A mode that was stopped for a low limit is open again for a limit that it may keep.
func TestTuneOpensStoppedModesForHigherLimits(t *testing.T) {
	t.Parallel()
	rows := fourModes()
	var modes []tegra.Mode
	for _, r := range rows {
		modes = append(modes, r.Mode)
	}
	space := must.Get(tegra.Spanned(modes))(t)
	var step Step
	res, err := tuneModes(t.Context(), func(_ context.Context, m tegra.Mode) (tegra.Measured, error) {
		r := rows[slices.Index(modes, m)]
		if step.MostW > 0 && r.PowerW > step.MostW {
			return r, OverLimit("stopped")
		}
		return r, nil
	}, TuneOptions{Limits: goals(metric.Watts(20), metric.Watts(30),
		metric.Watts(40)), Space: space, Seed: 1,
		Choosing: func(s Step) { step = s }})
	if err != nil || !res.Feasible || res.Answers[1].TimeMS != 150 || res.Answers[2].TimeMS != 100 {
		t.Errorf("20 W: %v; 30 and 40 W: %+v; %v", res.Measured, res.Answers, err)
	}
}
