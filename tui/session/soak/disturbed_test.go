package soak

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/virtual"
	"jtune/telemetry/hold"
)

// What another program, the hardware or the machine does to a board during a soak, each by itself. None of it may end
// in "holds", and the reason names the source.
func TestSoakSeesEachDisturbance(t *testing.T) {
	t.Parallel()
	const (
		cpu = "/sys/devices/system/cpu/cpu4/cpufreq/"
		gpu = "/sys/class/devfreq/17000000.*/"
	)
	none := metric.Limits{}
	file := func(pattern, garbage string) func(*virtual.Board) error {
		return func(b *virtual.Board) error {
			f := virtual.FileFault{Pattern: pattern, Garbage: garbage}
			if garbage == "" {
				f.Read = os.ErrInvalid
			}
			b.Inject(virtual.Faults{Files: []virtual.FileFault{f}})
			return nil
		}
	}
	write := func(values ...string) func(*virtual.Board) error {
		return func(b *virtual.Board) error {
			for i := 0; i < len(values); i += 2 {
				paths, err := b.FS().Glob(values[i])
				if err != nil || len(paths) == 0 {
					return fmt.Errorf("%s: %v, %w", values[i], paths, err)
				}
				for _, path := range paths {
					if err := b.FS().WriteFile(path, []byte(values[i+1])); err != nil {
						return err
					}
				}
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		disturb func(*virtual.Board) error
		limits  metric.Limits
		verdict hold.Verdict
		reason  string
	}{
		"nothing": {nil, none, hold.Holds, "held for 2 min"},
		"a capped cluster": {write(cpu+"scaling_min_freq", "499200", cpu+"scaling_max_freq", "499200"), none,
			hold.NotSeen, "cpu4/cpufreq/scaling_min_freq was changed from 1728000 to 499200"},
		"free clocks": {write("/sys/devices/system/cpu/cpu[04]/cpufreq/scaling_min_freq", "115200"), none,
			hold.NotSeen, "cpu0/cpufreq/scaling_min_freq was changed from 1728000 to 115200, and 1 setting more"},
		"a core put offline": {write("/sys/devices/system/cpu/cpu5/online", "0"), none, hold.NotSeen,
			"cpu5/online was changed from 1 to 0"},
		"a capped GPU": {write(gpu+"min_freq", "306000000", gpu+"max_freq", "306000000"), none, hold.NotSeen,
			"min_freq was changed from 624750000"},
		"a capped memory": {write("/sys/kernel/nvpmodel_*cap/emc*", "204000000"), none, hold.NotSeen,
			"was changed from "},
		"free memory": {write("/sys/kernel/debug/bpmp/debug/clk/emc/mrq_rate_locked", "0"), none, hold.NotSeen,
			"emc/mrq_rate_locked was changed from 1 to 0"},
		"another governor": {write(cpu+"scaling_governor", "powersave"), none, hold.NotSeen,
			"cpu4/cpufreq/scaling_governor was changed from "},
		"another preset": {write(tegra.PresetFile, "pmode:0001"), none, hold.NotSeen,
			"nvpmodel/status was changed from "},
		"a slow cluster": {file(cpu+"scaling_cur_freq", "499200"), none, hold.DoesNotHold,
			"CPU cores 4-5 clock fell to 499"},
		"a slow memory": {file("/sys/kernel/debug/bpmp/debug/clk/emc/rate", "665600000"), none, hold.NotSeen,
			"emc/rate was changed from 3199000000 to 665600000"},
		"a cooling device": {file("/sys/class/thermal/cooling_device*/cur_state", "1"), none, hold.DoesNotHold,
			"clock fell"},
		"the hottest zones": {file("/sys/class/thermal/thermal_zone[0-1]/temp", ""),
			metric.Temperature.Max(90), hold.NotSeen, "zone CPU-therm does not answer"},
		"a rail with a limit": {file("/sys/bus/i2c/drivers/ina3221*/*-0040/hwmon/hwmon*/curr1_input", ""),
			metric.Limits{}.With(metric.Bound{Metric: metric.Current, On: "VDD_GPU_SOC", Value: 50}), hold.NotSeen,
			"rail VDD_GPU_SOC does not answer"},
		"a zone that dies before the load": {file("/sys/class/thermal/thermal_zone0/temp", ""),
			metric.Temperature.Max(90), hold.NotSeen, "zone CPU-therm does not answer"},
		"a rail with a limit that dies before the load": {
			file("/sys/bus/i2c/drivers/ina3221*/*-0040/hwmon/hwmon*/curr1_input", ""),
			metric.Limits{}.With(metric.Bound{Metric: metric.Current, On: "VDD_GPU_SOC", Value: 50}), hold.NotSeen,
			"rail VDD_GPU_SOC does not answer"},
		"a sleep": {func(b *virtual.Board) error {
			b.Clock().Suspend(2 * time.Hour)
			return nil
		}, none, hold.NotSeen, "the board for 2.0 h"},
		"a clock that is set": {func(b *virtual.Board) error {
			b.Clock().Set(2 * time.Hour)
			return nil
		}, none, hold.Holds, "held for 2 min"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			early := strings.HasSuffix(name, " before the load")
			s := board(t, "agx-orin", 1, nil, tegra.Val[float64]{})
			r := request(t, s, "agx-orin")
			mode := must.Get(s.FindRequest(t.Context(), "8c/1.73C/0.62G/3.20M"))(t)
			r.For, r.Mode, r.Limits = 2*time.Minute, &mode, c.limits
			out, err := Run(t.Context(), s, r, func(st Status) {
				if c.disturb != nil && (early && st.Phase == Resting || st.At > time.Minute) {
					must.NoError(t, c.disturb(s.Virtual))
					c.disturb = nil
				}
			})
			if err != nil || out.Verdict != c.verdict || !strings.Contains(out.Reason, c.reason) {
				t.Fatalf("%v: %s\n%v", err, out.Sentence(), out.Events)
			}
			if again := kept(t, out.Dir); again.Result.Verdict != out.Verdict || again.Result.Reason != out.Reason {
				t.Errorf("read back: %s", again.Result.Sentence())
			}
		})
	}
}
