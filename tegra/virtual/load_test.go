package virtual

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/virtual/physics"
)

func TestColdPageCacheStallsTheFirstEpochOnly(t *testing.T) { // laws 1, 2 and 6
	quiet := 0.0
	stall := func(b *Board, workers int) float64 {
		must.NoError(t, b.Start(Job{Workload: "mobilenet", Workers: &workers}))
		next(t, b)
		return next(t, b).StallMS
	}
	b := fast(t, Options{Noise: &quiet})
	set(t, b, maxn)
	cold := stall(b, 0)
	for range 2 * 1443 {
		next(t, b)
	}
	warm := next(t, b).StallMS
	if cold < warm+1 {
		t.Errorf("stall without a loader process is %.2f ms cold, %.2f cached: disk must show", cold, warm)
	}
	if got := stall(b, 0); !near(got, warm, 1e-9) {
		t.Errorf("after a restart stall is %.3f ms, want the cached %.3f", got, warm)
	}
	cached := memory(t, b, "Cached")
	write(t, b, "/proc/sys/vm/drop_caches", "3")
	if got := stall(b, 0); !near(got, cold, 1e-2) {
		t.Errorf("after dropping the cache stall is %.3f ms, want %.3f", got, cold)
	}
	if now := memory(t, b, "Cached"); now > cached-2000 {
		t.Errorf("%d MB cached after the drop, %d before", now, cached)
	}
	hidden := stall(b, 4)
	b.SetCached("mobilenet", 1)
	if cached := next(t, b).StallMS; hidden > cached+1 {
		t.Errorf("four loader processes leave a stall of %.2f ms, %.2f cached: pipelining must hide the disk", hidden,
			cached)
	}
}

// memory returns a line of /proc/meminfo in MB.
func memory(t *testing.T, b *Board, key string) int {
	t.Helper()
	for line := range strings.Lines(read(t, b, "/proc/meminfo")) {
		if f := strings.Fields(line); f[0] == key+":" {
			kb, _ := strconv.Atoi(f[1])
			return kb / 1000
		}
	}
	t.Fatalf("no %s in /proc/meminfo", key)
	return 0
}

func TestLoadsAreShown(t *testing.T) {
	b := fast(t, Options{Seed: 1})
	d := open(t, b)
	set(t, b, tegra.Mode{Cores: 4, CPU: 729600 * tegra.KHz, GPU: 1300500000, EMC: 3199 * tegra.MHz})
	start(t, b, "mobilenet")
	sleep(t, b, 3*time.Second)
	d.Read()
	sleep(t, b, 10*time.Second)
	r := must.Get(d.Read())(t)
	w, _ := physics.Find("mobilenet")
	want := w.Steady(physics.On(AGXOrin), physics.Conditions{Cores: 4, CPU: 0.7296, GPU: 1.3005, EMC: 3.199})
	if got := r.CPU.LoadPct.V * 4 / 100; !near(got, want.CPUBusy, 0.03) {
		t.Errorf("%.2f cores busy, want %.2f", got, want.CPUBusy)
	}
	if got := r.GPU.LoadPct.V / 100; math.Abs(got-want.GPUBusy) > 0.15 {
		t.Errorf("GPU load %.2f, want about %.2f", got, want.GPUBusy)
	}
	if got := r.EMC.LoadPct.V / 100; math.Abs(got-want.EMCBusy) > 0.02 {
		t.Errorf("EMC load %.2f, want %.2f", got, want.EMCBusy)
	}
	for i, c := range r.Cores {
		if c.Online != (i < 4) || c.Online && c.LoadPct.V < 50 {
			t.Errorf("core %d: %+v; four loaders and the trainer fill four cores", i, c)
		}
	}
	if r.RAMUsed.V < 4<<30 {
		t.Errorf("%d bytes of memory in use while a network trains", r.RAMUsed.V)
	}
}

// The hits of a cache of data that are read once per epoch in random order: almost none until it holds everything.
func TestLoadHitIsSmallUntilAllIsCached(t *testing.T) {
	t.Parallel()
	if CacheHits(0) != 0 || CacheHits(1) != 1 || CacheHits(2) != 1 || CacheHits(0.06) > 0.002 ||
		math.Abs(CacheHits(0.5)-0.153) > 0.001 {
		t.Errorf("0, 6, 50 and 100 %% cached serve %.3f, %.4f, %.3f and %.3f", CacheHits(0), CacheHits(0.06),
			CacheHits(0.5), CacheHits(1))
	}
	for x := 0.01; x < 1; x += 0.01 {
		if CacheHits(x) <= CacheHits(x-0.01) || CacheHits(x) > x {
			t.Errorf("%.2f cached serve %.4f, a little less %.4f", x, CacheHits(x), CacheHits(x-0.01))
		}
	}
}
