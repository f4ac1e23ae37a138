package tegratest

// Folders of the Xavier boards.
const (
	GPUXavier = "/sys/devices/17000000.gv11b/devfreq/17000000.gv11b"
	mcXavier  = "/sys/kernel/actmon_avg_activity/mc_all"
)

const (
	release32       = "# R32 (release), REVISION: 7.3, GCID: 31982016, BOARD: t186ref, EABI: aarch64, DATE: Tue Nov 22 17:32:54 UTC 2022"
	agxXavierGPUs   = "114750000 216750000 318750000 420750000 522750000 624750000 675750000 828750000 905250000 1032750000 1198500000 1236750000 1338750000 1377000000 "
	agxXavierRates  = "204000 408000 665600 800000 1065600 1331200 1600000 1866000 2133000"
	xavierNXGPUs    = "114750000 204000000 306000000 408000000 510000000 599250000 701250000 752250000 803250000 854250000 905250000 956250000 1007250000 1058250000 1109250000 "
	xavierNXRates   = "204000 408000 665600 800000 1065600 1331200 1600000 1866000" // the inner ones: UNVERIFIED
	agxXavierZones  = "CPU-therm=37500 GPU-therm=37500 AUX-therm=36000 AO-therm=37500 PMIC-Die=100000 Tdiode_tegra=40000 Tboard_tegra=37000 thermal-fan-est=36900"
	agxXavierZones5 = "CPU-therm=37500 GPU-therm=-256000 AUX-therm=36000 AO-therm=37500 PMIC-Die=100000 Tdiode_tegra=40000 Tboard_tegra=37000"
	xavierNXZones   = "CPU-therm=43500 GPU-therm=43000 AUX-therm=41500 AO-therm=41500 PMIC-Die=100000 thermal-fan-est=42550"
)

// NewXavier32 is an AGX Xavier with L4T 32.7: power monitors in the iio form,
// a fan of the old driver, pairs of cores. 29,232 modes; 3346 mW as recorded.
func NewXavier32() *Tree {
	tr := agxXavier(release32)
	tr.iio("/sys/bus/i2c/drivers/ina3221x/1-0040/iio:device0", "GPU CPU SOC", 0, 311, 932)
	tr.iio("/sys/bus/i2c/drivers/ina3221x/1-0041/iio:device1", "CV VDDRQ SYS5V", 0, 621, 1482)
	tr.zones(agxXavierZones)
	tr.oldFan()
	return tr
}

// NewXavier35 is the same board with L4T 35: hwmon rails (labels and values
// UNVERIFIED), fan as a hwmon device, sensors that are off read -256 °C.
func NewXavier35() *Tree {
	tr := agxXavier(release353)
	tr.hwmon(Rails40, channel{"GPU", 19904, 16}, channel{"CPU", 19904, 32}, channel{"SOC", 19904, 48})
	tr.hwmon(Rails41, channel{"CV", 19904, 0}, channel{"VDDRQ", 19904, 32}, channel{"SYS5V", 5016, 300})
	tr.Links["/sys/devices/platform/gpu.0"] = "/sys/devices/gpu.0"
	tr.Links["/sys/devices/platform/17000000.gv11b"] = "/sys/devices/17000000.gv11b"
	tr.zones(agxXavierZones5)
	tr.newFan()
	return tr
}

func agxXavier(release string) *Tree {
	tr := newTree("nvidia,p2972-0000 nvidia,tegra194", "Jetson-AGX", release)
	tr.cpus(policies(8, 2), steps(115200, 76800, 29), "1190400")
	tr.xavier(agxXavierGPUs, agxXavierRates, "665600000", "0")
	tr.Files["/etc/nvpmodel.conf"] = conf{order: upTo(8), masks: []string{"TPC_PG_MASK"}, device: "/sys/devices/gpu.0", clusters: clusters("CPU_DENVER", 8, 2),
		gpu: GPUXavier, caps: [2]string{Cap35, Cap35}, cpuMin: 1200000, standard: 2, modes: []confMode{
			{0, "MAXN", 8, -1, -1, 0, []int{0}},
			{1, "MODE_10W", 2, 1200000, 520000000, 1065600000, []int{5}},
			{2, "MODE_15W", 4, 1200000, 670000000, 1331200000, []int{0}},
			{3, "MODE_30W_ALL", 8, 1200000, 900000000, 1600000000, []int{0}},
			{4, "MODE_30W_6CORE", 6, 1450000, 900000000, 1600000000, []int{0}},
			{5, "MODE_30W_4CORE", 4, 1780000, 900000000, 1600000000, []int{0}},
			{6, "MODE_30W_2CORE", 2, 2100000, 900000000, 1600000000, []int{0}},
			{7, "MODE_15W_DESKTOP", 4, 2188800, 670000000, 1331200000, []int{0}},
		}}.String()
	return tr
}

// xavier is what AGX Xavier and Xavier NX share.
func (tr *Tree) xavier(gpus, rates, now, mask string) {
	tr.gpu("17000000.gv11b", GPUXavier, gpus)
	tr.gpuDevice("/sys/devices/gpu.0", map[string]string{"tpc_pg_mask": mask})
	tr.bpmp(rates, now)
	tr.Set(Cap35, "0")
	tr.Set(mcXavier, "0")
}

// NewXavierNX32 is a Xavier NX with L4T 32.7: 4067 mW by VDD_IN as recorded.
func NewXavierNX32() *Tree {
	tr := xavierNX(release32, "quiet")
	tr.iio("/sys/bus/i2c/drivers/ina3221x/7-0040/iio:device0", "VDD_IN VDD_CPU_GPU_CV VDD_SOC", 4067, 738, 1353)
	tr.oldFan()
	return tr
}

// NewXavierNX35 is the same board with L4T 35 (values of the rails UNVERIFIED).
func NewXavierNX35() *Tree {
	tr := xavierNX(release353, "")
	tr.hwmon("/sys/bus/i2c/drivers/ina3221/7-0040/hwmon/hwmon3", channel{"VDD_IN", 5000, 814}, channel{"VDD_CPU_GPU_CV", 5000, 148}, channel{"VDD_SOC", 5000, 270})
	tr.newFan()
	return tr
}

func xavierNX(release, fan string) *Tree {
	tr := newTree("nvidia,p3509-0000+p3668-0000 nvidia,tegra194", "NVIDIA Jetson Xavier NX Developer Kit", release)
	tr.cpus(policies(6, 2), steps(115200, 76800, 24, 1907200), "1190400")
	tr.xavier(xavierNXGPUs, xavierNXRates, "1600000000", "1")
	tr.zones(xavierNXZones)
	mode := func(id int, name string, cores, cpu, gpu, emc int) confMode {
		return confMode{id, name, cores, cpu, gpu, emc, []int{1}}
	}
	tr.Files["/etc/nvpmodel.conf"] = conf{order: upTo(6), masks: []string{"TPC_PG_MASK"}, device: "/sys/devices/gpu.0", clusters: clusters("CPU_DENVER", 6, 2),
		gpu: GPUXavier, caps: [2]string{Cap35, Cap35}, cpuMin: 1190400, standard: 5, fan: fan, modes: []confMode{
			mode(0, "MODE_15W_2CORE", 2, 1907200, 1109250000, 1600000000),
			mode(1, "MODE_15W_4CORE", 4, 1420800, 1109250000, 1600000000),
			mode(2, "MODE_15W_6CORE", 6, 1420800, 1109250000, 1600000000),
			mode(3, "MODE_10W_2CORE", 2, 1497600, 803250000, 1600000000),
			mode(4, "MODE_10W_4CORE", 4, 1190400, 803250000, 1600000000),
			mode(5, "MODE_10W_DESKTOP", 4, 1907200, 510000000, 1600000000),
			mode(6, "MODE_20W_2CORE", 2, 1907200, 1109250000, 1866000000),
			mode(7, "MODE_20W_4CORE", 4, 1420800, 1109250000, 1866000000),
			mode(8, "MODE_20W_6CORE", 6, 1420800, 1109250000, 1866000000),
		}}.String()
	return tr
}
