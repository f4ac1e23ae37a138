package tegra_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// paths are the files that writes go to, in their order.
func paths(writes []tegra.Write) (out []string) {
	for _, w := range writes {
		out = append(out, w.Path)
	}
	return out
}

// From the top to the lowest mode: all limits are written, minima before maxima where clocks fall, and the cores go off
// from the highest down, at the end.
func TestPlanLowersMinimaFirstAndEndsWithTheCores(t *testing.T) {
	t.Parallel()
	s := open(t, tegratest.NewAGXOrin35())
	c := s.Planner()
	now := must.Get(c.Snapshot())(t)
	low := tegra.Mode{Cores: 9, CPU: s.Space().CPU[1], GPU: s.Space().GPU[1], EMC: s.Space().EMC[1]}
	writes := must.Get(c.Plan(now, tegra.Request{Mode: low}, tegra.State{}))(t)
	list := paths(writes)
	at := func(path string) int { return slices.Index(list, path) }
	low0, high0 := at(tegratest.GPU35+"/min_freq"), at(tegratest.GPU35+"/max_freq")
	if low0 < 0 || high0 < 0 || low0 > high0 {
		t.Errorf("the GPU's limits are writes %d and %d of\n%s", low0, high0, strings.Join(list, "\n"))
	}
	var off []string
	for _, w := range writes {
		if strings.HasSuffix(w.Path, "/online") && w.Value == "0" {
			off = append(off, w.Path)
		}
	}
	var want []string
	for n := 11; n >= 9; n-- {
		want = append(want, fmt.Sprintf("%s/cpu%d/online", tegratest.CPU, n))
	}
	if !slices.Equal(off, want) || !slices.Equal(list[len(list)-3:], want) {
		t.Errorf("cores go off as %v, last are %v", off, list[len(list)-3:])
	}
}

// Restoring a state that is already in force writes only files that hold no state.
func TestPlanStateWritesWhatDiffersAlone(t *testing.T) {
	t.Parallel()
	s := open(t, tegratest.NewAGXOrin35())
	c := s.Planner()
	now := must.Get(c.Snapshot())(t)
	if writes := c.PlanState(now, now); len(writes) > 0 {
		t.Errorf("to the present state: %+v", writes)
	}
	const limit = tegratest.GPU35 + "/max_freq"
	other := tegra.State{Files: slices.Clone(now.Files)}
	for i, f := range other.Files {
		if f.Path == limit {
			other.Files[i].Value = s.Space().GPU[2].In(tegra.Hz)
		}
	}
	writes := c.PlanState(now, other)
	i := slices.IndexFunc(writes, func(w tegra.Write) bool { return w.Path == limit })
	if i < 0 || writes[i].Value != s.Space().GPU[2].In(tegra.Hz) {
		t.Errorf("the GPU's limit is not among %+v", writes)
	}
	for _, w := range writes {
		if strings.Contains(w.Path, "cpufreq") || strings.HasSuffix(w.Path, "/online") {
			t.Errorf("%s is written although it is as wanted", w.Path)
		}
	}
}

// A saved state may be damaged: nothing is written that no reading of that file can have been.
func TestPlanStateWritesNoValueThatWasNeverRead(t *testing.T) {
	t.Parallel()
	s := open(t, tegratest.NewAGXOrin35())
	c := s.Planner()
	now := must.Get(c.Snapshot())(t)
	for _, value := range []string{"", " ", "1\n2", "max", "1a", "9999999999999999999999"} {
		damaged, numbers := tegra.State{Files: slices.Clone(now.Files)}, map[string]bool{}
		for i, f := range damaged.Files {
			if _, err := strconv.ParseInt(f.Value, 10, 64); err == nil {
				damaged.Files[i].Value, numbers[f.Path] = value, true
			}
		}
		for _, w := range c.PlanState(now, damaged) {
			if numbers[w.Path] && w.Value == value {
				t.Errorf("%q is written to %s", value, w.Path)
			}
		}
		if len(numbers) < 10 {
			t.Errorf("%d files hold numbers", len(numbers))
		}
	}
}

// If the current range is unknown, the lowest clock is first written to the minimum, below any maximum.
func TestPlanGoesToTheLowestClockWhereTheRangeIsNotKnown(t *testing.T) {
	t.Parallel()
	s := open(t, tegratest.NewAGXOrin35())
	c := s.Planner()
	now := must.Get(c.Snapshot())(t)
	const least, limit = tegratest.GPU35 + "/min_freq", tegratest.GPU35 + "/max_freq"
	unknown := tegra.State{Files: slices.DeleteFunc(slices.Clone(now.Files), func(f tegra.StateFile) bool {
		return f.Path == limit
	})}
	mode := tegra.Mode{Cores: 12, CPU: s.Space().CPU[3], GPU: s.Space().GPU[3], EMC: s.Space().EMC[0]}
	writes := must.Get(c.Plan(unknown, tegra.Request{Mode: mode}, now))(t)
	i := slices.IndexFunc(writes, func(w tegra.Write) bool { return w.Path == least })
	if i < 0 || writes[i].Value != s.Space().GPU[0].In(tegra.Hz) || !writes[i].Loose {
		t.Errorf("the first write of the minimum is %+v", writes)
	}
}

// What can be a trip point or a name, at both ends.
func TestZonesAreReadWithinTheirBounds(t *testing.T) {
	t.Parallel()
	const zone = "/sys/class/thermal/thermal_zone8"
	for at, there := range map[string]bool{"29999": false, "30000": true, "99000": true, "200000": true,
		"200001": false} {
		tr := tegratest.NewAGXOrin35()
		tr.Set(zone+"/trip_point_0_temp", at)
		tr.Set(zone+"/trip_point_1_temp", "0")
		tr.Set(zone+"/trip_point_2_temp", "0")
		for _, z := range read(t, open(t, tr)).Temps {
			if z.Name == "tj-therm" && z.Trip.OK != there {
				t.Errorf("a trip point at %s m°C: %+v", at, z.Trip)
			}
		}
	}
	for _, c := range []struct {
		all, odd string // content of all zones, and of one
		c        float64
	}{{"", "43", 43}, {"51", "43", 43}, {"", "9", 0.009}, {"201", "43", 0.043}, {"9999", "43", 0.043},
		{"10000", "43", 43}, {"-256000", "200", 200}} {
		tr := tegratest.NewAGXOrin35()
		for name := range tr.Files {
			if c.all != "" && strings.HasSuffix(name, "/temp") {
				tr.Set(name, c.all)
			}
		}
		tr.Set(zone+"/temp", c.odd)
		tr.Set(zone+"/trip_point_0_temp", "99")
		for _, z := range read(t, open(t, tr)).Temps {
			if z.Name == "tj-therm" && (z.C != c.c || z.Trip.V.C != 99) {
				t.Errorf("%q beside %q: %+v, want %g °C", c.odd, c.all, z, c.c)
			}
		}
	}
	for n, there := range map[int]bool{64: true, 65: false} {
		tr := tegratest.NewAGXOrin35()
		name := strings.Repeat("x", n)
		tr.Set(zone+"/type", name)
		got := slices.ContainsFunc(read(t, open(t, tr)).Temps, func(z tegra.TempReading) bool { return z.Name == name })
		if got != there {
			t.Errorf("a zone with a name of %d letters is read: %v", n, got)
		}
	}
}

// The fan's speed comes from its tachometer, or from the older kernel's file if there is one.
func TestFanSpeedComesFromItsTachometer(t *testing.T) {
	t.Parallel()
	tr := tegratest.NewAGXOrin35()
	if got := read(t, open(t, tr)).FanRPM; got != tegra.Some[int64](1200) {
		t.Errorf("got %v, want 1200", got)
	}
	tr.Set("/sys/devices/pwm-fan/rpm_measured", "1234")
	if got := read(t, open(t, tr)).FanRPM; got != tegra.Some[int64](1234) {
		t.Errorf("got %v, want 1234", got)
	}
}

// Each preset of the AGX Orin sets the minimum of free clocks: 729.6 MHz, but at most its limit.
func TestPresetsHaveTheLowerLimitsOfTheirClocks(t *testing.T) {
	t.Parallel()
	for _, b := range tegratest.Boards() {
		for _, p := range open(t, b.New()).Presets() {
			if p.MinCPU > p.Mode.CPU || p.MinGPU > p.Mode.GPU || p.MinCPU < 0 || p.MinGPU < 0 {
				t.Errorf("%s, %s: not below %v and %v of %v", b.Name, p.Name, p.MinCPU, p.MinGPU, p.Mode)
			}
			if b.Name == "agx-orin-35" && p.MinCPU != 729600*tegra.KHz {
				t.Errorf("%s: its CPU clocks fall to %v", p.Name, p.MinCPU)
			}
		}
	}
}

// after returns the value of a file once the writes are done.
func after(st tegra.State, writes []tegra.Write, path string) string {
	value, _ := st.Get(path)
	for _, w := range writes {
		if w.Path == path {
			value = w.Value
		}
	}
	return value
}

// From a fan at full speed, automatic control begins with the duty cycle that was found.
func TestPlanReturnsTheFanToItsFoundSpeed(t *testing.T) {
	t.Parallel()
	s := open(t, tegratest.New("nano-32"))
	c := s.Planner()
	found := must.Get(c.Snapshot())(t)
	found.Files = append(found.Files, c.Fan().Files...)
	const duty, control = "/sys/devices/pwm-fan/target_pwm", "/sys/devices/pwm-fan/temp_control"
	was, ok := found.Get(duty)
	if !ok || was == "255" {
		t.Fatalf("the fan is found at %q", was)
	}
	loud := tegra.State{Files: slices.Clone(found.Files)}
	for i, f := range loud.Files {
		switch f.Path {
		case duty:
			loud.Files[i].Value = "255"
		case control:
			loud.Files[i].Value = "0"
		}
	}
	for fan, want := range map[tegra.FanPolicy][2]string{tegra.FanUntouched: {"255", "0"}, tegra.FanAuto: {was, "1"},
		tegra.FanMax: {"255", "0"}} {
		writes := must.Get(c.Plan(loud, tegra.Request{Mode: s.Space().Max(), Fan: fan}, found))(t)
		if got := [2]string{after(loud, writes, duty), after(loud, writes, control)}; got != want {
			t.Errorf("fan %v: duty and control %q, want %q", fan, got, want)
		}
	}
}

// A request's governor replaces the found one of free clocks.
func TestPlanTakesTheGovernorOfTheRequest(t *testing.T) {
	t.Parallel()
	s := open(t, tegratest.New("agx-orin-36"))
	c := s.Planner()
	now := must.Get(c.Snapshot())(t)
	const path = tegratest.CPU + "/cpu0/cpufreq/scaling_governor"
	was, _ := now.Get(path)
	for _, pins := range []string{"userspace", "powersave", "performance"} {
		tr := tegratest.New("agx-orin-36")
		for policy := range 3 {
			tr.Set(fmt.Sprintf("%s/cpufreq/policy%d/scaling_governor", tegratest.CPU, 4*policy), pins)
		}
		pinned := open(t, tr)
		r, err := pinned.Read()
		if setup := r.Setup(); err != nil || setup.Clocks() != "held by governor "+pins+" of the CPU" {
			t.Errorf("governor %s: clocks %s, %v", pins, setup.Clocks(), err)
		}
		st := must.Get(pinned.Planner().Snapshot())(t)
		writes, err := pinned.Planner().Plan(st, tegra.Request{Mode: s.Space().Max(), DVFS: true}, st)
		if got := after(st, writes, path); err != nil || got != "schedutil" {
			t.Errorf("free clocks with governor %s: %q, %v", pins, got, err)
		}
	}
	for _, asked := range []string{"", "performance", "schedutil"} {
		r := tegra.Request{Mode: s.Space().Max(), DVFS: true, Governors: tegra.Governors{CPU: asked}}
		writes := must.Get(c.Plan(now, r, now))(t)
		if want := cmp.Or(asked, was); after(now, writes, path) != want {
			t.Errorf("a request of governor %q: %q, want %q", asked, after(now, writes, path), want)
		}
	}
}

// A board whose memory rates nobody names has no modes, and says so.
func TestOpenSaysThatNoMemoryRateIsKnown(t *testing.T) {
	t.Parallel()
	tr := tegratest.New("agx-orin-36")
	for name := range tr.Files {
		if strings.Contains(name, "emc") || strings.Contains(name, "nvpmodel") || strings.Contains(name, "bwmgr") {
			delete(tr.Files, name)
		}
	}
	s := open(t, tr)
	p := probeNamed(s, "EMC frequencies")
	if s.Space().Len() != 0 || !strings.Contains(string(p.Why), "no rate is known") {
		t.Errorf("%d modes, %+v", s.Space().Len(), p)
	}
}

// Up to L4T 35 the cap file holds 0 for the top rate, and the rate itself for any other.
func TestPlanWritesNoCapForTheTopRate(t *testing.T) {
	t.Parallel()
	for name, top := range map[string]string{"agx-orin-35": "0", "agx-orin-36": "3199000000"} {
		s := open(t, tegratest.New(name))
		c := s.Planner()
		now := must.Get(c.Snapshot())(t)
		for i, want := range map[int]string{len(s.Space().EMC) - 1: top, 1: s.Space().EMC[1].In(tegra.Hz)} {
			m := s.Space().Max()
			m.EMC = s.Space().EMC[i]
			writes := must.Get(c.Plan(now, tegra.Request{Mode: m}, now))(t)
			cap := after(now, writes, tegratest.Cap35)
			if name == "agx-orin-36" {
				cap = after(now, writes, tegratest.Cap36)
			}
			if cap != want {
				t.Errorf("%s, %v: a cap of %q, want %q", name, m, cap, want)
			}
		}
	}
}

// The memory clock is locked before its rate is written and freed after it. While it stays free its rate is a reading,
// which nothing writes.
func TestPlanLocksTheMemoryBeforeItsRateAndFreesItAfter(t *testing.T) {
	t.Parallel()
	const lock, rate = tegratest.EMC + "/mrq_rate_locked", tegratest.EMC + "/rate"
	s := open(t, tegratest.New("agx-orin-35"))
	c := s.Planner()
	free, m := must.Get(c.Snapshot())(t), s.Space().Max()
	m.EMC = s.Space().EMC[1]
	plan := func(now tegra.State, r tegra.Request) []tegra.Write {
		t.Helper()
		return must.Get(c.Plan(now, r, free))(t)
	}
	down := plan(free, tegra.Request{Mode: m})
	if l, r := slices.Index(paths(down), lock), slices.Index(paths(down), rate); l < 0 || l > r {
		t.Errorf("to lock, the lock is write %d, the rate %d", l, r)
	}
	held := tegra.State{Files: slices.Clone(free.Files)}
	for i, f := range held.Files {
		held.Files[i].Value = after(free, down, f.Path)
	}
	top := plan(held, tegra.Request{Mode: s.Space().Max()})
	for name, w := range map[string][]string{"up": paths(top), "down": paths(down)} { // the cap never below the rate
		if c, r := slices.Index(w, tegratest.Cap35), slices.Index(w, rate); (c < r) != (name == "up") {
			t.Errorf("to go %s, the cap is write %d, the rate %d", name, c, r)
		}
	}
	if free := plan(held, tegra.Request{Mode: s.Space().Max(), DVFS: true}); after(held, free, rate) != "2133000000" {
		t.Errorf("a clock that is freed is left at %s Hz, want what it was found at", after(held, free, rate))
	}
	up := c.PlanState(held, free)
	if l, r := slices.Index(paths(up), lock), slices.Index(paths(up), rate); r < 0 || l < r {
		t.Errorf("to free, the lock is write %d, the rate %d", l, r)
	}
	capped := plan(free, tegra.Request{Mode: m, DVFS: true})
	if got := paths(capped); slices.Contains(got, rate) || !slices.Contains(got, tegratest.Cap35) {
		t.Errorf("a free clock with another cap is written as %v", got)
	}
}

// A snapshot whose limits are no numbers is no mode.
func TestModeOfADamagedStateIsUnknown(t *testing.T) {
	t.Parallel()
	s := open(t, tegratest.New("agx-orin-36"))
	c := s.Planner()
	now, err := c.Snapshot()
	if err != nil || !c.ModeOf(now).OK {
		t.Fatalf("%v, %v", c.ModeOf(now), err)
	}
	for _, limit := range []string{tegratest.CPU + "/cpu0/cpufreq/scaling_max_freq", tegratest.Cap36,
		tegratest.EMC + "/mrq_rate_locked"} {
		for _, value := range []string{"x", "-5", "999999999999999"} {
			damaged := tegra.State{Files: slices.Clone(now.Files)}
			i := slices.IndexFunc(damaged.Files, func(f tegra.StateFile) bool { return f.Path == limit })
			damaged.Files[i].Value = value
			if got := c.ModeOf(damaged); got.OK {
				t.Errorf("%s = %s: %v", limit, value, got.V)
			}
		}
	}
}
