package tegrastats

import (
	"maps"
	"slices"

	"jtune/tegra"
)

// Reading converts the line to the units of a device's own readings. Clocks are the rounded megahertz that tegrastats
// prints; T stays zero.
func (l *Line) Reading() tegra.Reading {
	r := tegra.Reading{TempsOff: l.TempsOff}
	for _, x := range l.Rails {
		r.Rails = append(r.Rails, tegra.RailReading{Name: x.Name, PowerW: tegra.Some(float64(x.CurMW) / 1000)})
	}
	if l.TotalPowerMW != nil {
		r.TotalW = tegra.Some(float64(*l.TotalPowerMW) / 1000)
	}
	load, n := 0.0, 0
	for _, c := range l.CPU {
		if c.Online && c.LoadPct != nil {
			load, n = load+float64(*c.LoadPct), n+1
		}
		f := megahertz(c.FreqMHz)
		r.Cores = append(r.Cores, tegra.CoreReading{Online: c.Online, LoadPct: percent(c.LoadPct), Freq: f})
		if f.OK && f.V > r.CPU.Actual.V {
			r.CPU.Actual = f
		}
	}
	r.CPU.LoadPct = tegra.Val[float64]{V: load / float64(max(n, 1)), OK: n > 0}
	if l.EMC != nil {
		r.EMC.Actual, r.EMC.LoadPct = megahertz(l.EMC.FreqMHz), percent(l.EMC.LoadPct)
	}
	if l.GPU != nil {
		r.GPU.LoadPct = percent(l.GPU.LoadPct)
		if len(l.GPU.FreqMHz) > 0 {
			most := slices.Max(l.GPU.FreqMHz) // clusters of one GPU
			r.GPU.Actual = megahertz(&most)
			if most == 0 && r.GPU.LoadPct.V == 0 {
				r.GPU.LoadPct.OK = false // powered down
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.TempsC)) {
		r.Temps = append(r.Temps, tegra.TempReading{Name: name, C: l.TempsC[name]})
	}
	if l.RAM != nil {
		r.RAMUsed, r.RAMTotal = tegra.Some(int64(l.RAM.UsedMB)<<20), tegra.Some(int64(l.RAM.TotalMB)<<20)
	}
	return r
}

func percent(v *int) tegra.Val[float64] {
	if v == nil {
		return tegra.Val[float64]{}
	}
	return tegra.Some(float64(*v))
}

func megahertz(v *int) tegra.Val[tegra.Freq] {
	if v == nil || *v == 0 { // a clock of 0 is off
		return tegra.Val[tegra.Freq]{}
	}
	return tegra.Some(tegra.Freq(*v) * tegra.MHz)
}
