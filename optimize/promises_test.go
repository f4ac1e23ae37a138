package optimize

import (
	"math"
	"testing"

	"jtune/optimize/optimizetest"
	"jtune/tegra"
)

// The model never chooses an untrusted probe, by the fewest deviations that a search ever requires plus the power of a
// faster mode, while a mode trusted with full caution is open.
func TestTuneProbesNothingUntrustedWhileATrustedModeIsOpen(t *testing.T) {
	t.Parallel()
	for _, limit := range []Limit{{PowerW: 18}, {PowerW: 22}, {PowerW: 28}, {PowerW: 30, TimeMS: 120, GuardTime: true},
		{TimeMS: 150, GuardTime: true}} {
		for seed := range uint64(3) {
			board := optimizetest.New(t)
			var s *search
			o := TuneOptions{Limit: limit, Space: board.Space, Seed: seed}
			judged := 0
			o.Choosing = func(step Step) {
				if step.Why == Verify || s.model == nil || len(s.order) == 0 {
					return
				}
				l, b := &loop{search: s}, s.believe()
				i, _ := s.places.Index(step.Setting)
				trusted := b.openModes(func(k int) bool { return b.trusted(s.limit, k, l.caution()) })
				b.ease = easeLeast
				if judged++; !b.trusted(s.limit, i, l.caution()) && len(trusted) > 0 {
					t.Errorf("%v, seed %d: %v is not trusted, %d others are", limit, seed, step.Mode, len(trusted))
				}
			}
			var err error
			if s, err = newSearch(t.Context(), optimizetest.OfModes(board.Measure), o); err != nil {
				t.Fatal(err)
			}
			if s.closedLoop(); judged == 0 {
				t.Errorf("%v, seed %d: no probe was judged", limit, seed)
			}
		}
	}
}

// While nothing measured keeps the limit, a setting that is not trusted is no choice, however much it promises, as long
// as one is trusted that may keep the limit.
func TestSeekFeasibleMeasuresATrustedMode(t *testing.T) {
	t.Parallel()
	board := optimizetest.New(t)
	s, err := newSearch(t.Context(), optimizetest.OfModes(board.Measure),
		TuneOptions{Limit: Limit{PowerW: 20}, Space: board.Space})
	if err != nil {
		t.Fatal(err)
	}
	sd, ln := []float64{0.05, 0.05, 0.05}, math.Log(20)
	time, power := []float64{5, 1, 5.5}, []float64{ln - 0.3, ln + 0.02, ln - 0.4}
	b := &belief{lnTime: time, lnPower: power, goal: time, sdTime: sd, sdPower: sd, sdGoal: sd, ownSDTime: sd,
		ownSDPower: sd, open: []bool{true, true, true}, hot: hotZ, ease: 1, drive: make([]float64, 3)}
	l := &loop{search: s}
	if b.trusted(s.limit, 1, l.caution()) || !b.trusted(s.limit, 0, l.caution()) {
		t.Fatal("nothing is tested")
	}
	if i, ok := l.seekFeasible(b); !ok || i != 0 {
		t.Errorf("mode %d is measured (%v), want the trusted one that is fastest, 0", i, ok)
	}
}

// A trusted mode stays below the hot limit even if it is faster than believed: with the deviations of power and what a
// mode two deviations faster draws.
func TestTrustedModesStayCoolIfTheyAreFaster(t *testing.T) {
	t.Parallel()
	board := optimizetest.New(t)
	decides := 0
	for _, w := range []float64{18, 22, 26, 30} {
		for n := 2; n < 8; n++ {
			s, err := newSearch(t.Context(), optimizetest.OfModes(board.Measure),
				TuneOptions{Limit: Limit{PowerW: w}, Space: board.Space})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range sampleOf(board, n) {
				i, _ := s.places.Index(r.Setting)
				s.read(i, r)
			}
			if err := s.fit(); err != nil {
				t.Fatal(err)
			}
			b := s.believe()
			faster := s.model.PowerIfFaster(s.model.Posterior(), 2, upTo(len(b.open)))
			for i := range b.open {
				own := hotZ * b.sdPower[i]
				most := math.Log(MaxOvershoot * w)
				switch trusted := b.trusted(s.limit, i, 0); {
				case b.open[i] && trusted && b.lnPower[i]+math.Hypot(own, faster[i]) > most+1e-9:
					t.Fatalf("%g W, %d modes: %v is trusted and may draw %.1f W", w, n, s.places.At(i).Mode,
						math.Exp(b.lnPower[i]+math.Hypot(own, faster[i])))
				case b.open[i] && !trusted && b.lnPower[i]+own <= most:
					decides++
				}
			}
		}
	}
	if decides == 0 {
		t.Error("what a faster mode draws decides nowhere: nothing is tested")
	}
}

// With a guarded time limit a search with a known mode within it measures none far over it.
func TestTuneKeepsAGuardedTimeLimit(t *testing.T) {
	t.Parallel()
	for _, ms := range []float64{80, 120, 200} {
		for seed := range uint64(3) {
			board := optimizetest.New(t)
			limit := Limit{TimeMS: ms, GuardTime: true}
			res, err := Tune(t.Context(), optimizetest.OfModes(board.Measure), TuneOptions{Limit: limit,
				Space: board.Space, Seed: seed, Compare: []tegra.Mode{board.Space.Max()}})
			if err != nil || !limit.Met(res.Measured) {
				t.Fatalf("%g ms, seed %d: %v, %v", ms, seed, res.Measured, err)
			}
			for _, p := range res.Probes {
				if p.TimeMS > MaxOvershoot*ms {
					t.Errorf("%g ms, seed %d: %v takes %.0f ms, predicted %.0f", ms, seed, p.Mode, p.TimeMS,
						p.Predicted.TimeMS)
				}
			}
		}
	}
}

// After known modes that count, the model's own deviations are wider.
func TestBeliefIsWiderAfterKnownModes(t *testing.T) {
	t.Parallel()
	board := optimizetest.New(t)
	s, err := newSearch(t.Context(), optimizetest.OfModes(board.Measure),
		TuneOptions{Limit: Limit{PowerW: 25}, Space: board.Space, Known: sampleOf(board, 8)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.fit(); err != nil {
		t.Fatal(err)
	}
	before := s.believe()
	s.closedLoop()
	if !s.checked {
		t.Fatal("the known modes were not checked")
	}
	s.checked = false
	plain := s.believe()
	s.checked = true
	after := s.believe()
	for i := range after.ownSDPower {
		if math.Abs(after.ownSDPower[i]/plain.ownSDPower[i]-knownDoubt) > 1e-9 ||
			math.Abs(after.ownSDTime[i]/plain.ownSDTime[i]-knownDoubt) > 1e-9 {
			t.Fatalf("mode %d: deviations %g and %g, %g and %g without the known modes", i, after.ownSDTime[i],
				after.ownSDPower[i], plain.ownSDTime[i], plain.ownSDPower[i])
		}
	}
	if before.hot != hotZ {
		t.Errorf("%g deviations to the hot limit without a profile", before.hot)
	}
}

// A probe over a power limit may trip the supply, so that power orders untrusted modes; time does where it alone is
// guarded.
func TestBeliefOrdersUntrustedModesByTheirHarm(t *testing.T) {
	t.Parallel()
	b := belief{lnTime: []float64{1}, lnPower: []float64{2}}
	for _, c := range []struct {
		l    Limit
		want float64
	}{{Limit{}, 2}, {Limit{PowerW: 5}, 2}, {Limit{PowerW: 5, TimeMS: 5, GuardTime: true}, 2},
		{Limit{TimeMS: 5, GuardTime: true}, 1}} {
		if got := b.harm(c.l, 0); got != c.want {
			t.Errorf("%+v: %g, want %g", c.l, got, c.want)
		}
	}
}

// A mode may meet a time limit whose distance is no more than the deviations that the search allows.
func TestBeliefCallsAModePossibleUpToItsDeviations(t *testing.T) {
	t.Parallel()
	for lnTime, want := range map[float64]bool{-1: true, 2: true, 2.01: false} {
		one := []float64{1}
		b := belief{lnTime: []float64{lnTime}, lnPower: []float64{0}, ownSDTime: one, ownSDPower: one}
		if got := b.possible(Limit{TimeMS: 1}, 0, 2); got != want {
			t.Errorf("%g deviations over the limit: %v", lnTime, got)
		}
	}
}

func TestPredictedFirstIsBeforeTheFirstReading(t *testing.T) {
	t.Parallel()
	at, other := tegra.Setting{Mode: tegra.Mode{Cores: 2}}, tegra.Setting{Mode: tegra.Mode{Cores: 4}}
	probe := func(at tegra.Setting, ms float64) (p Probe) {
		p.Setting, p.Predicted.TimeMS = at, ms
		return p
	}
	s := search{probes: []Probe{probe(other, 70), probe(at, 0), probe(at, 50), probe(at, 60)}}
	if got := s.predictedFirst(at); got.TimeMS != 50 {
		t.Errorf("got %g ms, want 50", got.TimeMS)
	}
	if got := s.predictedFirst(tegra.Setting{}); got.TimeMS != 0 {
		t.Errorf("of a mode that was not measured %g ms", got.TimeMS)
	}
}

func sampleOf(b *optimizetest.Board, n int) []tegra.Measured {
	var rows []tegra.Measured
	for _, m := range b.Space.Sample(n, 1) {
		rows = append(rows, b.Answer(m))
	}
	return rows
}
