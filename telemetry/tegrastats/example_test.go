package tegrastats_test

import (
	"fmt"

	"jtune/telemetry/tegrastats"
)

func ExampleParse() {
	line, ok := tegrastats.Parse("RAM 1282/62795MB (lfb 15152x4MB) CPU [12%@729,off] EMC_FREQ 0%@2133 " +
		"GR3D_FREQ 34%@1300 tj@42.593C VDD_GPU_SOC 2399mW/2300mW VDD_CPU_CV 400mW/401mW VIN_SYS_5V0 4032mW/4000mW")
	if !ok {
		fmt.Println("not a line of tegrastats")
		return
	}
	fmt.Println(line.RAM.UsedMB, "of", line.RAM.TotalMB, "MB")
	fmt.Println("GPU", *line.GPU.LoadPct, "% at", line.GPU.FreqMHz, "MHz")
	fmt.Println(*line.TotalPowerRule, "=", *line.TotalPowerMW, "mW")
	// Output:
	// 1282 of 62795 MB
	// GPU 34 % at [1300] MHz
	// SUM:VDD_GPU_SOC,VDD_CPU_CV,VIN_SYS_5V0 = 6831 mW
}
