package tegratest

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// Numbers reads the numbers that jtune shows from the files of the tree, by themselves, in base units: "rail VDD_IN W",
// "zone tj-thermal °C", "core 3 Hz". All comparisons of printed
// numbers with a tree use it.
func (tr *Tree) Numbers() map[string]float64 {
	out := map[string]float64{}
	put := func(of, file string, scale float64) {
		if v, ok := tr.number(file); ok {
			out[of] = v * scale
		}
	}
	for name := range tr.Files {
		dir, file := path.Split(name)
		switch {
		case strings.Contains(dir, "/thermal_zone") && file == "type":
			if v, ok := tr.number(dir + "temp"); ok && v != -256000 && !tr.dummy(dir, v) {
				out["zone "+tr.word(name)+" °C"] = v / 1000
			}
		case strings.HasPrefix(file, "rail_name_") && tr.word(name) != "NC":
			n, rail := strings.TrimPrefix(file, "rail_name_"), "rail "+tr.word(name)
			put(rail+" W", dir+"in_power"+n+"_input", 1e-3)
			put(rail+" V", dir+"in_voltage"+n+"_input", 1e-3)
			put(rail+" A", dir+"in_current"+n+"_input", 1e-3)
		case strings.HasPrefix(file, "in") && strings.HasSuffix(file, "_label"):
			n, rail := strings.TrimSuffix(strings.TrimPrefix(file, "in"), "_label"), "rail "+tr.word(name)
			if tr.word(name) == "NC" || n > "3" {
				continue
			}
			put(rail+" V", dir+"in"+n+"_input", 1e-3)
			put(rail+" A", dir+"curr"+n+"_input", 1e-3)
			out[rail+" W"] = out[rail+" V"] * out[rail+" A"]
		case file == "power1_input":
			put("rail VIN W", name, 1e-6)
			put("rail VIN V", dir+"in1_input", 1e-3)
			put("rail VIN A", dir+"curr1_input", 1e-3)
		case strings.HasSuffix(file, "_event_cnt"):
			put("signal "+strings.TrimSuffix(file, "_event_cnt"), name, 1)
		case file == "available_frequencies" && !strings.Contains(dir, "bwmgr"):
			put("GPU Hz", dir+"cur_freq", 1)
			put("GPU asked Hz", dir+"max_freq", 1)
		case file == "pwm1" || file == "target_pwm":
			put("fan %", name, 100.0/255)
		case file == "rpm" || file == "rpm_measured":
			put("fan rpm", name, 1)
		case name == EMC+"/rate" || strings.HasSuffix(name, "override.emc/clk_rate"):
			put("EMC Hz", name, 1)
		case name == "/proc/meminfo":
			out["RAM total"], out["RAM used"] = usedMemory(tr.Files[name])
		}
	}
	tr.coreNumbers(out)
	return out
}

// coreNumbers adds the clocks of the cores that are online, and the highest limit of one.
func (tr *Tree) coreNumbers(out map[string]float64) {
	for n := 0; ; n++ {
		dir := fmt.Sprintf("%s/cpu%d/", CPU, n)
		policy, linked := tr.Links[dir+"cpufreq"]
		if !linked {
			return
		}
		if on, ok := tr.number(dir + "online"); ok && on == 0 {
			continue
		}
		policy = path.Join(dir, policy)
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
}

// dummy reports whether a zone is a power controller's, which is no sensor.
func (tr *Tree) dummy(dir string, milliC float64) bool {
	return strings.HasPrefix(tr.word(dir+"type"), "PMIC") && (milliC == 50_000 || milliC == 100_000)
}

func (tr *Tree) word(name string) string { return strings.TrimSpace(tr.Files[name]) }

func (tr *Tree) number(name string) (float64, bool) {
	v, err := strconv.ParseFloat(tr.word(name), 64)
	return v, err == nil
}

// usedMemory returns the total and the used memory in bytes.
func usedMemory(meminfo string) (total, used float64) {
	kB := map[string]float64{}
	for line := range strings.Lines(meminfo) {
		if f := strings.Fields(line); len(f) > 1 {
			kB[f[0]], _ = strconv.ParseFloat(f[1], 64)
		}
	}
	total = 1024 * kB["MemTotal:"]
	return total, total - 1024*(kB["MemFree:"]+kB["Buffers:"]+kB["Cached:"]+kB["SReclaimable:"])
}
