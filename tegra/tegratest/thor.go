package tegratest

// GPUThor is the GPU's folder on Thor.
const GPUThor = "/sys/class/devfreq/gpu-gpc-0"

// NewThor38 is an AGX Thor with L4T 38, as far as facts go: its rails, zones,
// core count and the ends of its lists were recorded; the clocks between are
// only those that its modes name, and the board's compatible string, clusters
// and the parameters of its nvpmodel.conf are UNVERIFIED.
func NewThor38() *Tree {
	tr := newTree("nvidia,p4071-0000+p3834-0008 nvidia,tegra264", "NVIDIA Jetson AGX Thor Developer Kit",
		"# R38 (release), REVISION: 4.0, GCID: 1, BOARD: generic, EABI: aarch64\n# KERNEL_VARIANT: oot")
	tr.cpus(upTo(14), "972000 1998000 2601000 ", "972000")
	tr.gpu("gpu-gpc-0", GPUThor, "315000000 1386000000 1530000000 1575000000 ")
	delete(tr.Links, GPUThor) // there it is a folder of its own
	tr.Set("/sys/class/devfreq/gpu-nvd-0/max_freq", "1692000000")
	for file, value := range map[string]string{"cur_freq": "2750000000", "min_freq": "665600000", "max_freq": "4266000000"} {
		tr.Set("/sys/class/devfreq/bwmgr/"+file, value)
	}
	tr.Set(EMC+"/rate", "2750000000")
	tr.Set(EMC+"/mrq_rate_locked", "0")
	tr.Set(EMC+"/state", "0")
	tr.Set(Halt36, "0")
	tr.Set(Cap36, "4266000000")
	tr.Set("/sys/kernel/debug/bpmp/debug/actmon/mc_all_avg_activity", "0")
	tr.hwmon("/sys/bus/i2c/drivers/ina3221/2-0040/hwmon/hwmon3", channel{"VDD_GPU", 10000, 196}, channel{"VDD_CPU_SOC_MSS", 10000, 589}, channel{"VIN_SYS_5V0", 5000, 1127})
	const input = "/sys/bus/i2c/drivers/ina238/2-0044/hwmon/hwmon4"
	tr.Set(input+"/name", "ina238")
	tr.Set(input+"/power1_input", "19780000")
	tr.Links["/sys/class/hwmon/hwmon4"] = input
	tr.zones("cpu-thermal=37343 gpu-thermal=38875 soc012-thermal=37468 soc345-thermal=37406 tj-thermal=38875")
	tr.newFan()
	tr.Set("/var/lib/nvpmodel/status", "pmode:0001")
	tr.Files["/etc/nvpmodel.conf"] = conf{order: upTo(14), masks: []string{"GPU_PG_MASK"}, device: "/sys/devices/platform/gpu.0", clusters: clusters("CPU", 14, 1),
		gpu: GPUThor, caps: [2]string{Cap36, Cap36}, cpuMin: 972000, standard: 1, modes: []confMode{
			{0, "MAXN", 14, -1, -1, -1, []int{64}},
			{1, "120W", 14, 2601000, 1386000000, -1, []int{64}},
			{2, "90W", 12, 2601000, 1530000000, -1, []int{15873}},
			{3, "70W", 12, 1998000, 1530000000, -1, []int{15873}},
		}}.String()
	return tr
}
