package virtual

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"jtune/tegra"
	"jtune/tegra/virtual/heat"
	"jtune/tegra/virtual/physics"
)

// fanTopRPM is a fan's speed at its full duty cycle.
const fanTopRPM = 4200

// usualC is the default air temperature, °C.
const usualC = 25.0

// Heat sets the whole module to a temperature at once, after which it follows power and air again.
func (b *Board) Heat(c float64) {
	defer b.enter()()
	b.heat.Sink, b.heat.GPU, b.heat.CPU = c, c, c
}

// air returns the air temperature around the board, °C.
func (b *Board) air() float64 {
	if b.faults.AmbientC != 0 {
		return b.faults.AmbientC
	}
	return usualC
}

// warms returns the power that heats each part.
func warms(p physics.Power) heat.Power { return heat.Power{Total: p.Total(), GPU: p.GPU, CPU: p.CPU} }

// warm advances the module's temperatures by dt. left is the rest of dt when throttling starts or ends.
func (b *Board) warm(dt time.Duration) (left time.Duration, turned bool) {
	return b.heat.Add(b.cooling, dt, warms(b.powers(b.at)), b.air(), b.faults.FanStuck)
}

// heatLimit reduces a clock while the module throttles.
func (b *Board) heatLimit(list []tegra.Freq, f tegra.Freq) tegra.Freq {
	if !b.heat.Throttled {
		return f
	}
	return min(f, below(list, tegra.Freq(b.heat.Share()*float64(slices.Max(list)))))
}

// named holds the faults that Named knows.
var named = map[string]func(*Faults){
	"fan":                        func(f *Faults) { f.FanStuck = true },
	"under-voltage":              events("oc1", 0.2),
	"average-over-current":       events("oc2", 0.2),
	"instantaneous-over-current": events("oc3", 1.4), // of an Orin Nano Super at idle, as its owner counted them
	"alarm":                      func(f *Faults) { f.Alarm = true },
}

func events(counter string, perS float64) func(*Faults) {
	return func(f *Faults) {
		if f.EventsPerS == nil {
			f.EventsPerS = map[string]float64{}
		}
		f.EventsPerS[counter] = perS
	}
}

// NamedFaults lists the names that Named knows.
func NamedFaults() []string { return slices.Sorted(maps.Keys(named)) }

// Named returns faults by name: "fan" stops the fan, the others are events of the supply and its alarms.
func Named(names []string) (f Faults, err error) {
	for _, name := range names {
		set, known := named[name]
		if !known {
			return f, fmt.Errorf("there is no %q: give %s", name, strings.Join(NamedFaults(), ", "))
		}
		set(&f)
	}
	return f, nil
}
