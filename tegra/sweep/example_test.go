package sweep_test

import (
	"fmt"
	"strings"

	"jtune/tegra/sweep"
)

// A sweep file with a row that cannot be used.
func ExampleRead() {
	file := `cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w
4,1510400,624750000,2133000000,120,14.5
4,1510400,306000000,2133000000,NaN,11.2
`
	table, err := sweep.Read(strings.NewReader(file), "modes.csv", sweep.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(table.Rows[0].Mode, table.Rows[0].TimeMS, "ms", table.Rows[0].PowerW, "W")
	fmt.Println(table.Problems[0])
	// Output:
	// 4c/1.51C/0.62G/2.13M 120 ms 14.5 W
	// line 3: time_ms is "NaN", not a number
}
