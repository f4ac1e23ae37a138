package virtual_test

import (
	"context"
	"math"
	"path"
	"strings"
	"syscall"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/guard"
	"jtune/tegra/virtual"
)

// With any fault of a virtual board's files, its readings are correct or absent, a mode that was not set is not
// reported as set, and the state is restored afterwards.
func TestFaultsOfAVirtualBoardAreNeverTakenForSuccess(t *testing.T) {
	t.Parallel()
	patterns := []string{
		"/sys/devices/system/cpu/cpu7/online",
		"/sys/devices/system/cpu/cpu4/cpufreq/scaling_max_freq",
		"/sys/devices/17000000.ga10b/devfreq/*/min_freq",
		"/sys/devices/17000000.ga10b/devfreq/*/max_freq",
		"/sys/kernel/debug/bpmp/debug/clk/emc/rate",
		"/sys/kernel/debug/bpmp/debug/clk/emc/mrq_rate_locked",
		"/sys/kernel/nvpmodel_emc_cap/emc_iso_cap",
		"/sys/bus/i2c/drivers/ina3221/*/hwmon/*/curr1_input",
		"/sys/class/thermal/thermal_zone0/temp",
	}
	faults := map[string]virtual.FileFault{
		"EIO":          {Read: syscall.EIO, Write: syscall.EIO},
		"EBUSY":        {Read: syscall.EBUSY, Write: syscall.EBUSY},
		"EACCES":       {Read: syscall.EACCES, Write: syscall.EACCES},
		"ENOENT":       {Read: syscall.ENOENT, Write: syscall.ENOENT},
		"EAGAIN":       {Read: syscall.EAGAIN, Write: syscall.EAGAIN},
		"EAGAIN twice": {Read: syscall.EAGAIN, Write: syscall.EAGAIN, Times: 2},
		"garbage":      {Garbage: "\x00\xff"},
		"a blank line": {Garbage: "\n"},
		"huge":         {Garbage: strings.Repeat("9", 1<<20)},
		"stuck":        {Stuck: true},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, pattern := range patterns {
				fault := fault
				fault.Pattern = pattern
				underFault(t, fault, pattern)
			}
		})
	}
}

func underFault(t *testing.T, fault virtual.FileFault, pattern string) {
	t.Helper()
	what := path.Base(path.Dir(pattern)) + "/" + path.Base(pattern)
	b := must.Get(virtual.New(virtual.Options{Name: virtual.AGXOrin, Speed: math.Inf(1), Seed: 1}))(t)
	d := must.Get(b.Open())(t)
	defer d.Close()
	g := must.Get(guard.InProcess(b.FS(), b.Clock()))(t)
	ctx, sound := context.Background(), must.Get(d.Read())(t)
	b.Inject(virtual.Faults{Files: []virtual.FileFault{fault}})
	r, err := d.Read()
	if err == nil &&
		(r.Mode.OK && r.Mode != sound.Mode || r.EMC.Actual.OK && r.EMC.Actual != sound.EMC.Actual || r.GPU.Max.OK &&
			r.GPU.Max != sound.GPU.Max ||
			r.TotalW.OK && math.Abs(r.TotalW.V-sound.TotalW.V) > 0.2*sound.TotalW.V) {
		t.Errorf("%s: mode %v of %v, EMC %v, total %v of %v", what, r.Mode, sound.Mode, r.EMC.Actual, r.TotalW,
			sound.TotalW)
	}
	target := tegra.Mode{Cores: 2, CPU: 1190400 * tegra.KHz, GPU: 420750000, EMC: 665600 * tegra.KHz}
	a, applyErr := g.Apply(ctx, tegra.Request{Mode: target})
	b.Inject(virtual.Faults{})
	if after, err := d.Read(); applyErr == nil &&
		(err != nil || a.Actual != tegra.Some(target) || after.Mode != tegra.Some(target)) {
		t.Errorf("%s: set without an error, yet %v, and the board is in %v", what, a.Actual, after.Mode)
	}
	if err := g.Close(); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if after, err := d.Read(); err != nil || after.Mode != sound.Mode || after.Locked != sound.Locked ||
		len(after.Missing) != len(sound.Missing) {
		t.Errorf("%s: found in %v, left in %v, locked %v: %v", what, sound.Mode, after.Mode, after.Locked, err)
	}
}
