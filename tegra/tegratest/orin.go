package tegratest

// Folders of the AGX Orin that tests name.
const (
	CPU     = "/sys/devices/system/cpu"
	GPU35   = "/sys/devices/17000000.ga10b/devfreq/17000000.ga10b"
	GPU36   = "/sys/devices/platform/bus@0/17000000.gpu/devfreq/17000000.gpu"
	EMC     = "/sys/kernel/debug/bpmp/debug/clk/emc"
	Rates   = "/sys/kernel/debug/bpmp/debug/emc/possible_rates"
	Cap35   = "/sys/kernel/nvpmodel_emc_cap/emc_iso_cap"
	Cap36   = "/sys/kernel/nvpmodel_clk_cap/emc"
	Halt36  = "/sys/kernel/debug/bpmp/debug/bwmgr/bwmgr_halt"
	Rails40 = "/sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3"
	Rails41 = "/sys/bus/i2c/drivers/ina3221/1-0041/hwmon/hwmon4"
	Fan     = "/sys/devices/platform/pwm-fan/hwmon/hwmon2/pwm1"
)

// GPU lists of the AGX Orin: L4T 34 to 35.1, and from 35.2 on.
const (
	gpuList351 = "114750000 216750000 318750000 420750000 522750000 624750000 726750000 828750000 930750000 1032750000 1134750000 1236750000 1300500000 "
	gpuList353 = "306000000 408000000 510000000 612000000 714000000 816000000 918000000 1020000000 1122000000 1224000000 1300500000 "
	agxRates   = "204000 665600 2133000 3199000"
)

// First lines of /etc/nv_tegra_release (GCID of 35.x from memory).
const (
	release351  = "# R35 (release), REVISION: 1.0, GCID: 31346300, BOARD: t186ref, EABI: aarch64, DATE: Thu Aug 25 18:41:45 UTC 2022"
	release353  = "# R35 (release), REVISION: 3.1, GCID: 32827747, BOARD: t186ref, EABI: aarch64, DATE: Sun Mar 19 15:19:21 UTC 2023"
	release364  = "# R36 (release), REVISION: 4.0, GCID: 37537400, BOARD: generic, EABI: aarch64, DATE: Fri Sep 13 04:36:44 UTC 2024\n# KERNEL_VARIANT: oot"
	release3643 = "# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic, EABI: aarch64, DATE: Wed Jan  8 01:49:37 UTC 2025\n# KERNEL_VARIANT: oot"
	release3644 = "# R36 (release), REVISION: 4.4, GCID: 41062509, BOARD: generic, EABI: aarch64, DATE: Mon Jun 16 16:07:13 UTC 2025\n# KERNEL_VARIANT: oot"
)

// NewAGXOrin35 is an AGX Orin 64 GB with L4T 35.1 (JetPack 5.0.2): 18,096 modes.
func NewAGXOrin35() *Tree { return agxOrin35(release351, gpuList351) }

// NewAGXOrin353 is the same board with L4T 35.3 (JetPack 5.1.1): 15,312 modes.
func NewAGXOrin353() *Tree { return agxOrin35(release353, gpuList353) }

func agxOrin35(release, gpus string) *Tree {
	tr := agxOrin("Jetson AGX Orin", release)
	tr.orin35(gpus)
	tr.zones("CPU-therm=43531 GPU-therm=-256000 CV0-therm=-256000 CV1-therm=-256000 CV2-therm=-256000 SOC0-therm=44031 SOC1-therm=44131 SOC2-therm=44231 tj-therm=44331 Tboard_tegra=44431 Tdiode_tegra=44531")
	tr.Links["/etc/nvpmodel.conf"] = "/etc/nvpmodel/nvpmodel_p3701.conf"
	return tr
}

// NewAGXOrin36 is the same board with L4T 36.4 (JetPack 6): other paths for
// GPU, memory cap and bandwidth manager; sensors that are off cannot be read.
func NewAGXOrin36() *Tree {
	tr := agxOrin("NVIDIA Jetson AGX Orin Developer Kit", release364)
	tr.orin36(gpuList353, "3199000000", map[string]string{"tpc_pg_mask": "0", "fbp_pg_mask": "0"})
	tr.zones("cpu-thermal=43531 gpu-thermal=off cv0-thermal=off cv1-thermal=off cv2-thermal=off soc0-thermal=43531 soc1-thermal=43531 soc2-thermal=43531 tj-thermal=43531 tboard-thermal=43531 tdiode-thermal=43531")
	return tr
}

// agxOrin is what the AGX Orin's releases share. Its rails hold the recorded
// idle values: 7081 mW, of which nothing comes from 1-0041.
func agxOrin(model, release string) *Tree {
	tr := newTree("nvidia,p3737-0000+p3701-0005 nvidia,tegra234", model, release)
	tr.Files["/etc/nvpmodel/nvpmodel_p3701.conf"] = conf{order: upTo(12), masks: []string{"TPC_PG_MASK"}, device: "/sys/devices/gpu.0", clusters: clusters("CPU_A78", 12, 4),
		gpu: GPU35, newGPU: newGPU36, caps: [2]string{Cap35, Cap36}, cpuMin: 729600, standard: 2, modes: []confMode{
			{0, "MAXN", 12, -1, -1, 0, []int{0}},
			{1, "MODE_15W", 4, 1113600, 408000000, 2133000000, []int{248}},
			{2, "MODE_30W", 8, 1728000, 612000000, 0, []int{240}},
			{3, "MODE_50W", 12, 1497600, 816000000, 0, []int{0}},
		}}.String()
	tr.Links["/etc/nvpmodel.conf"] = "nvpmodel/nvpmodel_p3701.conf"
	tr.cpus(policies(12, 4), steps(115200, 76800, 28, 2201600), "729600")
	tr.Set(CPU+"/cpu0/online", "1")
	tr.bpmp(agxRates, "2133000000")
	tr.hwmon(Rails40, channel{"VDD_GPU_SOC", 18792, 140}, channel{"VDD_CPU_CV", 18784, 20}, channel{"VIN_SYS_5V0", 4968, 820})
	tr.hwmon(Rails41, channel{"NC", 0, 0}, channel{"VDDQ_VDD2_1V8AO", 4968, 80}, channel{"NC", 0, 0})
	return tr
}

const newGPU36 = "/sys/devices/platform/17000000.gpu/devfreq_dev"

// orin35 is what boards with an Orin share up to L4T 35.
func (tr *Tree) orin35(gpus string) {
	tr.gpu("17000000.ga10b", GPU35, gpus)
	tr.Links["/sys/class/devfreq/17000000.ga10b"] = "../../devices/17000000.ga10b/devfreq/17000000.ga10b"
	tr.Set("/sys/class/devfreq/15880000.nvdla0/max_freq", "1600000000")
	tr.gpuDevice("/sys/devices/gpu.0", map[string]string{"tpc_pg_mask": "0", "fbp_pg_mask": "0"})
	tr.Set(Cap35, "0")
	tr.orinCommon()
}

// orin36 is what they share from L4T 36 on.
func (tr *Tree) orin36(gpus, limit string, masks map[string]string) {
	tr.gpu("17000000.gpu", GPU36, gpus)
	tr.Links[newGPU36] = GPU36
	tr.Files[GPU36+"/device/of_node/name"] = "gpu\x00"
	tr.Files[GPU36+"/device/of_node/compatible"] = "nvidia,ga10b\x00"
	tr.gpuDevice("/sys/devices/platform/gpu.0", masks)
	tr.Set(Cap36, limit)
	tr.Set(Halt36, "0")
	tr.orinCommon()
}

func (tr *Tree) orinCommon() {
	tr.Set("/sys/kernel/debug/cactmon/mc_all", "21330000")
	tr.newFan()
	tr.overCurrent()
}
