package earlier

import (
	"math"
	"slices"
	"testing"
	"time"

	"jtune/optimize/optimizetest"
	"jtune/tegra"
)

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
// What a year of nightly searches measured is aligned at once: the time grows with the readings, not with their square.
func TestAlignTakesThousandsOfLists(t *testing.T) {
	t.Parallel()
	quickest := func(n int) (least time.Duration) {
		lists := make([][]tegra.Measured, n)
		for i := range lists {
			for k := range 13 { // each setting is in 32 lists, at most
				at := tegra.Setting{Mode: tegra.Mode{Cores: 1 + (13*i+k)%(n*2/5)}}
				lists[i] = append(lists[i], tegra.Measured{Setting: at, TimeMS: 50, PowerW: 20})
			}
		}
		for try := range 2 {
			began := time.Now()
			if rows, a := Align(lists); len(rows) != 13*n || a != (Alignment{}) {
				t.Errorf("%d rows, %+v", len(rows), a)
			}
			if took := time.Since(began); try == 0 || took < least {
				least = took
			}
		}
		return least
	}
	if few, many := quickest(150), quickest(1500); many > 35*few { // ten times the readings; their square: 100 times
		t.Errorf("ten times the readings took %v in place of %v", many, few)
	}
}

func TestCompareFindsModesAlikeWithinTheNoiseOfTwo(t *testing.T) {
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
		if got := Compare(before, later); got.Alike != c.alike || got.Modes != 2 || !got.Far {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// A mode without time or power, before or later, says nothing of a drift.
func TestCompareLeavesOutIncompleteReadings(t *testing.T) {
	t.Parallel()
	rows := sampleOf(optimizetest.New(t), 4)
	later := map[tegra.Setting]tegra.Measured{}
	for _, m := range rows {
		later[m.Setting] = Drift{0.1, 0.1}.Of(m)
	}
	rows[2].PowerW = 0
	later[rows[3].Setting] = tegra.Measured{Setting: rows[3].Setting, TimeMS: 100}
	if got := Compare(rows, later); got.Modes != 2 || !got.Alike || !got.Far || math.Abs(got.LnPower-0.1) > 1e-9 {
		t.Errorf("%+v, want two modes that have moved by 0.1", got)
	}
}

// A drift is far beyond 3 %, in time or in power.
func TestDriftIsFarBeyondWhatIsTolerated(t *testing.T) {
	t.Parallel()
	for d, want := range map[Drift]bool{{}: false, {LnTime: 0.03}: false, {LnTime: -0.031}: true,
		{LnPower: 0.03}: false, {LnPower: -0.031}: true} {
		if got := d.far(); got != want {
			t.Errorf("%v: %v", d, got)
		}
	}
}

func sampleOf(b *optimizetest.Board, n int) (rows []tegra.Measured) {
	for _, m := range b.Space.Sample(n, 1) {
		rows = append(rows, b.Answer(m))
	}
	return rows
}
