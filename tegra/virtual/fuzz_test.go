package virtual

import (
	"context"
	"math"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
)

// After any write to a knob the board still works: no panic, a plausible reading, minibatches that end.
func FuzzWrites(f *testing.F) {
	paths := []string{policy0 + "/scaling_min_freq", policy0 + "/scaling_max_freq", policy0 + "/scaling_governor",
		cpuDir + "/cpu4/online", cpuDir + "/cpu0/online", gpuFreqDir + "/min_freq", gpuFreqDir + "/max_freq",
		gpuFreqDir + "/governor", gpuDir + "/power/control", gpuDir + "/tpc_pg_mask", emcDir + "/rate",
		emcDir + "/mrq_rate_locked", emcDir + "/state", emcCapFile, "/sys/devices/platform/pwm-fan/hwmon/hwmon2/pwm1",
		"/proc/sys/vm/drop_caches", "/etc/nvpmodel.conf", "/var/lib/nvpmodel/status"}
	for i, value := range []string{"0", "1", "-1", "729600", "99999999999999999999", "9223372036854775807",
		"performance", "", "\x00", "on\n", " 1300500000 ", "1e9", "3"} {
		f.Add(uint8(i), value, uint8(3*i), value)
	}
	f.Fuzz(func(t *testing.T, p uint8, v string, q uint8, w string) {
		defer reliability.Input(t)()
		b := fast(t, Options{Seed: 1})
		write := func(name, value string) (taken bool) {
			was, _ := b.FS().ReadFile(name)
			if b.FS().WriteFile(name, []byte(value)) == nil {
				return true
			}
			if is, _ := b.FS().ReadFile(name); string(is) != string(was) {
				t.Errorf("%s = %q is rejected, yet %q became %q", name, value, was, is)
			}
			return false
		}
		first := write(paths[int(p)%len(paths)], v)
		start(t, b, "lstm")
		second := write(paths[int(q)%len(paths)], w)
		for range 3 {
			m, err := b.NextMinibatch(context.Background())
			if err != nil || !(m.TimeMS > 0) || m.TimeMS > 1e5 {
				t.Fatalf("%+v, %v", m, err)
			}
		}
		if !first && !second {
			return // an unchanged board, as in all other tests: opening it takes most of the time
		}
		d := open(t, b)
		if r, err := d.Read(); err != nil || !r.TotalW.OK || math.IsNaN(r.TotalW.V) || r.TotalW.V < 3 ||
			r.TotalW.V > 80 {
			t.Fatalf("%+v, %v", r.TotalW, err)
		}
	})
}

func FuzzNames(f *testing.F) {
	for _, name := range []string{"/", "", "..", "/sys/../../etc",
		"/sys/class/devfreq/17000000.ga10b/device/devfreq_dev/device/load", "*", "/sys/*/*/*", "[",
		"/proc/device-tree/model/x", "//sys//"} {
		f.Add(name)
	}
	b := must.Get(New(Options{Name: AGXOrin, Speed: math.Inf(1)}))(f)
	f.Fuzz(func(t *testing.T, name string) {
		defer reliability.Input(t)()
		fsys := b.FS()
		_, statErr := fsys.Stat(name)
		if _, err := fsys.ReadFile(name); err == nil && statErr != nil {
			t.Errorf("%q can be read but not found: %v", name, statErr)
		}
		fsys.Readlink(name)
		if found, err := fsys.Glob(name); err == nil {
			for _, one := range found {
				if _, err := fsys.Stat(one); err != nil {
					t.Errorf("glob %q lists %q: %v", name, one, err)
				}
			}
		}
		if h, err := fsys.Open(name); err == nil {
			h.ReadAt(make([]byte, 10), 0)
			h.Close()
		}
	})
}
