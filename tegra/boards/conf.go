package boards

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Conf writes an nvpmodel.conf in wording of our own: NVIDIA's grammar with its oddities (an unspaced header, two
// spaces before a value, a space at a line's end, paths of newer kernels, a parameter that a board lacks) and the
// recorded modes of a board.
type Conf struct {
	Path     string
	Order    []int    // order in which cores come online
	From     int      // first core that the file names: 1 on TX2
	Masks    []string // argument names of the power-gate masks
	Device   string   // folder of the GPU
	Clusters []string // a CPU clock parameter and the core whose folder it names
	GPU      string   // devfreq folder
	NewGPU   string   `toml:"new_gpu"` // devfreq folder of newer kernels; "" for none
	Caps     [2]string
	CPUMin   int    `toml:"cpu_min"`
	Modes    string // one line each: id, name, cores, CPU, GPU, memory (-1: no limit), masks
	Standard int    // id of the default mode
	Fan      string // FAN_CONFIG; "" for none
}

const cpuDir = "/sys/devices/system/cpu"

// String returns the file's text.
func (c Conf) String() string {
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("# written for tests\n< PARAM TYPE=FILE NAME=CPU_ONLINE >")
	for i := c.From; i < len(c.Order); i++ {
		line("CORE_%d %s/cpu%d/online", i, cpuDir, i)
	}
	for _, mask := range c.Masks {
		file := strings.ToLower(mask)
		line("< PARAM TYPE=FILE NAME=%s >\n%s %s/%s", gating(mask), mask, c.Device, file)
		if c.NewGPU != "" {
			line("%s_KNEXT /sys/devices/platform/gpu.0/%s", mask, file)
		}
	}
	line("\n< PARAM TYPE=FILE NAME=GPU_POWER_CONTROL_ENABLE >\nGPU_PWR_CNTL_EN %s/power/control", c.Device)
	line("< PARAM TYPE=FILE NAME=GPU_POWER_CONTROL_DISABLE >\nGPU_PWR_CNTL_DIS %s/power/control", c.Device)
	for _, k := range c.Clusters {
		name, leader, _ := strings.Cut(k, " ")
		line("< PARAM TYPE=CLOCK NAME=%s >", name)
		c.clock(&out, "", cpuDir+"/cpu"+leader+"/cpufreq/scaling_")
	}
	line("< PARAM TYPE=CLOCK NAME=GPU >")
	c.clock(&out, "", c.GPU+"/")
	if c.NewGPU != "" {
		c.clock(&out, "_KNEXT", c.NewGPU+"/")
	}
	line("<PARAM TYPE=CLOCK NAME=EMC >\nMAX_FREQ %s\nMAX_FREQ_KNEXT %s", c.Caps[0], c.Caps[1])
	line("< PARAM TYPE=CLOCK NAME=DLA0_CORE >\nMAX_FREQ /sys/devices/platform/nvdla0/acm/clk_cap/dla0_core")
	for m := range strings.Lines(c.Modes) {
		c.mode(line, strings.Fields(m))
	}
	line("< PM_CONFIG DEFAULT=%d >", c.Standard)
	if c.Fan != "" {
		line("< FAN_CONFIG DEFAULT=%s >", c.Fan)
	}
	return out.String()
}

func gating(mask string) string { return strings.TrimSuffix(mask, "_PG_MASK") + "_POWER_GATING" }

func (c *Conf) clock(out *strings.Builder, suffix, prefix string) {
	table := "available_frequencies"
	fmt.Fprintf(out, "FREQ_TABLE%s %s%s\nMAX_FREQ%s %smax_freq\nMIN_FREQ%s %smin_freq\n", suffix, prefix, table, suffix,
		prefix, suffix, prefix)
}

func (c *Conf) mode(line func(string, ...any), m []string) {
	count, _ := strconv.Atoi(m[2])
	on := c.Order[:count]
	line("< POWER_MODEL ID=%s NAME=%s >", m[0], m[1])
	for i := c.From; i < len(c.Order); i++ {
		state := 0
		if slices.Contains(on, i) {
			state = 1
		}
		line("CPU_ONLINE CORE_%d %d", i, state)
	}
	for i, mask := range c.Masks {
		line("%s %s %s", gating(mask), mask, m[6+i])
	}
	line("GPU_POWER_CONTROL_ENABLE GPU_PWR_CNTL_EN on")
	for _, k := range c.Clusters {
		name, text, _ := strings.Cut(k, " ")
		if leader, _ := strconv.Atoi(text); slices.Contains(on, leader) {
			line("%s MIN_FREQ %d\n%s MAX_FREQ %s", name, c.CPUMin, name, m[3])
		}
	}
	line("GPU MIN_FREQ  0\nGPU MAX_FREQ %s\nGPU_POWER_CONTROL_DISABLE GPU_PWR_CNTL_DIS auto \nEMC MAX_FREQ %s\n"+
		"DLA0_CORE MAX_FREQ -1", m[4], m[5])
}
