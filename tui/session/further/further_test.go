package further

import (
	"encoding/json"
	"math"
	"testing"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// A document has the quantities that the goal limits and no others: those of rails by rail, each with its band.
func TestJSONHasTheLimitedQuantities(t *testing.T) {
	t.Parallel()
	read := tegra.Measured{TimeMS: 50, PowerW: 20}.With(tegra.Value{Metric: "current", On: "VDD_IN", V: 4},
		tegra.Value{Metric: "current", On: "VDD_SOC", V: 1}, tegra.Value{Metric: "rail_power", On: "VDD_IN", V: 19},
		tegra.Value{Metric: "temperature", V: 60, LnSD: 0.1})
	believed := learn.Prediction{Measured: tegra.Measured{}.With(tegra.Value{Metric: "current", On: "VDD_IN", V: 4.1,
		LnSD: 0.02})}
	goal := metric.Within(metric.Power.Max(30).And(metric.Current.Max(5)).And(metric.Temperature.Max(85)))
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	for _, known := range []bool{false, true} { // the error of the reading: a band without one is unknown
		if known {
			read.Errors.Power = tegra.Some(0.01)
		}
		text := must.Get(JSON(goal, read, tegra.Some(believed)).MarshalJSON())(t)
		var got struct {
			Current   map[string]float64            `json:"current_a"`
			CurrentLo map[string]tegra.Val[float64] `json:"current_lo_a"`
			CurrentHi map[string]tegra.Val[float64] `json:"current_hi_a"`
			Temp      float64                       `json:"temp_c"`
			TempHi    float64                       `json:"temp_hi_c"`
			RailPower any                           `json:"rail_power_w"`
		}
		must.NoError(t, json.Unmarshal(text, &got))
		if lo := got.CurrentLo["VDD_SOC"]; got.Current["VDD_IN"] != 4 || got.RailPower != nil ||
			!near(got.CurrentHi["VDD_IN"].V, 4*math.Exp(1.96*0.02)) || lo.OK != known ||
			known && !near(lo.V, math.Exp(-1.96*0.01)) || got.Temp != 60 || !near(got.TempHi, 60*math.Exp(0.196)) {
			t.Errorf("%s", text)
		}
	}
}

// The worst of several rails decides: its band is printed.
func TestTextGivesTheBandOfTheRailThatDecides(t *testing.T) {
	t.Parallel()
	m := tegra.Measured{}.With(tegra.Value{Metric: "current", On: "VDD_A", V: 0.3, LnSD: 0.04},
		tegra.Value{Metric: "current", On: "VDD_B", V: 1, LnSD: 0.02})
	for b := range metric.Current.Max(2).Each() {
		if part, predicted := Text(b, m); !predicted || part != "~1.00 A (predicted, 0.962 … 1.04)" {
			t.Errorf("%q, predicted: %v", part, predicted)
		}
	}
}

// An excess has the decimals of its value: none of the digits that no reading shows.
func TestTextOfAnExcessHasTheDecimalsOfItsValue(t *testing.T) {
	t.Parallel()
	for watts, want := range map[float64]string{5.0084: "5.01 W, 0.01 over", 5.004: "5.00 W, just over",
		30.04: "30.0 W, 25.0 over", 1207: "1207 W, 1202 over", 4.9: "4.90 W"} {
		for b := range metric.Power.Max(5).Each() {
			if part, _ := Text(b, tegra.Measured{TimeMS: 50, PowerW: watts}); part != want {
				t.Errorf("%g W: %q, want %q", watts, part, want)
			}
		}
	}
}
