package tegra_test

import (
	"math"
	"os"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

func TestEnginesAreOnForTheTimeThatTheirDriverPowersThem(t *testing.T) {
	const host = "/sys/devices/platform/bus@0/13e00000.host1x/"
	tree := tegratest.New("orin-nx-36")
	file := func(device string) string { return host + device + "/power/runtime_active_time" }
	for _, device := range []string{"154c0000.nvenc", "15480000.nvdec", "15880000.nvdla0", "15340000.vic"} {
		tree.Set(file(device), "1000")
		tree.Links["/sys/bus/platform/devices/"+device] = host + device
	}
	tree.Set(host+"power/runtime_active_time", "5000") // no engine
	tree.Links["/sys/bus/platform/devices/13e00000.host1x"] = host
	root, clock := tree.Write(t), &handClock{Clock: tegra.RealClock()}
	s := must.Get(tegra.Open(tegra.DiskFS(root), clock))(t)
	defer s.Close()
	read := func() map[string]tegra.Val[float64] {
		r, on := must.Get(s.Read())(t), map[string]tegra.Val[float64]{}
		for _, e := range r.Engines {
			on[e.Name] = e.OnPct
		}
		return on
	}
	if first := read(); len(first) != 4 || first["NVENC"].OK {
		t.Errorf("at first: %v", first)
	}
	must.NoError(t, os.WriteFile(root+file("154c0000.nvenc"), []byte("1750\n"), 0o644))
	clock.now += time.Second
	on := read()
	for name, want := range map[string]float64{"NVENC": 75, "NVDEC": 0, "DLA0": 0, "VIC": 0} {
		if got := on[name]; !got.OK || math.Abs(got.V-want) > 0.1 {
			t.Errorf("%s is on for %v %%, want %v", name, got, want)
		}
	}
}
