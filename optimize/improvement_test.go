package optimize

import (
	"math"
	"slices"
	"testing"
)

// hoped is a mode that is expected to be within 25 W, and of which it is open how fast it is.
func hoped(drive float64) belief {
	b := belief{lnTime: []float64{math.Log(110)}, lnPower: []float64{math.Log(23)}, sdPower: []float64{0.04},
		sdTime: []float64{0.3}, ownSDTime: []float64{0.3}, drive: []float64{drive}}
	b.goal, b.sdGoal = b.lnTime, b.sdTime
	return b
}

func TestImprovementFallsWhereSpeedDrivesPower(t *testing.T) {
	t.Parallel()
	l, best := Limit{PowerW: 25}, math.Log(100)
	plain := hoped(0)
	apart := plain.improvement(l, 0, best)
	if got := plain.together(l, 0, (plain.goal[0]-best)/plain.sdGoal[0], 0); math.Abs(got/apart-1) > 0.01 {
		t.Errorf("both together, speed without power: %v, want %v", got, apart)
	}
	last := apart
	for _, drive := range []float64{0.1, 0.2, 0.3} {
		b := hoped(drive)
		got := b.improvement(l, 0, best)
		if got <= 0 || got >= last {
			t.Errorf("drive %v: %v, want less than %v", drive, got, last)
		}
		last = got
	}
	if last > apart/4 {
		t.Errorf("%v where each deviation faster draws 30 %% more, %v where it draws none", last, apart)
	}
}

// Power follows the speed of the mode, not the noise of its reading: where half of the deviation is noise, each
// deviation of the reading carries half of the power.
func TestImprovementDrivesPowerByTheSpeedAlone(t *testing.T) {
	t.Parallel()
	l, best := Limit{PowerW: 25}, math.Log(100)
	noisy, exact := hoped(0.2), hoped(0.1)
	noisy.ownSDTime = []float64{noisy.sdTime[0] / 2}
	if got, want := noisy.improvement(l, 0, best), exact.improvement(l, 0, best); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Speed drives the power of a mode only where that exceeds two deviations of power, and only if the mode may beat the
// best one measured.
func TestDrivesLeavesOutWhatCannotImprove(t *testing.T) {
	t.Parallel()
	s, board := searchOn(t, TuneOptions{Limit: Limit{PowerW: 25}, Probes: 10})
	for _, m := range sampleOf(board, 2) {
		s.read(s.at(m.Setting), m)
	}
	if err := s.fit(); err != nil {
		t.Fatal(err)
	}
	b := s.believe()
	driving := slices.Clone(b.drive)
	var modes []int
	for i, more := range driving {
		if more > 0 {
			modes = append(modes, i)
		}
	}
	if _, ok := s.best(); !ok || len(modes) < 3 {
		t.Fatalf("%d modes are driven by their speed: the test shows nothing", len(modes))
	}
	slow, at, above := modes[0], modes[1], modes[2]
	b.goal[slow] += 10
	b.sdPower[at] = driving[at] / driven
	b.sdPower[above] = 0.999 * driving[above] / driven
	clear(b.drive)
	s.drives(&b, 1)
	if b.drive[slow] != 0 || b.drive[at] != 0 || b.drive[above] != driving[above] {
		t.Errorf("driven by %g if far slower than the best, by %g at two deviations, by %g above, want 0, 0 and %g",
			b.drive[slow], b.drive[at], b.drive[above], driving[above])
	}
}

func TestShortSearchLeavesOneProbeForTheVerification(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]int{1: 0, 5: 1, servedProbes: 1, servedProbes + 1: 2} {
		s := &search{cap: most}
		if s.compared.search = s; s.reserve() != want {
			t.Errorf("of %d probes %d are left, want %d", most, s.reserve(), want)
		}
	}
}
