package tegratest

import (
	"fmt"
	"strconv"
	"strings"
)

// NewXavier32 is an AGX Xavier with L4T 32.7: INA3221 in the iio form, a fan
// of the old driver, two-core policies.
func NewXavier32() *Tree {
	tr := board("nvidia,p2972-0000\x00nvidia,tegra194\x00", "Jetson-AGX", "# R32 (release), REVISION: 7.3, GCID: 1, BOARD: t186ref")
	tr.plainCPUs(8, 2, steps(115200, 76800, 28)+"2265600 ")
	gpu := "/sys/devices/17000000.gv11b/devfreq/17000000.gv11b"
	tr.devfreq(gpu, "114750000 216750000 318750000 420750000 522750000 624750000 675750000 828750000 905250000 1032750000 1198500000 1236750000 1338750000 1377000000 ", "114750000")
	tr.Set(gpu+"/max_freq", "1377000000")
	tr.Links["/sys/class/devfreq/17000000.gv11b"] = gpu
	tr.gpuDevice("/sys/devices/gpu.0")
	tr.emc()
	tr.Set(EMC+"/max_rate", "2133000000")
	tr.Set(EMC+"/rate", "665600000")
	tr.Set(Rates, "204000 408000 665600 800000 1065600 1331200 1600000 1866000 2133000 (kHz)")
	tr.iio("/sys/bus/i2c/drivers/ina3221x/1-0040/iio:device0", [3]string{"GPU", "CPU", "SOC"}, [3]int{0, 311, 932})
	tr.iio("/sys/bus/i2c/drivers/ina3221x/1-0041/iio:device1", [3]string{"CV", "VDDRQ", "SYS5V"}, [3]int{0, 621, 1482})
	tr.oldFan()
	return tr
}

// NewNano32 is a Nano with L4T 32: no BPMP, memory steered by the clock
// framework.
func NewNano32() *Tree {
	tr := board("nvidia,p3450-0000\x00nvidia,jetson-nano\x00nvidia,tegra210\x00", "NVIDIA Jetson Nano Developer Kit", "# R32 (release), REVISION: 7.1, GCID: 1")
	tr.plainCPUs(4, 4, "102000 204000 307200 403200 518400 614400 710400 825600 921600 1036800 1132800 1224000 1326000 1428000 1479000 ")
	gpu := "/sys/devices/57000000.gpu/devfreq/57000000.gpu"
	tr.devfreq(gpu, steps(76800000, 76800000, 12), "76800000")
	tr.Set(gpu+"/max_freq", "921600000")
	tr.Links["/sys/class/devfreq/57000000.gpu"] = gpu
	tr.gpuDevice("/sys/devices/gpu.0")
	tr.Set("/sys/kernel/debug/clk/override.emc/clk_rate", "1600000000")
	tr.Set("/sys/kernel/debug/clk/override.emc/clk_update_rate", "1600000000")
	tr.Set("/sys/kernel/debug/clk/override.emc/clk_state", "0")
	tr.Set("/sys/kernel/debug/tegra_bwmgr/emc_min_rate", "204000000")
	tr.Set("/sys/kernel/debug/tegra_bwmgr/emc_max_rate", "1600000000")
	tr.Set(Cap35, "0")
	tr.iio("/sys/bus/i2c/drivers/ina3221x/6-0040/iio:device0", [3]string{"POM_5V_IN", "POM_5V_GPU", "POM_5V_CPU"}, [3]int{2132, 78, 275})
	tr.oldFan()
	return tr
}

// NewTX2 is a TX2 with L4T 32: its second cluster is cores 1 and 2.
func NewTX2() *Tree {
	tr := board("nvidia,quill\x00nvidia,p2771-0000\x00nvidia,tegra186\x00", "quill", "# R32 (release), REVISION: 4.3, GCID: 1")
	tr.plainCPUs(6, 6, "345600 499200 652800 806400 960000 1113600 1267200 1420800 1574400 1728000 1881600 2035200 ")
	for n, policy := range map[int]int{0: 0, 3: 0, 4: 0, 5: 0, 1: 1, 2: 1} {
		tr.Links[fmt.Sprintf("%s/cpu%d/cpufreq", CPU, n)] = fmt.Sprintf("../cpufreq/policy%d", policy)
	}
	for file, content := range tr.Files {
		if rest, ok := strings.CutPrefix(file, CPU+"/cpufreq/policy0/"); ok {
			tr.Files[CPU+"/cpufreq/policy1/"+rest] = content
		}
	}
	gpu := "/sys/devices/17000000.gp10b/devfreq/17000000.gp10b"
	tr.devfreq(gpu, steps(114750000, 102000000, 11)+"1300500000 ", "114750000")
	tr.Links["/sys/class/devfreq/17000000.gp10b"] = gpu
	tr.gpuDevice("/sys/devices/gpu.0")
	tr.emc()
	tr.Set(EMC+"/max_rate", "1866000000")
	tr.Set(Rates, "40800 68000 102000 204000 408000 665600 800000 1062400 1331200 1600000 1866000 (kHz)")
	tr.iio("/sys/bus/i2c/drivers/ina3221x/0-0040/iio:device0", [3]string{"VDD_SYS_GPU", "VDD_SYS_SOC", "VDD_4V0_WIFI"}, [3]int{152, 458, 19})
	tr.iio("/sys/bus/i2c/drivers/ina3221x/0-0041/iio:device1", [3]string{"VDD_IN", "VDD_SYS_CPU", "VDD_SYS_DDR"}, [3]int{2217, 152, 349})
	return tr
}

// NewOrinNano36 is an Orin Nano 8 GB Super with L4T 36.4.3.
func NewOrinNano36() *Tree {
	tr := NewAGXOrin36()
	tr.Files["/proc/device-tree/compatible"] = "nvidia,p3768-0000+p3767-0005-super\x00nvidia,tegra234\x00"
	tr.Files["/proc/device-tree/model"] = "NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super\x00"
	tr.Remove(CPU)
	tr.plainCPUs(6, 4, steps(115200, 76800, 22))
	tr.Set(GPU36+"/available_frequencies", "306000000 408000000 510000000 612000000 714000000 816000000 918000000 1020000000 ")
	tr.Set(GPU36+"/max_freq", "1020000000")
	tr.Remove("/sys/bus/i2c/drivers/ina3221/1-0041")
	tr.Remove("/sys/class/hwmon/hwmon4")
	for i, rail := range []struct {
		label  string
		mv, ma int
	}{{"VDD_IN", 4984, 960}, {"VDD_CPU_GPU_CV", 4976, 120}, {"VDD_SOC", 4976, 304}} {
		n := strconv.Itoa(i + 1)
		tr.Set(Rails40+"/in"+n+"_label", rail.label)
		tr.Set(Rails40+"/in"+n+"_input", strconv.Itoa(rail.mv))
		tr.Set(Rails40+"/curr"+n+"_input", strconv.Itoa(rail.ma))
	}
	return tr
}

func board(compatible, model, release string) *Tree {
	tr := &Tree{Files: map[string]string{}, Links: map[string]string{}}
	tr.Files["/proc/device-tree/compatible"] = compatible
	tr.Files["/proc/device-tree/model"] = model + "\x00"
	tr.Set("/etc/nv_tegra_release", release)
	tr.proc()
	return tr
}

func steps(first, step, n int) string {
	var out strings.Builder
	for k := range n {
		fmt.Fprintf(&out, "%d ", first+step*k)
	}
	return out.String()
}

// plainCPUs adds n cores with the given list and full limits; core 0 has no
// switch.
func (tr *Tree) plainCPUs(n, perPolicy int, list string) {
	tr.cpus(n, perPolicy)
	tr.Remove(CPU + "/cpu0/online")
	freqs := strings.Fields(list)
	for policy := 0; policy < n; policy += perPolicy {
		dir := fmt.Sprintf("%s/cpufreq/policy%d/", CPU, policy)
		tr.Set(dir+"scaling_available_frequencies", list)
		for file, value := range map[string]string{"cpuinfo_min_freq": freqs[0], "cpuinfo_max_freq": freqs[len(freqs)-1],
			"scaling_min_freq": freqs[0], "scaling_max_freq": freqs[len(freqs)-1], "scaling_cur_freq": freqs[0]} {
			tr.Set(dir+file, value)
		}
	}
}

func (tr *Tree) iio(dir string, names [3]string, mw [3]int) {
	for i, name := range names {
		n := strconv.Itoa(i)
		tr.Set(dir+"/rail_name_"+n, name)
		tr.Set(dir+"/in_power"+n+"_input", strconv.Itoa(mw[i]))
	}
}

func (tr *Tree) oldFan() {
	tr.Set("/sys/devices/pwm-fan/target_pwm", "0")
	tr.Set("/sys/devices/pwm-fan/temp_control", "1")
}
