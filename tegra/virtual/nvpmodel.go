package virtual

import (
	"fmt"
	"strings"

	"jtune/tegra"
)

// preset is one POWER_MODEL of the board's configuration; a limit of 0 means
// none.
type preset struct {
	id       int
	name     string
	cores    int
	cpu, gpu tegra.Freq
	emc      tegra.Freq
	mask     int // GPU units that are gated off
}

// presets of the board. A replay has MAXN, and of the others those whose very
// mode is in its table; of another board's none is known.
func (b *Board) presets() []preset {
	if b.table == nil {
		return orinPresets
	}
	out := orinPresets[:1:1]
	for _, p := range orinPresets[1:] {
		if b.table.space.Contains(p.mode(b.lists)) && !b.table.foreign {
			out = append(out, p)
		}
	}
	return out
}

// mode is the preset's on a board with these lists.
func (p preset) mode(l lists) tegra.Mode {
	upTo := func(f tegra.Freq, list []tegra.Freq) tegra.Freq {
		if f == 0 {
			return list[len(list)-1]
		}
		return f
	}
	return tegra.Mode{Cores: p.cores, CPU: upTo(p.cpu, l.cpu), GPU: upTo(p.gpu, l.gpu), EMC: upTo(p.emc, l.emc)}
}

// orinPresets are an AGX Orin's on L4T 34 and 35.1.
var orinPresets = []preset{
	{name: "MAXN", cores: 12},
	{id: 1, name: "MODE_15W", cores: 4, cpu: 1113600 * tegra.KHz, gpu: 420750000, emc: 2133 * tegra.MHz, mask: 248},
	{id: 2, name: "MODE_30W", cores: 8, cpu: 1728000 * tegra.KHz, gpu: 624750000, mask: 240},
	{id: 3, name: "MODE_50W", cores: 12, cpu: 1497600 * tegra.KHz, gpu: 828750000},
}

// nvpmodelConf writes the presets in the vendor's grammar for a board with
// these lists. Limits that the lists do not reach are left out.
func nvpmodelConf(l lists, presets []preset) string {
	var b strings.Builder
	b.WriteString("# Power modes of a virtual board: a simulation.\n\n< PARAM TYPE=FILE NAME=CPU_ONLINE >\n")
	for i := range l.cores {
		fmt.Fprintf(&b, "CORE_%d %s/cpu%d/online\n", i, cpuDir, i)
	}
	fmt.Fprintf(&b, "\n< PARAM TYPE=FILE NAME=TPC_POWER_GATING >\nTPC_PG_MASK %s/tpc_pg_mask\n", gpuDir)
	for _, p := range []struct{ name, arg string }{{"ENABLE", "EN"}, {"DISABLE", "DIS"}} {
		fmt.Fprintf(&b, "\n< PARAM TYPE=FILE NAME=GPU_POWER_CONTROL_%s >\nGPU_PWR_CNTL_%s %s/power/control\n", p.name,
			p.arg,
			gpuDir)
	}
	for i := 0; i < l.cores; i += coresPerPolicy {
		dir := fmt.Sprintf("%s/cpu%d/cpufreq", cpuDir, i)
		fmt.Fprintf(&b, "\n< PARAM TYPE=CLOCK NAME=CPU_A78_%d >\nFREQ_TABLE %s/scaling_available_frequencies\n"+
			"MAX_FREQ %s/scaling_max_freq\nMIN_FREQ %s/scaling_min_freq\n", i/coresPerPolicy, dir, dir, dir)
	}
	fmt.Fprintf(&b,
		"\n< PARAM TYPE=CLOCK NAME=GPU >\nFREQ_TABLE %s/available_frequencies\nMAX_FREQ %s/max_freq\n"+
			"MIN_FREQ %s/min_freq\n",
		gpuFreqDir, gpuFreqDir, gpuFreqDir)
	fmt.Fprintf(&b, "\n< PARAM TYPE=CLOCK NAME=EMC >\nMAX_FREQ %s\n", emcCapFile)
	for _, p := range presets {
		p.write(&b, l)
	}
	b.WriteString("\n< PM_CONFIG DEFAULT=0 >\n")
	return b.String()
}

func (p preset) write(b *strings.Builder, l lists) {
	fmt.Fprintf(b, "\n< POWER_MODEL ID=%d NAME=%s >\n", p.id, p.name)
	cores := min(p.cores, l.cores)
	if p.id == 0 {
		cores = l.cores
	}
	for i := range l.cores {
		on := 0
		if i < cores {
			on = 1
		}
		fmt.Fprintf(b, "CPU_ONLINE CORE_%d %d\n", i, on)
	}
	fmt.Fprintf(b, "TPC_POWER_GATING TPC_PG_MASK %d\nGPU_POWER_CONTROL_ENABLE GPU_PWR_CNTL_EN on\n", p.mask)
	for i := 0; i < cores; i += coresPerPolicy {
		fmt.Fprintf(b, "CPU_A78_%d MIN_FREQ %d\nCPU_A78_%d MAX_FREQ %d\n", i/coresPerPolicy,
			min(729600, l.cpu[len(l.cpu)-1].KHz()), i/coresPerPolicy, limit(p.cpu, l.cpu, tegra.KHz))
	}
	fmt.Fprintf(b, "GPU MIN_FREQ 0\nGPU MAX_FREQ %d\nGPU_POWER_CONTROL_DISABLE GPU_PWR_CNTL_DIS auto\n",
		limit(p.gpu, l.gpu, tegra.Hz))
	fmt.Fprintf(b, "EMC MAX_FREQ %d\n", max(0, limit(p.emc, l.emc, tegra.Hz)))
}

// limit prints a preset's limit; -1 where it does not bind.
func limit(f tegra.Freq, list []tegra.Freq, unit tegra.Freq) int64 {
	if f == 0 || f >= list[len(list)-1] {
		return -1
	}
	return int64(max(f, list[0]) / unit)
}
