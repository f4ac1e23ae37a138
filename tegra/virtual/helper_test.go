package virtual

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/sweep"
)

// Files of the virtual AGX Orin.
const (
	gpuDir     = "/sys/devices/gpu.0"
	gpuFreqDir = "/sys/devices/17000000.ga10b/devfreq/17000000.ga10b"
	emcCapFile = "/sys/kernel/nvpmodel_emc_cap/emc_iso_cap"
)

// fast is a board at full speed.
func fast(t testing.TB, o Options) *Board {
	t.Helper()
	if o.Name == "" && o.Replay == nil {
		o.Name = AGXOrin
	}
	if o.Speed == 0 {
		o.Speed = math.Inf(1)
	}
	return must.Get(New(o))(t)
}

func read(t testing.TB, b *Board, name string) string {
	t.Helper()
	data := must.Get(b.FS().ReadFile(name))(t)
	return strings.TrimSpace(string(data))
}

func write(t testing.TB, b *Board, name, value string) {
	t.Helper()
	if err := b.FS().WriteFile(name, []byte(value+"\n")); err != nil {
		t.Fatalf("writing %s to %s: %v", value, name, err)
	}
}

// set sets and locks a mode with plain writes in an order that never crosses limits; it skips knobs that already have
// their value.
func set(t testing.TB, b *Board, m tegra.Mode) {
	t.Helper()
	cores := b.lists.cores
	for i := 1; i < cores; i++ {
		if on := b.knobs.online[i]; !on && (i < m.Cores || !b.knobs.policyOnline(b.knobs.policyOf[i])) {
			write(t, b, fmt.Sprintf("%s/cpu%d/online", cpuDir, i), "1")
		}
	}
	for p := range b.knobs.policy {
		lock(t, b, &b.knobs.policy[p], fmt.Sprintf("%s/cpu%d/cpufreq/scaling_", cpuDir, b.knobs.leader[p]), m.CPU,
			tegra.KHz)
	}
	lock(t, b, &b.knobs.gpu, b.facts.GPU.Dir+"/", m.GPU, tegra.Hz)
	if !b.knobs.emcFixed() {
		write(t, b, emcDir+"/mrq_rate_locked", "1")
		write(t, b, emcDir+"/state", "1")
	}
	write(t, b, b.emcCapFile(), "0")
	write(t, b, emcDir+"/rate", fmt.Sprint(int64(m.EMC)))
	for i := cores - 1; i >= m.Cores; i-- {
		if b.knobs.online[i] {
			write(t, b, fmt.Sprintf("%s/cpu%d/online", cpuDir, i), "0")
		}
	}
}

func lock(t testing.TB, b *Board, g *governed, before string, f, unit tegra.Freq) {
	t.Helper()
	if g.min == f && g.max == f {
		return
	}
	write(t, b, before+"min_freq", fmt.Sprint(int64(g.list[0]/unit)))
	write(t, b, before+"max_freq", fmt.Sprint(int64(f/unit)))
	write(t, b, before+"min_freq", fmt.Sprint(int64(f/unit)))
}

func start(t testing.TB, b *Board, name string) {
	t.Helper()
	must.NoError(t, b.StartWorkload(name, 0))
}

func next(t testing.TB, b *Board) Minibatch {
	t.Helper()
	return must.Get(b.NextMinibatch(context.Background()))(t)
}

func sleep(t testing.TB, b *Board, d time.Duration) {
	t.Helper()
	must.NoError(t, b.Clock().Sleep(context.Background(), d))
}

func open(t testing.TB, b *Board) *tegra.Sysfs {
	t.Helper()
	d := must.Get(b.Open())(t)
	t.Cleanup(func() { d.Close() })
	return d
}

func power(t testing.TB, d tegra.Device) float64 {
	t.Helper()
	r, err := d.Read()
	if err != nil || !r.TotalW.OK {
		t.Fatalf("no module power: %v", err)
	}
	return r.TotalW.V
}

// table makes a sweep of every combination of the values.
func table(
	t testing.TB,
	cores []int,
	cpu, gpu, emc []tegra.Freq,
	row func(m tegra.Mode) (timeMS, powerW float64),
) *sweep.Table {
	t.Helper()
	var text strings.Builder
	text.WriteString("cores,cpu,gpu,mem,observed_time,observed_power\n")
	for _, c := range cores {
		for _, p := range cpu {
			for _, g := range gpu {
				for _, e := range emc {
					ms, w := row(tegra.Mode{Cores: c, CPU: p, GPU: g, EMC: e})
					fmt.Fprintf(&text, "%d,%d,%d,%d,%v,%v\n", c, p.KHz(), int64(g), int64(e), ms, w)
				}
			}
		}
	}
	return tableOf(t, text.String())
}

func tableOf(t testing.TB, text string) *sweep.Table {
	t.Helper()
	return must.Get(sweep.Read(strings.NewReader(text), "some/where/sweep.csv", sweep.Options{}))(t)
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*math.Abs(b) }
