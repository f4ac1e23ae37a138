package handover

import (
	"strings"
	"testing"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra/metric"
	"jtune/tegra/virtual"
	"jtune/tui/session/measure"
	"jtune/tui/session/search"
	"jtune/tui/session/sessiontest"
)

// Whatever another program or the hardware does to a clock while an answer is verified, the verification says so, and
// says nothing about its limits: also under a load.
func TestVerifyOfAModeWhoseClocksChange(t *testing.T) {
	t.Parallel()
	const cpu, emc = "/sys/devices/system/cpu/cpu0/cpufreq/", "/sys/kernel/debug/bpmp/debug/clk/emc/rate"
	for name, r := range map[string]measure.TuneRequest{
		"lstm": {Questions: metric.Question{Limit: metric.Watts(25)}.List(), Asked: record.Asked{Probes: 3}},
		"mobilenet-infer": {Questions: metric.Question{Limit: metric.Watts(30),
			Load: arrivals.Spec{RatePerS: 20, LatencyMS: 90}}.List(), Asked: record.Asked{Probes: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s, w := sessiontest.InDirOf(t, dir, 0, name)
			r.Workload, r.Measuring.Settings.Minibatches = w, 10
			if _, err := search.Tune(t.Context(), s, r, nil); err != nil {
				t.Fatal(err)
			}
			for file, says := range map[string]string{
				emc:                      "115200", // changed, or not taken at a second try
				cpu + "scaling_cur_freq": "CPU core 0 clock reads 115.2 MHz where ",
				cpu + "scaling_min_freq": "cpu0/cpufreq/scaling_min_freq was changed from ",
			} {
				s, _ := sessiontest.InDirOf(t, dir, 0, name)
				begun := false
				_, err := Verify(t.Context(), s, VerifyRequest{}, func(e measure.Event) {
					if p, ok := e.(measure.ProgressEvent); ok && p.Progress.Minibatch >= 1 && !begun {
						begun = true
						if f := (virtual.FileFault{Pattern: file, Garbage: "115200"}); strings.Contains(file, "_min_") {
							must.NoError(t, s.Virtual.FS().WriteFile(file, []byte(f.Garbage)))
						} else {
							s.Virtual.Inject(virtual.Faults{Files: []virtual.FileFault{f}})
						}
					}
				})
				must.Fail(t, err, says)
			}
		})
	}
}
