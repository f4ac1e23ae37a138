package outlook

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/pareto"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// ofCores returns the measurement of a mode identified by its cores.
func ofCores(n int, ms, watts float64) tegra.Measured {
	mode := tegra.Mode{Cores: n, CPU: tegra.GHz, GPU: tegra.GHz, EMC: tegra.GHz}
	return tegra.Measured{Setting: tegra.Setting{Mode: mode}, TimeMS: ms, PowerW: watts}
}

// errsBy returns a sample of a mode with this number of cores, with a predicted time off by that many percent.
func errsBy(cores int, offPct float64) learn.LeftOut {
	m := ofCores(cores, 100, 20)
	p := optimize.MeasuredPrediction(m)
	p.TimeMS *= 1 + offPct/100
	p.TimeLoMS, p.TimeHiMS, p.PowerLoW, p.PowerHiW = 95, 110, 20, 20
	return learn.LeftOut{Measured: m, Prediction: p}
}

// The errors of a model by the values of a knob: in quarters of at least learn.LeastJudged modes, equal values
// together.
func TestRegionsAreQuartersOfEnoughModes(t *testing.T) {
	t.Parallel()
	least := learn.LeastJudged
	list := func(cores ...int) (a Assessment) {
		for _, n := range cores {
			a.Left = append(a.Left, errsBy(n, 1))
		}
		return a
	}
	numbers := func(n int) (out []int) {
		for i := range n {
			out = append(out, i+1)
		}
		return out
	}
	cores := func(a Assessment) (out []string) {
		for _, r := range a.Regions() {
			if r.Knob == tegra.KnobCores {
				out = append(out, fmt.Sprintf("%g-%g: %d", r.Lo, r.Hi, r.Modes))
			}
		}
		return out
	}
	if got := list(numbers(2*least - 1)...).Regions(); got != nil {
		t.Errorf("of %d modes: %v", 2*least-1, got)
	}
	two := list(numbers(2 * least)...)
	if d := cmp.Diff([]string{fmt.Sprintf("1-%d: %d", least, least), fmt.Sprintf("%d-%d: %d", least+1, 2*least, least)},
		cores(two)); d != "" {
		t.Errorf("two regions (-want +got):\n%s", d)
	}
	n := 4*least + 4 // a quarter is one more than the least
	var want []string
	for i := range 4 {
		want = append(want, fmt.Sprintf("%d-%d: %d", i*(least+1)+1, (i+1)*(least+1), least+1))
	}
	if d := cmp.Diff(want, cores(list(numbers(n)...))); d != "" {
		t.Errorf("quarters (-want +got):\n%s", d)
	}
	same := list(slices.Repeat([]int{4}, 2*least)...)
	if d := cmp.Diff([]string{fmt.Sprintf("4-4: %d", 2*least)}, cores(same)); d != "" {
		t.Errorf("equal values (-want +got):\n%s", d)
	}
	// A remainder forms no separate region.
	if got := cores(list(numbers(3*least - 1)...)); len(got) != 2 || !strings.Contains(got[1], fmt.Sprint(2*least-1)) {
		t.Errorf("a rest: %v", got)
	}
}

func TestWeakestIsARegionThatErrsTwiceAsMuch(t *testing.T) {
	t.Parallel()
	of := func(last float64) (a Assessment) {
		for i := range 4 * learn.LeastJudged {
			off := 2.5
			if i >= 3*learn.LeastJudged {
				off = last
			}
			a.Left = append(a.Left, errsBy(i+1, off))
		}
		return a
	}
	if r, ok := of(8).Weakest(); !ok || r.Knob != tegra.KnobCores || math.Abs(r.TimePct-8) > 1e-9 {
		t.Errorf("8 %% against 2.5: %+v, %v", r, ok)
	}
	if r, ok := of(4.9).Weakest(); ok {
		t.Errorf("4.9 %% is little: %+v", r)
	}
}

func TestHeldCountsSamplesWithinTheirBands(t *testing.T) {
	t.Parallel()
	a := Assessment{Left: []learn.LeftOut{errsBy(1, 0), errsBy(2, 0), errsBy(3, 0)}}
	a.Left[0].Measured.TimeMS, a.Left[1].Measured.TimeMS, a.Left[2].Measured.TimeMS = 110, 95, 110.1 // ends are within
	a.Left[2].Measured.PowerW = 20.1
	if time, power := a.Held(); time != 2 || power != 2 {
		t.Errorf("%d in time and %d in power", time, power)
	}
}

func TestDefaultPowerIsTheMiddlePreset(t *testing.T) {
	t.Parallel()
	for want, names := range map[float64][]string{30: nil, 15: {"15W"}, 25: {"MAXN", "15W", "25W"},
		20: {"20W", "50W", "10W"}} {
		var presets []tegra.Preset
		for _, n := range names {
			presets = append(presets, tegra.Preset{Name: n})
		}
		if got := DefaultPowerW(presets); got != want {
			t.Errorf("%v: %g W, want %g", names, got, want)
		}
	}
}

// The batch sizes to choose from: the given ones, the workload's own, and one and two octaves around it.
func TestBatchChoicesAreOctavesAroundTheOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		own           int
		asked         []int
		replay, fixed bool
		want          [][]int
	}{
		{16, nil, false, false, [][]int{{16}, {8, 16, 32}, {4, 8, 16, 32, 64}}},
		{1, nil, false, false, [][]int{{1}, {1, 2}, {1, 2, 4}}},
		{16, []int{5}, false, false, [][]int{{5}, {16}, {8, 16, 32}, {4, 8, 16, 32, 64}}},
		{16, []int{5}, true, false, [][]int{{5}}},
		{0, nil, false, false, [][]int{{0}}}, {16, nil, false, true, [][]int{{16}}},
	} {
		if d := cmp.Diff(c.want, BatchChoices(c.own, c.asked, c.replay, c.fixed)); d != "" {
			t.Errorf("%+v (-want +got):\n%s", c, d)
		}
	}
}

// Differences are in percent of the other; the band combines both predictions, as if independent.
func TestComparisonHasTheBandOfBothModes(t *testing.T) {
	t.Parallel()
	m := ofCores
	chosen := optimize.MeasuredPrediction(m(4, 150, 20))
	chosen.TimeLoMS, chosen.TimeHiMS = 150*math.Exp(-0.3), 150*math.Exp(0.3)
	chosen.PowerLoW, chosen.PowerHiW = 20*math.Exp(-0.4), 20*math.Exp(0.4)
	c := comparer{chosen: chosen, at: map[tegra.Mode]tegra.Measured{m(8, 0, 0).Mode: m(8, 100, 40)}}
	got := c.with("MAXN", m(8, 0, 0).Mode)
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	if !near(got.TimePct, 50) || !near(got.PowerPct, -50) || !near(got.EnergyPct, -25) || !got.Measured ||
		!near(got.Lo.TimePct, 150*math.Exp(-0.3)-100) || !near(got.Hi.PowerPct, 50*math.Exp(0.4)-100) ||
		!near(got.Lo.EnergyPct, 75*math.Exp(-0.5)-100) || !near(got.Hi.EnergyPct, 75*math.Exp(0.5)-100) {
		t.Errorf("%+v", got)
	}
	if c.with("another", m(2, 0, 0).Mode) != nil {
		t.Error("a mode of which nothing is known is compared")
	}
	if d := MedianOf([]Difference{{1, 10, 100}, {3, 30, 300}, {2, 20, 200}}); d != (Difference{2, 20, 200}) {
		t.Errorf("medians %+v", d)
	}
	if d := MedianOf(nil); d != (Difference{}) {
		t.Errorf("medians of none %+v", d)
	}
	words := map[string]Comparison{"measured": {Measured: true}, "extrapolated": {Extrapolated: true}, "predicted": {}}
	for want, c := range words {
		if c.How() != want {
			t.Errorf("%+v is %s", c, c.How())
		}
	}
}

func TestPresentNameSaysWhatItsClocksAre(t *testing.T) {
	t.Parallel()
	known := tegra.Some(tegra.Mode{Cores: 4})
	for want, s := range map[string]tegra.Setup{
		"present, free clocks": {},
		"present, locked":      {Mode: known, Locked: tegra.Some(false)},
		"present":              {Mode: known, Locked: tegra.Some(true)},
	} {
		if got := PresentName(s); got != want {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
	if got := PresentName(tegra.Setup{Mode: known}); got != "present" {
		t.Errorf("unknown clocks: %q", got)
	}
}

// The fronts of a board on which each mode is slower and thriftier than the one before, and takes more energy.
func TestOutlookHasAFrontForEachPlane(t *testing.T) {
	t.Parallel()
	o := lineOutlook(t)
	forth := make([]int, len(o.Known))
	for i := range forth {
		forth[i] = i
	}
	back := slices.Clone(forth)
	slices.Reverse(back)
	for i, want := range [][]int{forth, {0}, back} {
		if d := cmp.Diff(want, o.Front(i)); d != "" {
			t.Errorf("plane %d (-want +got):\n%s", i, d)
		}
	}
	if d := cmp.Diff([]int{2, 5}, o.FrontAmong(0, []int{2, 5})); d != "" {
		t.Errorf("of two modes (-want +got):\n%s", d)
	}
	if got := o.Columns()[pareto.Power][3]; got != 37 {
		t.Errorf("the power of mode 3 is %g W", got)
	}
}

// Modes of one batch size compare by the minibatch, of several by the sample.
func TestOutlookComparesSeveralSizesByTheSample(t *testing.T) {
	t.Parallel()
	sized := func(n, batch int, ms float64) tegra.Measured {
		m := ofCores(n, ms, 20)
		m.Batch = batch
		return m
	}
	one := Measured([]tegra.Measured{sized(1, 16, 160), sized(2, 16, 80)}, learn.Provenance{})
	if got := one.Columns()[pareto.Time]; one.Several() || got[0] != 160 || got[1] != 80 {
		t.Errorf("one size: several %v, %v ms", one.Several(), got)
	}
	two := Measured([]tegra.Measured{sized(1, 16, 160), sized(2, 8, 96)}, learn.Provenance{})
	if got := two.Columns()[pareto.Time]; !two.Several() || got[0] != 10 || got[1] != 12 {
		t.Errorf("two sizes: several %v, %v ms", two.Several(), got)
	}
}

// A reading that disagrees with all others is in doubt until the mode is read again.
func TestOutlookDoubtsASuspiciousReadingUntilTheNext(t *testing.T) {
	t.Parallel()
	o := lineOutlook(t)
	odd := tegra.Measured{Setting: tegra.Setting{Mode: o.Known[3].Mode}, TimeMS: 5, PowerW: 5}
	m := &learn.Model{Space: o.space, Suspicious: []tegra.Setting{odd.Setting}}
	o = By(line{}, "w", m, []tegra.Measured{odd}, o.space)
	if a := o.At(3); a.Measured() || !a.Doubted.OK || a.Doubted.V.TimeMS != 5 || len(o.Doubted()) != 1 {
		t.Errorf("%+v", a)
	}
	again := o.With(tegra.Measured{Setting: odd.Setting, TimeMS: 66, PowerW: 36})
	if a := again.At(3); !a.Measured() || a.Doubted.OK || a.Best().TimeMS != 66 || len(again.Doubted()) != 0 {
		t.Errorf("once more read: %+v", a)
	}
	if !o.At(3).Doubted.OK {
		t.Error("the outlook before has changed")
	}
}

// The result of a search is the answer to its limit, for its own batch size.
func TestOutlookChoosesWhatASearchFound(t *testing.T) {
	t.Parallel()
	o, l := lineOutlook(t), metric.Watts(36)
	found := tegra.Setting{Mode: o.Known[5].Mode}
	o.Found = map[metric.Question]Answered{{Limit: l}: {Setting: found}}
	if at, err := o.Choose(l); err != nil || at != 5 {
		t.Errorf("got %d, %v, want what was found, 5", at, err)
	}
	if at, _ := o.Choose(metric.Watts(37)); at == 5 {
		t.Error("what was found for one limit answers another")
	}
	found.Batch = 16
	o.Found[metric.Question{Limit: l}] = Answered{Setting: found}
	for batch, want := range map[int]bool{0: true, 8: false, 16: true} { // 0: unknown
		for i := range o.Predicted {
			o.Predicted[i].Batch, o.Known[i].Batch = batch, batch
		}
		if at, _ := o.Choose(l); (at == 5) != want {
			t.Errorf("what was found for batch size 16 answers for %d: %v", batch, at == 5)
		}
	}
}
