package tegra

import (
	"path"
	"slices"
)

// rootOnly are patterns of files that the guard reads for an ordinary user: memory clocks and activity in debugfs, the
// list of GPU users, the GPU's masks, the real clocks of cores, and power monitors, which some L4T 35 images restrict
// to
// root. A pattern matches whole names, element by element.
var rootOnly = []string{
	bpmpEMC + "/*", bpmpRates, bwmgrHalt, nanoEMC + "/*", nanoBwmgr + "/*", emcCap36, emcCap35,
	mcAllOrin, mcAllXavier, mcAllThor, gpuClients,
	cpuRoot + "/cpu[0-9]*/cpufreq" + realFile,
	"/sys/devices/gpu.0/*_pg_mask", "/sys/devices/platform/gpu.0/*_pg_mask",
	"/sys/bus/i2c/drivers/ina*/*-*/hwmon/hwmon*/in[1-3]_*",
	"/sys/bus/i2c/drivers/ina*/*-*/hwmon/hwmon*/curr[1-3]_input",
	"/sys/bus/i2c/drivers/ina*/*-*/iio:device*/rail_name_*",
	"/sys/bus/i2c/drivers/ina*/*-*/iio:device*/in_power*_input",
}

// RootOnly reports whether the guard reads this file for others. It does not allow writing it.
func RootOnly(name string) bool {
	return path.Clean(name) == name && slices.ContainsFunc(rootOnly, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}
