package virtual_test

import (
	"context"
	"math"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/guard"
	"jtune/tegra/virtual"
)

// The writing side of a real board works on a virtual one: same code, same
// order of writes, kernel rules included.
func TestGuardAppliesModesOfAVirtualBoard(t *testing.T) {
	b := must.Get(virtual.New(virtual.Options{Name: virtual.AGXOrin, Speed: math.Inf(1), Seed: 1}))(t)
	d := must.Get(b.Open())(t)
	g := must.Get(guard.InProcess(b.FS(), b.Clock()))(t)
	ctx := context.Background()
	found := modeOf(t, d)
	for i, m := range d.Space().Sample(60, 11) {
		a, err := g.Apply(ctx, tegra.Request{Mode: m, DVFS: i%5 == 4, Fan: tegra.FanPolicy(i % 3)})
		if err != nil || !a.OK() || a.Actual.V != m {
			t.Fatalf("applying %s: %v; actual %v of %+v", m, err, a.Actual, a.Files)
		}
		if got := modeOf(t, d); got != m {
			t.Fatalf("applied %s, the board says %s", m, got)
		}
		if r, _ := d.Read(); i%5 != 4 &&
			(r.CPU.Actual.V != m.CPU || r.GPU.Actual.V != m.GPU || r.EMC.Actual.V != m.EMC || !r.Locked.V) {
			t.Fatalf("%s locked, clocks are %v %v %v", m, r.CPU.Actual, r.GPU.Actual, r.EMC.Actual)
		}
	}
	must.NoError(t, g.Close())
	if r, _ := d.Read(); modeOf(t, d) != found || r.Locked.V {
		t.Errorf("after the guard it is %s, locked %v; found %s free", modeOf(t, d), r.Locked.V, found)
	}
}

func TestGuardReportsWhatAVirtualBoardRefuses(t *testing.T) {
	low := tegra.Mode{Cores: 4, CPU: 1190400 * tegra.KHz, GPU: 420750000, EMC: 2133 * tegra.MHz}
	high := low
	high.GPU = 1032750000
	const gpuMax = "/sys/devices/17000000.ga10b/devfreq/*/max_freq"
	for name, f := range map[string]virtual.Faults{
		"a raise is rejected":    {RejectRaise: true},
		"a knob keeps its value": {Files: []virtual.FileFault{{Pattern: gpuMax, Stuck: true}}},
		"a knob is busy": {Files: []virtual.FileFault{{Pattern: gpuMax,
			Write: context.DeadlineExceeded}}},
		"the memory's clock does not follow": {StuckClocks: []tegra.Knob{tegra.KnobEMC}},
		"a core stays online":                {PinnedCores: []int{3}},
	} {
		t.Run(name, func(t *testing.T) {
			b := must.Get(virtual.New(virtual.Options{Name: virtual.AGXOrin, Speed: math.Inf(1)}))(t)
			g, err := guard.InProcess(b.FS(), b.Clock())
			must.NoError(t, err)
			defer g.Close()
			ctx := context.Background()
			_, err = g.Apply(ctx, tegra.Request{Mode: low})
			must.NoError(t, err)
			high := high
			high.Cores, high.EMC = 2, 665600*tegra.KHz
			b.Inject(f)
			if a, err := g.Apply(ctx, tegra.Request{Mode: high}); err == nil && a.OK() {
				t.Errorf("applied as if nothing were wrong: %+v", a)
			}
			b.Inject(virtual.Faults{})
			if a, err := g.Apply(ctx, tegra.Request{Mode: high}); err != nil || !a.OK() {
				t.Errorf("with the fault gone: %v, %+v", err, a)
			}
		})
	}
}

func modeOf(t *testing.T, d tegra.Device) tegra.Mode {
	t.Helper()
	r, err := d.Read()
	if err != nil || !r.Mode.OK {
		t.Fatalf("no mode at %v: %v", time.Duration(r.T), err)
	}
	return r.Mode.V
}
