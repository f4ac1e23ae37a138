package optimize

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"

	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// A measurement stopped for its power is neither an answer nor a failure of the board: the search continues, never
// measures the mode again, and expects about that power of it and more of its neighbours than before.
func TestTuneLearnsFromAModeThatWasEndedForItsPower(t *testing.T) {
	t.Parallel()
	board, limit := optimizetest.New(t), metric.Watts(25)
	var s *search
	var ended []tegra.Mode
	var before, after float64
	o := TuneOptions{Limits: goals(limit), Space: board.Space, Seed: 1}
	o.Choosing = func(step Step) {
		if step.MostW != MaxOvershoot*limit.Of(metric.Power) {
			t.Errorf("a probe may draw %g W", step.MostW)
		}
		if i, _ := s.places.Index(step.Setting); len(s.order) == 3 && ended == nil {
			before = s.believe().lnP[i]
		}
	}
	measure := func(ctx context.Context, m tegra.Mode) (tegra.Measured, error) {
		r, err := board.Measure(ctx, m)
		if len(s.order) == 3 && ended == nil {
			ended = append(ended, m)
			r.PowerW *= 1.2
			return r, OverLimit("stopped")
		}
		if slices.Contains(ended, m) {
			t.Errorf("%v was tried again", m)
		}
		return r, err
	}
	o.Observe = func(seen Seen) {
		if seen.Err != nil {
			i, _ := s.places.Index(seen.Setting)
			after = s.believe().lnP[i]
		}
	}
	var err error
	if s, err = newSearch(t.Context(), optimizetest.OfModes(measure), o); err != nil {
		t.Fatal(err)
	}
	s.follow(anywhere)
	r, err := s.finish(0)
	if err != nil || !r.Feasible || len(ended) != 1 || r.Mode == ended[0] {
		t.Fatalf("%v after %d probes, %d ended: %v", r.Measured, len(s.probes), len(ended), err)
	}
	if after-before < 0.04 {
		t.Errorf("ln power of the mode that was ended is believed %.2f higher, want 0.04 at least", after-before)
	}
}

// The winner is not measured a third time where its second measurement was ended.
func TestTuneDoesNotRepeatAVerificationThatWasEnded(t *testing.T) {
	t.Parallel()
	board, limit := optimizetest.New(t), metric.Watts(25)
	asked, hot := map[tegra.Mode]int{}, (*tegra.Mode)(nil)
	res, err := Tune(t.Context(), optimizetest.OfModes(func(ctx context.Context, m tegra.Mode) (tegra.Measured, error) {
		if asked[m]++; asked[m] == 2 && hot == nil {
			hot = &m
		}
		if hot != nil && *hot == m {
			return tegra.Measured{Setting: tegra.Setting{Mode: m}, PowerW: 30}, OverLimit("ended after 1 s: 30 W")
		}
		return board.Measure(ctx, m)
	}), TuneOptions{Limits: goals(limit), Space: board.Space, Seed: 1})
	if err != nil || hot == nil || res.Answers[0].Mode == *hot || asked[*hot] != 2 {
		t.Fatalf("answer %v: %v, asked %v", res.Answers[0].Mode, err, asked)
	}
	if i := slices.IndexFunc(res.Probes, func(p Probe) bool { return isOver(p.Err) }); i < 0 {
		t.Error("no probe tells it")
	} else if p := res.Probes[i]; p.Err.Error() != "ended after 1 s: 30 W" || !p.Over || p.Feasible ||
		p.Measured != (tegra.Measured{Setting: tegra.Setting{Mode: *hot}, PowerW: 30}) {
		t.Errorf("%+v", p)
	}
}

// The present mode is read to its end, as is each mode of a strategy that needs readings over a limit.
func TestOverlimitEndsNeitherThePresentModeNorABinarySearch(t *testing.T) {
	t.Parallel()
	if s := (&search{limit: metric.Watts(20)}); s.mostW(Before) != 0 || s.mostW(Improve) != MaxOvershoot*20 {
		t.Error("of the closed loop")
	}
	if s := (&search{limit: metric.Millis(3)}); s.mostW(Improve) != 0 {
		t.Error("of the closed loop without a power limit")
	}
	if s := (&search{limit: metric.Watts(20), o: TuneOptions{Strategy: Binary}}); s.mostW(Improve) != 0 {
		t.Error("of a binary search")
	}
}

// A limit that no mode keeps ends a search after a few readings, with a mode that draws about the least that there is,
// read to its end; one just above that has an answer, however many drawn first modes were ended for their power.
func TestTuneNearTheLeastPowerThatThereIs(t *testing.T) {
	t.Parallel()
	board := optimizetest.New(t)
	byPower := func(a, b tegra.Measured) int { return cmp.Compare(a.PowerW, b.PowerW) }
	least := slices.MinFunc(board.All(), byPower).PowerW
	present := tegra.Setting{Mode: board.Space.Max()}
	for _, c := range []struct {
		name     string
		limitW   float64
		before   Baselines
		feasible bool
		most     int
	}{
		{"below it", 0.8 * least, Baselines{Present: tegra.Some(present)}, false, 6},
		{"below it, without a baseline", 0.8 * least, Baselines{}, false, 6},
		{"above it", 1.02 * least, Baselines{Present: tegra.Some(present)}, true, DefaultProbes},
	} {
		var step Step
		o := TuneOptions{Limits: goals(metric.Watts(c.limitW)), Space: board.Space, Seed: 1, Baselines: c.before,
			Choosing: func(s Step) { step = s }}
		got, err := Tune(t.Context(), optimizetest.OfModes(
			func(ctx context.Context, m tegra.Mode) (tegra.Measured, error) {
				r, err := board.Measure(ctx, m)
				if err == nil && step.MostW > 0 && r.PowerW > step.MostW {
					return r, OverLimit("stopped")
				}
				return r, err
			}), o)
		switch none := errors.Is(err, ErrInfeasible); {
		case err != nil && !none || none == c.feasible || got.Answers[0].Feasible != c.feasible:
			t.Errorf("%s: %v, %v", c.name, got.Answers[0].Measured, err)
		case len(got.Probes) > c.most:
			t.Errorf("%s: after %d measurements", c.name, len(got.Probes))
		case got.Answers[0].N == 0 || got.Answers[0].PowerW > 1.1*least:
			t.Errorf("%s: the answer draws %g W, %g can be had", c.name, got.Answers[0].PowerW, least)
		}
	}
}

// If no mode keeps the limit, the stopped mode of least power is read to its end, unless another one that was read
// draws no more. A stopped measurement may say nothing but the power.
func TestReadNearestReadsTheStoppedModeOfLeastPower(t *testing.T) {
	t.Parallel()
	const read, least, more = 0, 2, 3
	for watts, want := range map[float64]int{15: least, 12: -1, 11: -1} {
		s, b := searchOn(t, TuneOptions{Limits: goals(metric.Watts(10))})
		power := map[int]float64{read: watts, least: 12, more: 13}
		s.measure = func(_ context.Context, at tegra.Setting) (tegra.Measured, error) {
			i, m := s.at(at), b.Answer(at.Mode)
			if m.PowerW = power[i]; i != read && !s.toItsEnd {
				return tegra.Measured{PowerW: m.PowerW}, OverLimit("stopped")
			}
			return m, nil
		}
		for _, i := range []int{more, read, least} {
			s.probe(i, Improve)
		}
		s.readNearest()
		got := -1
		if len(s.probes) > len(power) {
			got = s.at(s.probes[len(power)].Setting)
		}
		if read := len(s.readings[least]) > 0; got != want || read != (want == least) ||
			read == s.failed[least] {
			t.Errorf("a mode that draws %g W was read: mode %d is read to its end, want %d", watts, got, want)
		}
	}
}
