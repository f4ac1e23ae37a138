package tegra_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

var update = flag.Bool("update", false, "write the golden file")

// Which files the values of a board come from, in three generations of Jetson Linux, and what is missing and why.
func TestGoldenProbes(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, name := range []string{"nano-32", "xavier-nx-35", "agx-orin-36"} {
		fmt.Fprintf(&out, "%s\n", name)
		for _, p := range open(t, tegratest.New(name)).Probes() {
			fmt.Fprintf(&out, "  %-22s %-5t %s  %s\n", p.Name, p.Found, p.Path, p.Why)
		}
	}
	golden(t, "probes", strings.ReplaceAll(out.String(), "  \n", "\n"))
}

// golden compares a text with its file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		must.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test ./tegra -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

// A board that is closed, or that could not be opened, holds no file.
func TestCloseLeavesNoFileOpen(t *testing.T) {
	t.Parallel()
	held := func(root string) (files []string) {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		for _, fd := range fds {
			if name, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.HasPrefix(name, root+"/") {
				files = append(files, name)
			}
		}
		return files
	}
	most := 0
	for _, b := range tegratest.Boards() {
		root := b.New().Write(t)
		s := openRoot(t, root)
		_, err := s.Read()
		must.NoError(t, err)
		most = max(most, len(held(root)))
		s.Close()
		if files := held(root); len(files) > 0 {
			t.Errorf("%s: still open: %s", b.Name, strings.Join(files, ", "))
		}
	}
	if most < 20 {
		t.Errorf("at most %d files are open while a board is read: this test cannot fail", most)
	}
}

// A power monitor that is listed by its driver and by its bus counts once.
func TestRailsOfAMonitorWithTwoNamesCountOnce(t *testing.T) {
	t.Parallel()
	tr := tegratest.New("agx-orin-36")
	want := open(t, tr).Board().Rails
	for name := range tr.Files {
		if rest, ok := strings.CutPrefix(name, "/sys/bus/i2c/drivers/ina3221/"); ok {
			device, _, _ := strings.Cut(rest, "/")
			tr.Set("/sys/bus/i2c/devices/"+device+"/name", "ina3221")
			tr.Links["/sys/bus/i2c/devices/"+device+"/hwmon"] = "/sys/bus/i2c/drivers/ina3221/" + device + "/hwmon"
		}
	}
	if got := open(t, tr).Board().Rails; len(want) < 3 || !cmp.Equal(got, want) {
		t.Errorf("rails %v, want %v", got, want)
	}
}

// Without one of the rails of its total, a board says which are needed.
func TestProbesNameTheRailsThatATotalLacks(t *testing.T) {
	t.Parallel()
	tr := tegratest.New("agx-orin-36")
	tr.Remove(tegratest.Rails40)
	s := open(t, tr)
	if p := probeNamed(s, "module power"); p.Found || !strings.Contains(string(p.Why), "VDD_CPU_CV") {
		t.Errorf("total %q; %+v", s.Board().TotalRule, s.Probes())
	}
}

func TestBoardSaysWhatItsTotalCovers(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"agx-orin-36": "whole module, without the carrier board",
		"orin-nx-36": "module input"} {
		if got := open(t, tegratest.New(name)).Board().TotalCovers; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Another device with a pwm1 is no fan of the module; without present cores there is nothing to control.
func TestOpenTakesNoOtherDeviceForAFanAndNeedsCores(t *testing.T) {
	t.Parallel()
	tr := tegratest.New("agx-orin-36")
	if r := read(t, open(t, tr)); !r.FanPct.OK {
		t.Fatal("no fan at all: this test cannot fail")
	}
	tr.Set(strings.TrimSuffix(tegratest.Fan, "pwm1")+"name", "pwm-led")
	if r := read(t, open(t, tr)); r.FanPct.OK {
		t.Errorf("a fan at %v %%", r.FanPct.V)
	}
	tr.Set(tegratest.CPU+"/present", "")
	if _, err := tegra.Open(tegra.DiskFS(tr.Write(t)), tegra.RealClock()); err == nil {
		t.Error("a board without cores was opened")
	}
}

// A Jetson's devfreq lists its video engines too.
func TestGPUIsNoVideoEngine(t *testing.T) {
	t.Parallel()
	const vic = "/sys/class/devfreq/13e10000.vic"
	tr := tegratest.New("agx-orin-36")
	want := open(t, tr).Space().GPU
	tr.Set(vic+"/available_frequencies", "115200000 729600000")
	for file, value := range map[string]string{"cur_freq": "115200000", "min_freq": "115200000",
		"max_freq": "729600000", "device/of_node/compatible": "nvidia,tegra234-vic", "device/of_node/name": "vic"} {
		tr.Set(vic+"/"+file, value)
	}
	if got := open(t, tr).Space().GPU; len(want) < 5 || !slices.Equal(got, want) {
		t.Errorf("the GPU's clocks are %v, want %v", got, want)
	}
}
