package tegra_test

import (
	"errors"
	"maps"
	"os"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// open opens a board in memory.
func open(t *testing.T, tr *tegratest.Tree) *tegra.Sysfs {
	t.Helper()
	return openFS(t, tegratest.NewMemory(tr))
}

func openRoot(t *testing.T, root string) *tegra.Sysfs {
	t.Helper()
	return openFS(t, tegra.DiskFS(root))
}

func openFS(t *testing.T, fsys tegra.FS) *tegra.Sysfs {
	t.Helper()
	s := must.Get(tegra.Open(fsys, tegra.RealClock()))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func read(t *testing.T, s *tegra.Sysfs) tegra.Reading {
	t.Helper()
	return must.Get(s.Read())(t)
}

// A Jetson whose device tree is hidden is known by other files; where there are none, the error says why.
func TestOpenWithoutADeviceTree(t *testing.T) {
	t.Parallel()
	noGPU := func(tr *tegratest.Tree) {
		for name := range maps.Clone(tr.Links) {
			if strings.Contains(name, "gpu") {
				delete(tr.Links, name)
			}
		}
		tr.Remove("/sys/class/devfreq")
		tr.Remove("/sys/devices/platform")
	}
	for name, c := range map[string]struct {
		change func(*tegratest.Tree)
		soc    string
	}{
		"known by its GPU": {func(*tegratest.Tree) {}, "tegra234"},
		"known by its chip": {func(tr *tegratest.Tree) {
			noGPU(tr)
			tr.Set("/sys/devices/soc0/family", "Tegra")
			tr.Set("/sys/devices/soc0/soc_id", "35")
		}, "tegra234"},
		"known as a Jetson": {noGPU, "tegra"},
	} {
		tr := tegratest.New("orin-nano-36")
		tr.Remove("/proc/device-tree")
		c.change(tr)
		s := open(t, tr)
		if b := s.Board(); b.SoC != c.soc || !strings.Contains(b.Model, tegra.HiddenTree) {
			t.Errorf("%s: %s, %s", name, b.SoC, b.Model)
		}
		if r := read(t, s); !r.TotalW.OK || !r.CPU.Actual.OK {
			t.Errorf("%s: total %v, CPU %v", name, r.TotalW, r.CPU.Actual)
		}
	}
	root := t.TempDir()
	must.NoError(t, os.Mkdir(root+"/proc", 0o755))
	must.NoError(t, os.Symlink("/sys/firmware/devicetree/base", root+"/proc/device-tree"))
	_, err := tegra.Open(tegra.DiskFS(root), tegra.RealClock())
	if !errors.Is(err, tegra.ErrHiddenTree) || !errors.Is(err, tegra.ErrNoDevice) {
		t.Errorf("a link that leads nowhere: %v", err)
	}
}

func TestOpenOfNoJetsonIsItsOwnError(t *testing.T) {
	t.Parallel()
	_, err := tegra.Open(tegra.DiskFS(t.TempDir()), tegra.RealClock())
	if !errors.Is(err, tegra.ErrNoDevice) {
		t.Errorf("an empty root gives %v, want ErrNoDevice", err)
	}
}
