package tegra_test

import (
	"strings"
	"testing"

	"jtune/tegra"
	"jtune/tegra/tegratest"
)

func TestHotIsAZoneCloseToItsTripPointOrThrottling(t *testing.T) {
	t.Parallel()
	const zones = "/sys/class/thermal/thermal_zone"
	for name, c := range map[string]struct {
		files map[string]string
		want  string // "" when the board is not hot
	}{
		"a cool board": {nil, ""},
		"6 °C below":   {map[string]string{"8/temp": "93000"}, ""},
		"5 °C below": {map[string]string{"8/temp": "94000"},
			"tj-therm at 94 °C (passive trip point at 99 °C)"},
		"far above": {map[string]string{"8/temp": "104000"}, "tj-therm at 104 °C"},
		"two zones: the one further": {map[string]string{"8/temp": "95000", "0/temp": "97000"},
			"CPU-therm at 97 °C"},
		"two zones as far: the first": {map[string]string{"8/temp": "97000", "0/temp": "97000"},
			"CPU-therm at 97 °C"},
		"an active trip point drives fan": {map[string]string{"8/temp": "60000"}, ""},
		"the lowest of several counts": {map[string]string{"8/temp": "80000", "8/trip_point_1_temp": "84000"},
			"critical trip point at 84 °C"},
		"a hot one counts": {map[string]string{"8/temp": "80000", "8/trip_point_2_temp": "84000",
			"8/trip_point_2_type": "hot"},
			"hot trip point at 84 °C"},
		"a disabled one does not": {map[string]string{"8/temp": "80000", "8/trip_point_0_temp": "0"},
			""},
		"nor one that is not a number": {map[string]string{"8/temp": "80000", "8/trip_point_0_temp": "?"},
			""},
		"nor a very large one": {map[string]string{"8/temp": "96000", "8/trip_point_0_temp": "2147483647",
			"8/trip_point_1_temp": "2147483647"}, "tj-therm at 96 °C (no trip point known)"},
		"a zone without any: 94 °C": {map[string]string{"9/temp": "94000"}, ""},
		"a zone without any: 95 °C": {map[string]string{"9/temp": "95000"},
			"Tboard_tegra at 95 °C (no trip point known)"},
		"only active ones: as without any": {map[string]string{"9/temp": "94900", "9/trip_point_0_type": "active",
			"9/trip_point_0_temp": "60000"},
			""},
		"a PMIC without a sensor": {map[string]string{"11/type": "PMIC-Die", "11/temp": "100000"},
			""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := tegratest.NewAGXOrin35()
			for file, value := range c.files {
				tr.Set(zones+file, value)
			}
			if got := read(t, open(t, tr)).Hot(); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	slowed := tegra.Reading{Heat: tegra.Some(true)}
	if got := slowed.Hot(); got != "thermal throttling" {
		t.Errorf("throttled: %q", got)
	}
	overCurrent := tegra.Reading{Throttled: tegra.Some(true), Heat: tegra.Some(false)}
	if got := overCurrent.Hot(); got != "" {
		t.Errorf("over-current is no heat: %q", got)
	}
}

func TestHottestZoneIsNeverADummySensorOfAPowerChip(t *testing.T) {
	t.Parallel()
	r := tegra.Reading{Temps: []tegra.TempReading{{Name: "CPU", C: 41}, {Name: "PMIC", C: 100},
		{Name: "PMIC-Die", C: 50}, {Name: "GPU", C: 44}}}
	if hot, ok := r.HottestZone(); !ok || hot.Name != "GPU" || r.Hottest() != tegra.Some(44.0) {
		t.Errorf("got %+v, %v, want the GPU", hot, ok)
	}
	if r.Temps = r.Temps[1:3]; r.Hottest().OK {
		t.Errorf("got %+v of dummies alone", r.Hottest())
	}
}
