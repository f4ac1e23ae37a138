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

// usualC is the air's temperature where none is given.
const usualC = 25.0

// Heat brings the whole module to a temperature at once; from there it follows its
// power and the air again.
func (b *Board) Heat(c float64) {
	defer b.enter()()
	b.heat.Sink, b.heat.GPU, b.heat.CPU = c, c, c
}

// air is the temperature around the board.
func (b *Board) air() float64 {
	if b.faults.AmbientC != 0 {
		return b.faults.AmbientC
	}
	return usualC
}

// warms is what of the power heats which part.
func warms(p physics.Power) heat.Power { return heat.Power{Total: p.Total(), GPU: p.GPU, CPU: p.CPU} }

// warm lets dt pass for the module's temperatures. left is what remains of dt when throttling began or ended.
func (b *Board) warm(dt time.Duration) (left time.Duration, turned bool) {
	return b.heat.Add(b.cooling, dt, warms(b.powers(b.at)), b.air(), b.faults.FanStuck)
}

// heatLimit cuts a clock while the module throttles.
func (b *Board) heatLimit(list []tegra.Freq, f tegra.Freq) tegra.Freq {
	if !b.heat.Throttled {
		return f
	}
	return min(f, below(list, tegra.Freq(b.heat.Share()*float64(slices.Max(list)))))
}

// The faults that Named knows, by name.
var named = map[string]func(*Faults){
	"fan": func(f *Faults) { f.FanStuck = true },
}

// Named returns faults by their names: fan, whose fan stands still.
func Named(names []string) (f Faults, err error) {
	for _, name := range names {
		set, known := named[name]
		if !known {
			return f, fmt.Errorf("there is no %q: give %s", name, strings.Join(slices.Sorted(maps.Keys(named)), ", "))
		}
		set(&f)
	}
	return f, nil
}
