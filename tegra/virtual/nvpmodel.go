package virtual

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jtune/tegra"
	"jtune/tegra/boards"
)

// preset is a power mode of the board's configuration; a limit of 0 means none.
type preset struct {
	id            int
	name          string
	cores         int
	cpu, gpu, emc tegra.Freq
	masks         []string // power-gated GPU units
}

// presetsOf reads the power modes of a configuration.
func presetsOf(c boards.Conf) (out []preset) {
	for line := range strings.Lines(c.Modes) {
		f := strings.Fields(line)
		number := func(i int) int64 {
			v, err := strconv.ParseInt(f[i], 10, 64)
			if err != nil {
				panic("virtual: " + err.Error())
			}
			return max(0, v)
		}
		out = append(out, preset{id: int(number(0)), name: f[1], cores: int(number(2)),
			cpu: tegra.Freq(number(3)) * tegra.KHz, gpu: tegra.Freq(number(4)), emc: tegra.Freq(number(5)),
			masks: f[6:]})
	}
	return out
}

// presets returns the presets of the board. A replay has MAXN, and those whose exact mode is in its table; with another
// board's table no others.
func (b *Board) presets() []preset {
	all := presetsOf(b.facts.Conf)
	if b.table == nil {
		return all
	}
	out := all[:1:1]
	for _, p := range all[1:] {
		if b.table.space.Contains(p.mode(b.lists)) && !b.table.foreign {
			out = append(out, p)
		}
	}
	return out
}

// mode returns the preset's mode on a board with these lists.
func (p *preset) mode(l lists) tegra.Mode {
	upTo := func(f tegra.Freq, list []tegra.Freq) tegra.Freq {
		if f == 0 {
			return list[len(list)-1]
		}
		return f
	}
	return tegra.Mode{Cores: p.cores, CPU: upTo(p.cpu, l.cpu), GPU: upTo(p.gpu, l.gpu), EMC: upTo(p.emc, l.emc)}
}

// configuration writes the presets in NVIDIA's grammar for the board's lists. It omits limits beyond the lists.
func (b *Board) configuration(presets []preset) string {
	c, l := b.facts.Conf, b.lists
	c.Order = slices.DeleteFunc(slices.Clone(c.Order), func(core int) bool { return core >= l.cores })
	c.Clusters = slices.DeleteFunc(slices.Clone(c.Clusters), func(cluster string) bool {
		_, leader, _ := strings.Cut(cluster, " ")
		core, _ := strconv.Atoi(leader)
		return core >= l.cores
	})
	c.CPUMin = min(c.CPUMin, int(l.cpu[len(l.cpu)-1].KHz()))
	var modes strings.Builder
	for i, p := range presets {
		cores := min(p.cores, l.cores)
		if i == 0 && b.table != nil {
			cores = l.cores // MAXN of a replay
		}
		fmt.Fprintf(&modes, "%d %s %d %d %d %d %s\n", p.id, p.name, cores, limit(p.cpu, l.cpu, tegra.KHz),
			limit(p.gpu, l.gpu, tegra.Hz), max(0, limit(p.emc, l.emc, tegra.Hz)), strings.Join(p.masks, " "))
	}
	if c.Modes = modes.String(); b.table != nil {
		c.Standard = presets[0].id
	}
	return c.String()
}

// limit prints a preset's limit; -1 if it does not bind.
func limit(f tegra.Freq, list []tegra.Freq, unit tegra.Freq) int64 {
	if f == 0 || f >= list[len(list)-1] {
		return -1
	}
	return int64(max(f, list[0]) / unit)
}
