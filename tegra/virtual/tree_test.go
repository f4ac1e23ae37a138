package virtual

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
)

const policy0 = cpuDir + "/cpufreq/policy0"

func TestTreeTakesOrRefusesWhatIsWritten(t *testing.T) {
	for _, c := range []struct {
		name, path, value string
		want              string // read back
		err               error
	}{
		{"a listed CPU limit is taken", cpuDir + "/cpu1/cpufreq/scaling_max_freq", "1651200", "1651200", nil},
		{"a CPU limit between two steps goes to the nearest", policy0 + "/scaling_max_freq", "1640000", "1651200", nil},
		{"a CPU limit above the list goes to its top", policy0 + "/scaling_max_freq", "99999999", "2201600", nil},
		{"a GPU limit below the list goes to its bottom", gpuFreqDir + "/max_freq", "1", "114750000", nil},
		{"a maximum below the minimum is refused", policy0 + "/scaling_max_freq", "115200", "", syscall.EINVAL},
		{"words are no frequency", policy0 + "/scaling_min_freq", "fast", "", syscall.EINVAL},
		{"a negative frequency is none", policy0 + "/scaling_min_freq", "-1", "", syscall.EINVAL},
		{"a GPU limit rounds up", gpuFreqDir + "/max_freq", "950000000", "1032750000", nil},
		{"a core goes offline", cpuDir + "/cpu7/online", "0", "0", nil},
		{"core 0 stays online", cpuDir + "/cpu0/online", "0", "", syscall.EBUSY},
		{"switching core 0 on is harmless", cpuDir + "/cpu0/online", "1", "1", nil},
		{"a core is on or off", cpuDir + "/cpu7/online", "2", "", syscall.EINVAL},
		{"an unknown governor is refused", policy0 + "/scaling_governor", "turbo", "", syscall.EINVAL},
		{"a known governor is taken", policy0 + "/scaling_governor", "powersave", "powersave", nil},
		{"a memory cap is taken", emcCapFile, "2133000000", "2133000000", nil},
		{"the top rate is no memory cap on this release", emcCapFile, "3199000000", "", syscall.EINVAL},
		{"a list cannot be written", policy0 + "/scaling_available_frequencies", "1", "", syscall.EACCES},
		{"a GPU unit cannot be gated off once it was used", gpuDir + "/tpc_pg_mask", "248", "", syscall.EBUSY},
		{"fan duty is at most 255", "/sys/devices/platform/pwm-fan/hwmon/hwmon2/pwm1", "256", "", syscall.EINVAL},
		{"nothing is created", "/sys/kernel/nothing", "1", "", fs.ErrNotExist},
		{"a folder is not written", cpuDir, "1", "", tegra.ErrIrregular},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := fast(t, Options{})
			err := b.FS().WriteFile(c.path, []byte(c.value))
			if !errors.Is(err, c.err) {
				t.Fatalf("writing %s gives %v, want %v", c.value, err, c.err)
			}
			if c.err == nil {
				if got := read(t, b, c.path); got != c.want {
					t.Errorf("reads back %s, want %s", got, c.want)
				}
			}
		})
	}
}

func TestMinimumAboveMaximumIsRefused(t *testing.T) {
	b := fast(t, Options{})
	write(t, b, policy0+"/scaling_max_freq", "1113600")
	if err := b.FS().WriteFile(policy0+"/scaling_min_freq", []byte("1190400")); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("got %v, want EINVAL", err)
	}
	if got := read(t, b, policy0+"/scaling_min_freq"); got != "729600" {
		t.Errorf("minimum is %s after the refusal, want 729600", got)
	}
}

func TestFourCoresShareOnePolicy(t *testing.T) {
	b := fast(t, Options{})
	write(t, b, cpuDir+"/cpu6/cpufreq/scaling_max_freq", "1190400")
	for core, want := range map[string]string{"cpu4": "1190400", "cpu7": "1190400", "cpu3": "2201600",
		"cpu8": "2201600"} {
		if got := read(t, b, cpuDir+"/"+core+"/cpufreq/scaling_max_freq"); got != want {
			t.Errorf("%s has maximum %s, want %s", core, got, want)
		}
	}
}

func TestOfflinePolicyVanishesAndComesBackAsItWas(t *testing.T) {
	b := fast(t, Options{})
	name := cpuDir + "/cpu8/cpufreq/scaling_max_freq"
	write(t, b, name, "1036800")
	held := must.Get(b.FS().Open(name))(t)
	for _, core := range []string{"8", "9", "10"} {
		write(t, b, cpuDir+"/cpu"+core+"/online", "0")
	}
	if got := read(t, b, name); got != "1036800" {
		t.Errorf("an offline core of a live policy shows %s, want the shared 1036800", got)
	}
	write(t, b, cpuDir+"/cpu11/online", "0")
	if _, err := b.FS().ReadFile(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading gives %v, want no such file", err)
	}
	if _, err := held.ReadAt(make([]byte, 64), 0); !errors.Is(err, syscall.ENODEV) {
		t.Errorf("the held file gives %v, want ENODEV", err)
	}
	if _, err := b.FS().Stat(cpuDir + "/cpu8/cpufreq"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("cpu8/cpufreq: %v, want no such file", err)
	}
	if got, _ := b.FS().Glob(cpuDir + "/cpufreq/policy8/*"); len(got) != 0 {
		t.Errorf("the policy's folder still lists %v", got)
	}
	if got := read(t, b, cpuDir+"/online"); got != "0-7" {
		t.Errorf("online is %s, want 0-7", got)
	}
	if got := read(t, b, cpuDir+"/offline"); got != "8-11" {
		t.Errorf("offline is %s, want 8-11", got)
	}
	if strings.Contains(read(t, b, "/proc/stat"), "cpu8 ") {
		t.Error("/proc/stat still counts core 8")
	}
	write(t, b, cpuDir+"/cpu9/online", "1")
	if got := read(t, b, name); got != "1036800" {
		t.Errorf("after coming back the maximum is %s, want 1036800", got)
	}
	if _, err := held.ReadAt(make([]byte, 64), 0); err != nil && err != io.EOF {
		t.Errorf("the held file gives %v after coming back", err)
	}
}

func TestMemoryClockFollowsLockRateAndCap(t *testing.T) {
	rate := func(b *Board) string { return read(t, b, emcDir+"/rate") }
	b := fast(t, Options{})
	write(t, b, emcDir+"/rate", "665600000")
	if got := rate(b); got == "665600000" {
		t.Error("a rate without the lock must not hold")
	}
	write(t, b, emcDir+"/mrq_rate_locked", "1")
	write(t, b, emcDir+"/state", "1")
	for _, c := range []struct{ ask, want string }{
		{"665600000", "665600000"}, {"1701500000", "2133000000"}, {"204000000", "204000000"},
		{"9999999999", "204000000"}, {"3199000000", "3199000000"},
	} {
		write(t, b, emcDir+"/rate", c.ask)
		if got := rate(b); got != c.want {
			t.Errorf("asked for %s, runs at %s, want %s", c.ask, got, c.want)
		}
	}
	write(t, b, emcCapFile, "2133000000")
	if got := rate(b); got != "2133000000" {
		t.Errorf("under a cap of 2133 MHz it runs at %s", got)
	}
	write(t, b, emcCapFile, "0")
	if got := rate(b); got != "3199000000" {
		t.Errorf("with the cap lifted it runs at %s", got)
	}
}

func TestUnlockedClocksFollowTheLoad(t *testing.T) {
	b := fast(t, Options{})
	idleGPU, idleCPU := read(t, b, gpuFreqDir+"/cur_freq"), read(t, b, policy0+"/scaling_cur_freq")
	if idleGPU != "114750000" || idleCPU != "729600" {
		t.Errorf("an idle board runs at GPU %s, CPU %s, want its minima", idleGPU, idleCPU)
	}
	start(t, b, "resnet18")
	if gpu := read(t, b, gpuFreqDir+"/cur_freq"); gpu != "1300500000" {
		t.Errorf("under load the GPU runs at %s, want its maximum", gpu)
	}
	seen := map[string]bool{} // clocks of the CPU: in bursts at the top
	for range 100 {
		seen[read(t, b, policy0+"/scaling_cur_freq")] = true
		sleep(t, b, 50*time.Millisecond)
	}
	if len(seen) != 2 || !seen["2201600"] {
		t.Errorf("under load the CPU runs at %v, want its maximum at times", seen)
	}
}

func TestLinksAndFoldersResolve(t *testing.T) {
	b := fast(t, Options{})
	f := b.FS()
	if got, err := f.Readlink("/sys/class/devfreq/17000000.ga10b"); err != nil || got != gpuFreqDir {
		t.Errorf("link to %q, %v", got, err)
	}
	if _, err := f.Readlink(gpuFreqDir); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a folder is not a link: %v", err)
	}
	for _, name := range []string{gpuDir + "/devfreq_dev/max_freq",
		"/sys/class/devfreq/17000000.ga10b/device/of_node/name", "/proc/device-tree/model",
		"/sys/class/../class/hwmon/hwmon3/name", "//etc//nvpmodel.conf"} {
		if _, err := f.ReadFile(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	got, err := f.Glob("/sys/class/thermal/thermal_zone*/type")
	if err != nil || len(got) != 11 || !slices.IsSorted(got) {
		t.Errorf("thermal zones %v, %v; want 11", got, err)
	}
	if _, err := f.Glob("/sys/["); err == nil {
		t.Error("a broken pattern must be an error")
	}
	if st, err := f.Stat(cpuDir); err != nil || !st.IsDir() {
		t.Errorf("%s is a folder: %v", cpuDir, err)
	}
}

func TestHandlesReadAnewFromTheStart(t *testing.T) {
	b := fast(t, Options{})
	h := must.Get(b.FS().Open(gpuFreqDir + "/max_freq"))(t)
	buf := make([]byte, 4)
	if n, err := h.ReadAt(buf, 0); n != 4 || err != nil || string(buf) != "1300" {
		t.Errorf("first bytes %q, %v", buf[:n], err)
	}
	if n, err := h.ReadAt(buf, 8); string(buf[:n]) != "00\n" || err != io.EOF {
		t.Errorf("last bytes %q, %v", buf[:n], err)
	}
	must.NoError(t, b.FS().WriteFile(gpuFreqDir+"/max_freq", []byte("420750000")))
	if n, _ := h.ReadAt(buf, 0); string(buf[:n]) != "4207" {
		t.Errorf("after a write it reads %q", buf[:n])
	}
	if h.Close() != nil || !errors.Is(h.Close(), fs.ErrClosed) {
		t.Error("closing twice must say so")
	}
	if _, err := h.ReadAt(buf, 0); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("reading a closed file gives %v", err)
	}
}
