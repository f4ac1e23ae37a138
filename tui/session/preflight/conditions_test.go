package preflight

import (
	"fmt"
	"strings"
	"testing"

	"jtune/tegra/tegratest"
	"jtune/tui/session"
)

// Conditions names each obstacle to a measurement, and none on a sound board.
func TestConditions(t *testing.T) {
	t.Parallel()
	const (
		events = "/sys/class/hwmon/hwmon9/"
		input  = "/sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3/"
	)
	policies := func(tr *tegratest.Tree, file, value string) {
		for _, first := range []int{0, 4} {
			tr.Set(fmt.Sprintf("%s/cpufreq/policy%d/%s", tegratest.CPU, first, file), value)
		}
	}
	for name, c := range map[string]struct {
		change func(*tegratest.Tree)
		want   string // "": nothing
	}{
		"a board as it should be": {func(*tegratest.Tree) {}, ""},
		"isolated cores": {func(tr *tegratest.Tree) { tr.Set(tegratest.CPU+"/isolated", "4-5") },
			"cores 4-5 are isolated"},
		"a governor": {func(tr *tegratest.Tree) { policies(tr, "scaling_governor", "userspace") },
			"governor userspace of the CPU keeps free clocks where they are"},
		"slow cores": {func(tr *tegratest.Tree) {
			policies(tr, "scaling_min_freq", "1728000")
			policies(tr, "scaling_cur_freq", "1728000")
			policies(tr, "cpuinfo_cur_freq", "649000")
		}, "cores run at 649 MHz where 1728 MHz is set"},
		"an under-voltage since boot": {func(tr *tegratest.Tree) { tr.Set(events+"oc1_event_cnt", "41") },
			"under-voltage of the supply, 41 events since boot"},
		"a supply that is too low": {func(tr *tegratest.Tree) { tr.Set(input+"in1_input", "4712") },
			"VDD_IN is at 4.71 V, and the module needs 4.75 V"},
		"peaks since boot": {func(tr *tegratest.Tree) { tr.Set(events+"oc3_event_cnt", "27390") }, ""},
		"a standing alarm": {func(tr *tegratest.Tree) {
			tr.Set(input+"curr1_crit", "4984")
			tr.Set(input+"curr1_crit_alarm", "1")
		}, "the alarm of instantaneous over-current is on"},
		"a part above its input": {func(tr *tegratest.Tree) { tr.Set(input+"curr2_input", "4000") },
			"VDD_CPU_GPU_CV shows"},
		"an older firmware": {nil, "the firmware is older than the configuration"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := tegratest.New("orin-nano-36-odd")
			if c.change != nil {
				tr = tegratest.New("orin-nano-36")
				c.change(tr)
			}
			s, err := session.Open(session.Options{Sysroot: tr.Write(t)})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			var got []string
			for range 2 { // loads are differences
				r, err := s.Device.Read()
				if err != nil {
					t.Fatal(err)
				}
				got = Conditions(s, r)
			}
			if all := strings.Join(got, "; "); (all == "") != (c.want == "") || !strings.Contains(all, c.want) ||
				len(got) > 1 {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
