package tegratest

import (
	"fmt"
	"slices"
	"strings"
)

// conf is an nvpmodel.conf in a text of our own: the vendor's grammar with
// its oddities (an unspaced header, two spaces before a value, a space at a
// line's end, paths of newer kernels, a parameter that a board lacks), and
// the facts of a board's modes (device notes, section 4).
type conf struct {
	order    []int    // cores as counts take them
	from     int      // the first core that the file names: 1 on TX2
	masks    []string // argument names of the power-gate masks
	device   string   // the GPU's folder
	clusters []cluster
	gpu      string // devfreq folder
	newGPU   string // and that of newer kernels; "" for none
	caps     [2]string
	cpuMin   int
	modes    []confMode
	standard int    // the default's id
	fan      string // FAN_CONFIG; ""
}

// cluster is a CPU clock parameter and the core whose folder it names.
type cluster struct {
	name   string
	leader int
}

// confMode is one mode; -1 is "no limit", and masks follow conf.masks.
type confMode struct {
	id              int
	name            string
	cores, cpu, gpu int
	emc             int
	masks           []int
}

func (c conf) String() string {
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("# written for tests\n< PARAM TYPE=FILE NAME=CPU_ONLINE >")
	for i := c.from; i < len(c.order); i++ {
		line("CORE_%d %s/cpu%d/online", i, CPU, i)
	}
	for _, mask := range c.masks {
		file := strings.ToLower(mask)
		line("< PARAM TYPE=FILE NAME=%s >\n%s %s/%s", gating(mask), mask, c.device, file)
		if c.newGPU != "" {
			line("%s_KNEXT /sys/devices/platform/gpu.0/%s", mask, file)
		}
	}
	line("\n< PARAM TYPE=FILE NAME=GPU_POWER_CONTROL_ENABLE >\nGPU_PWR_CNTL_EN %s/power/control", c.device)
	line("< PARAM TYPE=FILE NAME=GPU_POWER_CONTROL_DISABLE >\nGPU_PWR_CNTL_DIS %s/power/control", c.device)
	for _, k := range c.clusters {
		line("< PARAM TYPE=CLOCK NAME=%s >", k.name)
		c.clock(&out, "", fmt.Sprintf("%s/cpu%d/cpufreq/scaling_", CPU, k.leader))
	}
	line("< PARAM TYPE=CLOCK NAME=GPU >")
	c.clock(&out, "", c.gpu+"/")
	if c.newGPU != "" {
		c.clock(&out, "_KNEXT", c.newGPU+"/")
	}
	line("<PARAM TYPE=CLOCK NAME=EMC >\nMAX_FREQ %s\nMAX_FREQ_KNEXT %s", c.caps[0], c.caps[1])
	line("< PARAM TYPE=CLOCK NAME=DLA0_CORE >\nMAX_FREQ /sys/devices/platform/nvdla0/acm/clk_cap/dla0_core")
	for _, m := range c.modes {
		c.mode(line, m)
	}
	line("< PM_CONFIG DEFAULT=%d >", c.standard)
	if c.fan != "" {
		line("< FAN_CONFIG DEFAULT=%s >", c.fan)
	}
	return out.String()
}

func gating(mask string) string { return strings.TrimSuffix(mask, "_PG_MASK") + "_POWER_GATING" }

func (c conf) clock(out *strings.Builder, suffix, prefix string) {
	table := "available_frequencies"
	fmt.Fprintf(out, "FREQ_TABLE%s %s%s\nMAX_FREQ%s %smax_freq\nMIN_FREQ%s %smin_freq\n", suffix, prefix, table, suffix, prefix, suffix, prefix)
}

func (c conf) mode(line func(string, ...any), m confMode) {
	on := c.order[:m.cores]
	line("< POWER_MODEL ID=%d NAME=%s >", m.id, m.name)
	for i := c.from; i < len(c.order); i++ {
		line("CPU_ONLINE CORE_%d %d", i, b2i(slices.Contains(on, i)))
	}
	for i, mask := range c.masks {
		line("%s %s %d", gating(mask), mask, m.masks[i])
	}
	line("GPU_POWER_CONTROL_ENABLE GPU_PWR_CNTL_EN on")
	for _, k := range c.clusters {
		if slices.Contains(on, k.leader) {
			line("%s MIN_FREQ %d\n%s MAX_FREQ %d", k.name, c.cpuMin, k.name, m.cpu)
		}
	}
	line("GPU MIN_FREQ  0\nGPU MAX_FREQ %d\nGPU_POWER_CONTROL_DISABLE GPU_PWR_CNTL_DIS auto \nEMC MAX_FREQ %d\nDLA0_CORE MAX_FREQ -1", m.gpu, m.emc)
}

func b2i(on bool) int {
	if on {
		return 1
	}
	return 0
}

// upTo lists the cores 0 to n-1.
func upTo(n int) []int { return policies(n, 1) }

// clusters names one parameter per policy: prefix_0, prefix_1, …
func clusters(prefix string, cores, size int) []cluster {
	var out []cluster
	for leader := 0; leader < cores; leader += size {
		out = append(out, cluster{fmt.Sprintf("%s_%d", prefix, leader/size), leader})
	}
	return out
}
