package optimize

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"jtune/optimize/optimizetest"
	"jtune/tegra"
)

// searchOn starts a search on the toy board, which has measured nothing.
func searchOn(t *testing.T, o TuneOptions) (*search, *optimizetest.Board) {
	t.Helper()
	b := optimizetest.New(t)
	o.Space = b.Space
	s, err := newSearch(t.Context(), optimizetest.OfModes(b.Measure), o)
	if err != nil {
		t.Fatal(err)
	}
	return s, b
}

// A drift is more than noise beyond 3 % and beyond three deviations of a reading, in time or in power.
func TestDriftIsBeyondTheNoise(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		d    Drift
		sd   float64
		want bool
	}{
		{Drift{}, 0, false},
		{Drift{LnTime: 0.03}, 0, false}, {Drift{LnTime: -0.031}, 0, true},
		{Drift{LnPower: 0.03}, 0, false}, {Drift{LnPower: -0.031}, 0, true},
		{Drift{LnTime: 0.059}, 0.02, false}, {Drift{LnTime: 0.061}, 0.02, true},
		{Drift{LnPower: 0.059}, 0.02, false}, {Drift{LnPower: 0.061}, 0.02, true},
	} {
		if got := c.d.beyond(c.sd, c.sd); got != c.want {
			t.Errorf("%v with readings of %g: %v", c.d, c.sd, got)
		}
	}
}

// A known mode is checked that was not measured since, has not failed and keeps the power limit.
func TestKnownModesThatMayBeMeasuredAgain(t *testing.T) {
	t.Parallel()
	s, b := searchOn(t, TuneOptions{Limit: Limit{PowerW: 20}})
	var rows []tegra.Measured
	for _, m := range b.All() {
		if hot := m.PowerW > trustOver*20; hot == (len(rows) == 3) {
			if rows = append(rows, m); len(rows) == 4 {
				break
			}
		}
	}
	s.recall(rows)
	at := func(k int) int { return s.at(rows[k].Setting) }
	modes := func() (out []tegra.Setting) {
		for _, m := range s.checkable() {
			out = append(out, m.Setting)
		}
		return out
	}
	if got := modes(); !slices.Equal(got, []tegra.Setting{rows[0].Setting, rows[1].Setting, rows[2].Setting}) {
		t.Fatalf("%v, want three without the hot one", got)
	}
	best := 0
	for k := range 3 {
		if s.limit.objective().better(rows[k], rows[best]) {
			best = k
		}
	}
	for range 3 { // whichever is listed first
		if got := s.bestKnown(); got != at(best) {
			t.Errorf("the best known is %v, want %v", s.places.At(got), rows[best].Setting)
		}
		s.order = append(s.order[1:], s.order[0])
	}
	for len(s.order) > 0 && s.order[0] != at(0) {
		s.order = append(s.order[1:], s.order[0])
	}
	s.failed[at(1)] = true
	if !s.probe(at(2), Verify) {
		t.Fatal("the search is over")
	}
	if got := modes(); !slices.Equal(got, []tegra.Setting{rows[0].Setting}) {
		t.Errorf("%v, want the first alone: one failed and one was measured", got)
	}
	d := Drift{LnTime: 0.1, LnPower: -0.2}
	s.shift(d)
	if got := s.readings[at(2)]; len(got) != 1 || got[0] != b.Answer(rows[2].Mode) {
		t.Errorf("a mode that was measured since counts with %v", got)
	}
	if got := s.readings[at(0)]; len(got) != 1 || math.Abs(got[0].TimeMS/rows[0].TimeMS-math.Exp(0.1)) > 1e-9 ||
		math.Abs(got[0].PowerW/rows[0].PowerW-math.Exp(-0.2)) > 1e-9 {
		t.Errorf("a mode that was not counts with %v in place of %v", got, rows[0])
	}
}

// A search that is cancelled in its verification was not converged.
func TestTuneIsCancelledInItsVerification(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	o := TuneOptions{Limit: Limit{PowerW: 25}, Space: b.Space, Seed: 1, Choosing: func(s Step) {
		if s.Why == Verify {
			cancel()
		}
	}}
	r, err := tuneModes(ctx, b.Measure, o)
	if r.Ended != Cancelled || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", r.Ended, err)
	}
}

// Exactly the limit is within.
func TestBinaryTakesTheLimitItself(t *testing.T) {
	t.Parallel()
	s, b := searchOn(t, TuneOptions{Limit: Limit{PowerW: 20, TimeMS: 100}, Strategy: Binary})
	for i, c := range []struct {
		watts, ms float64
		want      over
	}{{20, 100, 0}, {20.1, 100, overPower}, {20, 100.1, overTime}, {20.1, 100.1, overPower | overTime}} {
		m := b.Answer(s.places.At(i).Mode)
		m.PowerW, m.TimeMS = c.watts, c.ms
		s.read(i, m)
		if got, ok := s.overAt(i); got != c.want || !ok {
			t.Errorf("%g W, %g ms: %v, %v", c.watts, c.ms, got, ok)
		}
	}
}

// A winner that differs by noise alone from a mode that was measured twice gives way to it; a better one does not.
func TestVerifiedModeWithinTheNoiseIsTheAnswer(t *testing.T) {
	t.Parallel()
	s, b := searchOn(t, TuneOptions{Limit: Limit{PowerW: 20}})
	reading := func(i int, ms, watts float64) {
		m := b.Answer(s.places.At(i).Mode)
		m.TimeMS, m.PowerW = ms, watts
		s.read(i, m)
	}
	const winner, twice, over, slow = 3, 4, 5, 6
	reading(winner, 100, 18)
	for _, watts := range []float64{18, 18} {
		reading(twice, 100*(1+sameValue/2), watts)
		reading(over, 100, 21)
		reading(slow, 100*(1+2*sameValue), watts)
	}
	if got := s.verifiedNear(winner); got != twice {
		t.Errorf("mode %d, want %d", got, twice)
	}
	if r := s.result(); r.Setting != s.places.At(twice) || !r.Verified {
		t.Errorf("the answer is %v, measured twice: %v; want %v", r.Setting, r.Verified, s.places.At(twice))
	}
	s.failed[twice] = true
	if got := s.verifiedNear(winner); got != -1 {
		t.Errorf("mode %d of none: one failed, one is over the limit, one slower than by noise", got)
	}
}

// The search is over when all modes were measured.
func TestTuneEndsWhenAllModesWereMeasured(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	o := TuneOptions{Limit: Limit{PowerW: 40}, Space: b.Space, Only: tegra.Settings(b.Space.Modes()[:3], nil)}
	r, err := tuneModes(t.Context(), b.Measure, o)
	if err != nil || r.Ended != Exhausted {
		t.Errorf("%v, %v", r.Ended, err)
	}
}

// A search has ten probes more for each further limit.
func TestTuneHasMoreProbesForMoreLimits(t *testing.T) {
	t.Parallel()
	for n := range 3 {
		s, _ := searchOn(t, TuneOptions{Limit: Limit{PowerW: 20}, More: make([]Limit, n)})
		if want := DefaultProbes + furtherProbes*n; s.cap != want {
			t.Errorf("%d probes for %d limits, want %d", s.cap, 1+n, want)
		}
	}
}

// The baselines do not shorten a search, except one whose number of probes the user gave.
func TestTuneHasAProbeMoreForEachBaseline(t *testing.T) {
	t.Parallel()
	top := optimizetest.New(t).Space.Max()
	both := Baselines{Present: tegra.Some(tegra.Setting{Mode: top}), Presets: []tegra.Preset{{Name: "MAXN", Mode: top}}}
	for _, c := range []struct {
		name      string
		baselines Baselines
		probes    int
		want      int
	}{
		{"none", Baselines{}, 0, DefaultProbes}, {"both", both, 0, DefaultProbes + 2}, {"both of 15", both, 15, 15},
	} {
		if s, _ := searchOn(t, TuneOptions{Limit: Limit{PowerW: 20}, Baselines: c.baselines,
			Probes: c.probes}); s.cap != c.want {
			t.Errorf("%s: %d probes, want %d", c.name, s.cap, c.want)
		}
	}
}

// A mode may keep a power limit if its median is over it by fewer of the model's own deviations than are allowed.
func TestPossibleAllowsDeviationsOfPower(t *testing.T) {
	t.Parallel()
	b := belief{lnPower: []float64{math.Log(22)}, ownSDPower: []float64{0.1}} // 0.95 deviations over 20 W
	for z, want := range map[float64]bool{0: false, 0.5: false, 1: true, 2: true} {
		if got := b.possible(Limit{PowerW: 20}, 0, z); got != want {
			t.Errorf("22 W are possible within 20 by %g deviations: %v", z, got)
		}
	}
}

// From 15 own probes on, repeats and those for earlier limits not counted, each further one raises the gain to stop at.
func TestGainRisesInALongSearch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		probes, begun, again int
		more                 float64 // probes beyond longProbes; -1: fewer
	}{{14, 0, 0, -1}, {15, 0, 0, 0}, {17, 0, 0, 2}, {19, 2, 0, 2}, {19, 0, 2, 2}, {19, 3, 2, -1}} {
		s, _ := searchOn(t, TuneOptions{Limit: Limit{PowerW: 20}, Depth: Quick})
		s.probes, s.begun = make([]Probe, c.probes), c.begun
		want := longGain + longMore*c.more
		if c.more < 0 {
			want = Quick.gain()
		}
		if got := (&loop{search: s, again: c.again}).gain(); math.Abs(got-want) > 1e-12 {
			t.Errorf("%+v: gain %g, want %g", c, got, want)
		}
	}
}

// The model is fitted again after a reading and after a stop, not after a measurement that failed.
func TestSeenFitsNewReadingsAlone(t *testing.T) {
	t.Parallel()
	s, b := searchOn(t, TuneOptions{Limit: Limit{PowerW: 30}})
	s.fits = true
	var failure error
	s.measure = func(_ context.Context, at tegra.Setting) (tegra.Measured, error) { return b.Answer(at.Mode), failure }
	for i, c := range []struct {
		failure error
		want    bool
	}{{nil, true}, {errors.New("failed"), false}, {OverLimit("stopped"), true}} {
		before := s.model
		failure = c.failure
		s.probe(i, Improve)
		if got := s.model != before; got != c.want {
			t.Errorf("after a measurement with error %v: fitted again %v", c.failure, got)
		}
	}
}
