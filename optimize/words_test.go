package optimize

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// inCores is a setting of a mode that its number of cores names.
func inCores(n int) tegra.Setting {
	return tegra.Setting{Mode: tegra.Mode{Cores: n, CPU: tegra.GHz, GPU: tegra.GHz, EMC: tegra.GHz}}
}

func reading(n int, ms, watts float64) tegra.Measured {
	return tegra.Measured{Setting: inCores(n), TimeMS: ms, PowerW: watts}
}

func TestLimitTakesFractionsAndRefusesNonsense(t *testing.T) {
	t.Parallel()
	for _, l := range []metric.Goal{{}, metric.Watts(0.5), metric.Millis(0.2), {Limits: metric.Energy.Max(0.7)},
		{SlowerPct: 0.5}, {Knee: true},
		{Limits: metric.Power.Max(3), Objective: metric.Energy}} {
		if err := l.Check(); err != nil {
			t.Errorf("%v: %v", l, err)
		}
	}
	for _, l := range []metric.Goal{metric.Watts(-0.1), metric.Millis(math.NaN()), metric.Millis(1e-300),
		{Limits: metric.Energy.Max(math.Inf(1))}, {SlowerPct: -1},
		{Margin: -1}, {Knee: true, Objective: metric.Energy}, {Objective: metric.Time, SlowerPct: 5}} {
		if err := l.Check(); err == nil {
			t.Errorf("%+v is taken", l)
		}
	}
}

func TestMostProbesGrowsWithTheLimits(t *testing.T) {
	t.Parallel()
	if MostProbes(1) != DefaultProbes || MostProbes(3) != DefaultProbes+20 || MostServed(1) != 14 ||
		MostServed(2) != 24 {
		t.Errorf("got %d, %d, %d, %d", MostProbes(1), MostProbes(3), MostServed(1), MostServed(2))
	}
}

// A step describes in a few words what the search does next and why.
func TestStepSaysWhyItMeasures(t *testing.T) {
	t.Parallel()
	l := metric.Watts(30)
	gain, keeps := tegra.Some(0.05), tegra.Some(0.9)
	toward := inCores(3)
	for want, s := range map[string]Step{
		"the mode that the board is in: what the answer is compared with":          {Why: Before},
		"the vendor's best preset for this goal: what the answer is compared with": {Why: Vendor},
		"nothing is known yet: a mode that shows what each clock does":             {Why: Start},
		"spread over all modes: for a model of the whole front":                    {Why: Start, Keeps: keeps},
		"no mode fits 30 W: what the nearest one does":                             {Why: Verify, Nearest: true},
		"once more: one reading may be luck":                                       {Why: Verify},
		"expected gain on the best so far 5 %, 90 % sure to fit 30 W":              {Gain: gain, Keeps: keeps},
		"expected gain on the best so far 5 %":                                     {Gain: gain},
		"none fits 30 W yet: this one is 90 % sure to fit 30 W":                    {Keeps: keeps},
		"drawn at random": {},
		"expected gain on the best so far below 0.1 %": {Gain: tegra.Some(0.0009)},
		"expected gain on the best so far 0.1 %":       {Gain: tegra.Some(0.001)},
		"expected gain on the best so far 3.2 %":       {Gain: tegra.Some(0.032)},
		"expected gain on the best so far 163 %":       {Gain: tegra.Some(1.63)},
		"expected gain on the best so far 10 %":        {Gain: tegra.Some(0.1)},
		"expected gain on the best so far 12 %, 0 % sure to fit 30 W": {
			Gain: tegra.Some(0.123), Keeps: tegra.Some(0.0)},
		"most informative about " + toward.Mode.String() + ", not yet trusted to fit 30 W": {
			Toward: tegra.Some(toward)},
	} {
		if s.Limit = l; s.String() != want {
			t.Errorf("got %q, want %q", s, want)
		}
	}
}

// The display of a step before it is measured: no chance without a limit.
func TestStepKnowsItsChanceOnlyUnderALimit(t *testing.T) {
	t.Parallel()
	for l, limited := range map[metric.Goal]bool{metric.Watts(25): true, metric.Millis(110): true,
		{Objective: metric.Energy}: false} {
		b, late := optimizetest.New(t), 0
		_, err := tuneOn(t, b, TuneOptions{Limits: goals(l), Seed: 3, Probes: 8, Choosing: func(s Step) {
			if s.PowerW.OK {
				if late++; s.Keeps.OK != limited {
					t.Errorf("%v: %+v", l, s)
				}
			}
		}})
		if err != nil || late == 0 {
			t.Errorf("%v: %d steps with a prediction, %v", l, late, err)
		}
	}
}

// A baseline is the mean of this search's readings of a setting, else the last earlier measurement.
func TestBaselinesAreTheNewestReadings(t *testing.T) {
	t.Parallel()
	b := Baselines{Present: tegra.Some(inCores(2)), Warm: []tegra.Measured{reading(2, 100, 20), reading(2, 110, 22),
		reading(3, 50, 30)}}
	probes := []Probe{{Measured: reading(3, 40, 31)}, {Measured: reading(2, 1, 1), Err: context.Canceled},
		{Measured: reading(3, 44, 33)}}
	c := comparing{search: &search{probes: probes, o: TuneOptions{Baselines: b}}}
	for n, want := range map[int]tegra.Mean{
		2: {Measured: reading(2, 105, 21), N: 2}, // a failed probe reads nothing
		3: {Measured: reading(3, 42, 32), N: 2},
		4: {},
	} {
		if d := cmp.Diff(want, c.baseline(tegra.Some(inCores(n)))); d != "" {
			t.Errorf("%d cores (-want +got):\n%s", n, d)
		}
	}
	if got := b.Probes(); got != 0 {
		t.Errorf("a present mode that was just measured takes %d probes", got)
	}
	b.Warm, b.Presets = nil, []tegra.Preset{}
	if got := b.Probes(); got != 2 {
		t.Errorf("the present mode and a preset take %d probes", got)
	}
}

// The present mode is measured once, also for several limits.
func TestTuneMeasuresThePresentModeOnceForAllLimits(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	res := must.Get(tuneOn(t, b, TuneOptions{Limits: goals(metric.Watts(20), metric.Watts(30)), Seed: 3,
		Baselines: Baselines{Present: tegra.Some(tegra.Setting{Mode: b.Space.Max()})}}))(t)
	n := 0
	for i, p := range res.Probes {
		if p.Why == Before {
			if n++; i != 0 || p.Mode != b.Space.Max() {
				t.Errorf("probe %d measures the present mode: %v", i, p.Mode)
			}
		}
	}
	if n != 1 {
		t.Errorf("the present mode is measured %d times", n)
	}
}

func TestArgmaxKeepsTheFirstOfEquals(t *testing.T) {
	t.Parallel()
	a := newArgmax()
	for i, v := range [][2]float64{{1, 0}, {2, 1}, {2, 1}, {2, 3}, {1, 9}} {
		a.offer(i, v[0], v[1])
	}
	b := newArgmax()
	b.offer(7, -5, 0)
	b.offer(8, -5, 0)
	if a.index != 3 || b.index != 7 {
		t.Errorf("got %d and %d", a.index, b.index)
	}
}

// A search over batch sizes names its settings, and the time of one as that of a minibatch.
func TestInfeasibleErrorSaysOfWhatItsTimeIs(t *testing.T) {
	t.Parallel()
	for batch, want := range map[int]string{
		0: "none of 3 modes measured surely meets the limit (fastest, power ≤ 4 W): nearest measured is " +
			"2c/0.50C/0.30G/0.20M with 80.0 ms and 5.00 W",
		8: "none of 3 settings measured surely meets the limit (fastest, power ≤ 4 W): nearest measured is " +
			"2c/0.50C/0.30G/0.20M with 80.0 ms per minibatch of 8 and 5.00 W",
	} {
		mode := tegra.Mode{Cores: 2, CPU: 500 * tegra.MHz, GPU: 300 * tegra.MHz, EMC: 200 * tegra.MHz}
		at := tegra.Setting{Mode: mode, Batch: batch}
		e := InfeasibleError{Limit: metric.Watts(4), Nearest: tegra.Measured{Setting: at, TimeMS: 80, PowerW: 5},
			Measured: true, Tried: 3, Of: tegra.NameOfSettings([]int{8, 16}[:1+min(1, batch)])}
		if got := e.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
