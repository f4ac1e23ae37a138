package tegra_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// set overwrites a file of a root, as a kernel changes a reading.
func set(t *testing.T, root, name, value string) {
	t.Helper()
	must.NoError(t, tegra.DiskFS(root).WriteFile(name, []byte(value+"\n")))
}

func TestReadingsOfTheAGXOrin(t *testing.T) {
	t.Parallel()
	for name, tree := range map[string]*tegratest.Tree{"L4T 35": tegratest.NewAGXOrin35(),
		"L4T 36": tegratest.New("agx-orin-36")} {
		r := read(t, open(t, tree))
		for what, ok := range map[string]bool{
			"CPU clock 729.6 MHz":         r.CPU.Actual == tegra.Some(729600*tegra.KHz),
			"CPU min 729.6 MHz":           r.CPU.Min == tegra.Some(729600*tegra.KHz),
			"CPU max and cap 2201.6 MHz":  r.CPU.Max == tegra.Some(2201600*tegra.KHz) && r.CPU.Cap == r.CPU.Max,
			"GPU max and cap 1300.5 MHz":  r.GPU.Max == tegra.Some(tegra.Freq(1300500000)) && r.GPU.Cap == r.GPU.Max,
			"GPU load 123 tenths":         r.GPU.LoadPct == tegra.Some(12.3),
			"EMC clock 2133 MHz":          r.EMC.Actual == tegra.Some(2133*tegra.MHz),
			"EMC may go to 3199 MHz":      r.EMC.Max == tegra.Some(3199*tegra.MHz) && r.EMC.Cap == r.EMC.Max,
			"EMC load 21330000 ÷ 2133000": r.EMC.LoadPct == tegra.Some(10.0),
			"twelve cores online":         len(r.Cores) == 12 && r.Cores[11].Online && r.Cores[11].Freq.OK,
			"no CPU load at first":        !r.CPU.LoadPct.OK,
			"fan 55 of 255":               math.Abs(r.FanPct.V-100*55.0/255) < 1e-9,
			"seven sensors":               len(r.Temps) == 7 && r.Temps[0].C == 43.531,
			"GPU and CV sensors off":      len(r.TempsOff) == 4 && strings.EqualFold(r.TempsOff[0][:3], "gpu"),
			"not throttled":               r.Throttled == tegra.Some(false),
			"memory of 64336236 kB": r.RAMTotal == tegra.Some(int64(64336236*1024)) && r.RAMUsed.OK &&
				r.RAMCached.OK,
			"MAXN by its limits": r.Mode.OK && r.Mode.V.String() == "12c/2.20C/1.30G/3.20M",
			"not pinned":         r.Locked == tegra.Some(false),
		} {
			if !ok {
				t.Errorf("%s: not so: %s\n%+v", name, what, r)
			}
		}
	}
}

func TestLoadStartsOverWhenCoresComeOrGo(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin35(t)
	s := openRoot(t, root)
	stat := func(lines ...string) {
		t.Helper()
		must.NoError(t, os.WriteFile(filepath.Join(root, "/proc/stat"),
			[]byte("cpu 1 1 1 1\n"+strings.Join(lines, "\n")+"\n"), 0o644))
	}
	stat("cpu0 100 0 0 100 0", "cpu1 0 0 0 0 0")
	read(t, s)
	stat("cpu0 150 0 0 150 0", "cpu1 25 0 0 50 25")
	r := read(t, s)
	if r.Cores[0].LoadPct != tegra.Some(50.0) || r.Cores[1].LoadPct != tegra.Some(25.0) ||
		r.CPU.LoadPct != tegra.Some(37.5) {
		t.Errorf("loads %v %v, all %v; want 50, 25 (idle and iowait are no load), 37.5", r.Cores[0].LoadPct,
			r.Cores[1].LoadPct, r.CPU.LoadPct)
	}
	if r := read(t, s); r.Cores[0].LoadPct != tegra.Some(50.0) {
		t.Errorf("without a tick between, core 0 shows %v", r.Cores[0].LoadPct)
	}
	stat("cpu0 250 0 0 150 0")
	if r := read(t, s); r.Cores[0].LoadPct.OK {
		t.Errorf("the online set changed, yet core 0 shows %v", r.Cores[0].LoadPct)
	}
	stat("cpu0 350 0 0 150 0")
	if r := read(t, s); r.Cores[0].LoadPct != tegra.Some(100.0) {
		t.Errorf("core 0 shows %v, want 100", r.Cores[0].LoadPct)
	}
	stat("cpu0 3 0 0 1 0")
	if r := read(t, s); r.Cores[0].LoadPct.OK {
		t.Errorf("the counters were reset, yet core 0 shows %v", r.Cores[0].LoadPct)
	}
}

func TestGPUThatIsPoweredDownIsOffNotIdle(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin35(t)
	s := openRoot(t, root)
	set(t, root, tegratest.GPU35+"/cur_freq", "0")
	if r := read(t, s); r.GPU.Actual.OK || r.GPU.LoadPct.OK || !r.GPU.Max.OK || why(r, "GPU clock") != "powered down" {
		t.Errorf("%+v, %v", r.GPU, r.Missing)
	}
}

func TestThrottlingIsARisingCounterOrACoolingDevice(t *testing.T) {
	t.Parallel()
	tr := tegratest.NewAGXOrin35()
	tr.Set("/sys/class/thermal/cooling_device0/type", "pwm-fan")
	tr.Set("/sys/class/thermal/cooling_device0/cur_state", "3")
	tr.Set("/sys/class/thermal/cooling_device1/type", "cpu-throttle-alert")
	tr.Set("/sys/class/thermal/cooling_device1/cur_state", "0")
	tr.Set("/sys/class/hwmon/hwmon5/oc1_event_cnt", "7")
	root := tr.Write(t)
	s := openRoot(t, root)
	for i, step := range []struct {
		counter, cooler string
		want            bool
	}{{"7", "0", false}, {"7", "0", false}, {"8", "0", false}, {"8", "0", false}, {"8", "1", true}, {"8", "0", false}} {
		set(t, root, "/sys/class/hwmon/hwmon5/oc1_event_cnt", step.counter)
		set(t, root, "/sys/class/thermal/cooling_device1/cur_state", step.cooler)
		if r := read(t, s); r.Throttled != tegra.Some(step.want) || r.Heat != tegra.Some(step.want) {
			t.Errorf("step %d: throttled %v, by heat %v, want %v", i, r.Throttled, r.Heat, step.want)
		}
	}
}

// Each signal stands for itself: one that cannot be read leaves the others, and an event is no throttling.
func TestSignalsAreNamedCountedAndRatedEachForItself(t *testing.T) {
	t.Parallel()
	tr := tegratest.NewAGXOrin35()
	const second = "/sys/class/hwmon/hwmon5/oc2_event_cnt"
	tr.Set("/sys/class/hwmon/hwmon5/oc1_event_cnt", "5")
	tr.Set(second, "2")
	tr.Set("/sys/class/hwmon/hwmon5/oc3_event_cnt", "27390")
	k, clock := tegratest.NewKernel(tegra.DiskFS(tr.Write(t))), &handedClock{}
	s := must.Get(tegra.Open(k, clock))(t)
	for i, fault := range []error{nil, syscall.EIO, nil} {
		k.Do(func() { k.Fail[second] = fault })
		clock.now += 2 * time.Second
		must.NoError(t, k.FS.WriteFile("/sys/class/hwmon/hwmon5/oc3_event_cnt", []byte(strconv.Itoa(27390+3*i))))
		r := read(t, s)
		want := map[string]tegra.Val[int64]{tegra.UnderVoltage: tegra.Some(int64(5)),
			tegra.AverageCurrent: tegra.Some(int64(2)), tegra.InstantCurrent: tegra.Some(int64(27390 + 3*i))}
		if fault != nil {
			want[tegra.AverageCurrent] = tegra.Val[int64]{}
		}
		for name, n := range want {
			if is, ok := r.Signals.Find(name); !ok || is.Count != n {
				t.Errorf("reading %d: %s %v, want %v", i, name, is.Count, n)
			}
		}
		is, _ := r.Signals.Find(tegra.InstantCurrent)
		if is.PerS.OK != (i > 0) || i > 0 && is.PerS.V != 1.5 {
			t.Errorf("reading %d: %v events a second, want 1.5", i, is.PerS)
		}
		if r.Throttled.Or(false) {
			t.Errorf("reading %d: events are no throttling", i)
		}
	}
}

// A core runs at its counter's clock where that can be read; a request is marked, and never compared with itself.
func TestReadingHasTheRealClockOfACore(t *testing.T) {
	t.Parallel()
	const dir, at = "/sys/devices/system/cpu/cpufreq/policy4/", "1728000"
	const cur, real, lo, hi = "scaling_cur_freq", "cpuinfo_cur_freq", "scaling_min_freq", "scaling_max_freq"
	const list = "scaling_available_frequencies"
	for name, c := range map[string]struct {
		files     map[string]string
		khz       tegra.Freq
		requested bool
		slow      bool
	}{
		"no counter":         {map[string]string{cur: "1728000", real: ""}, 1728000, true, false},
		"follows":            {map[string]string{cur: "1728000", real: "1728000"}, 1728000, false, false},
		"follows by 2 %":     {map[string]string{cur: "1728000", real: "1694000"}, 1694000, false, false},
		"free and behind":    {map[string]string{cur: "1728000", real: "649000"}, 649000, false, true},
		"another request":    {map[string]string{cur: "1728000", real: "729600"}, 729600, false, false},
		"no list, unlisted":  {map[string]string{cur: "1728000", real: "649000", list: ""}, 649000, false, false},
		"locked and behind":  {map[string]string{lo: at, hi: at, cur: at, real: "862000"}, 862000, false, true},
		"locked, asked less": {map[string]string{lo: at, hi: at, cur: "729600"}, 729600, false, true},
	} {
		tr := tegratest.NewAGXOrin35()
		for file, value := range c.files {
			tr.Set(dir+file, value)
		}
		s := open(t, tr)
		read(t, s)
		r := read(t, s)
		core := r.Cores[5]
		if core.Freq != tegra.Some(c.khz*tegra.KHz) || core.Requested != c.requested {
			t.Errorf("%s: %v, requested %v", name, core.Freq, core.Requested)
		}
		if slow := len(r.Slow) > 0; slow != c.slow || r.Throttled.Or(false) != c.slow {
			t.Errorf("%s: slow %v, throttled %v", name, r.Slow, r.Throttled)
		}
		for _, slow := range r.Slow {
			if n := strings.TrimPrefix(slow.Name, "CPU core "); n < "4" || n > "7" {
				t.Errorf("%s: %v is of another cluster", name, slow)
			}
		}
	}
}

func TestDummyPMICSensorIsNoTemperature(t *testing.T) {
	t.Parallel()
	tr := tegratest.NewAGXOrin35()
	tr.Set("/sys/class/thermal/thermal_zone11/type", "PMIC-Die")
	tr.Set("/sys/class/thermal/thermal_zone11/temp", "100000")
	r := read(t, open(t, tr))
	if slices.ContainsFunc(r.Temps, func(x tegra.TempReading) bool { return x.Name == "PMIC-Die" }) {
		t.Error("100 °C of a sensor that always says so")
	}
}

func TestStatesThatAreModes(t *testing.T) {
	t.Parallel()
	cpu := func(n, file string) string { return tegratest.CPU + "/cpu" + n + "/" + file }
	const gpuMin, gpuMax, lock, rate = tegratest.GPU35 + "/min_freq", tegratest.GPU35 + "/max_freq",
		tegratest.EMC + "/mrq_rate_locked", tegratest.EMC + "/rate"
	// clusters sets a file of the first core of the three clusters.
	clusters := func(file, value string) map[string]string {
		return map[string]string{cpu("0", file): value, cpu("4", file): value, cpu("8", file): value}
	}
	// pinned is a board all of whose clocks are at their top, but for what is left free.
	pinned := func(free ...string) map[string]string {
		files := clusters("cpufreq/scaling_min_freq", "2201600")
		maps.Copy(files, map[string]string{gpuMin: "1300500000", lock: "1", rate: "3199000000"})
		for _, file := range free {
			delete(files, file)
		}
		return files
	}
	const top = "12c/2.20C/1.30G/3.20M"
	for name, c := range map[string]struct {
		files  map[string]string
		mode   string // "" for a state that no mode expresses
		locked bool
	}{
		"limits alone make a mode": {clusters("cpufreq/scaling_max_freq", "1113600"), "12c/1.11C/1.30G/3.20M", false},
		"clusters with different limits make none": {map[string]string{cpu("4", "cpufreq/scaling_max_freq"): "1113600"},
			"", false},
		"an unlisted limit makes none":              {map[string]string{gpuMax: "1000000000"}, "", false},
		"a CPU clock that is not listed makes none": {clusters("cpufreq/scaling_max_freq", "1120000"), "", false},
		"a free CPU clock is not locked":            {pinned(cpu("8", "cpufreq/scaling_min_freq")), top, false},
		"a free GPU clock is not locked":            {pinned(gpuMin), top, false},
		"a free memory clock is not locked":         {pinned(lock, rate), top, false},
		"cores that are not the first make none":    {map[string]string{cpu("1", "online"): "0"}, "", false},
		"a capped memory is its cap": {map[string]string{tegratest.Cap35: "665600000"}, "12c/2.20C/1.30G/0.67M",
			false},
		"a locked memory is its rate, by 2 %": {map[string]string{lock: "1", rate: "660000000"},
			"12c/2.20C/1.30G/0.67M", false},
		"a rate between the listed makes none": {map[string]string{lock: "1", rate: "1600000000"}, "", false},
		"the last cluster off is eight cores": {map[string]string{cpu("8", "online"): "0", cpu("9", "online"): "0",
			cpu("10", "online"): "0", cpu("11", "online"): "0"}, "8c/2.20C/1.30G/3.20M", false},
		"everything pinned is locked": {pinned(), top, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := tegratest.AGXOrin35(t)
			for file, value := range c.files {
				set(t, root, file, value)
			}
			s := openRoot(t, root)
			r := read(t, s)
			st := must.Get(s.Planner().Snapshot())(t)
			for what, got := range map[string]tegra.Val[tegra.Mode]{"reading": r.Mode,
				"snapshot": s.Planner().ModeOf(st)} {
				if got.OK != (c.mode != "") || got.OK && got.V.String() != c.mode {
					t.Errorf("%s: %v, want %q", what, got, c.mode)
				}
			}
			if r.Locked != tegra.Some(c.locked) {
				t.Errorf("locked %v, want %v", r.Locked, c.locked)
			}
		})
	}
}

func TestMasksThatCanBeReadDecideInPlaceOfTheModeLastSet(t *testing.T) {
	t.Parallel()
	tr := tegratest.NewAGXOrin35() // modes 0 and 3 have the masks in force
	tr.Set("/var/lib/nvpmodel/status", "pmode:0002")
	for _, p := range open(t, tr).Presets() {
		if p.NeedsReboot != (p.ID == 1 || p.ID == 2) || p.Default != (p.ID == 2) {
			t.Errorf("%+v while mode 2 was set last", p)
		}
	}
}

func TestMasksThatOnlyRootReadsAreTakenFromTheModeLastSet(t *testing.T) {
	t.Parallel()
	tr := tegratest.NewAGXOrin35()
	tr.Remove("/sys/devices/gpu.0/tpc_pg_mask")
	tr.Set("/var/lib/nvpmodel/status", "pmode:0002")
	for _, p := range open(t, tr).Presets() {
		if p.NeedsReboot != (p.ID != 2) {
			t.Errorf("%+v while mode 2 is in force", p)
		}
	}
}

func TestModeBecomesABlockForTheBoardsOwnConfiguration(t *testing.T) {
	t.Parallel()
	s := open(t, tegratest.NewAGXOrin35())
	m := must.Get(s.Space().Parse("6c/1.34C/0.62G/2.13M"))(t)
	block := must.Get(s.NVPModelBlock(m, "tuned"))(t)
	for _, line := range []string{"< POWER_MODEL ID=4 NAME=TUNED >", "CPU_ONLINE CORE_5 1", "CPU_ONLINE CORE_6 0",
		"TPC_POWER_GATING TPC_PG_MASK 0",
		"CPU_A78_1 MAX_FREQ 1344000", "GPU MIN_FREQ 624750000", "EMC MAX_FREQ 2133000000"} {
		if !strings.Contains(block, line+"\n") {
			t.Errorf("no line %q in\n%s", line, block)
		}
	}
	if strings.Contains(block, "CPU_A78_2") {
		t.Error("a cluster that is offline gets limits")
	}
	if top, err := s.NVPModelBlock(s.Space().Max(), "TOP"); err != nil || !strings.Contains(top, "EMC MAX_FREQ 0\n") {
		t.Errorf("the top rate is capped: %v\n%s", err, top)
	}
}

// A locked memory clock has no range; a lock that cannot be read is missing, and says so.
func TestReadingOfALockedMemoryClockHasNoRange(t *testing.T) {
	t.Parallel()
	rate := tegra.Some(665600 * tegra.KHz)
	for lock, c := range map[string]struct{ ranged, missing bool }{"1": {false, false}, "0": {true, false},
		"?": {true, true}} {
		root := tegratest.AGXOrin35(t)
		set(t, root, tegratest.EMC+"/rate", "665600000")
		set(t, root, tegratest.EMC+"/mrq_rate_locked", lock)
		r := read(t, openRoot(t, root))
		if r.EMC.Actual != rate || (r.EMC.Max == tegra.Some(3199*tegra.MHz)) != c.ranged ||
			!c.ranged && (r.EMC.Min != rate || r.EMC.Max != rate) {
			t.Errorf("lock %q: %+v", lock, r.EMC)
		}
		if missing := why(r, "EMC lock") != ""; missing != c.missing {
			t.Errorf("lock %q: missing %+v", lock, r.Missing)
		}
	}
}

// Without a file for nvpmodel's cap, a free memory clock goes up to its top rate.
func TestModeOfAFreeMemoryClockWithoutACapIsItsTop(t *testing.T) {
	t.Parallel()
	free := 0
	for _, b := range tegratest.Boards() {
		tr := b.New()
		tr.Remove(tegratest.Cap35)
		tr.Remove(tegratest.Cap36)
		s := open(t, tr)
		st := must.Get(s.Planner().Snapshot())(t)
		r := read(t, s)
		if got := s.Planner().ModeOf(st); got != r.Mode {
			t.Errorf("%s: %v of the snapshot, %v of the reading", b.Name, got, r.Mode)
		}
		if emc := s.Space().EMC; r.Mode.OK && r.EMC.Min != r.EMC.Max {
			free++
			if r.Mode.V.EMC != emc[len(emc)-1] {
				t.Errorf("%s: %v, want a memory clock of %v", b.Name, r.Mode.V, emc[len(emc)-1])
			}
		}
	}
	if free == 0 {
		t.Error("no board has a free memory clock: this test cannot fail")
	}
}

func TestReadingHasNoZoneWithoutAName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", strings.Repeat("z", 65)} {
		tr := tegratest.NewAGXOrin35()
		tr.Set("/sys/class/thermal/thermal_zone8/type", name)
		for _, zone := range read(t, open(t, tr)).Temps {
			if zone.Name == name {
				t.Errorf("%+v", zone)
			}
		}
	}
}

// A limit of 0 in nvpmodel's configuration is none, and so is the one of a CPU cluster without any, beside others that
// have one: such a mode has the top clock.
func TestPresetWithoutALimitHasTheTopClock(t *testing.T) {
	t.Parallel()
	for line, value := range map[string]string{"GPU MAX_FREQ": "0", "CPU_A78_0 MAX_FREQ": "-1"} {
		tr := tegratest.NewAGXOrin35()
		for name, conf := range tr.Files {
			if strings.HasSuffix(name, ".conf") && strings.Contains(conf, line) {
				tr.Files[name] = regexp.MustCompile(`(?m)^`+line+` .*`).ReplaceAllString(conf, line+" "+value)
			}
		}
		s := open(t, tr)
		if len(s.Presets()) == 0 {
			t.Fatal("no presets")
		}
		for _, p := range s.Presets() {
			got, top := p.Mode.GPU, s.Space().Max().GPU
			if line != "GPU MAX_FREQ" {
				got, top = p.Mode.CPU, s.Space().Max().CPU
			}
			if got != top {
				t.Errorf("%s %s, %s: %v, want the top of %v", line, value, p.Name, got, top)
			}
		}
	}
}

// Memory in use needs both numbers; the load of the memory bus says why it is missing.
func TestReadingLacksWhatItsFilesLack(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin35(t)
	set(t, root, "/proc/meminfo", "MemTotal: 32000 kB\nCached: 4000 kB")
	set(t, root, "/sys/kernel/debug/cactmon/mc_all", "-1")
	r := read(t, openRoot(t, root))
	if r.RAMTotal != tegra.Some(int64(32000<<10)) || r.RAMUsed.OK {
		t.Errorf("memory %v of %v", r.RAMUsed, r.RAMTotal)
	}
	if r.EMC.LoadPct.OK || why(r, "EMC load") == "" {
		t.Errorf("load %v, missing %+v", r.EMC.LoadPct, r.Missing)
	}
}

// A number that is no temperature or no duty cycle is missing, and says so.
func TestReadingRefusesImpossibleTemperaturesAndFans(t *testing.T) {
	t.Parallel()
	const zone, fan = "/sys/class/thermal/thermal_zone8/temp", tegratest.Fan
	for value, possible := range map[string]bool{"-60000": true, "-60001": false, "200000": true, "200001": false} {
		root := tegratest.AGXOrin35(t)
		set(t, root, zone, value)
		r := read(t, openRoot(t, root))
		shown := slices.ContainsFunc(r.Temps, func(x tegra.TempReading) bool { return x.Name == "tj-therm" })
		if shown != possible || (why(r, "temperature tj-therm") == "") != possible {
			t.Errorf("%s m°C: shown %v, missing %+v", value, shown, r.Missing)
		}
	}
	for value, possible := range map[string]bool{"0": true, "255": true, "256": false, "-1": false} {
		root := tegratest.AGXOrin35(t)
		set(t, root, fan, value)
		if r := read(t, openRoot(t, root)); r.FanPct.OK != possible || (why(r, "fan") == "") != possible {
			t.Errorf("a duty cycle of %s: %v, missing %+v", value, r.FanPct, r.Missing)
		}
	}
}

// With all but one core offline, that one's load is the board's.
func TestLoadOfASingleCoreIsTheBoards(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin35(t)
	for n := 1; n < 12; n++ {
		set(t, root, fmt.Sprintf("%s/cpu%d/online", tegratest.CPU, n), "0")
	}
	set(t, root, "/proc/stat", "cpu0 0 0 0 100")
	s := openRoot(t, root)
	read(t, s)
	set(t, root, "/proc/stat", "cpu0 25 0 0 175")
	if r := read(t, s); r.CPU.LoadPct != tegra.Some(25.0) {
		t.Errorf("load %v, want 25 %%", r.CPU.LoadPct)
	}
}
