package tegratest

import (
	"fmt"
	"strconv"
	"strings"
)

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
)

// NewAGXOrin35 is an AGX Orin 64 GB with L4T 35.1 (JetPack 5.0.2): 18,096 modes.
func NewAGXOrin35() *Tree {
	tr := orin("# R35 (release), REVISION: 1.0, GCID: 31346300, BOARD: t186ref, EABI: aarch64, DATE: Thu Aug 25 18:41:45 UTC 2022")
	tr.gpu35(gpuList351, "114750000")
	return tr
}

// NewAGXOrin353 is the same board with L4T 35.3 (JetPack 5.1.1): 15,312 modes.
func NewAGXOrin353() *Tree {
	tr := orin("# R35 (release), REVISION: 3.1, GCID: 32827747, BOARD: t186ref, EABI: aarch64, DATE: Sun Mar 19 15:19:21 UTC 2023")
	tr.gpu35(gpuList353, "306000000")
	return tr
}

// NewAGXOrin36 is the same board with L4T 36.4 (JetPack 6): other paths for
// GPU, memory cap and bandwidth manager; sensors that are off cannot be read.
func NewAGXOrin36() *Tree {
	tr := orin("# R36 (release), REVISION: 4.0, GCID: 37537400, BOARD: generic, EABI: aarch64, DATE: Fri Sep 13 04:36:44 UTC 2024\n# KERNEL_VARIANT: oot")
	tr.Files["/proc/device-tree/model"] = "NVIDIA Jetson AGX Orin Developer Kit\x00"
	tr.devfreq(GPU36, gpuList353, "306000000")
	tr.Links["/sys/class/devfreq/17000000.gpu"] = GPU36
	tr.Links["/sys/devices/platform/17000000.gpu/devfreq_dev"] = GPU36
	tr.Files[GPU36+"/device/of_node/name"] = "gpu\x00"
	tr.Files[GPU36+"/device/of_node/compatible"] = "nvidia,ga10b\x00"
	tr.gpuDevice("/sys/devices/platform/gpu.0")
	tr.Remove("/sys/kernel/nvpmodel_emc_cap")
	tr.Set(Cap36, "3199000000")
	tr.Set(Halt36, "0")
	for i, name := range strings.Fields("cpu gpu cv0 cv1 cv2 soc0 soc1 soc2 tj tboard tdiode") {
		zone := fmt.Sprintf("/sys/class/thermal/thermal_zone%d", i)
		tr.Set(zone+"/type", name+"-thermal")
		tr.Set(zone+"/temp", "43531")
		if i >= 1 && i <= 4 {
			tr.Remove(zone + "/temp")
		}
	}
	return tr
}

// orin is what both releases share.
func orin(release string) *Tree {
	tr := &Tree{Files: map[string]string{}, Links: map[string]string{}}
	tr.Files["/proc/device-tree/compatible"] = "nvidia,p3737-0000+p3701-0005\x00nvidia,tegra234\x00"
	tr.Files["/proc/device-tree/model"] = "Jetson AGX Orin\x00"
	tr.Set("/etc/nv_tegra_release", release)
	tr.Files["/etc/nvpmodel/nvpmodel_p3701.conf"] = orinConf()
	tr.Links["/etc/nvpmodel.conf"] = "/etc/nvpmodel/nvpmodel_p3701.conf"
	tr.Set("/var/lib/nvpmodel/status", "pmode:0000")
	tr.cpus(12, 4)
	tr.emc()
	tr.rails()
	tr.proc()
	for i, name := range strings.Fields("CPU-therm GPU-therm CV0-therm CV1-therm CV2-therm SOC0-therm SOC1-therm SOC2-therm tj-therm Tboard_tegra Tdiode_tegra") {
		zone := fmt.Sprintf("/sys/class/thermal/thermal_zone%d", i)
		tr.Set(zone+"/type", name)
		temp := strconv.Itoa(43531 + 100*i)
		if i >= 1 && i <= 4 {
			temp = "-256000"
		}
		tr.Set(zone+"/temp", temp)
	}
	tr.Set("/sys/devices/platform/pwm-fan/hwmon/hwmon2/name", "pwmfan")
	tr.Set(Fan, "55")
	tr.Set("/sys/class/hwmon/hwmon5/name", "soctherm_oc")
	tr.Set("/sys/class/hwmon/hwmon5/oc1_event_cnt", "0")
	tr.Set("/sys/class/hwmon/hwmon5/oc2_event_cnt", "0")
	return tr
}

// cpuList is the AGX Orin's: 115.2 MHz and 76.8 MHz steps, then 2201.6 MHz.
func cpuList() string {
	var out strings.Builder
	for k := range 28 {
		fmt.Fprintf(&out, "%d ", 115200+76800*k)
	}
	return out.String() + "2201600 "
}

// cpus adds n cores in policies of the given size, joined by links as on a
// real kernel.
func (tr *Tree) cpus(n, perPolicy int) {
	all := fmt.Sprintf("0-%d", n-1)
	for _, file := range []string{"present", "possible", "online"} {
		tr.Set(CPU+"/"+file, all)
	}
	tr.Set(CPU+"/offline", "")
	for i := range n {
		tr.Set(fmt.Sprintf("%s/cpu%d/online", CPU, i), "1")
		policy := i - i%perPolicy
		tr.Links[fmt.Sprintf("%s/cpu%d/cpufreq", CPU, i)] = fmt.Sprintf("../cpufreq/policy%d", policy)
		dir := fmt.Sprintf("%s/cpufreq/policy%d/", CPU, policy)
		for file, value := range map[string]string{
			"scaling_available_frequencies": cpuList(), "cpuinfo_min_freq": "115200", "cpuinfo_max_freq": "2201600",
			"scaling_min_freq": "729600", "scaling_max_freq": "2201600", "scaling_cur_freq": "729600", "scaling_governor": "schedutil",
		} {
			tr.Set(dir+file, value)
		}
	}
}

func (tr *Tree) devfreq(dir, list, lowest string) {
	tr.Set(dir+"/available_frequencies", list)
	tr.Set(dir+"/min_freq", lowest)
	tr.Set(dir+"/max_freq", "1300500000")
	tr.Set(dir+"/cur_freq", lowest)
	tr.Set(dir+"/governor", "nvhost_podgov")
}

func (tr *Tree) gpu35(list, lowest string) {
	tr.devfreq(GPU35, list, lowest)
	tr.Links["/sys/class/devfreq/17000000.ga10b"] = "../../devices/17000000.ga10b/devfreq/17000000.ga10b"
	tr.Set("/sys/class/devfreq/15880000.nvdla0/max_freq", "1600000000")
	tr.gpuDevice("/sys/devices/gpu.0")
}

func (tr *Tree) gpuDevice(dir string) {
	tr.Set(dir+"/load", "123")
	tr.Set(dir+"/railgate_enable", "1")
	tr.Set(dir+"/power/control", "auto")
	tr.Set(dir+"/tpc_pg_mask", "0")
	tr.Set(dir+"/fbp_pg_mask", "0")
}

func (tr *Tree) emc() {
	tr.Set(EMC+"/rate", "2133000000")
	tr.Set(EMC+"/min_rate", "204000000")
	tr.Set(EMC+"/max_rate", "3199000000")
	tr.Set(EMC+"/mrq_rate_locked", "0")
	tr.Set(EMC+"/state", "1")
	tr.Set(Rates, "204000 665600 2133000 3199000 (kHz)")
	tr.Set(Cap35, "0")
	tr.Set("/sys/kernel/debug/cactmon/mc_all", "21330000")
}

// rails adds two INA3221 with the recorded idle values: 7081 mW in total,
// of which nothing comes from 1-0041 or from channels 4 to 7.
func (tr *Tree) rails() {
	chip := func(dir string, labels [3]string, mv, ma [3]int) {
		tr.Set(dir+"/name", "ina3221")
		for i, label := range labels {
			n := strconv.Itoa(i + 1)
			tr.Set(dir+"/in"+n+"_label", label)
			tr.Set(dir+"/in"+n+"_input", strconv.Itoa(mv[i]))
			tr.Set(dir+"/curr"+n+"_input", strconv.Itoa(ma[i]))
			tr.Set(dir+"/in"+strconv.Itoa(i+4)+"_input", "91234")
		}
		tr.Set(dir+"/in7_label", "sum of shunt voltages")
		tr.Set(dir+"/in7_input", "360")
		tr.Set(dir+"/curr4_input", "32000")
	}
	chip(Rails40, [3]string{"VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0"}, [3]int{18792, 18784, 4968}, [3]int{140, 20, 820})
	chip(Rails41, [3]string{"NC", "VDDQ_VDD2_1V8AO", "NC"}, [3]int{0, 4968, 0}, [3]int{0, 80, 0})
	tr.Links["/sys/class/hwmon/hwmon3"] = Rails40
	tr.Links["/sys/class/hwmon/hwmon4"] = Rails41
}

func (tr *Tree) proc() {
	var stat strings.Builder
	stat.WriteString("cpu  1200 0 1200 12000 0 0 0 0 0 0\n")
	for i := range 12 {
		fmt.Fprintf(&stat, "cpu%d 100 0 100 1000 0 0 0 0 0 0\n", i)
	}
	tr.Files["/proc/stat"] = stat.String() + "intr 1 2 3\n"
	tr.Files["/proc/meminfo"] = "MemTotal:       64336236 kB\nMemFree:        50000000 kB\nMemAvailable:   58000000 kB\nBuffers:          336236 kB\nCached:          8000000 kB\nSReclaimable:     200000 kB\n"
}

// orinConf has the facts of the AGX Orin's four modes in a text of our own.
func orinConf() string {
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("# modes of a 12-core AGX Orin\n< PARAM TYPE=FILE NAME=CPU_ONLINE >")
	for i := range 12 {
		line("CORE_%d /sys/devices/system/cpu/cpu%d/online", i, i)
	}
	line("< PARAM TYPE=FILE NAME=TPC_POWER_GATING >\nTPC_PG_MASK /sys/devices/gpu.0/tpc_pg_mask\nTPC_PG_MASK_KNEXT /sys/devices/platform/gpu.0/tpc_pg_mask")
	line("< PARAM TYPE=FILE NAME=GPU_POWER_CONTROL_ENABLE >\nGPU_PWR_CNTL_EN /sys/devices/gpu.0/power/control")
	line("< PARAM TYPE=FILE NAME=GPU_POWER_CONTROL_DISABLE >\nGPU_PWR_CNTL_DIS /sys/devices/gpu.0/power/control")
	for i := range 3 {
		line("< PARAM TYPE=CLOCK NAME=CPU_A78_%d >", i)
		for arg, file := range map[string]string{"FREQ_TABLE": "scaling_available_frequencies", "MAX_FREQ": "scaling_max_freq", "MIN_FREQ": "scaling_min_freq"} {
			line("%s /sys/devices/system/cpu/cpu%d/cpufreq/%s", arg, 4*i, file)
		}
	}
	line("< PARAM TYPE=CLOCK NAME=GPU >\nMAX_FREQ %s/max_freq\nMIN_FREQ %s/min_freq", GPU35, GPU35)
	line("<PARAM TYPE=CLOCK NAME=EMC >\nMAX_FREQ %s\nMAX_FREQ_KNEXT %s", Cap35, Cap36)
	line("< PARAM TYPE=CLOCK NAME=DLA0_CORE >\nMAX_FREQ /sys/devices/platform/nvdla0/acm/clk_cap/dla0_core")
	for _, m := range []struct {
		id                   int
		name                 string
		cores, cpu, gpu, emc int
		tpc, dla             int
	}{
		{0, "MAXN", 12, -1, -1, 0, 0, -1},
		{1, "MODE_15W", 4, 1113600, 408000000, 2133000000, 248, 614400000},
		{2, "MODE_30W", 8, 1728000, 612000000, 0, 240, 1369600000},
		{3, "MODE_50W", 12, 1497600, 816000000, 0, 0, 1369600000},
	} {
		line("< POWER_MODEL ID=%d NAME=%s >", m.id, m.name)
		for i := range 12 {
			line("CPU_ONLINE CORE_%d %d", i, b2i(i < m.cores))
		}
		line("TPC_POWER_GATING TPC_PG_MASK %d\nGPU_POWER_CONTROL_ENABLE GPU_PWR_CNTL_EN on", m.tpc)
		for i := range (m.cores + 3) / 4 {
			line("CPU_A78_%d MIN_FREQ 729600\nCPU_A78_%d MAX_FREQ %d", i, i, m.cpu)
		}
		line("GPU MIN_FREQ  0\nGPU MAX_FREQ %d\nGPU_POWER_CONTROL_DISABLE GPU_PWR_CNTL_DIS auto \nEMC MAX_FREQ %d\nDLA0_CORE MAX_FREQ %d", m.gpu, m.emc, m.dla)
	}
	line("< PM_CONFIG DEFAULT=2 >")
	return out.String()
}

func b2i(on bool) int {
	if on {
		return 1
	}
	return 0
}
