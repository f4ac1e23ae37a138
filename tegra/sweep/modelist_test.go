package sweep_test

import (
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/sweep"
)

func TestReadTakesAListOfModesInTheCompactNotation(t *testing.T) {
	t.Parallel()
	space := must.Get(tegra.NewSpace([]int{2, 4, 12}, []tegra.Freq{1651200 * tegra.KHz, 2201600 * tegra.KHz},
		[]tegra.Freq{624750000, 828750000}, []tegra.Freq{3199 * tegra.MHz}))(t)
	o := sweep.Options{ModesOnly: true, Space: space}
	list := "# a remark\n\n12c/1.65C/0.62G/3.19M\r\ncores=2,4 cpu=2.2GHz gpu=0.62GHz # two\n" +
		"12c/9C/0.62G/3.19M\n4c/1650/828/3199"
	table := must.Get(sweep.Read(strings.NewReader(list), "list", o))(t)
	if len(table.Rows) != 4 || len(table.Modes()) != 4 || table.Rows[3].Line != 6 {
		t.Errorf("rows %v", table.Rows)
	}
	if len(table.Problems) != 1 || table.Problems[0].Line != 5 {
		t.Errorf("problems %v", table.Problems)
	}
	presets := o
	presets.Presets = []tegra.Preset{{ID: 2, Name: "MODE_30W", Mode: space.Max()}}
	named, err := sweep.Read(strings.NewReader("MODE_30W # the vendor's\n2c/1.65C/0.62G/3.19M\n30w\n"), "list", presets)
	if err != nil || len(named.Rows) != 3 || named.Rows[0].Mode != space.Max() || named.Rows[2].Mode != space.Max() {
		t.Errorf("names of presets: %v, %v", named, err)
	}
	o.Strict = true
	_, err = sweep.Read(strings.NewReader(list), "list", o)
	if err == nil || !strings.Contains(err.Error(), "line 5") {
		t.Errorf("strict: %v", err)
	}
	o.Strict = false
	if _, err := sweep.Read(strings.NewReader("12c/9C/0.62G/3.19M"), "list", o); err == nil {
		t.Error("a list without a mode of the space is read")
	}
	table, err = sweep.Read(
		strings.NewReader("cores,cpu_khz,gpu_hz,mem_hz\n2,1651200,624750000,3199000000\n"), "csv", o)
	if err != nil || len(table.Rows) != 1 {
		t.Errorf("a table with a header: %v, %v", table, err)
	}
}
