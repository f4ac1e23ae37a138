package imports_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"jtune/profiles/imports"
	"jtune/profiles/record"
	"jtune/tegra/sweep"
)

// Somebody else's sweep becomes a campaign folder, from which models are fitted.
func ExampleTable() {
	const file = `cores,cpu_khz,gpu_hz,mem_hz,time_ms,power_w
4,1510400,624750000,2133000000,120,14.5
4,1510400,306000000,2133000000,240,11.2
`
	table, err := sweep.Read(strings.NewReader(file), "sweep.csv", sweep.Options{})
	if err != nil {
		panic(err)
	}
	parent, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(parent)
	dir := filepath.Join(parent, "campaign")
	if err := imports.Table(table, dir); err != nil {
		panic(err)
	}
	header, rows, err := record.Read(dir)
	if err != nil {
		panic(err)
	}
	fmt.Println("plan:", header.Plan.Kind)
	for _, row := range rows {
		fmt.Println(row.Mode, row.TimeMS, "ms", row.PowerW, "W", row.Status)
	}
	// Output:
	// plan: import
	// 4c/1.51C/0.62G/2.13M 120 ms 14.5 W ok
	// 4c/1.51C/0.31G/2.13M 240 ms 11.2 W ok
}

// Published raw runs name their mode in the name of the folder.
func ExampleModeOfName() {
	fmt.Println(imports.ModeOfName("pm_4_1510400_624750000_2133000000"))
	// Output: 4c/1.51C/0.62G/2.13M <nil>
}
