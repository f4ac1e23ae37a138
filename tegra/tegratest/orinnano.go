package tegratest

// GPU and memory lists of the Orin Nano and Orin NX (device notes, section 3;
// the last three GPU steps of the NX with Super firmware are derived).
const (
	nanoGPUs      = "306000000 408000000 510000000 612000000 624750000 "
	nanoSuperGPUs = "306000000 408000000 510000000 612000000 714000000 816000000 918000000 1020000000 "
	nxGPUs        = "306000000 408000000 510000000 612000000 714000000 816000000 918000000 "
	nxSuperGPUs   = nxGPUs + "1020000000 1122000000 1173000000 "
	nanoRates     = "204000 665600 2133000"
)

// zones36 are the nine of an Orin Nano with L4T 36, those of the CV off.
const zones36 = "cpu-thermal=48906 gpu-thermal=49593 cv0-thermal=off cv1-thermal=off cv2-thermal=off soc0-thermal=48093 soc1-thermal=47312 soc2-thermal=47656 tj-thermal=49593"

// superModes are those of the Orin Nano 8 GB with Super firmware.
var superModes = []confMode{
	{0, "15W", 6, 1497600, 612000000, 2133000000, []int{2, 240}},
	{1, "25W", 6, 1344000, 918000000, 3199000000, []int{2, 240}},
	{2, "MAXN_SUPER", 6, -1, -1, -1, []int{2, 240}},
}

// NewOrinNano36 is an Orin Nano 8 GB Super with L4T 36.4.3: 4,224 modes.
func NewOrinNano36() *Tree {
	tr := orinNano("nvidia,p3768-0000+p3767-0005-super nvidia,tegra234", "NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super", release3643, superModes, 1)
	tr.cpus(policies(6, 4), steps(115200, 76800, 22), "729600")
	tr.bpmp(agxRates, "2133000000")
	tr.orin36(nanoSuperGPUs, "3199000000", nanoMasks)
	tr.zones(zones36)
	tr.Set("/var/lib/nvpmodel/status", "pmode:0002")
	return tr
}

// NewOrinNano364 is the unit seen with L4T 36.4.4 in MAXN_SUPER whose tables
// are those without Super: the mode's name proves nothing.
func NewOrinNano364() *Tree {
	seven := confMode{3, "7W", 4, 960000, 408000000, 2133000000, []int{2, 252}}
	tr := orinNano("nvidia,p3768-0000+p3767-0005-super nvidia,tegra234", "NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super", release3644, append(superModes[:3:3], seven), 1)
	tr.cpus(policies(6, 4), steps(115200, 76800, 19, 1510400), "729600")
	tr.bpmp(nanoRates, "2133000000")
	tr.orin36(nanoGPUs, "2133000000", nanoMasks)
	tr.zones(zones36)
	tr.Set("/var/lib/nvpmodel/status", "pmode:0002")
	return tr
}

// NewOrinNano35 is an Orin Nano 8 GB with L4T 35.3: 1,800 modes.
func NewOrinNano35() *Tree {
	tr := orinNano("nvidia,p3768-0000+p3767-0005 nvidia,tegra234", "NVIDIA Orin Nano Developer Kit", release353, []confMode{
		{0, "15W", 6, -1, -1, 0, []int{2, 240}},
		{1, "7W", 4, 960000, 408000000, 2133000000, []int{2, 252}},
	}, 0)
	tr.cpus(policies(6, 4), steps(115200, 76800, 19, 1510400), "729600")
	tr.bpmp(nanoRates, "2133000000")
	tr.orin35(nanoGPUs)
	tr.Set("/sys/devices/gpu.0/tpc_pg_mask", "240")
	tr.Set("/sys/devices/gpu.0/fbp_pg_mask", "2")
	tr.zones("CPU-therm=48906 GPU-therm=-256000 CV0-therm=-256000 CV1-therm=-256000 CV2-therm=-256000 SOC0-therm=48093 SOC1-therm=47312 SOC2-therm=47656 tj-therm=49593")
	return tr
}

// NewOrinNX36 is an Orin NX 16 GB with L4T 36.4: 5,824 modes.
func NewOrinNX36() *Tree {
	return orinNX("nvidia,p3768-0000+p3767-0000 nvidia,tegra234", release364, nxGPUs, []confMode{
		{0, "MAXN", 8, -1, -1, 0, []int{2, 240}},
		{1, "10W", 4, 1190400, 612000000, 2133000000, []int{2, 252}},
		{2, "15W", 4, 1651200, 612000000, 0, []int{2, 252}},
		{3, "25W", 8, 1497600, 408000000, 0, []int{2, 240}},
	}, 2)
}

// NewOrinNXSuper36 is the same with Super firmware and L4T 36.4.3: 8,320 modes.
func NewOrinNXSuper36() *Tree {
	return orinNX("nvidia,p3768-0000+p3767-0000-super nvidia,tegra234", release3643, nxSuperGPUs, []confMode{
		{0, "MAXN_SUPER", 8, -1, -1, -1, []int{2, 240}},
		{1, "10W", 4, 1190400, 612000000, 2133000000, []int{2, 252}},
		{2, "15W", 4, 1420800, 612000000, -1, []int{2, 252}},
		{3, "25W", 8, 1497600, 408000000, -1, []int{2, 240}},
		{4, "40W", 8, 1497600, 1173000000, -1, []int{2, 240}},
	}, 4)
}

func orinNX(compatible, release, gpus string, modes []confMode, standard int) *Tree {
	tr := p3767(compatible, "NVIDIA Jetson Orin NX Engineering Reference Developer Kit", release, 8, modes, standard)
	tr.cpus(policies(8, 4), steps(115200, 76800, 25, 1984000), "729600")
	tr.bpmp(agxRates, "2133000000")
	tr.orin36(gpus, "3199000000", nanoMasks)
	tr.zones(zones36)
	return tr
}

var nanoMasks = map[string]string{"tpc_pg_mask": "240", "fbp_pg_mask": "2"}

func orinNano(compatible, model, release string, modes []confMode, standard int) *Tree {
	return p3767(compatible, model, release, 6, modes, standard)
}

// p3767 is the module of Orin Nano and Orin NX. Its rails hold the recorded
// values of an idle Orin Nano: 4785 mW by VDD_IN alone.
func p3767(compatible, model, release string, cores int, modes []confMode, standard int) *Tree {
	tr := newTree(compatible, model, release)
	tr.Files["/etc/nvpmodel/nvpmodel_p3767.conf"] = conf{order: upTo(cores), masks: []string{"FBP_PG_MASK", "TPC_PG_MASK"}, device: "/sys/devices/gpu.0", clusters: clusters("CPU_A78", cores, 4),
		gpu: GPU35, newGPU: newGPU36, caps: [2]string{Cap35, Cap36}, cpuMin: 729600, modes: modes, standard: standard}.String()
	tr.Links["/etc/nvpmodel.conf"] = "/etc/nvpmodel/nvpmodel_p3767.conf"
	tr.hwmon(Rails40, channel{"VDD_IN", 4984, 960}, channel{"VDD_CPU_GPU_CV", 4976, 120}, channel{"VDD_SOC", 4976, 304})
	return tr
}
