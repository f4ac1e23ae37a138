package tegratest

import (
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Numbers are what the files of a tree say, by name and in base units: "rail VDD_IN W", "core 3 Hz", "cores".
type Numbers map[string]float64

// Numbers reads the numbers that jtune shows from the files of the tree, by themselves. All comparisons of printed
// numbers with a tree use it.
func (tr *Tree) Numbers() Numbers {
	out := Numbers{}
	for name := range tr.Files {
		dir, file := path.Split(name)
		if !tr.sensor(out, dir, file) {
			tr.device(out, dir, file)
		}
	}
	tr.coreNumbers(out)
	tr.memoryNumbers(out)
	tr.presetNumbers(out)
	steps := func(of string) float64 {
		n := len(out.of(of + " step "))
		out[of+" steps"] = float64(n)
		return float64(n)
	}
	tr.totals(out)
	out["modes"] = steps("CPU") * steps("GPU") * steps("EMC") * float64(len(out.of("cores of ")))
	return out
}

// of returns the values whose names begin so.
func (n Numbers) of(prefix string) (out []float64) {
	for name, v := range n {
		if strings.HasPrefix(name, prefix) {
			out = append(out, v)
		}
	}
	return out
}

// put adds the number that a file holds.
func (tr *Tree) put(out Numbers, of, file string, scale float64) {
	if v, ok := tr.number(file); ok {
		out[of] = v * scale
	}
}

// sensor adds what a file of a sensor says; false if it is none.
func (tr *Tree) sensor(out Numbers, dir, file string) bool {
	name := dir + file
	count := func(of string) { out[of]++ }
	switch {
	case strings.Contains(dir, "/thermal_zone") && file == "type":
		count("zones")
		if v, ok := tr.number(dir + "temp"); ok && v != -256000 && !tr.dummy(dir, v) {
			out["zone "+tr.word(name)+" °C"] = v / 1000
		} else {
			count("zones off")
		}
	case strings.Contains(dir, "/cooling_device") && file == "type" && !strings.Contains(tr.word(name), "fan"):
		v, _ := tr.number(dir + "cur_state")
		out["throttled thermal"] = max(out["throttled thermal"], min(v, 1))
	case strings.HasPrefix(file, "rail_name_") && tr.word(name) != "NC":
		n, rail := strings.TrimPrefix(file, "rail_name_"), "rail "+tr.word(name)
		count("rails of " + dir)
		tr.put(out, rail+" W", dir+"in_power"+n+"_input", 1e-3)
		tr.put(out, rail+" V", dir+"in_voltage"+n+"_input", 1e-3)
		tr.put(out, rail+" A", dir+"in_current"+n+"_input", 1e-3)
	case strings.HasPrefix(file, "in") && strings.HasSuffix(file, "_label"):
		n := strings.TrimSuffix(strings.TrimPrefix(file, "in"), "_label")
		if tr.word(name) != "NC" && n <= "3" {
			count("rails of " + dir)
			tr.hwmonRail(out, dir, n, "rail "+tr.word(name))
		}
	case file == "power1_input":
		count("rails of " + dir)
		tr.put(out, "rail VIN V", dir+"in1_input", 1e-3)
		tr.put(out, "rail VIN A", dir+"curr1_input", 1e-3)
		tr.put(out, "rail VIN W", name, 1e-6)
	case strings.HasSuffix(file, "_event_cnt"):
		tr.put(out, "signal "+strings.TrimSuffix(file, "_event_cnt"), name, 1)
	default:
		return false
	}
	return true
}

// hwmonRail adds channel n of an INA3221. A rail may carry a current that is slightly negative.
func (tr *Tree) hwmonRail(out Numbers, dir, n, rail string) {
	tr.put(out, rail+" V", dir+"in"+n+"_input", 1e-3)
	tr.put(out, rail+" A", dir+"curr"+n+"_input", 1e-3)
	out[rail+" W"] = out[rail+" V"] * out[rail+" A"]
	if out[rail+" V"] < 6 {
		out["floor V"] = 4.75 // of a module that is fed at 5 V (specifications of its carriers)
	}
	for of, signal := range map[string]string{"max": "average over-current", "crit": "instantaneous over-current"} {
		tr.put(out, rail+" "+of+" A", dir+"curr"+n+"_"+of, 1e-3)
		if v, ok := tr.number(dir + "curr" + n + "_" + of + "_alarm"); ok {
			out["alarm "+signal] = max(out["alarm "+signal], v)
		}
	}
}

// totals adds the module's power, by the rails that NVIDIA's guides name, and the limits of the rail that feeds it.
func (tr *Tree) totals(out Numbers) {
	out["no events"] = 0
	for _, rails := range [][]string{{"VDD_IN"}, {"VIN"}, {"POM_5V_IN"}, {"VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0"},
		{"GPU", "CPU", "SOC", "CV", "VDDRQ", "SYS5V"}} {
		var sum float64
		all := true
		for _, rail := range rails {
			w, there := out["rail "+rail+" W"]
			sum, all = sum+w, all && there
		}
		if !all {
			continue
		}
		out["total W"] = sum
		if _, counted := out["signal oc1"]; counted && len(rails) == 1 && out["rail "+rails[0]+" V"] < 6 {
			out["alarm under-voltage"] = 0
			if out["rail "+rails[0]+" V"] < out["floor V"] {
				out["alarm under-voltage"] = 1
			}
		}
		for _, of := range []string{"max", "crit"} {
			if v, ok := out["rail "+rails[0]+" "+of+" A"]; ok && len(rails) == 1 {
				out["supply "+of+" A"] = v
			}
		}
		return
	}
}

// device adds what a file of the fan, the GPU or the memory says.
func (tr *Tree) device(out Numbers, dir, file string) {
	name := dir + file
	switch {
	case file == "available_frequencies" && !strings.Contains(dir, "bwmgr") && !strings.Contains(dir, "nvd"):
		tr.put(out, "GPU Hz", dir+"cur_freq", 1)
		tr.put(out, "GPU asked Hz", dir+"max_freq", 1)
		tr.steps(out, "GPU", name, 1)
	case file == "load" && (strings.Contains(dir, "gpu") || strings.Contains(dir, "/17000000.")):
		tr.put(out, "GPU load %", name, 0.1)
	case file == "pwm1" || file == "target_pwm":
		tr.put(out, "fan %", name, 100.0/255)
	case file == "rpm" || file == "rpm_measured":
		tr.put(out, "fan rpm", name, 1)
	case name == "/proc/meminfo":
		out["RAM total B"], out["RAM used B"], out["RAM cache B"] = usedMemory(tr.Files[name])
	}
}

// steps adds a list of clocks as numbered steps.
func (tr *Tree) steps(out Numbers, of, file string, scale float64) {
	list := map[float64]bool{}
	for _, word := range strings.Fields(tr.Files[tr.resolve(file)]) {
		if v, err := strconv.ParseFloat(word, 64); err == nil {
			list[v*scale] = true
		}
	}
	out.steps(of, list)
}

func (n Numbers) steps(of string, list map[float64]bool) {
	for i, v := range slices.Sorted(maps.Keys(list)) {
		n[fmt.Sprintf("%s step %d Hz", of, i)] = v
	}
}

// coreNumbers adds the cores, the clocks of those that are online, and the highest limit of one.
func (tr *Tree) coreNumbers(out Numbers) {
	left := map[int]bool{} // cores without a job: isolated, or left off at boot
	for _, file := range []string{"isolated", "offline"} {
		if file == "isolated" || strings.Contains(tr.Files["/proc/cmdline"], "maxcpus=") {
			for _, n := range ranges(tr.word(CPU + "/" + file)) {
				left[n] = true
			}
		}
	}
	present := ranges(tr.word(CPU + "/present"))
	for _, n := range present {
		dir := fmt.Sprintf("%s/cpu%d/", CPU, n)
		out[fmt.Sprintf("number of core %d", n)] = float64(n)
		policy := tr.resolve(dir + "cpufreq")
		tr.steps(out, "CPU", policy+"/scaling_available_frequencies", 1000)
		online := fmt.Sprintf("online %d", n)
		if on, ok := tr.number(dir + "online"); ok && on == 0 {
			out[online] = 0
			continue
		}
		out["cores online"]++
		out[online] = 1
		clock, ok := tr.number(policy + "/cpuinfo_cur_freq")
		if !ok {
			clock, ok = tr.number(policy + "/scaling_cur_freq")
		}
		if ok {
			out[fmt.Sprintf("core %d Hz", n)] = 1000 * clock
		}
		if most, ok := tr.number(policy + "/scaling_max_freq"); ok {
			out["CPU asked Hz"] = max(out["CPU asked Hz"], 1000*most)
		}
	}
	out["cores"] = float64(len(present))
	counts := map[float64]bool{out["cores online"]: true}
	for n := range len(present) - len(left) {
		counts[float64(n+1)] = true
	}
	for i, n := range slices.Sorted(maps.Keys(counts)) {
		out[fmt.Sprintf("cores of %d", i)] = n
	}
	out["counts of cores"] = float64(len(counts))
}

// memoryNumbers adds the memory's clocks: the firmware's list, else those that limits and modes name.
func (tr *Tree) memoryNumbers(out Numbers) {
	const nano, thor = "/sys/kernel/debug/tegra_bwmgr/emc_", "/sys/class/devfreq/bwmgr/"
	var top float64
	for _, f := range []string{thor + "max_freq", nano + "max_rate", EMC + "/max_rate"} {
		if v, ok := tr.number(f); ok {
			top = v
		}
	}
	for _, f := range []string{thor + "cur_freq", EMCNano + "/clk_rate", EMC + "/rate"} {
		tr.put(out, "EMC Hz", f, 1)
	}
	list := map[float64]bool{}
	for _, word := range strings.Fields(tr.Files[Rates]) {
		if v, err := strconv.ParseFloat(word, 64); err == nil && (top == 0 || 1000*v <= top) {
			list[1000*v] = true
		}
	}
	caps := []string{Cap36, Cap35}
	if len(list) == 0 {
		for _, f := range append(caps, EMC+"/max_rate", EMC+"/min_rate", nano+"max_rate", nano+"min_rate",
			thor+"max_freq", thor+"min_freq") {
			if v, ok := tr.number(f); ok && v > 0 {
				list[v] = true
			}
		}
		for _, v := range tr.conf() {
			if v.what == "EMC" && v.value > 0 && (top == 0 || v.value <= top) {
				list[v.value] = true
			}
		}
	}
	out.steps("EMC", list)
	asked := slices.Max(append(out.of("EMC step "), 0))
	for _, f := range caps {
		if v, ok := tr.number(f); ok && v > 0 {
			asked = min(asked, v)
		}
	}
	for _, lock := range []string{EMC + "/mrq_rate_locked", EMCNano + "/clk_state"} {
		if v, ok := tr.number(lock); ok && v == 1 {
			asked = out["EMC Hz"]
		}
	}
	if asked > 0 {
		out["EMC asked Hz"] = asked
	}
	for _, f := range []string{"cactmon/mc_all", "bpmp/debug/actmon/mc_all_avg_activity"} {
		tr.put(out, "EMC busy", "/sys/kernel/debug/"+f, 1)
	}
	tr.put(out, "EMC busy", "/sys/kernel/actmon_avg_activity/mc_all", 1)
	if busy, ok := out["EMC busy"]; ok && out["EMC Hz"] > 0 {
		out["EMC load %"] = min(100, math.Floor(busy/(out["EMC Hz"]/1000)))
	}
	delete(out, "EMC busy")
}

// confLine is a number that a mode of nvpmodel.conf sets: what is "core 3", "CPU", "GPU" or "EMC".
type confLine struct {
	id    int
	what  string
	value float64
}

// conf reads the numbers of the modes of nvpmodel.conf; a core that it turns on as 1.
func (tr *Tree) conf() (out []confLine) {
	id := -1
	for line := range strings.Lines(tr.Files[tr.resolve("/etc/nvpmodel.conf")]) {
		f := strings.Fields(strings.Trim(line, "<> \n"))
		if len(f) > 1 && f[0] == "POWER_MODEL" {
			id, _ = strconv.Atoi(strings.TrimPrefix(f[1], "ID="))
			out = append(out, confLine{id, "", 0})
		} else if len(f) > 0 && (f[0] == "PARAM" || f[0] == "PM_CONFIG") {
			id = -1 // another section
		}
		if len(f) != 3 || id < 0 {
			continue
		}
		v, err := strconv.ParseFloat(f[2], 64)
		what := strings.SplitN(f[0], "_", 2)[0]
		switch {
		case err != nil:
		case strings.HasPrefix(f[1], "CORE_"):
			out = append(out, confLine{id, "core " + f[1][len("CORE_"):], v})
		case f[1] == "MAX_FREQ" && slices.Contains([]string{"CPU", "GPU", "EMC"}, what):
			out = append(out, confLine{id, what, v})
		}
	}
	return out
}

// presetNumbers adds the modes of nvpmodel.conf: the listed clocks nearest to theirs, 0 and -1 being the top.
func (tr *Tree) presetNumbers(out Numbers) {
	for _, l := range tr.conf() {
		preset := fmt.Sprintf("preset %d ", l.id)
		switch {
		case l.what == "":
			out["presets"]++
			out[preset+"id"] = float64(l.id)
			for _, knob := range []string{"CPU", "GPU", "EMC"} {
				if list := out.of(knob + " step "); len(list) > 0 {
					out[preset+knob+" Hz"] = slices.Max(list)
				}
			}
			out[preset+"cores"] = out["cores"] // which stay on unless the mode turns them off
		case strings.HasPrefix(l.what, "core "):
			out["number of "+l.what], _ = strconv.ParseFloat(l.what[len("core "):], 64)
			out[preset+"cores"] += l.value - 1
		case l.value > 0:
			v := l.value
			if l.what == "CPU" {
				v *= 1000
			}
			out[preset+"asks for "+l.what+" Hz"] = v
			list := out.of(l.what + " step ")
			if len(list) == 0 {
				continue
			}
			v = slices.MinFunc(list, func(a, b float64) int { return int(math.Abs(a-v) - math.Abs(b-v)) })
			of := preset + l.what + " Hz"
			if set := preset + l.what + " set"; out[set] == 0 {
				out[set], out[of] = 1, v
			} else {
				out[of] = max(out[of], v)
			}
		}
	}
	for name := range maps.Clone(out) {
		if strings.HasPrefix(name, "preset ") && strings.HasSuffix(name, " set") {
			delete(out, name)
		}
	}
	if id, ok := strings.CutPrefix(tr.word("/var/lib/nvpmodel/status"), "pmode:"); ok {
		n, _ := strconv.Atoi(strings.Fields(id)[0])
		out["preset now"] = float64(n)
	}
}

// ranges reads "0-3,6".
func ranges(list string) (out []int) {
	for part := range strings.SplitSeq(list, ",") {
		from, to, spans := strings.Cut(part, "-")
		a, err := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		if !spans {
			b, err2 = a, err
		}
		for ; err == nil && err2 == nil && a <= b; a++ {
			out = append(out, a)
		}
	}
	return out
}

// dummy reports whether a zone is a power controller's, which is no sensor.
func (tr *Tree) dummy(dir string, milliC float64) bool {
	return strings.HasPrefix(tr.word(dir+"type"), "PMIC") && (milliC == 50_000 || milliC == 100_000)
}

func (tr *Tree) word(name string) string { return strings.TrimSpace(tr.Files[tr.resolve(name)]) }

func (tr *Tree) number(name string) (float64, bool) {
	v, err := strconv.ParseFloat(tr.word(name), 64)
	return v, err == nil
}

// resolve follows the links of a name.
func (tr *Tree) resolve(name string) string {
	for range 40 {
		found := false
		for at := len(name); at > 0 && !found; at = strings.LastIndexByte(name[:at], '/') {
			target, linked := tr.Links[name[:at]]
			if !linked {
				continue
			}
			if !path.IsAbs(target) {
				target = path.Join(path.Dir(name[:at]), target)
			}
			name, found = target+name[at:], true
		}
		if !found {
			break
		}
	}
	return path.Clean(name)
}

// usedMemory returns the total, the used and the cached memory in bytes.
func usedMemory(meminfo string) (total, used, cached float64) {
	kB := map[string]float64{}
	for line := range strings.Lines(meminfo) {
		if f := strings.Fields(line); len(f) > 1 {
			kB[f[0]], _ = strconv.ParseFloat(f[1], 64)
		}
	}
	total, cached = 1024*kB["MemTotal:"], 1024*(kB["Buffers:"]+kB["Cached:"]+kB["SReclaimable:"])
	return total, total - 1024*kB["MemFree:"] - cached, cached
}
