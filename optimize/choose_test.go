package optimize

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"jtune/internal/stats"
	"jtune/internal/tools/reliability"
	"jtune/learn"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// pred returns a prediction of a mode that differs from others by its cores.
func pred(cores int, timeMS, powerW, sdTime, sdPower float64) learn.Prediction {
	return learn.Prediction{
		Measured: tegra.Measured{Setting: tegra.Setting{Mode: tegra.Mode{Cores: cores}}, TimeMS: timeMS,
			PowerW: powerW},
		LnTimeSD:  sdTime,
		LnPowerSD: sdPower,
	}
}

// menu trades time for power; energies are 4.0, 3.2, 3.6, 3.0 and 5.0 J.
var menu = []learn.Prediction{
	pred(1, 100, 40, 0.1, 0.05),
	pred(2, 110, 29, 0.1, 0.05),
	pred(3, 120, 30, 0.1, 0.05), // beaten by 2
	pred(4, 200, 15, 0.1, 0.01),
	pred(5, 500, 10, 0.1, 0.01),
}

// Among modes within reading noise, the better known one is chosen.
func TestChooseKnownTakesTheBestKnownOfEquals(t *testing.T) {
	t.Parallel()
	measured := func(cores int, timeMS, powerW float64) learn.Prediction {
		return MeasuredPrediction(pred(cores, timeMS, powerW, 0, 0).Measured)
	}
	limit := metric.Watts(30)
	for _, c := range []struct {
		name  string
		known []learn.Prediction
		n     []int
		limit metric.Goal
		want  int
	}{
		{"measured before a likely one that is hardly faster",
			[]learn.Prediction{pred(1, 90.8, 29, 0.02, 0.02), measured(2, 90.9, 29.2)}, []int{0, 1}, limit, 1},
		{"a likely one that is faster by more than noise",
			[]learn.Prediction{pred(1, 88, 29, 0.02, 0.02), measured(2, 90.9, 29.2)}, []int{0, 1}, limit, 0},
		{"surely within before likely",
			[]learn.Prediction{pred(1, 90, 29, 0.02, 0.02), pred(2, 91, 28, 0.02, 0.01)},
			[]int{0, 0}, limit, 1},
		{"measured before surely within",
			[]learn.Prediction{pred(1, 90, 27, 0.02, 0.01), measured(2, 91, 29.2)}, []int{0, 1}, limit, 1},
		{"two readings are not before one that beats them in both",
			[]learn.Prediction{measured(1, 90, 28), measured(2, 91, 29.2)}, []int{1, 2}, limit, 0},
		{"of alike ones the fastest",
			[]learn.Prediction{measured(1, 91, 28), measured(2, 90, 29.2), measured(3, 90.5, 25)},
			[]int{1, 1, 1}, limit, 1},
		{"the best known of three, neither the first nor the fastest",
			[]learn.Prediction{pred(1, 90, 28, 0.02, 0.02), measured(2, 90.5, 28), pred(3, 91, 28, 0.02, 0.01)},
			[]int{0, 3, 0}, limit, 1},
		{"one measured over the limit counts for nothing",
			[]learn.Prediction{pred(1, 90, 29, 0.02, 0.02), measured(2, 90, 30.1)}, []int{0, 3}, limit, 0},
		{"a reading at the limit proves nothing",
			[]learn.Prediction{measured(1, 90, 29.9), measured(2, 95, 29.2)}, []int{1, 1}, limit, 1},
		{"at a larger risk it does", []learn.Prediction{measured(1, 90, 29.9), measured(2, 95, 29.2)}, []int{1, 1},
			metric.Goal{Limits: metric.Power.Max(30), Risk: 0.45}, 0},
		{"no mode beyond the slowdown",
			[]learn.Prediction{pred(1, 100, 40, 0, 0), pred(2, 109, 30, 0.01, 0.01), measured(3, 111, 30)},
			[]int{0, 0, 2}, metric.Goal{SlowerPct: 10}, 1},
		{"a measured one that is slower by the noise alone",
			[]learn.Prediction{pred(1, 100, 20, 0, 0.01), measured(2, 100*(1+sameValue), 19)}, []int{0, 1},
			metric.Watts(100), 1},
		{"not one that is slower by more",
			[]learn.Prediction{pred(1, 100, 20, 0, 0.01), measured(2, 100.1*(1+sameValue), 19)}, []int{0, 1},
			metric.Watts(100), 0},
		{"not one beyond the slowdown, however often it was read",
			[]learn.Prediction{measured(1, 100, 30), measured(2, 105, 20), measured(3, 120, 20)},
			[]int{1, 1, 2}, metric.Goal{SlowerPct: 10}, 1},
	} {
		got, err := ChooseKnown(c.known, func(i int) int { return c.n[i] }, c.limit)
		if err != nil || got != c.want {
			t.Errorf("%s: got %d (%v), want %d", c.name, got, err, c.want)
		}
		last := len(c.known) - 1 // the order of the list has no effect
		back := slices.Clone(c.known)
		slices.Reverse(back)
		got, err = ChooseKnown(back, func(i int) int { return c.n[last-i] }, c.limit)
		if err != nil || last-got != c.want {
			t.Errorf("%s, in reverse: got %d (%v), want %d", c.name, last-got, err, c.want)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		limit metric.Goal
		want  int // cores of the answer, 0 for infeasible
	}{
		{"no limit asks for the fastest", metric.Goal{}, 1},
		{"fastest under a power limit", metric.Goal{Limits: metric.Power.Max(30), Margin: metric.NoMargin}, 2},
		{"a limit may be met exactly", metric.Goal{Limits: metric.Power.Max(29), Margin: metric.NoMargin}, 2},
		{"the usual margin shuns what lies near the limit", metric.Watts(30), 4},
		{"a margin beyond all modes is infeasible", metric.Watts(10), 0},
		{"least power under a time limit", metric.Millis(250), 4},
		{"a time limit with margin leaves room", metric.Millis(210), 2},
		{"both limits give the least power that is fast enough",
			metric.Within(metric.Power.Max(32).And(metric.Time.Max(130))), 2},
		{"both limits can exclude each other", metric.Within(metric.Power.Max(12).And(metric.Time.Max(130))), 0},
		{"least energy", metric.LeastEnergy, 4},
		{"least energy within a time limit", metric.Goal{Limits: metric.Time.Max(130), Objective: metric.Energy}, 2},
		{"fastest within an energy", metric.Goal{Limits: metric.Energy.Max(3.3), Margin: metric.NoMargin}, 2},
		{"an energy with margin leaves room", metric.Within(metric.Energy.Max(3.4)), 4},
		{"least power within a time and an energy",
			metric.Goal{Limits: metric.Time.Max(250).And(metric.Energy.Max(3.1)), Margin: metric.NoMargin}, 4},
		{"too little energy", metric.Within(metric.Energy.Max(2.9)), 0},
		{"least power within ten percent of the fastest", metric.Goal{SlowerPct: 10.001}, 2},
		{"slowdown is counted from the fastest within the power limit", metric.Goal{Limits: metric.Power.Max(30),
			SlowerPct: 90}, 4},
		{"the knee", metric.Goal{Knee: true}, 2},
		{"too little power", metric.Watts(5), 0},
	} {
		got, err := Choose(menu, c.limit)
		if c.want == 0 {
			if !errors.Is(err, ErrInfeasible) {
				t.Errorf("%s: got %v, %v, want infeasible", c.name, got, err)
			}
			continue
		}
		if err != nil || menu[got].Mode.Cores != c.want {
			t.Errorf("%s: got %v, %v, want cores %d", c.name, menu[got].Mode, err, c.want)
		}
	}
}

func TestChooseNamesTheNearestMode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		limit metric.Goal
		want  int
	}{
		{"too little power: the mode of least power", metric.Watts(5), 5},
		{"too little time: the fastest", metric.Millis(50), 1},
		{"both: the least excess in all", metric.Within(metric.Power.Max(14).And(metric.Time.Max(190))), 4},
	} {
		_, err := Choose(menu, c.limit)
		var no *InfeasibleError
		if !errors.As(err, &no) || no.Nearest.Mode.Cores != c.want {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
}

func TestChooseTies(t *testing.T) {
	t.Parallel()
	same := []learn.Prediction{pred(1, 100, 20, 0, 0), pred(2, 100, 19, 0, 0), pred(3, 100, 19, 0, 0)}
	for _, l := range []metric.Goal{{}, metric.Watts(20), metric.Millis(100), {Objective: metric.Energy},
		{Knee: true}, {SlowerPct: 1}} {
		if got, err := Choose(same, l); err != nil || got != 1 {
			t.Errorf("%v: got %v, %v, want the first of the least power", l, same[got].Mode, err)
		}
	}
}

func TestChooseFromBadInput(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	good := pred(9, 100, 20, 0, 0)
	for _, bad := range []learn.Prediction{pred(1, nan, 1, 0, 0), pred(1, 1, nan, 0, 0), pred(1, 0, 0, 0, 0),
		pred(1, -1, 1, 0, 0), pred(1, 1, math.Inf(1), 0, 0), pred(1, 1, 1, nan, nan)} {
		got, err := Choose([]learn.Prediction{bad, good}, metric.Within(metric.Power.Max(30).And(metric.Time.Max(200))))
		if err != nil || got != 1 {
			t.Errorf("beside %v: got %v, %v, want the good one", bad, got, err)
		}
	}
	for _, list := range [][]learn.Prediction{nil, {pred(1, nan, nan, 0, 0)}} {
		if _, err := Choose(list, metric.Watts(30)); err == nil || errors.Is(err, ErrInfeasible) {
			t.Errorf("%d modes without a value: got %v, want an error of its own", len(list), err)
		}
	}
}

// A choice and a search refuse what is no limit, and say so.
func TestChooseAndTuneRejectLimitsThatAreNone(t *testing.T) {
	t.Parallel()
	b, nan := optimizetest.New(t), math.NaN()
	for _, l := range []metric.Goal{metric.Watts(-1), metric.Watts(nan), metric.Watts(math.Inf(1)), metric.Millis(-1),
		metric.Millis(nan), {Limits: metric.Power.Max(20).And(metric.Time.Max(nan))}, {Margin: -1},
		{SlowerPct: math.Inf(1)}, {Knee: true, Objective: metric.Energy}} {
		if _, err := Choose(menu, l); err == nil || errors.Is(err, ErrInfeasible) {
			t.Errorf("choose %+v: got %v, want an error about the limit", l, err)
		}
		if _, err := tuneOn(t, b, TuneOptions{Limits: goals(l)}); err == nil || errors.Is(err, ErrInfeasible) {
			t.Errorf("tune %+v: got %v, want an error about the limit", l, err)
		}
	}
	if len(b.Probed) != 0 {
		t.Errorf("%d modes were measured all the same", len(b.Probed))
	}
}

func TestChooseAsksNoMarginOfMeasuredModes(t *testing.T) {
	t.Parallel()
	rows := []tegra.Measured{
		{Setting: tegra.Setting{Mode: tegra.Mode{Cores: 1}}, TimeMS: 100, PowerW: 30},
		{Setting: tegra.Setting{Mode: tegra.Mode{Cores: 2}}, TimeMS: 90, PowerW: 30.1},
	}
	got, err := bestOf(rows, metric.Goal{Limits: metric.Power.Max(30), Margin: 5})
	if err != nil || got.Mode.Cores != 1 {
		t.Errorf("got %v, %v", got.Mode, err)
	}
}

func TestLimitSaysWhatItAsks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		l            metric.Goal
		words, brief string
	}{
		{metric.Watts(30), "fastest, power ≤ 30 W", "30 W"},
		{metric.Millis(120), "least power, time ≤ 120 ms", "120 ms"},
		{metric.Goal{Limits: metric.Power.Max(30).And(metric.Time.Max(12))},
			"least power, power ≤ 30 W, time ≤ 12 ms", "30 W and 12 ms"},
		{metric.Goal{Limits: metric.Energy.Max(3)}, "fastest, energy ≤ 3 J", "3 J"},
		{metric.Goal{Objective: metric.Energy}, "least energy", "least energy"},
		{metric.Goal{Knee: true}, "knee of the front", ""},
	} {
		if got := c.l.Words(); got != c.words {
			t.Errorf("got %q, want %q", got, c.words)
		}
		if got := c.l.Brief(); c.brief != "" && got != c.brief {
			t.Errorf("in brief %q, want %q", got, c.brief)
		}
	}
	_, err := Choose(menu, metric.Watts(5))
	if err == nil || !strings.Contains(err.Error(), "power ≤ 5 W") || !strings.Contains(err.Error(), "10.0 W") {
		t.Errorf("the error names limit and nearest: got %v", err)
	}
}

// FuzzChoose: for any predictions, an answer meets the limits with its margin, and no usable mode beats it; an error
// contains the nearest mode.
func FuzzChoose(f *testing.F) {
	f.Add(100.0, 40.0, 0.1, 110.0, 29.0, 0.05, 30.0, 0.0, 1.0)
	f.Add(math.NaN(), 40.0, 0.1, 110.0, math.Inf(1), 0.05, 30.0, 120.0, 0.0)
	f.Add(0.0, -1.0, math.NaN(), 1e-300, 1e300, 1e300, 1e-9, 1e9, 3.0)
	f.Fuzz(func(t *testing.T, t1, p1, s1, t2, p2, s2, limitW, limitMS, margin float64) {
		defer reliability.Input(t)()
		l := metric.Goal{Limits: metric.Power.Max(limitW).And(metric.Time.Max(limitMS)),
			Margin: metric.MarginOf(margin)}
		list := []learn.Prediction{pred(1, t1, p1, s1, s1), pred(2, t2, p2, s2, s2), pred(3, t2, p1, s1, s2)}
		got, err := Choose(list, l)
		var no *InfeasibleError
		switch {
		case err == nil:
			best := list[got]
			point := best.Measured
			if l.Excess(point, best.LnTimeSD, best.LnPowerSD) > 0 || !stats.Positive(point.TimeMS, point.PowerW) {
				t.Errorf("%+v does not keep %+v", best, l)
			}
			for _, p := range list {
				q := p.Measured
				if stats.Positive(q.TimeMS, q.PowerW) && l.Excess(q, p.LnTimeSD, p.LnPowerSD) <= 0 &&
					l.Better(q, point) {
					t.Errorf("%+v is better than %+v under %+v", q, point, l)
				}
			}
		case errors.As(err, &no):
			if !stats.Positive(no.Nearest.TimeMS, no.Nearest.PowerW) {
				t.Errorf("nearest is %+v", no.Nearest)
			}
		}
	})
}

// A value that replaces a network's impossible one is never chosen, however good it looks.
func TestChooseTakesNoClampedPrediction(t *testing.T) {
	t.Parallel()
	at := func(timeMS, powerW float64, clamped bool) learn.Prediction {
		p := MeasuredPrediction(tegra.Measured{TimeMS: timeMS, PowerW: powerW})
		p.Clamped = clamped
		return p
	}
	preds := []learn.Prediction{at(16.6, 27, true), at(190, 28, false), at(180, 35, false)}
	if i, err := Choose(preds, metric.Goal{Limits: metric.Power.Max(30), Margin: metric.NoMargin}); err != nil ||
		i != 1 {
		t.Errorf("%d, %v; want the mode of 190 ms", i, err)
	}
	preds[1].PowerW = 31
	if i, err := Choose(preds, metric.Goal{Limits: metric.Power.Max(30), Margin: metric.NoMargin}); !errors.Is(err,
		ErrInfeasible) || i != 1 {
		t.Errorf("%v; want none within 30 W, the nearest with 31", err)
	}
}
