package tegra_test

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// behind opens a tree behind a kernel with faults set by the test.
func behind(t *testing.T, tr *tegratest.Tree) (*tegra.Sysfs, *tegratest.Kernel) {
	t.Helper()
	k := tegratest.NewKernel(tegra.DiskFS(tr.Write(t)))
	s := must.Get(tegra.Open(k, tegra.RealClock()))(t)
	t.Cleanup(func() { s.Close() })
	return s, k
}

func why(r tegra.Reading, name string) string {
	for _, m := range r.Missing {
		if m.Name == name {
			return m.Why
		}
	}
	return ""
}

func TestRailThatFailsIsMissingAndSoIsTheTotal(t *testing.T) {
	t.Parallel()
	for errno, want := range map[syscall.Errno]string{syscall.EAGAIN: "not available now",
		syscall.EIO: "input/output error", syscall.ENODEV: "device went away"} {
		s, k := behind(t, tegratest.NewAGXOrin35())
		k.Do(func() { k.Fail[tegratest.Rails40+"/curr2_input"] = errno })
		r := read(t, s)
		if r.Rails[1].PowerW.OK || r.TotalW.OK || !strings.Contains(why(r, "rail VDD_CPU_CV"), want) {
			t.Errorf("%v: rail %+v, total %v, why %q", errno, r.Rails[1], r.TotalW, why(r, "rail VDD_CPU_CV"))
		}
		if !r.Rails[0].PowerW.OK || !r.Rails[2].PowerW.OK {
			t.Errorf("%v: the other rails are gone too", errno)
		}
		k.Do(func() { delete(k.Fail, tegratest.Rails40+"/curr2_input") })
		if r := read(t, s); !r.TotalW.OK || !r.Rails[1].PowerW.OK {
			t.Errorf("%v: not back once the rail answers", errno)
		}
	}
}

func TestRailOutsideTheTotalDoesNotSpoilIt(t *testing.T) {
	t.Parallel()
	s, k := behind(t, tegratest.NewAGXOrin35())
	k.Do(func() { k.Fail[tegratest.Rails41+"/in2_input"] = syscall.EIO })
	if r := read(t, s); !r.TotalW.OK || r.Rails[3].PowerW.OK {
		t.Errorf("total %v, rail %v", r.TotalW, r.Rails[3])
	}
}

func TestPolicyThatGoesOfflineAndComesBackIsReopened(t *testing.T) {
	t.Parallel()
	s, k := behind(t, tegratest.NewAGXOrin35())
	read(t, s)
	for n := 8; n < 12; n++ {
		must.NoError(t, k.FS.WriteFile(fmt.Sprintf("%s/cpu%d/online", tegratest.CPU, n), []byte("0\n")))
	}
	r := read(t, s)
	if r.Cores[8].Online || r.Cores[8].Freq.OK || !r.CPU.Max.OK || r.Mode.V.Cores != 8 {
		t.Errorf("core 8 %+v, mode %v", r.Cores[8], r.Mode)
	}
	for n := 8; n < 12; n++ {
		must.NoError(t, k.FS.WriteFile(fmt.Sprintf("%s/cpu%d/online", tegratest.CPU, n), []byte("1\n")))
	}
	if r := read(t, s); !r.Cores[8].Freq.OK || r.Mode.V.Cores != 12 {
		t.Errorf("core 8 %+v, mode %v after it came back", r.Cores[8], r.Mode)
	}
}

func TestMemoryWithoutRootIsUnknownNotZero(t *testing.T) {
	t.Parallel()
	tr := tegratest.NewAGXOrin35()
	root := tr.Write(t)
	denied := deny{tegra.DiskFS(root), "/sys/kernel/debug"}
	s := must.Get(tegra.Open(denied, tegra.RealClock()))(t)
	r := read(t, s)
	if r.EMC.Actual.OK || r.EMC.LoadPct.OK || r.Mode.OK {
		t.Errorf("EMC %+v, mode %v", r.EMC, r.Mode)
	}
	if got := why(r, "EMC rate"); got != "no permission (root only)" {
		t.Errorf("why: %q", got)
	}
	// Only the one rate named by nvpmodel.conf is known.
	if got, want := s.Space().EMC, []tegra.Freq{2133 * tegra.MHz}; !slices.Equal(got, want) {
		t.Errorf("memory rates %v, want %v", got, want)
	}
	// The top rate is unknown: no preset claims that it is 2133 MHz.
	if got := s.Presets()[0].Mode.EMC; got != 0 || s.Complete() || r.EMC.Max.OK {
		t.Errorf("MAXN's memory is %s, complete %v, EMC max %v", got, s.Complete(), r.EMC.Max)
	}
	if p := probeNamed(s, "EMC frequencies"); p.Found || !strings.Contains(string(p.Why), "root only") {
		t.Errorf("probe %+v", p)
	}

	s.UsePrivileged(tegra.DiskFS(root).ReadFile)
	r = read(t, s)
	if r.EMC.Actual != tegra.Some(2133*tegra.MHz) || !r.EMC.LoadPct.OK || !r.Mode.OK {
		t.Errorf("with the guard's help: EMC %+v, mode %v", r.EMC, r.Mode)
	}
	if got := s.Space().Len(); got != 18096 || !s.Complete() || s.Presets()[0].Mode.EMC != 3199*tegra.MHz {
		t.Errorf("with the guard's help: %d modes", got)
	}
}

// deny is an FS with a folder that only root may enter.
type deny struct {
	tegra.FS
	dir string
}

func (d deny) check(name string) error {
	if strings.HasPrefix(name, d.dir) {
		return &fs.PathError{Op: "open", Path: name, Err: syscall.EACCES}
	}
	return nil
}

func (d deny) Open(name string) (tegra.File, error) {
	if err := d.check(name); err != nil {
		return nil, err
	}
	return d.FS.Open(name)
}

func (d deny) ReadFile(name string) ([]byte, error) {
	if err := d.check(name); err != nil {
		return nil, err
	}
	return d.FS.ReadFile(name)
}

func (d deny) Stat(name string) (fs.FileInfo, error) {
	if err := d.check(name); err != nil {
		return nil, err
	}
	return d.FS.Stat(name)
}

func TestBoardWithoutPartsStillReads(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*tegratest.Tree)
		modes  bool
	}{
		"the GPU was not powered since boot": {func(tr *tegratest.Tree) {
			tr.Remove(tegratest.GPU35)
			tr.Remove("/sys/class/devfreq")
		}, false},
		"no power monitors": {func(tr *tegratest.Tree) {
			tr.Remove("/sys/bus")
			tr.Remove("/sys/class/hwmon")
		}, true},
		"no nvpmodel.conf": {func(tr *tegratest.Tree) { tr.Remove("/etc") }, true},
		"no thermal zones and no fan": {func(tr *tegratest.Tree) {
			tr.Remove("/sys/class/thermal")
			tr.Remove("/sys/devices/platform/pwm-fan")
		}, true},
		"no /proc tables": {func(tr *tegratest.Tree) {
			tr.Remove("/proc/stat")
			tr.Remove("/proc/meminfo")
		}, true},
		"no debugfs": {func(tr *tegratest.Tree) { tr.Remove("/sys/kernel/debug") }, true},
		"no debugfs and no conf": {func(tr *tegratest.Tree) { tr.Remove("/sys/kernel"); tr.Remove("/etc") },
			false},
		"no cpufreq": {func(tr *tegratest.Tree) { tr.Remove(tegratest.CPU + "/cpufreq") },
			false},
		"core 0 has no switch": {func(tr *tegratest.Tree) { tr.Remove(tegratest.CPU + "/cpu0/online") },
			true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := tegratest.NewAGXOrin35()
			c.change(tr)
			s := open(t, tr)
			r := read(t, s)
			if got := s.Space().Len() > 0; got != c.modes {
				t.Errorf("modes are listed: %v, want %v", got, c.modes)
			}
			if !r.Cores[0].Online {
				t.Error("core 0 is off")
			}
			if s.Space().Len() == 0 && s.Space().Max().Cores != 12 {
				t.Errorf("an empty space's top is %v", s.Space().Max())
			}
		})
	}
}

func TestReadOfGarbageEmptyAndHugeFilesNeverCrashes(t *testing.T) {
	t.Parallel()
	contents := map[string]string{
		"garbage":  "\x00\xffgarbage\n",
		"empty":    "",
		"huge":     strings.Repeat("9", 2<<20),
		"negative": "-1\n",
		"overflow": "99999999999999999999\n",
	}
	tr := tegratest.NewAGXOrin35()
	files := faultFiles(tr)
	for fault, kind := range slices.Sorted(maps.Keys(contents)) {
		content := contents[kind]
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			board := tegratest.NewMemory(tr)
			for i, name := range files {
				if faultsMeet(i, fault) {
					board.Set(name, content)
					exercise(t, board, name)
					board.Reset()
				}
			}
		})
	}
}

// exercise calls everything that reads; it must not crash or return impossible values.
func exercise(t *testing.T, fsys tegra.FS, name string) {
	s, err := tegra.Open(fsys, tegra.RealClock())
	if err != nil {
		return
	}
	defer s.Close()
	exerciseOpen(t, s, name)
}

// exerciseOpen is exercise for an open board.
func exerciseOpen(t *testing.T, s *tegra.Sysfs, name string) {
	for range 2 {
		r, err := s.Read()
		if err != nil {
			return
		}
		if r.TotalW.OK && !(r.TotalW.V >= 0 && r.TotalW.V < 3000) ||
			r.GPU.LoadPct.OK && !(r.GPU.LoadPct.V >= 0 && r.GPU.LoadPct.V <= 100) ||
			r.EMC.LoadPct.OK && !(r.EMC.LoadPct.V >= 0 && r.EMC.LoadPct.V <= 100) ||
			r.CPU.Actual.OK && r.CPU.Actual.V < 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	c := s.Planner()
	if st, err := c.Snapshot(); err == nil {
		c.ModeOf(st)
		if s.Space().Len() > 0 {
			_, _ = c.Plan(st, tegra.Request{Mode: s.Space().Max()}, tegra.State{})
		}
		c.PlanState(st, tegra.State{})
	}
}

func TestHwmonNumbersMayBeShuffledAndFoldersNeedNoLinks(t *testing.T) {
	t.Parallel()
	tr := tegratest.NewAGXOrin35()
	for name, content := range tr.Files {
		if rest, ok := strings.CutPrefix(name, tegratest.Rails40); ok {
			tr.Files["/sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon11"+rest] = content
			delete(tr.Files, name)
		}
	}
	delete(tr.Links, "/sys/class/hwmon/hwmon3")
	tr.Unlink()
	s := open(t, tr)
	if r := read(t, s); !r.TotalW.OK || s.Space().Len() != 18096 || !r.Mode.OK {
		t.Errorf("total %v, %d modes, mode %v", r.TotalW, s.Space().Len(), r.Mode)
	}
}

func TestPowerMonitorsAreFoundAmongHwmonDevicesAlone(t *testing.T) {
	t.Parallel()
	tr := tegratest.NewAGXOrin35()
	tr.Unlink()
	tr.Remove("/sys/bus")
	if r := read(t, open(t, tr)); !r.TotalW.OK {
		t.Error("no total without /sys/bus/i2c")
	}
}

func TestDeviceWhoseFilesAreAllGoneIsAnError(t *testing.T) {
	t.Parallel()
	tr := tegratest.NewAGXOrin35()
	for name := range tr.Files {
		if name != "/proc/device-tree/compatible" && name != tegratest.CPU+"/present" {
			tr.Remove(name)
		}
	}
	if r, err := open(t, tr).Read(); err == nil {
		t.Errorf("no error, but %+v", r)
	}
}

func TestRailsThatOnlyRootReadsComeThroughTheGuard(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin35(t)
	s := must.Get(tegra.Open(deny{tegra.DiskFS(root), tegratest.Rails40 + "/in"}, tegra.RealClock()))(t)
	if r := read(t, s); r.TotalW.OK || s.Board().TotalRule != "" {
		t.Errorf("total %v by %q without the right to read", r.TotalW, s.Board().TotalRule)
	}
	s.UsePrivileged(func(name string) ([]byte, error) {
		if !tegra.RootOnly(name) {
			t.Errorf("the guard would not read %s", name)
		}
		return tegra.DiskFS(root).ReadFile(name)
	})
	if r := read(t, s); !r.TotalW.OK || len(s.Board().Rails) != 4 {
		t.Errorf("total %v, rails %v with the guard's help", r.TotalW, s.Board().Rails)
	}
}

func TestSysfsTellsOfItsBoardWhileAPrivilegedReadHangs(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin35(t)
	s := must.Get(tegra.Open(deny{tegra.DiskFS(root), "/sys/kernel/debug"}, tegra.RealClock()))(t)
	var hang atomic.Bool
	asked, answer := make(chan struct{}, 1000), make(chan struct{})
	s.UsePrivileged(func(name string) ([]byte, error) {
		if hang.Load() {
			asked <- struct{}{}
			<-answer
		}
		return tegra.DiskFS(root).ReadFile(name)
	})
	hang.Store(true)
	done := make(chan error)
	go func() {
		_, err := s.Read()
		done <- err
	}()
	<-asked
	if s.Board().SoC == "" || s.Space().Len() != 18096 || !s.Complete() || len(s.Presets()) == 0 ||
		len(s.Probes()) == 0 {
		t.Errorf("while a read hangs: %+v with %d modes", s.Board(), s.Space().Len())
	}
	close(answer)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestGuardReadsNothingButClocksAndRails(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		tegratest.EMC + "/rate": true, tegratest.Rates: true, tegratest.Cap36: true,
		tegratest.Rails40 + "/in1_input": true, tegratest.Rails40 + "/curr3_input": true,
		"/sys/devices/gpu.0/tpc_pg_mask": true,
		"/etc/shadow":                    false, "": false, "/": false, "rate": false,
		tegratest.EMC + "/../../../../../../../etc/shadow": false,
		tegratest.EMC + "//rate":                           false, tegratest.Rails40 + "/name": false,
		"/sys/kernel/debug/bpmp/debug/clk/gpu/rate":                             false,
		"/sys/bus/i2c/drivers/ina3221/1-0040/hwmon/../../../../../../etc/in1_x": false,
	} {
		if got := tegra.RootOnly(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}
