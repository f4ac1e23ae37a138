package screening

import (
	"math"
	"testing"

	"jtune/internal/must"
	"jtune/optimize/energy"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// readings replays an energy study on a measured sweep, where each setting has one reading.
func readings(t *testing.T, s *Study, truth map[tegra.Mode]tegra.Measured) (list []tegra.Measured) {
	t.Helper()
	for {
		m, ok := s.Next(list, nil)
		if !ok {
			return list
		}
		r, known := truth[m]
		if !known {
			t.Fatalf("the study wants %s, which is not in the sweep", m)
		}
		list = append(list, r)
	}
}

// inferenceOf are the readings of one batch size of a published sweep of an AGX Orin.
func inferenceOf(t *testing.T, name string, batch int) (map[tegra.Mode]tegra.Measured, *tegra.Space) {
	t.Helper()
	truth := map[tegra.Mode]tegra.Measured{}
	var modes []tegra.Mode
	for _, m := range sweeptest.Settings(t, "infer/"+name) {
		if m.Batch == batch {
			m.Batch = 0
			truth[m.Mode] = m
			modes = append(modes, m.Mode)
		}
	}
	space := must.Get(tegra.NewSubspace(modes))(t)
	return truth, space
}

func TestStudyComesNearTheLeastOfTheMeasuredSweeps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		batch   int
		overAll float64 // of the least of all 441 modes; 0: that is a glitch
		saving  float64 // of the answer against the fastest mode, in percent, as the sweep has it
	}{
		{"mobnet_infer", 1, 1.05, 18},
		{"mobnet_infer", 16, 1.05, 11},
		// The lowest reading, 2.50 J in 8c/0.42C/0.93G/3.20M, is 3.09 by a fit to all 441. For the answer, 2.64 J, that
		// fit gives 2.95: it is better except for the luck of one reading.
		{"mobnet_infer", 64, 1.06, 34},
		{"resnet_infer", 1, 1.05, 16},
		{"resnet_infer", 16, 1.05, 35},
		{"resnet_infer", 64, 0, 45}, // at most 50: a cleaned answer; the glitch reads 63
	} {
		truth, space := inferenceOf(t, c.name, c.batch)
		s := NewStudy(space, 1, true)
		list := readings(t, s, truth)
		r := energy.Sum(space, list)
		if !r.Least.OK || len(list) > 40 {
			t.Fatalf("%s, batch %d: an answer is %v after %d settings", c.name, c.batch, r.Least.OK, len(list))
		}
		found := r.Least.V.EnergyJ()
		if r.Beyond.OK {
			found = r.Beyond.V.EnergyJ()
		}
		least, pairs := math.Inf(1), math.Inf(1)
		for _, m := range truth {
			least = min(least, m.EnergyJ())
		}
		for _, m := range s.Pairs() {
			pairs = min(pairs, truth[m].EnergyJ())
		}
		if r.Least.V.EnergyJ() > 1.05*pairs {
			t.Errorf("%s, batch %d: %.4f J, the least of the pairs is %.4f", c.name, c.batch, r.Least.V.EnergyJ(),
				pairs)
		}
		if c.overAll > 0 && found > c.overAll*least {
			t.Errorf("%s, batch %d: %.4f J after %d settings, the least of all is %.4f", c.name, c.batch, found,
				len(list), least)
		}
		if saving := 100 * (1 - found/truth[space.Max()].EnergyJ()); math.Abs(saving-c.saving) > 4 {
			t.Errorf("%s, batch %d: %.0f %% below the fastest mode, the sweep has %.0f", c.name, c.batch, saving,
				c.saving)
		}
	}
}

// At batch 32 the fastest mode of ResNet reads 58 mJ among neighbours of 165: an outlier that would win by far.
func TestStudyNeverAnnouncesAGlitch(t *testing.T) {
	t.Parallel()
	truth, space := inferenceOf(t, "resnet_infer", 32)
	s := NewStudy(space, 1, true)
	list := readings(t, s, truth)
	r := energy.Sum(space, list)
	top := space.Max()
	if r.Trusts(top) {
		t.Errorf("%s is trusted", top)
	}
	if r.Least.V.Mode == top || r.Within(truth[top].TimeMS).V.Mode == top {
		t.Errorf("%s is announced", top)
	}
	doubted := false
	for _, p := range r.Doubted() {
		doubted = doubted || p.Mode == top
	}
	if !doubted {
		t.Errorf("%s is not among the doubted ones", top)
	}
}

// made is a board on which energy is least at 1.0 GHz of CPU and 0.5 GHz of GPU.
func made() (map[tegra.Mode]tegra.Measured, *tegra.Space) {
	var cpu, gpu []tegra.Freq
	for i := range 10 {
		cpu = append(cpu, tegra.Freq(200+200*i)*tegra.MHz)
		gpu = append(gpu, tegra.Freq(100+100*i)*tegra.MHz)
	}
	space, err := tegra.NewSpace([]int{2, 4}, cpu, gpu, []tegra.Freq{1600 * tegra.MHz})
	if err != nil {
		panic(err)
	}
	truth := map[tegra.Mode]tegra.Measured{}
	for _, m := range space.All() {
		c, g := m.CPU.GHz(), m.GPU.GHz()
		r := tegra.Measured{TimeMS: 6/c + 10/g, PowerW: 2 + 1.2*c*c*c*float64(m.Cores)/4 + 5*g*g*g + 2*g}
		r.Mode = m
		truth[m] = r
	}
	return truth, space
}

func TestStudyGoesOnAsIfThereHadBeenNoInterruption(t *testing.T) {
	t.Parallel()
	truth, space := made()
	s := NewStudy(space, 3, true)
	whole := readings(t, s, truth)
	for _, n := range []int{10, 24, 27, 31, len(whole) - 3} {
		m, ok := NewStudy(space, 3, true).Next(whole[:n], nil)
		if !ok || m != whole[n].Mode {
			t.Errorf("after %d readings %s comes next, in one go %s", n, m, whole[n].Mode)
		}
	}
}

func TestStudyReadsWhatMayBeTheAnswerSeveralTimes(t *testing.T) {
	t.Parallel()
	truth, space := made()
	s := NewStudy(space, 3, false)
	list := readings(t, s, truth)
	r := energy.Sum(space, list)
	least := math.Inf(1)
	for _, m := range s.Pairs() {
		least = min(least, truth[m].EnergyJ())
	}
	if got := r.Least.V; got.N != 3 || got.EnergyJ() > 1.02*least || got.CVPct.V > 1e-9 {
		t.Errorf("%d readings of %.4f J, varying by %v %%; the least is %.4f", got.N, got.EnergyJ(), got.CVPct, least)
	}
	if n := len(list); n > s.Len()+6 {
		t.Errorf("%d readings, %d were expected", n, s.Len())
	}
	if g := r.Grid(); !g.LatencyFalls(0.02) || !g.InnerMinimum() {
		t.Errorf("latency falls: %v, inner minimum: %v", g.LatencyFalls(0.02), g.InnerMinimum())
	}
}

// A first reading at half of the true energy is read again, and the two others outvote it.
func TestStudyReadsAnOutlierAgain(t *testing.T) {
	t.Parallel()
	truth, space := made()
	s := NewStudy(space, 3, false)
	first, _ := s.Next(nil, nil)
	var list []tegra.Measured
	count := 0
	for {
		m, ok := s.Next(list, nil)
		if !ok {
			break
		}
		r := truth[m]
		if m == first {
			if count++; count == 1 {
				r.PowerW /= 2.5
			}
		}
		list = append(list, r)
	}
	r := energy.Sum(space, list)
	if count != 3 {
		t.Errorf("the outlier was read %d times", count)
	}
	if r.Least.V.Mode == first {
		t.Errorf("the outlier is announced: %+v", r.Least.V)
	}
}

func TestStudyLeavesOutWhatFails(t *testing.T) {
	t.Parallel()
	truth, space := made()
	s := NewStudy(space, 2, true)
	bad, _ := s.Next(nil, nil)
	var list []tegra.Measured
	for range 200 {
		m, ok := s.Next(list, []tegra.Mode{bad})
		if !ok {
			break
		}
		if m == bad {
			t.Fatal("the study wants a failed mode again")
		}
		list = append(list, truth[m])
	}
	if r := energy.Sum(space, list); !r.Least.OK || len(list) > 80 {
		t.Errorf("%d readings, an answer: %v", len(list), r.Least.OK)
	}
}
