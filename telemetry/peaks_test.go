package telemetry

import (
	"testing"

	"jtune/tegra"
)

func TestPeaks(t *testing.T) {
	some := tegra.Some[float64]
	var p Peaks
	if p.Supply(tegra.Board{TotalRule: "VDD_IN"}) != nil {
		t.Error("a supply before the first reading")
	}
	for _, r := range []tegra.Reading{
		{TotalW: some(20), Rails: []tegra.RailReading{
			{Name: "VDD_IN", PowerW: some(20), Volts: some(5.1), Amperes: some(3.9)},
			{Name: "VDD_SOC", PowerW: some(4), Amperes: some(4.5)}}},
		{Rails: []tegra.RailReading{{Name: "VDD_SOC"}, {Name: "VDD_IN"}}}, // nothing could be read
		{TotalW: some(29), Rails: []tegra.RailReading{
			{Name: "VDD_IN", PowerW: some(29), Volts: some(5.02), Amperes: some(5.8)},
			{Name: "VDD_SOC", PowerW: some(3), Amperes: some(0)}}},
		{TotalW: some(25), Rails: []tegra.RailReading{
			{Name: "VDD_IN", PowerW: some(25), Volts: some(5.06), Amperes: some(4.9)}}},
	} {
		p.Take(r)
	}
	in, soc := p.Of("VDD_IN"), p.Of("VDD_SOC")
	if len(p.Rails) != 2 || p.PowerW != some(29) || in.PowerW != some(29) ||
		in.Amperes != some(5.8) || in.LeastV != some(5.02) ||
		soc.Amperes != some(4.5) || soc.LeastV.OK {
		t.Errorf("%+v", p)
	}
	if r := p.Supply(tegra.Board{TotalRule: "VDD_IN"}); r != in {
		t.Errorf("the module is fed by %+v", r)
	}
	limits := tegra.CurrentLimits{Max: some(5)}
	p.Take(tegra.Reading{Rails: []tegra.RailReading{{Name: "VDD_IN", Limits: limits}}})
	if in.Limits != limits || in.Amperes != some(5.8) {
		t.Errorf("limits as read last: %+v", in)
	}
	p.Rails[1].Amperes = some(7)
	if r := p.Supply(tegra.Board{TotalRule: "SUM:VDD_IN,VDD_SOC"}); r.Name != "VDD_SOC" {
		t.Errorf("of several rails the largest current is %s", r.Name)
	}
	for _, rule := range []string{"", "VIN"} {
		if r := p.Supply(tegra.Board{TotalRule: rule}); r != nil {
			t.Errorf("where no rail is known to feed the module, it is %s", r.Name)
		}
	}
}
