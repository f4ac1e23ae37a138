package tegratest

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// newTree returns a tree with the board's identity and the files of any Linux.
func newTree(compatible, model, release string) *Tree {
	tr := &Tree{Files: map[string]string{}, Links: map[string]string{}}
	tr.Files["/proc/device-tree/compatible"] = strings.ReplaceAll(compatible, " ", "\x00") + "\x00"
	tr.Files["/proc/device-tree/model"] = model + "\x00"
	tr.Set("/etc/nv_tegra_release", release)
	return tr
}

// cpus adds one core per entry of leaders, which names the first core of its policy; links join them as in a real
// kernel. The limits reach from low to the top of the list.
func (tr *Tree) cpus(leaders []int, list, low string) {
	var stat strings.Builder
	stat.WriteString("cpu  1200 0 1200 12000 0 0 0 0 0 0\n")
	all := fmt.Sprintf("0-%d", len(leaders)-1)
	for _, file := range []string{"present", "possible", "online"} {
		tr.Set(CPU+"/"+file, all)
	}
	tr.Set(CPU+"/offline", "")
	clocks := strings.Fields(list)
	top := clocks[len(clocks)-1]
	for core, leader := range leaders {
		fmt.Fprintf(&stat, "cpu%d 100 0 100 1000 0 0 0 0 0 0\n", core)
		if core != 0 {
			tr.Set(fmt.Sprintf("%s/cpu%d/online", CPU, core), "1")
		}
		tr.Links[fmt.Sprintf("%s/cpu%d/cpufreq", CPU, core)] = fmt.Sprintf("../cpufreq/policy%d", leader)
		dir := fmt.Sprintf("%s/cpufreq/policy%d/", CPU, leader)
		related := strings.TrimSpace(tr.Files[dir+"related_cpus"] + " " + strconv.Itoa(core))
		for file, value := range map[string]string{
			"scaling_available_frequencies": list, "cpuinfo_min_freq": clocks[0], "cpuinfo_max_freq": top,
			"scaling_min_freq": low, "scaling_max_freq": top, "scaling_cur_freq": low,
			"cpuinfo_cur_freq": low, "scaling_governor": "schedutil",
			"scaling_available_governors": "conservative ondemand userspace powersave performance schedutil ",
		} {
			tr.Set(dir+file, value)
		}
		tr.Files[dir+"related_cpus"] = related
	}
	for name, content := range tr.Files {
		if strings.HasSuffix(name, "/related_cpus") {
			tr.Files[name] = strings.TrimSpace(content) + "\n"
			tr.Files[strings.Replace(name, "related", "affected", 1)] = tr.Files[name]
		}
	}
	tr.Files["/proc/stat"] = stat.String() + "intr 1 2 3\n"
}

// gpu adds a devfreq folder and its name in /sys/class/devfreq.
func (tr *Tree) gpu(class, dir, list string) {
	clocks := strings.Fields(list)
	tr.Set(dir+"/available_frequencies", list)
	tr.Set(dir+"/min_freq", clocks[0])
	tr.Set(dir+"/max_freq", clocks[len(clocks)-1])
	tr.Set(dir+"/cur_freq", clocks[0])
	tr.Set(dir+"/governor", "nvhost_podgov")
	tr.Set(dir+"/available_governors", "wmark_simple nvhost_podgov userspace performance simple_ondemand ")
	if name := "/sys/class/devfreq/" + class; name != dir { // on Thor it is a folder of its own
		tr.Links[name] = dir
	}
}

// gpuDevice adds the GPU's device folder with the power-gate masks in force.
func (tr *Tree) gpuDevice(dir string, masks map[string]string) {
	tr.Set(dir+"/load", "123")
	tr.Set(dir+"/railgate_enable", "1")
	tr.Set(dir+"/enable_3d_scaling", "1")
	tr.Set(dir+"/power/control", "auto")
	for name, value := range masks {
		tr.Set(dir+"/"+name, value)
	}
}

// bpmp adds BPMP's memory files: rates in kHz, the current one in Hz.
func (tr *Tree) bpmp(rates, now string) {
	khz := strings.Fields(rates)
	tr.Set(EMC+"/rate", now)
	tr.Set(EMC+"/min_rate", khz[0]+"000")
	tr.Set(EMC+"/max_rate", khz[len(khz)-1]+"000")
	tr.Set(EMC+"/mrq_rate_locked", "0")
	tr.Set(EMC+"/state", "1")
	tr.Set(Rates, rates+" (kHz)")
}

// hwmon adds an INA3221 in the layout of kernels from 5.10, as "label mV mA, …". Channels 4 to 7 hold shunt voltages,
// not rails.
func (tr *Tree) hwmon(dir, channels string) {
	tr.Set(dir+"/name", "ina3221")
	for i, c := range strings.Split(channels, ", ") {
		n, values := strconv.Itoa(i+1), strings.Fields(c)
		tr.Set(dir+"/in"+n+"_label", values[0])
		tr.Set(dir+"/in"+n+"_input", values[1])
		tr.Set(dir+"/curr"+n+"_input", values[2])
		tr.Set(dir+"/in"+strconv.Itoa(i+4)+"_input", "91234")
		// Full scale of the registers: no limit. UNVERIFIED: of the recorded boards only the Orin NX shows these two
		// files, and none its alarm files (currN_crit_alarm), which the kernel documents.
		tr.Set(dir+"/curr"+n+"_max", "32760")
		tr.Set(dir+"/curr"+n+"_crit", "32760")
	}
	tr.Set(dir+"/in7_label", "sum of shunt voltages")
	tr.Set(dir+"/in7_input", "360")
	tr.Set(dir+"/curr4_input", "32000")
	at := strings.LastIndex(dir, "/")
	tr.Links["/sys/class/hwmon"+dir[at:]] = dir
}

// iio adds an INA3221 in the layout of L4T 32: names, mW, mV and mA.
func (tr *Tree) iio(dir, channels string) {
	for i, c := range strings.Split(channels, ", ") {
		n, values := strconv.Itoa(i), strings.Fields(c)
		tr.Set(dir+"/rail_name_"+n, values[0])
		tr.Set(dir+"/in_power"+n+"_input", values[1])
		tr.Set(dir+"/in_voltage"+n+"_input", values[2])
		tr.Set(dir+"/in_current"+n+"_input", values[3])
		tr.Set(dir+"/crit_current_limit_"+n, "32760 ma")
	}
}

// zones adds thermal zones "name=m°C" in order; a name ending in "=off" has no readable temperature, as since L4T 36.
func (tr *Tree) zones(list string) {
	for i, zone := range strings.Fields(list) {
		name, temp, _ := strings.Cut(zone, "=")
		dir := fmt.Sprintf("/sys/class/thermal/thermal_zone%d", i)
		tr.Set(dir+"/type", name)
		if temp != "off" {
			tr.Set(dir+"/temp", temp)
		}
	}
}

// trips adds trip points "kind=m°C" to the die zones; those of the hottest place also drive the fan.
func (tr *Tree) trips(list string) {
	for name, kind := range maps.Clone(tr.Files) {
		dir, isType := strings.CutSuffix(name, "/type")
		kind = strings.ToLower(strings.TrimSpace(kind))
		if !isType || !strings.Contains(dir, "/thermal_zone") || !strings.Contains(kind, "-therm") {
			continue
		}
		points := strings.Fields(list)
		if strings.HasPrefix(kind, "tj") {
			points = append(points, "active=51000")
		}
		for i, point := range points {
			trip, at, _ := strings.Cut(point, "=")
			tr.Set(fmt.Sprintf("%s/trip_point_%d_type", dir, i), trip)
			tr.Set(fmt.Sprintf("%s/trip_point_%d_temp", dir, i), at)
		}
	}
}
