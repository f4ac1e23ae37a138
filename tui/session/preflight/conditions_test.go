package preflight

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/tegratest"
	"jtune/tegra/virtual"
	"jtune/tui/session"
	"jtune/tui/session/sessiontest"
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
			s := must.Get(session.Open(session.Options{Sysroot: tr.Write(t)}))(t)
			defer s.Close()
			var got []string
			for range 2 { // loads are differences
				r := must.Get(s.Device.Read())(t)
				got = Conditions(s, r)
			}
			if all := strings.Join(got, "; "); (all == "") != (c.want == "") || !strings.Contains(all, c.want) ||
				len(got) > 1 {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// A board whose CPU lists no clocks has no modes, whatever is known of its memory; one with all lists has.
func TestNeedsModesNamesWhatListsNoClocks(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{"115200 1728000": "", "": "the CPU lists no clocks"} {
		tr := tegratest.New("orin-nano-36")
		for _, first := range []int{0, 4} {
			tr.Set(fmt.Sprintf("%s/cpufreq/policy%d/scaling_available_frequencies", tegratest.CPU, first), list)
		}
		s := must.Get(session.Open(session.Options{Sysroot: tr.Write(t)}))(t)
		defer s.Close()
		unread, _ := ModesUnread(s)
		for _, err := range []error{NeedsModes(s), MayMeasure(t.Context(), s, 0)} {
			if errors.Is(err, tegra.ErrUnsupported) != (want != "") || unread != want ||
				want != "" && !strings.Contains(err.Error(), want) {
				t.Errorf("clocks %q: %v, unread %q, want %q", list, err, unread, want)
			}
		}
	}
}

// AboveAll takes the highest of what the board is known by, and names where that comes from.
func TestAboveAllNamesTheMostThatIsKnown(t *testing.T) {
	t.Parallel()
	sheet, fed := tegra.Board{MostW: 60}, tegra.Board{TotalRule: "VDD_IN"}
	presets := []tegra.Preset{{Name: "MAXN"}, {Name: "MODE_15W"}, {Name: "MODE_70W"}}
	rail := tegra.Reading{Rails: []tegra.RailReading{{Name: "VDD_IN", Volts: tegra.Some(5.0),
		Limits: tegra.CurrentLimits{Max: tegra.Some(4.0)}}}}
	for name, c := range map[string]struct {
		limitW  float64
		board   tegra.Board
		presets []tegra.Preset
		now     tegra.Reading
		readW   float64
		want    string // "": nothing
	}{
		"no limit":                  {0, sheet, nil, rail, 0, ""},
		"the data sheet":            {60.5, sheet, presets[:2], rail, 50, "60 W, the module's data"},
		"as much as the data sheet": {60, sheet, nil, rail, 0, ""},
		"a preset":                  {300, sheet, presets, rail, 0, "70 W, the preset MODE_70W"},
		"a reading":                 {300, sheet, nil, rail, 71.23, "71.2 W, the highest"},
		"within a reading":          {71, sheet, nil, rail, 71.23, ""},
		"the rail alone":            {21, fed, presets[:1], rail, 8, "20 W, the limit of rail VDD_IN"},
		"within the rail":           {19, fed, presets[:1], rail, 8, ""},
		"nothing known":             {300, tegra.Board{}, presets[:1], tegra.Reading{}, 0, ""},
	} {
		got := strings.ReplaceAll(AboveAll(c.limitW, c.board, c.presets, c.now, c.readW),
			" is the most that is known, from", ",")
		must.Equal(t, got == "", c.want == "", name)
		must.Contain(t, got, c.want)
	}
}

// A limit below the power of the idle board is refused before anything is measured; one above it is not.
func TestMayMeasureRefusesALimitBelowTheIdleBoard(t *testing.T) {
	t.Parallel()
	for _, name := range virtual.Names() {
		s := sessiontest.Open(t, session.Options{Device: "virtual:" + name, Speed: math.Inf(1), Seed: 1})
		now := must.Get(s.Device.Read())(t)
		for _, share := range []float64{0.8, 1.3} {
			limit := share * now.TotalW.V
			err := MayMeasure(t.Context(), s, limit)
			if share > 1 && err != nil || share < 1 && (!errors.Is(err, optimize.ErrInfeasible) ||
				!strings.Contains(err.Error(), "the idle board draws ")) {
				t.Errorf("%s draws %.1f W, limit %.1f W: %v", name, now.TotalW.V, limit, err)
			}
		}
	}
}
