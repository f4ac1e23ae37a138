package tegratest

// Folders of the Nano and the TX2.
const (
	GPUNano  = "/sys/devices/57000000.gpu/devfreq/57000000.gpu"
	EMCNano  = "/sys/kernel/debug/clk/override.emc"
	GPUTX2   = "/sys/devices/17000000.gp10b/devfreq/17000000.gp10b"
	RailNano = "/sys/bus/i2c/drivers/ina3221x/6-0040/iio:device0"
)

// NewNano32 is a Nano with L4T 32: no boot processor, memory steered by the
// clock framework, of whose rates only the limits are known. 2132 mW.
func NewNano32() *Tree {
	tr := newTree("nvidia,p3450-0000 nvidia,jetson-nano nvidia,tegra210", "NVIDIA Jetson Nano Developer Kit",
		"# R32 (release), REVISION: 7.1, GCID: 29818004, BOARD: t210ref, EABI: aarch64, DATE: Sat Feb 19 17:05:08 UTC 2022")
	tr.cpus(policies(4, 4), "102000 204000 307200 403200 518400 614400 710400 825600 921600 1036800 1132800 1224000 1326000 1428000 1479000 ", "102000")
	tr.gpu("57000000.gpu", GPUNano, steps(76800000, 76800000, 12))
	tr.Links["/sys/devices/gpu.0"] = "57000000.gpu"
	tr.gpuDevice("/sys/devices/57000000.gpu", nil)
	tr.Set(EMCNano+"/clk_rate", "1600000000")
	tr.Set(EMCNano+"/clk_update_rate", "1600000000")
	tr.Set(EMCNano+"/clk_state", "0")
	tr.Set("/sys/kernel/debug/tegra_bwmgr/emc_min_rate", "204000000")
	tr.Set("/sys/kernel/debug/tegra_bwmgr/emc_max_rate", "1600000000")
	tr.Set(Cap35, "0")
	tr.Set(mcXavier, "0")
	tr.iio(RailNano, "POM_5V_IN POM_5V_GPU POM_5V_CPU", 2132, 78, 275)
	tr.zones("AO-therm=50000 CPU-therm=41500 GPU-therm=40500 PLL-therm=40500 PMIC-Die=100000 thermal-fan-est=41250")
	tr.oldFan()
	tr.Files["/etc/nvpmodel.conf"] = conf{order: upTo(4), device: "/sys/devices/gpu.0", clusters: []cluster{{"CPU_A57", 0}},
		gpu: "/sys/devices/gpu.0/devfreq/57000000.gpu", newGPU: "/sys/devices/17000000.gv11b/devfreq/devfreq0", caps: [2]string{Cap35, Cap35}, modes: []confMode{
			{0, "MAXN", 4, -1, -1, 0, nil},
			{1, "5W", 2, 918000, 640000000, 1600000000, nil},
		}}.String()
	return tr
}

// NewTX2 is a TX2 with L4T 32: cores 1 and 2 are a cluster of another kind,
// which counts take last. 10,296 modes; 3056 mW as recorded.
func NewTX2() *Tree {
	tr := newTree("nvidia,quill nvidia,p2771-0000 nvidia,tegra186", "quill",
		"# R32 (release), REVISION: 4.3, GCID: 21589087, BOARD: t186ref, EABI: aarch64, DATE: Fri Jun 26 04:34:27 UTC 2020")
	tr.cpus([]int{0, 1, 1, 0, 0, 0}, "345600 499200 652800 806400 960000 1113600 1267200 1420800 1574400 1728000 1881600 2035200 ", "345600")
	tr.gpu("17000000.gp10b", GPUTX2, "114750000 216750000 318750000 420750000 522750000 624750000 726750000 854250000 930750000 1032750000 1122000000 1236750000 1300500000 ")
	tr.gpuDevice("/sys/devices/gpu.0", nil)
	tr.bpmp("40800 68000 102000 204000 408000 665600 800000 1062400 1331200 1600000 1866000", "1600000000")
	tr.Set(Cap35, "0")
	tr.Set(mcXavier, "0")
	tr.iio("/sys/bus/i2c/drivers/ina3221x/0-0040/iio:device0", "VDD_SYS_GPU VDD_SYS_SOC VDD_4V0_WIFI", 152, 687, 0)
	tr.iio("/sys/bus/i2c/drivers/ina3221x/0-0041/iio:device1", "VDD_IN VDD_SYS_CPU VDD_SYS_DDR", 3056, 152, 883)
	tr.zones("BCPU-therm=37500 MCPU-therm=37500 GPU-therm=35000 PLL-therm=37500 Tboard_tegra=32000 Tdiode_tegra=34250 PMIC-Die=100000 thermal-fan-est=36500")
	tr.oldFan()
	tr.Files["/etc/nvpmodel.conf"] = conf{order: []int{0, 3, 4, 5, 1, 2}, from: 1, device: "/sys/devices/gpu.0", clusters: []cluster{{"CPU_A57", 0}, {"CPU_DENVER", 1}},
		gpu: GPUTX2, newGPU: "/sys/devices/17000000.gp10b/devfreq/devfreq0", caps: [2]string{Cap35, Cap35}, standard: 3, modes: []confMode{
			{0, "MAXN", 6, -1, -1, 0, nil},
			{1, "MAXQ", 4, 1200000, 850000000, 1331200000, nil},
			{2, "MAXP_CORE_ALL", 6, 1400000, 1120000000, 1600000000, nil},
			{3, "MAXP_CORE_ARM", 4, 2000000, 1120000000, 1600000000, nil},
		}}.String()
	return tr
}
