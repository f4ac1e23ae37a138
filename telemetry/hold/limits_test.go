package hold

import (
	"errors"
	"strings"
	"testing"

	"jtune/internal/usage"
	"jtune/tegra"
)

func TestParseLimits(t *testing.T) {
	t.Parallel()
	some := tegra.Some[float64]
	for line, want := range map[string]Limits{
		"":                             {},
		"15 W":                         {PowerW: some(15)},
		"15W,85°C":                     {PowerW: some(15), TempC: some(85)},
		"15 W, 85 °C, 5 A, 4.75 V":     {PowerW: some(15), TempC: some(85), Amperes: some(5), Volts: some(4.75)},
		"85 C, 5.5 A VDD_IN":           {TempC: some(85), Amperes: some(5.5), Rail: "VDD_IN"},
		"85 ° C":                       {TempC: some(85)},
		"4.75 V VDD_IN, 5 A POM_5V_IN": {Volts: some(4.75), VRail: "VDD_IN", Amperes: some(5), Rail: "POM_5V_IN"},
	} {
		if got, err := ParseLimits(line); err != nil || got != want {
			t.Errorf("%q: %+v, %v", line, got, err)
		}
	}
	for _, line := range []string{"W", "15", "15 Q", "-3 W", "0 W", "NaN W", "1e999 W", "2000 W", "15 W, 20 W",
		"15 W VDD_IN",
		"5 A a b", ",", "15 W;85 C", "200 °C", "\x1b[31m5 W"} {
		_, err := ParseLimits(line)
		if err == nil || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestLimitsNeedASensor(t *testing.T) {
	t.Parallel()
	fed := tegra.Board{TotalRule: "VDD_IN"}
	power := tegra.Reading{TotalW: tegra.Some(10.0), Rails: []tegra.RailReading{{Name: "VDD_IN",
		PowerW: tegra.Some(10.0)}}}
	for line, want := range map[string]string{"5 A": "shows a current", "4.75 V": "shows a voltage",
		"80 °C": "no temperature",
		"20 W":  ""} {
		l, err := ParseLimits(line)
		if err != nil {
			t.Fatal(err)
		}
		if err = l.Fits(fed, power); (err == nil) != (want == "") ||
			err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
	l, _ := ParseLimits("5 A VDD_SOC")
	power.Rails[0].Amperes = tegra.Some(2.0)
	if err := l.Fits(fed, power); err == nil || !strings.Contains(err.Error(), "VDD_IN") {
		t.Errorf("a rail that is not there: %v", err)
	}
	power.Rails[0].Volts = tegra.Some(5.0)
	for line, want := range map[string]string{"4.75 V": "give one of VDD_IN", "4.75 V VDD_IN": ""} {
		l, _ := ParseLimits(line)
		err := l.Fits(tegra.Board{}, power)
		if why := new(usage.Error); (err == nil) != (want == "") ||
			errors.As(err, &why) && !strings.Contains(why.Try, want) {
			t.Errorf("without a known supply, %s: %v", line, err)
		}
	}
}
