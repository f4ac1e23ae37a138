package virtual

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"jtune/tegra"
	"jtune/tegra/virtual/physics"
)

// The laws of the 2022 study on its three boards. Numbers are its own; slacks beside them are ours.
//
//	 1  page cache                    TestStudyLawsOfTheCache, TestColdPageCacheStallsTheFirstEpochOnly
//	 2  small data                    TestStudyLawsOfTheCache
//	 3  pipelining, workers           TestStudyLawsOfPipelining, TestStudyLawOfWorkers
//	 4  relative speed                TestStudyLawOfRelativeSpeed, physics: TestLawsOfTheStallDoNotFollowAbsoluteSpeed
//	 5  energy with pipelining        TestStudyLawsOfPipelining
//	 6  storage                       TestStudyLawOfStorage
//	 7  batch size                    TestStudyLawOfTheBatchSize
//	 8  GPU clock                     TestStudyLawsOfTheModes
//	 9  CPU clock and cores           TestStudyLawsOfTheModes, TestStudyLawOfFewCores
//	10  memory clock                  TestStudyLawsOfTheModes
//	11  fastest mode, mode after boot TestStudyLawOfTheFastestMode
//	12  energy over the modes         TestStudyLawsOfTheModes
//	13  free clocks                   TestGovernorsOfAnAGXXavierComeNearThePublishedFigures
//	14  variability                   TestStudyLawOfVariability, TestEpochsVaryLittle
//
// Those of them that concern an AGX Orin too are in package physics.

// trial is a workload on a board, in its mode after boot with clocks locked unless another is given.
type trial struct {
	board, workload, medium string
	workers, batch          int
	cold                    bool // first epoch, or the page cache dropped
	mode                    tegra.Mode
}

// lawBoards are the boards of the study with their largest workload.
var lawBoards = map[string]string{"agx-xavier": "resnet18-cifar", "xavier-nx": "mobilenet", "nano": "lenet5"}

func (x trial) run(t *testing.T) physics.Steps {
	t.Helper()
	b := fast(t, Options{Name: x.board, Medium: x.medium})
	w, known := physics.Find(x.workload)
	if !known {
		t.Fatalf("no workload %s", x.workload)
	}
	w.Workers = x.workers
	if x.batch > 0 {
		w = w.Sized(x.batch)
	}
	m := x.mode
	if m == (tegra.Mode{}) {
		presets := b.presets() // all cores, as on the boards of the study
		i := slices.IndexFunc(presets, func(p preset) bool { return p.id == b.model.boot })
		m = presets[i].mode(b.lists)
	}
	cold := b.coldLater(w)
	if x.cold && !w.InMemory {
		cold = 1
	}
	return w.Run(b.chip, physics.At(m), b.reading(w, cold))
}

func energy(s physics.Steps) float64 { return s.TimeMS * s.Power.Total() }

func TestStudyLawsOfTheCache(t *testing.T) { // 1 and 2
	t.Parallel()
	stall := func(board, workload, medium string, cold bool) float64 {
		return trial{board: board, workload: workload, medium: medium, workers: 4, cold: cold}.run(t).StallMS
	}
	cold, warm := stall("agx-xavier", "mobilenet", "hdd", true), stall("agx-xavier", "mobilenet", "hdd", false)
	if cold < 3*warm { // 46.4 and 12.9 s
		t.Errorf("AGX Xavier: stall %.1f ms cold, %.1f cached", cold, warm)
	}
	cold, warm = stall("xavier-nx", "mobilenet", "hdd", true), stall("xavier-nx", "mobilenet", "hdd", false)
	if math.Abs(cold/warm-1) > 0.05 {
		t.Errorf("Xavier NX: stall %.1f ms in the first epoch, %.1f later: it caches what it cannot hold", cold, warm)
	}
	for board := range lawBoards {
		if a, b := stall(board, "lenet5", "hdd", true), stall(board, "lenet5", "sd", false); a != b {
			t.Errorf("%s: small data stall %.2f ms on a cold disk, %.2f on a card", board, a, b)
		}
	}
}

func TestStudyLawsOfPipelining(t *testing.T) { // 3 to 5
	t.Parallel()
	for board, workload := range lawBoards {
		at := func(workers int) physics.Steps {
			return trial{board: board, workload: workload, workers: workers}.run(t)
		}
		none, one, four, eight := at(0), at(1), at(4), at(8)
		if one.StallMS > none.StallMS/1.4 { // 1.9, 2.4 and 2.5 times
			t.Errorf("%s: a loader process cuts the stall from %.1f to %.1f ms only", board, none.StallMS, one.StallMS)
		}
		if eight.TimeMS < 0.98*four.TimeMS {
			t.Errorf("%s: %.2f ms with four loader processes, %.2f with eight: more help", board, four.TimeMS,
				eight.TimeMS)
		}
		if one.Power.Total() < none.Power.Total() {
			t.Errorf("%s: power falls from %.2f to %.2f W with pipelining", board, none.Power.Total(),
				one.Power.Total())
		}
		if change := energy(one)/energy(none) - 1; change > 0.06 { // at most + 4.7 %, LeNet on a Nano
			t.Errorf("%s: pipelining costs %+.1f %% of energy", board, 100*change)
		}
	}
}

// On a Xavier NX MobileNet's fetching exceeds its computing: two loader processes cut the stall by 67.3 %, four to 21 s
// an epoch, eight bring no more.
func TestStudyLawOfWorkers(t *testing.T) { // 3
	t.Parallel()
	stall := func(workers int) float64 {
		return trial{board: "xavier-nx", workload: "mobilenet", medium: "hdd", workers: workers}.run(t).StallMS * 1.443
	}
	if cut := 100 * (1 - stall(2)/stall(1)); math.Abs(cut-67.3) > 7 {
		t.Errorf("two loader processes cut the stall by %.1f %%, published 67.3", cut)
	}
	if four, eight := stall(4), stall(8); math.Abs(four/21-1) > 0.25 || math.Abs(eight/21-1) > 0.25 {
		t.Errorf("stall of %.1f and %.1f s an epoch with four and eight, published 21 and 21", four, eight)
	}
}

func TestStudyLawOfStorage(t *testing.T) { // 6
	t.Parallel()
	for _, board := range []string{"agx-xavier", "xavier-nx"} {
		at := func(medium string, workers int, cold bool) float64 {
			x := trial{board: board, workload: "mobilenet", medium: medium, workers: workers, cold: cold}
			return x.run(t).TimeMS
		}
		if fast, slow := at("ssd", 0, true), at("hdd", 0, true); slow < 1.2*fast {
			t.Errorf("%s: cold without workers %.0f ms on SSD, %.0f on HDD", board, fast, slow)
		}
		if fast, slow := at("ssd", 4, false), at("hdd", 4, false); slow > 1.05*fast {
			t.Errorf("%s: with four workers %.0f ms on SSD, %.0f on HDD: a drive makes a difference", board, fast, slow)
		}
	}
}

func TestStudyLawOfTheBatchSize(t *testing.T) { // 7
	t.Parallel()
	for _, workload := range []string{"resnet18-cifar", "mobilenet"} {
		at := func(batch int) physics.Steps {
			return trial{board: "agx-xavier", workload: workload, workers: 4, batch: batch}.run(t)
		}
		perSample := func(batch int) float64 { return at(batch).TimeMS / float64(batch) }
		if !(perSample(1) > 3*perSample(16) && perSample(4) > 1.3*perSample(16) && perSample(64) > 0.7*perSample(16)) {
			t.Errorf("%s: %.1f, %.1f, %.1f and %.1f ms a sample at 1, 4, 16 and 64", workload, perSample(1),
				perSample(4), perSample(16), perSample(64))
		}
		if a, b := at(1).StallMS, at(64).StallMS; a >= b {
			t.Errorf("%s: stall of a minibatch falls from %.2f to %.2f ms", workload, a, b)
		}
		if a, b := at(1).StallMS, at(64).StallMS/64; a <= b {
			t.Errorf("%s: stall of an epoch rises: %.2f and %.2f ms a sample", workload, a, b)
		}
	}
}

// studied is a workload in one of the modes a to n of the study on an AGX Xavier.
func studied(t *testing.T, workload string, label byte) physics.Steps {
	t.Helper()
	modes, _ := open(t, fast(t, Options{Name: "agx-xavier"})).Space().StudyModes()
	return trial{board: "agx-xavier", workload: workload, workers: 4, mode: modes[label-'a']}.run(t)
}

func TestStudyLawsOfTheModes(t *testing.T) { // 8 to 12
	t.Parallel()
	change := func(workload string, from, to byte, of func(physics.Steps) float64) float64 {
		return 100 * (of(studied(t, workload, to))/of(studied(t, workload, from)) - 1)
	}
	compute := func(s physics.Steps) float64 { return s.ComputeMS }
	stall := func(s physics.Steps) float64 { return s.StallMS }
	for _, c := range []struct {
		what, workload string
		from, to       byte
		of             func(physics.Steps) float64
		want, slack    float64 // %
	}{
		{"8: GPU clock", "resnet18-cifar", 'b', 'c', compute, -22.3, 4},
		{"8: GPU clock", "mobilenet", 'b', 'c', compute, -12.6, 4},
		{"8: GPU clock of a light network", "lenet5", 'b', 'c', compute, 0, 1},
		{"9: CPU clock of a light network", "lenet5", 'd', 'e', compute, -36.8, 5},
		{"9: CPU clock of a large network", "resnet18-cifar", 'd', 'e', compute, -2, 4},
		{"9: eight to two cores, a light network", "lenet5", 'e', 'f', compute, 35.9, 6},
		{"10: memory clock", "resnet18-cifar", 'h', 'g', compute, -25.8, 5},
		{"10: memory clock", "mobilenet", 'h', 'g', compute, -28, 5},
		{"10: memory clock", "lenet5", 'h', 'g', compute, -33.4, 5},
		{"10: memory clock, stall", "lenet5", 'h', 'g', stall, -34.4, 5},
	} {
		if got := change(c.workload, c.from, c.to, c.of); math.Abs(got-c.want) > c.slack {
			t.Errorf("law %s: %s from %c to %c %+.1f %%, published %+.1f", c.what, c.workload, c.from, c.to, got,
				c.want)
		}
	}
	for _, workload := range []string{"resnet18-cifar", "mobilenet"} { // published -27.5 and -28.1 %
		if got := change(workload, 'h', 'g', stall); got > -20 || got < -45 {
			t.Errorf("law 10: memory clock, stall of %s from h to g %+.1f %%", workload, got)
		}
	}
	for workload, spread := range map[string]float64{"lenet5": 0.32, "resnet18-cifar": 0.15, "mobilenet": 0.15} {
		least, most, g := math.Inf(1), 0.0, studied(t, workload, 'g')
		for label := byte('a'); label <= 'j'; label++ { // those in which the study measured all three
			s := studied(t, workload, label)
			if s.TimeMS < g.TimeMS {
				t.Errorf("law 11: %s is faster in %c than in g", workload, label)
			}
			if label < 'g' { // the study leaves the highest CPU and GPU clocks out here
				least, most = min(least, energy(s)), max(most, energy(s))
			}
		}
		if energy(g) < least {
			t.Errorf("law 11: %s takes least energy in g, %.2f J", workload, energy(g)/1000)
		}
		if 1-least/most > spread { // published 27, 6 and 12 %
			t.Errorf("law 12: energy of %s varies by %.0f %% over the modes", workload, 100*(1-least/most))
		}
	}
}

// With two cores in place of eight the computing process lacks one, with loader processes more than without: LeNet's
// compute takes 35.9 and 20.8 % longer.
func TestStudyLawOfFewCores(t *testing.T) { // 9
	t.Parallel()
	modes, _ := open(t, fast(t, Options{Name: "agx-xavier"})).Space().StudyModes()
	longer := func(workers int) float64 {
		at := func(label byte) float64 {
			x := trial{board: "agx-xavier", workload: "lenet5", workers: workers, mode: modes[label-'a']}
			return x.run(t).ComputeMS
		}
		return 100 * (at('f')/at('e') - 1)
	}
	if none, four := longer(0), longer(4); math.Abs(four-35.9) > 6 || math.Abs(none-20.8) > 8 || none >= four {
		t.Errorf("on two cores compute takes %.1f %% longer without loader processes, %.1f with four", none, four)
	}
}

func TestStudyLawOfVariability(t *testing.T) { // 14: time at most 1, 5.4 and 7.8 % apart over five units
	t.Parallel()
	for board, most := range map[string]float64{"agx-xavier": 0.01, "xavier-nx": 0.054, "nano": 0.078} {
		lo, hi := math.Inf(1), 0.0
		for unit := 1; unit <= 5; unit++ {
			b := fast(t, Options{Name: board, Instance: unit, Noise: new(float64)})
			start(t, b, lawBoards[board])
			lo, hi = min(lo, b.steady.steps.TimeMS), max(hi, b.steady.steps.TimeMS)
		}
		if apart := hi/lo - 1; apart <= 0 || apart > most {
			t.Errorf("%s: five units are %.2f %% apart in time, published at most %.1f", board, 100*apart, 100*most)
		}
	}
}

// What decides the stall is the relative speed of CPU, GPU and disk: with a slower GPU a minibatch takes longer and
// stalls for less of it, with a slower CPU or disk for more.
func TestStudyLawOfRelativeSpeed(t *testing.T) { // 4
	t.Parallel()
	top := open(t, fast(t, Options{Name: "agx-xavier"})).Space().Max()
	run := func(medium string, workers int, change func(*tegra.Mode)) (share, timeMS float64) {
		m := top
		change(&m)
		s := trial{board: "agx-xavier", workload: "mobilenet", medium: medium, workers: workers, mode: m,
			cold: workers == 0}.run(t)
		return s.StallMS / s.TimeMS, s.TimeMS
	}
	same := func(*tegra.Mode) {}
	share, fastest := run("ssd", 1, same)
	slowGPU, slower := run("ssd", 1, func(m *tegra.Mode) { m.GPU /= 2 })
	if slowGPU >= 0.9*share || slower <= fastest {
		t.Errorf("GPU at half: stall %.1f to %.1f %%, %.0f to %.0f ms", 100*share, 100*slowGPU, fastest, slower)
	}
	if slowCPU, _ := run("ssd", 1, func(m *tegra.Mode) { m.CPU /= 2 }); slowCPU <= 1.1*share {
		t.Errorf("CPU at half: stall %.1f to %.1f %%", 100*share, 100*slowCPU)
	}
	ssd, _ := run("ssd", 0, same)
	if hdd, _ := run("hdd", 0, same); hdd <= 1.1*ssd {
		t.Errorf("a slower disk: stall %.1f to %.1f %%", 100*ssd, 100*hdd)
	}
}

// MAXN, mode g, is on the front of time and energy, at more energy than the mode that takes least; the mode after boot,
// a, is on it for MobileNet alone.
func TestStudyLawOfTheFastestMode(t *testing.T) { // 11
	t.Parallel()
	for _, workload := range []string{"lenet5", "resnet18-cifar", "mobilenet"} {
		var modes []physics.Steps
		for label := byte('a'); label <= 'j'; label++ { // those in which the study measured all three
			modes = append(modes, studied(t, workload, label))
		}
		onFront := func(label byte) bool {
			s := modes[label-'a']
			return !slices.ContainsFunc(modes, func(x physics.Steps) bool {
				return x.TimeMS <= s.TimeMS && energy(x) <= energy(s) && (x.TimeMS < s.TimeMS || energy(x) < energy(s))
			})
		}
		if !onFront('g') {
			t.Errorf("%s: g is not on the front", workload)
		}
		if got, want := onFront('a'), workload == "mobilenet"; got != want {
			t.Errorf("%s: a is on the front: %t, want %t", workload, got, want)
		}
		least := slices.MinFunc(modes, func(a, b physics.Steps) int { return cmp.Compare(energy(a), energy(b)) })
		if more := energy(modes['g'-'a'])/energy(least) - 1; more < 0.02 {
			t.Errorf("%s: g takes %.1f %% more energy than the most frugal mode", workload, 100*more)
		}
	}
}
