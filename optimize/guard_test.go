package optimize

import (
	"math"
	"testing"

	"jtune/tegra"
)

// learning is a closed loop under 20 W with a fitted model of eight modes, and a belief to be changed by a test: each
// open mode is expected to be far over the limit.
func learning(t *testing.T) (*loop, *belief) {
	t.Helper()
	s, b := searchOn(t, TuneOptions{Limit: Limit{PowerW: 20}})
	for _, r := range sampleOf(b, 8) {
		s.read(s.at(r.Setting), r)
	}
	if err := s.fit(); err != nil {
		t.Fatal(err)
	}
	now := s.believe()
	now.lnPower = make([]float64, len(now.open))
	now.drive = make([]float64, len(now.open))
	for i := range now.open {
		now.lnPower[i], now.sdPower[i], now.ownSDPower[i] = math.Log(40), 0.05, 0.04
		now.goal[i], now.ifFaster[i] = math.Log(50), 0 // the goal is the least time
	}
	return &loop{search: s}, &now
}

// openOnes returns that many modes that may be measured.
func openOnes(b *belief, n int) (list []int) {
	for _, i := range b.openModes(func(int) bool { return true }) {
		if list = append(list, i); len(list) == n {
			break
		}
	}
	return list
}

// If no mode is trusted, one is that would be with somewhat less caution. The detours before it are then over.
func TestGuardEasesWhereNoModeIsTrusted(t *testing.T) {
	t.Parallel()
	l, b := learning(t)
	near := openOnes(b, 1)[0]
	b.lnPower[near] = math.Log(19.5) // within 1.05 times the limit by 1.5 of 2.1 deviations at most
	l.detours = mostDetour
	if b.trusted(l.limit, near, l.caution()) {
		t.Fatal("it is trusted without easing: nothing is tested")
	}
	if i, ok := l.gainTrust(b, near, math.Log(100)); i != near || !ok || l.detours != 0 {
		t.Errorf("mode %d, %v after %d detours, want mode %d and none", i, ok, l.detours, near)
	}
}

// If easing finds no mode, the full deviations count again: the one just over the limit is measured, the more promising
// of two, and none while another mode is trusted or where none promises enough.
func TestGuardTriesAModeJustOverTheLimit(t *testing.T) {
	t.Parallel()
	l, b := learning(t)
	two := openOnes(b, 2)
	for _, i := range two {
		b.lnPower[i], b.sdPower[i], b.ownSDPower[i] = math.Log(20.4), 0.2, 0.2
	}
	b.goal[two[1]] = math.Log(45)
	l.detours = mostDetour
	if i, ok := l.gainTrust(b, two[0], math.Log(100)); i != two[1] || !ok || b.ease != 1 {
		t.Errorf("mode %d, %v with deviations times %.2f, want mode %d with all", i, ok, b.ease, two[1])
	}
	if i, ok := l.justOver(b, math.Log(20)); ok {
		t.Errorf("mode %d, which is slower than the best", i)
	}
	trusted := openOnes(b, 3)[2]
	b.lnPower[trusted] = math.Log(10)
	if i, ok := l.justOver(b, math.Log(100)); ok {
		t.Errorf("mode %d, although another is trusted", i)
	}
}

// A mode that informs about the desired one is measured even if it is the only trusted one, at most mostDetour times in
// a row.
func TestGuardMakesDetoursToInformItself(t *testing.T) {
	t.Parallel()
	l, b := learning(t)
	two := openOnes(b, 2) // neighbours
	near, desired := two[0], two[1]
	b.lnPower[near] = math.Log(10)
	for k := range b.sdPower {
		b.sdPower[k], b.ownSDPower[k] = l.expected.SdPower[k], l.expected.SdPower[k]
	}
	if i, ok := l.telling(b, desired); i != near || !ok {
		t.Errorf("mode %d informs, %v; want the only trusted one, %d", i, ok, near)
	}
	for n := range mostDetour {
		i, ok := l.gainTrust(b, desired, math.Log(100))
		if i != near || !ok || l.detours != n+1 || l.toward != tegra.Some(l.places.At(desired)) {
			t.Errorf("detour %d: mode %d, %v, towards %v", n, i, ok, l.toward)
		}
	}
	b.ownSDTime[desired] = 100
	if i, ok := l.telling(b, desired); ok {
		t.Errorf("mode %d informs about the power, of which nearly all depends on an unknown time", i)
	}
	b.goal[near] = math.Log(200) // of no use itself
	b.lnPower[desired], b.sdPower[desired] = math.Log(22), 0.3
	for detours, want := range map[int]bool{mostDetour - 1: true, mostDetour: false} {
		l.detours, l.ended = detours, NoWay
		i, ok := l.gainTrust(b, desired, math.Log(100))
		if ok != want || ok && i != near || !ok && l.ended != Converged {
			t.Errorf("after %d detours little information is worth another: %v, mode %d, %v", detours, ok, i, l.ended)
		}
	}
	b.open[near] = false
	if i, ok := l.telling(b, desired); ok {
		t.Errorf("mode %d informs where none is trusted", i)
	}
}

// The coolest mode is the fastest of those with the least power within the noise.
func TestCoolestIsTheFastestOfTheLeastPower(t *testing.T) {
	t.Parallel()
	b := belief{open: []bool{true, true, true, true, false}, lnTime: []float64{4, 3.8, 3.9, 1, 0},
		lnPower: []float64{2, 2 + sameValue/2, 2, 3, 1}}
	if got := b.coolest(); got != 1 {
		t.Errorf("mode %d, want 1", got)
	}
	if got := (&belief{open: []bool{false}}).coolest(); got != -1 {
		t.Errorf("mode %d of none", got)
	}
}

// Among modes equally within a power limit the nearest to the limits is judged by time only if time is limited.
func TestMissIsOfTimeOnlyIfTimeIsLimited(t *testing.T) {
	t.Parallel()
	b := belief{lnTime: []float64{1}, lnPower: []float64{2}}
	if power, time := b.miss(Limit{PowerW: 9}, 0), b.miss(Limit{PowerW: 9, TimeMS: 9}, 0); power != 2 || time != 1 {
		t.Errorf("%g within a power limit and %g with a time limit too, want the logarithms of power and time", power,
			time)
	}
}

// The power that more speed would take is calculated for few modes. The same modes are trusted and possible as if it
// were calculated for each.
func TestGuardTrustsAsIfEachModeWereCalculated(t *testing.T) {
	t.Parallel()
	for _, limit := range []Limit{{PowerW: 18}, {PowerW: 25}, {PowerW: 25, TimeMS: 110}} {
		s, b := searchOn(t, TuneOptions{Limit: limit})
		for _, r := range sampleOf(b, 5) {
			s.read(s.at(r.Setting), r)
		}
		if err := s.fit(); err != nil {
			t.Fatal(err)
		}
		quick, exact := s.believe(), s.believe()
		all := exact.openModes(func(int) bool { return true })
		for k, more := range s.model.PowerIfFaster(s.expected, fasterZ, all) {
			exact.ifFaster[all[k]] = more
		}
		kinds := map[bool]int{}
		for _, i := range all {
			for ease := 1.0; ease >= easeLeast; ease *= easeBy {
				quick.ease, exact.ease = ease, ease
				got, want := quick.trusted(s.limit, i, trustZ), exact.trusted(s.limit, i, trustZ)
				if kinds[want]++; got != want {
					t.Errorf("%v, deviations times %.2f: mode %d is trusted %v, want %v", limit, ease, i, got, want)
				}
			}
			if got, want := quick.possible(s.limit, i, possibleZ), exact.possible(s.limit, i, possibleZ); got != want {
				t.Errorf("%v: mode %d is possible %v, want %v", limit, i, got, want)
			}
		}
		if kinds[true] == 0 || kinds[false] == 0 {
			t.Errorf("%v: %d times trusted, %d times not: little is tested", limit, kinds[true], kinds[false])
		}
	}
}

// Only consecutive probes for information count: one of a mode that promises enough itself ends the row, whether it is
// the most promising of all or of the trusted ones.
func TestSeekBetterEndsARowOfDetours(t *testing.T) {
	t.Parallel()
	for _, promising := range []bool{false, true} {
		l, b := learning(t)
		two := openOnes(b, 2)
		trusted, hot := two[0], two[1]
		b.lnPower[trusted] = math.Log(10)
		if !promising { // the other one is five times faster than the best, but may be over the limit
			b.lnPower[hot], b.sdPower[hot], b.goal[hot] = math.Log(19), 0.2, math.Log(20)
		}
		l.detours = mostDetour
		if most := b.improvement(l.limit, hot, math.Log(100)) <= b.improvement(l.limit, trusted, math.Log(100)); most !=
			promising {
			t.Fatal("the other mode is the most promising: nothing is tested")
		}
		if i, ok := l.seekBetter(b, math.Log(100)); i != trusted || !ok || l.detours != 0 {
			t.Errorf("most promising %v: mode %d, %v after %d detours, want mode %d and none", promising, i, ok,
				l.detours, trusted)
		}
	}
}

// The lowest mode of a board is the nearest to a limit like any other: its index is 0.
func TestArgmaxIsAsNearAsAnotherWithinTheNoise(t *testing.T) {
	t.Parallel()
	lowest := argmax{0, 1, 1}
	for _, c := range []struct {
		a, other argmax
		near     bool
	}{
		{argmax{3, 1, 1}, lowest, true}, {argmax{3, 1 + sameValue/2, 1 + sameValue/2}, lowest, true},
		{argmax{3, sameValue, sameValue}, argmax{}, true},
		{argmax{3, 1 + 2*sameValue, 1}, lowest, false}, {argmax{3, 1, 1 + 2*sameValue}, lowest, false},
		{lowest, newArgmax(), false},
	} {
		if got := c.a.asNear(c.other); got != c.near {
			t.Errorf("%+v is as near as %+v: %v", c.a, c.other, got)
		}
	}
}
