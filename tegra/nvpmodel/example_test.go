package nvpmodel_test

import (
	"fmt"
	"strings"

	"jtune/tegra/nvpmodel"
)

// Reading a configuration of one mode, and writing a second one in its terms.
func ExampleParse() {
	conf, err := nvpmodel.Parse(strings.NewReader(`
< PARAM TYPE=FILE NAME=CPU_ONLINE >
CORE_0 /sys/devices/system/cpu/cpu0/online
CORE_1 /sys/devices/system/cpu/cpu1/online
< PARAM TYPE=CLOCK NAME=CPU_A78_0 >
MIN_FREQ /sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq
MAX_FREQ /sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq
< PARAM TYPE=CLOCK NAME=GPU >
MIN_FREQ /sys/class/devfreq/gpu/min_freq
MAX_FREQ /sys/class/devfreq/gpu/max_freq
< PARAM TYPE=CLOCK NAME=EMC >
MAX_FREQ /sys/kernel/nvpmodel_emc_cap/emc_iso_cap
< POWER_MODEL ID=0 NAME=MAXN >
CPU_ONLINE CORE_0 1
CPU_ONLINE CORE_1 1
GPU MAX_FREQ 1300500000
< PM_CONFIG DEFAULT=0 >
`))
	if err != nil {
		panic(err)
	}
	maxn, _ := conf.Mode(*conf.Default)
	cores, _ := conf.Cores(maxn)
	gpu, _ := conf.GPU(maxn)
	fmt.Println(maxn, cores, *gpu.Max)

	half := nvpmodel.Target{CoresOn: []int{0}, CPUKHz: 1190400, GPUHz: 612000000}
	block, err := nvpmodel.Block(conf, half, "HALF")
	if err != nil {
		panic(err)
	}
	fmt.Print(block)
	// Output:
	// MAXN (id 0) [0 1] 1300500000
	// < POWER_MODEL ID=1 NAME=HALF >
	// CPU_ONLINE CORE_0 1
	// CPU_ONLINE CORE_1 0
	// CPU_A78_0 MIN_FREQ 1190400
	// CPU_A78_0 MAX_FREQ 1190400
	// GPU MIN_FREQ 612000000
	// GPU MAX_FREQ 612000000
	// EMC MAX_FREQ 0
}
