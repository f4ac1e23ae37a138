package optimize

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"jtune/optimize/optimizetest"
	"jtune/tegra"
)

// knownOf searches for a limit and returns what that measured.
func knownOf(t *testing.T, b *optimizetest.Board, l Limit) []tegra.Measured {
	t.Helper()
	res, err := tuneModes(t.Context(), b.Measure, TuneOptions{Limit: l, Space: b.Space, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	var out []tegra.Measured
	for _, p := range res.Probes {
		out = append(out, p.Measured)
	}
	return out
}

func TestTuneStartsFromWhatIsKnown(t *testing.T) {
	t.Parallel()
	o := TuneOptions{Limit: Limit{PowerW: 25}, Space: optimizetest.New(t).Space, Seed: 4}
	o.Known = append(knownOf(t, optimizetest.New(t), o.Limit),
		tegra.Measured{Setting: tegra.Setting{Mode: tegra.Mode{Cores: 99}}, TimeMS: 1, PowerW: 1},
		tegra.Measured{Setting: tegra.Setting{Mode: o.Space.Max()}, TimeMS: math.NaN(), PowerW: 1})
	for name, c := range map[string]struct {
		limit Limit
		most  int
	}{
		"the same limit": {Limit{PowerW: 25}, 3},
		"another":        {Limit{PowerW: 20}, 5}, "one on time": {Limit{TimeMS: 90}, 5}} {
		b := optimizetest.New(t)
		o := o
		o.Limit = c.limit
		res, err := tuneModes(t.Context(), b.Measure, o)
		best, _ := bestOf(b.All(), c.limit)
		got, _ := c.limit.objective().value(res.Measured)
		want, _ := c.limit.objective().value(best.Measured)
		if err != nil || len(b.Probed) > c.most || got > 1.03*want || !res.Verified || res.Known == 0 {
			t.Errorf("%s: %d probes for %v of %v, verified %v, %d known: %v", name, len(b.Probed), res.Measured,
				best.Measured, res.Verified, res.Known, err)
		}
		if len(res.Warnings) > 0 || res.Drift != (Drift{}) {
			t.Errorf("%s: nothing has moved, yet %v %q", name, res.Drift, res.Warnings)
		}
	}
}

// A known winner is measured again before it is the answer.
func TestTuneMeasuresAKnownWinnerAgain(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	known := knownOf(t, b, Limit{PowerW: 25})
	b.Probed = nil
	res, err := tuneModes(t.Context(), b.Measure, TuneOptions{Limit: Limit{PowerW: 25}, Space: b.Space, Known: known})
	if err != nil || !slices.Contains(b.Probed, res.Mode) {
		t.Errorf("answer %v was not measured by this search, which probed %v: %v", res.Mode, b.Probed, err)
	}
}

// A room that is warmer, a driver that is slower: all modes move by as much.
func TestKnownModesCountWithTheDriftOfTheBoard(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	known := knownOf(t, b, Limit{PowerW: 25})
	b.Shake = func(_ int, r *tegra.Measured) { r.TimeMS, r.PowerW = r.TimeMS*1.12, r.PowerW*1.06 }
	res, err := tuneModes(t.Context(), b.Measure, TuneOptions{Limit: Limit{PowerW: 25}, Space: b.Space, Known: known})
	if err != nil || math.Abs(res.Drift.LnTime-math.Log(1.12)) > 0.02 ||
		math.Abs(res.Drift.LnPower-math.Log(1.06)) > 0.02 {
		t.Errorf("drift %v, want 12 %% in time and 6 %% in power: %v", res.Drift, err)
	}
	if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "drifted") {
		t.Errorf("warnings %q", res.Warnings)
	}
	var now []tegra.Measured
	for _, m := range b.All() {
		m.TimeMS, m.PowerW = m.TimeMS*1.12, m.PowerW*1.06
		now = append(now, m)
	}
	if best, _ := bestOf(now, Limit{PowerW: 25}); res.Measured.TimeMS > 1.03*best.TimeMS || res.Measured.PowerW > 25 {
		t.Errorf("answer %v, the best is %v", res.Measured, best.Measured)
	}
}

// A search of two measurements checks two modes: one that is off alone says nothing about the others.
func TestKnownModesAreCheckedByTwoInAShortSearch(t *testing.T) {
	t.Parallel()
	for second, count := range map[float64]bool{1.2: true, 1: false} {
		b := optimizetest.New(t)
		known := knownOf(t, b, Limit{PowerW: 25})
		off := []float64{1.2, second}
		b.Shake = func(_ int, r *tegra.Measured) {
			r.TimeMS *= off[0]
			off = off[1:]
		}
		res, err := tuneModes(t.Context(), b.Measure, TuneOptions{Limit: Limit{PowerW: 25}, Space: b.Space,
			Known: known, Probes: 2})
		if len(res.Probes) != 2 || res.Probes[0].Mode == res.Probes[1].Mode || (res.Known > 0) != count {
			t.Errorf("%+v: %d known modes count, %v, %v", res.Probes, res.Known, res.Drift, err)
		}
	}
}

// Another version of a job, or other data: the known modes are useless.
func TestKnownModesThatDoNotFollowAreSetAside(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	known := knownOf(t, b, Limit{PowerW: 25})
	for i := range known {
		known[i].TimeMS *= 0.5 + 0.25*float64(i%5)
		known[i].PowerW *= 0.6 + 0.1*float64(i%4)
	}
	res, err := tuneModes(t.Context(), b.Measure, TuneOptions{Limit: Limit{PowerW: 25}, Space: b.Space, Known: known})
	best, _ := bestOf(b.All(), Limit{PowerW: 25})
	if err != nil || res.Known != 0 || res.Measured.TimeMS > 1.05*best.TimeMS {
		t.Errorf("%d known, answer %v, the best is %v: %v", res.Known, res.Measured, best.Measured, err)
	}
	if len(res.Warnings) != 1 || !strings.Contains(res.Warnings[0], "set aside") {
		t.Errorf("warnings %q", res.Warnings)
	}
}

func TestKnownModesAreNotUsedByOtherStrategies(t *testing.T) {
	t.Parallel()
	known := knownOf(t, optimizetest.New(t), Limit{PowerW: 25})
	for _, strategy := range []Strategy{Binary, Random} {
		with, without := optimizetest.New(t), optimizetest.New(t)
		o := TuneOptions{Limit: Limit{PowerW: 25}, Space: with.Space, Strategy: strategy, Probes: 20}
		_, err := tuneModes(t.Context(), without.Measure, o)
		o.Known = known
		_, err2 := tuneModes(t.Context(), with.Measure, o)
		if err != nil || err2 != nil || !slices.Equal(with.Probed, without.Probed) {
			t.Errorf("%s: %d probes with known modes, %d without: %v, %v",
				strategy, len(with.Probed), len(without.Probed), err, err2)
		}
	}
}

func TestKnownSearchKeepsItsHandsOffHotModes(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	var known []tegra.Measured
	for i, m := range b.All() {
		if i%40 == 0 && m.PowerW > 22 {
			known = append(known, m)
		}
	}
	res, err := tuneModes(t.Context(), b.Measure, TuneOptions{Limit: Limit{PowerW: 16}, Space: b.Space, Known: known})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range res.Probes {
		if p.PowerW > MaxOvershoot*16 {
			t.Errorf("%v draws %.1f W for a limit of 16", p.Mode, p.PowerW)
		}
	}
}

func TestAlignMovesOldListsToLaterOnes(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	all := b.All()
	moved := func(from, n int, time, power float64) []tegra.Measured {
		out := slices.Clone(all[from : from+n])
		for i := range out {
			out[i].TimeMS, out[i].PowerW = out[i].TimeMS*time, out[i].PowerW*power
		}
		return out
	}
	scrambled := moved(8, 6, 1, 1)
	for i := range scrambled {
		scrambled[i].TimeMS *= 1.1 + 0.1*float64(i)
	}
	for name, c := range map[string]struct {
		lists            [][]tegra.Measured
		aligned, leftOut int
		rows             int
	}{
		"none":                 {nil, 0, 0, 0},
		"nothing in common":    {[][]tegra.Measured{moved(0, 5, 1.2, 1.1), moved(5, 5, 1, 1)}, 0, 0, 10},
		"one mode in common":   {[][]tegra.Measured{moved(0, 5, 1.2, 1.1), moved(4, 5, 1, 1)}, 0, 0, 10},
		"two modes, not moved": {[][]tegra.Measured{moved(0, 5, 1.02, 0.98), moved(3, 5, 1, 1)}, 0, 0, 10},
		"two modes, moved":     {[][]tegra.Measured{moved(0, 5, 1.2, 1.1), moved(3, 5, 1, 1)}, 1, 0, 10},
		"moved over and over": {
			[][]tegra.Measured{moved(0, 5, 1.4, 1.2), moved(3, 5, 1.2, 1.1), moved(6, 5, 1, 1)}, 2, 0, 15,
		},
		"another workload, it seems": {[][]tegra.Measured{scrambled, moved(10, 5, 1, 1)}, 0, 1, 5},
		"one mode of each of two lists, moved": {
			[][]tegra.Measured{moved(0, 5, 1.2, 1.1), moved(5, 5, 1.2, 1.1), moved(4, 2, 1, 1)}, 2, 0, 12,
		},
		"a list of its own drift": {
			[][]tegra.Measured{moved(0, 5, 1.4, 1.1), moved(5, 5, 1.2, 1.1), moved(3, 4, 1, 1)}, 2, 0, 14,
		},
		"a list that is off between two that agree": {
			[][]tegra.Measured{moved(0, 5, 1, 1), scrambled, moved(3, 8, 1, 1)}, 0, 1, 13,
		},
	} {
		before := len(slices.Concat(c.lists...))
		rows, a := Align(c.lists)
		if a.Moved != c.aligned || a.LeftOut != c.leftOut || len(rows) != c.rows || before-len(rows) != a.LeftOutRows {
			t.Errorf("%s: %+v, %d rows; want %d moved, %d left out, %d rows", name, a, len(rows),
				c.aligned, c.leftOut, c.rows)
		}
		if (a.String() == "") != (c.aligned+c.leftOut == 0) {
			t.Errorf("%s: %+v prints as %q", name, a, a.String())
		}
		if c.aligned == 0 {
			continue
		}
		for _, m := range rows {
			want := b.Answer(m.Mode)
			if math.Abs(m.TimeMS/want.TimeMS-1) > 1e-9 || math.Abs(m.PowerW/want.PowerW-1) > 1e-9 {
				t.Errorf("%s: %v, want %v", name, m, want)
			}
		}
	}
}

// Modes have drifted alike if their changes differ by no more than two readings may.
func TestDriftedModesAreAlikeWithinTheNoiseOfTwo(t *testing.T) {
	t.Parallel()
	before := sampleOf(optimizetest.New(t), 2)
	for _, c := range []struct {
		time, power float64 // by how much more the second has changed than the first, in logarithms
		alike       bool
	}{{0, 0, true}, {0.05, -0.05, true}, {0.07, 0, false}, {0, 0.07, false}, {0, -0.07, false}} {
		later := map[tegra.Setting]tegra.Measured{}
		for i, m := range before {
			d := Drift{0.1 + float64(i)*c.time, 0.1 + float64(i)*c.power}
			later[m.Setting] = d.Of(m)
		}
		if got := drifted(before, later); got.alike != c.alike || got.modes != 2 || !got.far {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// A random part of many known modes is fitted, and all that the search measures itself, whether the others are kept,
// moved or set aside.
func TestSearchFitsItsOwnReadingsOfManyKnownModes(t *testing.T) {
	t.Parallel()
	const own = 4
	for name, c := range map[string]struct {
		change func(*search)
		want   int
	}{
		"kept":      {func(*search) {}, mostKnown + own},
		"moved":     {func(s *search) { s.shift(Drift{LnTime: 0.1}) }, mostKnown + own},
		"set aside": {func(s *search) { s.setAside(s.probes[0], Drift{LnTime: 0.1}) }, own},
	} {
		known := optimizetest.New(t).All()[:2*mostKnown]
		s, _ := searchOn(t, TuneOptions{Limit: Limit{PowerW: 30}, Known: known})
		left := slices.Sorted(maps.Keys(s.unfitted))
		for _, i := range left[1:own] {
			s.probe(i, Verify)
		}
		c.change(s)
		s.probe(left[0], Verify)
		if got := len(s.samples()); got != c.want {
			t.Errorf("%s: %d modes are fitted, want %d", name, got, c.want)
		}
	}
}

// A mode without time or power, before or later, says nothing of a drift.
func TestDriftedLeavesOutIncompleteReadings(t *testing.T) {
	t.Parallel()
	rows := sampleOf(optimizetest.New(t), 4)
	later := map[tegra.Setting]tegra.Measured{}
	for _, m := range rows {
		later[m.Setting] = Drift{0.1, 0.1}.Of(m)
	}
	rows[2].PowerW = 0
	later[rows[3].Setting] = tegra.Measured{Setting: rows[3].Setting, TimeMS: 100}
	got := drifted(rows, later)
	if got.modes != 2 || !got.alike || !got.far || math.Abs(got.LnPower-0.1) > 1e-9 {
		t.Errorf("%+v, want two modes that have moved by 0.1", got)
	}
}
