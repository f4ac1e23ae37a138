package tegra_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// handedClock is moved by hand.
type handedClock struct {
	tegra.Clock
	now time.Duration
}

func (c *handedClock) Now() time.Duration { return c.now }

// A PC's tree: two packages and memory behind RAPL counters, which wrap at their range.
func TestHostReadsRAPLLoadAndMemory(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, value string) {
		path := filepath.Join(root, name)
		must.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.NoError(t, os.WriteFile(path, []byte(value+"\n"), 0o600))
	}
	zone := func(dir, name, energy string) {
		write("sys/class/powercap/"+dir+"/name", name)
		write("sys/class/powercap/"+dir+"/energy_uj", energy)
		write("sys/class/powercap/"+dir+"/max_energy_range_uj", "262143328850")
	}
	zone("intel-rapl:0", "package-0", "262143000000")
	zone("intel-rapl:0:0", "core", "5")
	zone("intel-rapl:0:1", "dram", "1000000")
	zone("intel-rapl:1", "package-1", "5000000")
	write("proc/cpuinfo", "processor : 0\nmodel name\t: Example CPU 9000")
	write("proc/meminfo", "MemTotal: 32000 kB\nMemFree: 8000 kB\nCached: 4000 kB")
	write("proc/stat", "cpu0 100 0 0 100\ncpu1 0 0 0 200")
	write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3600000")
	clock := &handedClock{Clock: tegra.RealClock(), now: time.Second}
	h := must.Get(tegra.OpenHost(tegra.DiskFS(root), clock, "pc", ""))(t)
	defer h.Close()
	rule := "SUM:RAPL package-0,RAPL dram 1,RAPL package-1"
	if b := h.Board(); b.Model != "Example CPU 9000" || b.TotalRule != rule ||
		!strings.Contains(b.TotalCovers, "UNVERIFIED") || h.Space().Len() != 0 {
		t.Errorf("%+v with %d modes", b, h.Space().Len())
	}
	if r, err := h.Read(); err != nil || r.TotalW.OK || r.Mode.OK {
		t.Errorf("the first reading: %v, %v", r.TotalW, err)
	}
	clock.now += 2 * time.Second
	zone("intel-rapl:0", "package-0", "99671150") // 100 J on, past its range
	zone("intel-rapl:0:1", "dram", "5000000")
	zone("intel-rapl:1", "package-1", "65000000")
	write("proc/stat", "cpu0 200 0 0 100\ncpu1 0 0 0 300")
	r, err := h.Read()
	if err != nil || r.TotalW != tegra.Some(82.0) || r.Rails[0].PowerW != tegra.Some(50.0) {
		t.Errorf("%v of %+v, %v; want 50 + 2 + 30 W", r.TotalW, r.Rails, err)
	}
	if r, err := h.Read(); err != nil || r.TotalW.OK {
		t.Errorf("a second reading at once: %v, %v; want no mean over no time", r.TotalW, err)
	}
	if r.CPU.LoadPct != tegra.Some(50.0) || r.CPU.Actual.V.GHz() != 3.6 || r.RAMUsed != tegra.Some(int64(20000*1024)) {
		t.Errorf("load %v, clock %v, memory %v", r.CPU.LoadPct, r.CPU.Actual, r.RAMUsed)
	}
	must.NoError(t, os.Remove(filepath.Join(root, "sys/class/powercap/intel-rapl:1/energy_uj")))
	h.Close()
	clock.now += time.Second
	if r, err := h.Read(); err != nil || r.TotalW.OK || len(r.Missing) == 0 {
		t.Errorf("a counter that is gone: %v, missing %v, %v", r.TotalW, r.Missing, err)
	}
	zone("intel-rapl:1", "package-1", "95000000")
	for i, want := range []tegra.Val[float64]{{}, tegra.Some(30.0)} { // the time it was gone is no part of a mean
		clock.now += time.Second
		if i > 0 {
			zone("intel-rapl:1", "package-1", "125000000")
		}
		if r, err := h.Read(); err != nil || r.Rails[2].PowerW != want {
			t.Errorf("%d s after the counter is back: %v, %v; want %v", i, r.Rails, err, want)
		}
	}
}

// A kernel that hides /proc/stat: the cores are known by their clocks alone.
func TestHostListsCoresByTheirClocks(t *testing.T) {
	t.Parallel()
	tree := &tegratest.Tree{Files: map[string]string{}}
	for n := range 3 {
		tree.Set(fmt.Sprintf("/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", n), "1500000")
	}
	h := must.Get(tegra.OpenHost(tegra.DiskFS(tree.Write(t)), tegra.RealClock(), "pc", ""))(t)
	defer h.Close()
	r, err := h.Read()
	if err != nil || len(r.Cores) != 3 || r.CPU.Actual.V.MHz() != 1500 || r.CPU.LoadPct.OK || r.TotalW.OK {
		t.Errorf("%+v, %v, a total of %v, %v", r.Cores, r.CPU, r.TotalW, err)
	}
	if got := h.Board().Name; got != "pc" {
		t.Errorf("named %q, want the name given", got)
	}
}

// Names of cores sort as text, cpu10 before cpu2; core 3 is offline.
func TestHostReadsClockAndLoadOfTheSameCore(t *testing.T) {
	t.Parallel()
	tree, stat := &tegratest.Tree{Files: map[string]string{}}, ""
	for n := range 12 {
		if n != 3 {
			clock := fmt.Sprintf("/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", n)
			tree.Set(clock, fmt.Sprint(1_000_000+1000*n))
			stat += fmt.Sprintf("cpu%d 0 0 0 0\n", n)
		}
	}
	tree.Set("/proc/stat", stat)
	root := tree.Write(t)
	h, err := tegra.OpenHost(tegra.DiskFS(root), tegra.RealClock(), "pc", "")
	must.NoError(t, err)
	defer h.Close()
	_, err = h.Read()
	must.NoError(t, err)
	stat = ""
	for n := range 12 {
		if n != 3 {
			stat += fmt.Sprintf("cpu%d %d 0 0 %d\n", n, n, 100-n)
		}
	}
	set(t, root, "/proc/stat", stat)
	r, err := h.Read()
	if err != nil || len(r.Cores) != 11 {
		t.Fatalf("%d cores, %v", len(r.Cores), err)
	}
	for _, c := range r.Cores {
		if mhz := c.Freq.V.MHz(); c.LoadPct != tegra.Some(mhz-1000) {
			t.Errorf("a clock of %g MHz with a load of %v %%", mhz, c.LoadPct)
		}
	}
}
