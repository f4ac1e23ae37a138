package tegratest

// Folders and files that tests name.
const (
	CPU     = "/sys/devices/system/cpu"
	GPU35   = "/sys/devices/17000000.ga10b/devfreq/17000000.ga10b"
	GPU36   = "/sys/devices/platform/bus@0/17000000.gpu/devfreq/17000000.gpu"
	EMC     = "/sys/kernel/debug/bpmp/debug/clk/emc"
	Rates   = "/sys/kernel/debug/bpmp/debug/emc/possible_rates"
	Cap35   = "/sys/kernel/nvpmodel_emc_cap/emc_iso_cap"
	Cap36   = "/sys/kernel/nvpmodel_clk_cap/emc"
	Rails40 = "/sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3"
	Rails41 = "/sys/bus/i2c/drivers/ina3221/1-0041/hwmon/hwmon4"
	Fan     = "/sys/devices/platform/pwm-fan/hwmon/hwmon2/pwm1"

	GPUNano = "/sys/devices/57000000.gpu/devfreq/57000000.gpu"
	EMCNano = "/sys/kernel/debug/clk/override.emc"
)
