package sources

import (
	"fmt"
	"strconv"

	"jtune/tegra"
)

// clocked follows one clock.
type clocked struct {
	top tegra.Val[tegra.Freq] // the highest frequency while nothing slowed the board
	low int                   // consecutive samples below the setting, while locked
	n   int                   // samples
}

const (
	// FallenShare is the share of its setting below which a clock has certainly dropped.
	FallenShare = 0.97
	// steadyClock is how many samples a clock may rise for after the load began.
	steadyClock = 5
	// mostLow is how many consecutive samples below the setting are a clock that does not follow: it is read while it
	// changes, too.
	mostLow = 3
	// IdlePct is the load of a core below which its clock says nothing.
	IdlePct = 10
)

// follower is a clock in one sample.
type follower struct {
	name   string
	core   int // -1: none
	actual tegra.Val[tegra.Freq]
	set    tegra.Val[tegra.Freq] // the highest that it may have
	locked bool
}

// followers lists the clocks of a reading: each core that is not known to be idle, the GPU and the memory.
func followers(r tegra.Reading) (out []follower) {
	locked := r.Locked.Or(false)
	of := func(name string, c tegra.ClockReading) follower {
		return follower{name, -1, c.Actual, c.Max, locked || c.Min.OK && c.Min == c.Max}
	}
	for i, c := range r.Cores {
		if !c.Online || c.Vague || c.LoadPct.OK && c.LoadPct.V < IdlePct {
			continue
		}
		f := follower{"CPU core " + strconv.Itoa(i), i, c.Freq, c.Max, locked || c.Min.OK && c.Min == c.Max}
		for _, slow := range r.Slow { // below its request, where clocks are free
			if slow.Name == f.name {
				f.actual, f.set, f.locked = tegra.Some(slow.Actual), tegra.Some(slow.Asked), true
			}
		}
		out = append(out, f)
	}
	if len(r.Cores) == 0 { // a stored sample
		out = append(out, of("CPU", r.CPU))
	}
	return append(out, of("GPU", r.GPU), of("EMC", r.EMC))
}

// slow finds the clocks that fell: below their setting while locked, or at all while heat slows the board.
// Free clocks vary by themselves; the GPU's is then more conclusive than the CPU's. If several fell, it returns the
// one that fell furthest, with the cores that fell with it.
func (w *Sources) slow(r tegra.Reading) []Fault {
	slowed := r.Heat.Or(false)
	var worst Fault
	var cores []int
	least := 1.0
	for _, c := range followers(r) {
		k := w.clocks[c.name]
		if k == nil {
			k = new(clocked)
			w.clocks[c.name] = k
		}
		if !c.actual.OK || c.actual.V == 0 {
			continue
		}
		k.n++
		below := func(f tegra.Val[tegra.Freq]) bool {
			return f.OK && float64(c.actual.V) < FallenShare*float64(f.V)
		}
		if k.low++; !c.locked || !below(c.set) {
			k.low = 0
		}
		from := k.top
		if c.locked && c.set.OK && c.set.V > from.V {
			from = c.set
		}
		if k.n > steadyClock && !slowed && c.actual.V > k.top.V {
			k.top = c.actual
		}
		if !below(from) || !slowed && k.low < mostLow {
			continue
		}
		share := float64(c.actual.V) / float64(from.V)
		f := Fault{Slow, c.name, hertz(from), hertz(c.actual)}
		switch {
		case share < least || !c.locked && c.name == "GPU":
			least, worst, cores = share, f, []int{c.core}
		case c.core >= 0 && worst.Is == f.Is && worst.Was == f.Was:
			cores = append(cores, c.core)
		}
	}
	switch {
	case worst.Source != "" && cores[0] >= 0:
		worst.Source = "CPU " + coresText(cores)
	case worst.Source == "" && r.Heat.Or(false): // the board reports it before a clock shows it
		worst = Fault{Slow, "GPU", "", ""}
		if k := w.clocks["GPU"]; k != nil {
			worst.Was = hertz(k.top)
		}
	case worst.Source == "":
		return nil
	}
	return []Fault{worst}
}

func hertz(f tegra.Val[tegra.Freq]) string {
	if !f.OK {
		return ""
	}
	return strconv.FormatInt(int64(f.V), 10)
}

// coresText formats ascending core numbers: "core 4", "cores 4-7", "cores 0-3,8".
func coresText(list []int) string {
	if len(list) == 1 {
		return fmt.Sprintf("core %d", list[0])
	}
	text, from := "", 0
	for i := range list {
		if i+1 < len(list) && list[i+1] == list[i]+1 {
			continue
		}
		part := strconv.Itoa(list[from])
		if i > from {
			part += "-" + strconv.Itoa(list[i])
		}
		if text != "" {
			part = "," + part
		}
		text, from = text+part, i+1
	}
	return "cores " + text
}
