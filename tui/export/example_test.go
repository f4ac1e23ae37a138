package export_test

import (
	"fmt"
	"strings"

	"jtune/learn"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/export"
)

// A prediction as a row of CSV: knobs, then time, power and energy with 95 % bands.
func ExampleCloud_Columns() {
	mode := tegra.Mode{Cores: 4, CPU: 1_510_400_000, GPU: 624_750_000, EMC: 2_133_000_000}
	p := learn.Prediction{
		Measured: tegra.Measured{Setting: tegra.Setting{Mode: mode}, TimeMS: 120, PowerW: 14.5},
		TimeLoMS: 110, TimeHiMS: 131, PowerLoW: 13.9, PowerHiW: 15.1,
	}
	of := export.Points{Known: []learn.Prediction{p},
		Standings: []standing.Standing{standing.Stand(metric.Watts(30), p, 0)}}
	var out strings.Builder
	list := export.List(of)
	_ = list.Columns().CSV(&out, list.Front)
	_, row, _ := strings.Cut(out.String(), "\n") // below the titles
	fmt.Print(row)
	// Output: 4,1510400,624750000,2133000000,120,110,131,14.5,13.9,15.1,1.74,false,0,sure,0.0001,false
}
