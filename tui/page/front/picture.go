package front

import (
	"fmt"

	"jtune/internal/figure"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/page"
)

// drawing is what the page draws of the modes.
type drawing int

const (
	drawCloud       drawing = iota // or its table twin
	drawMap                        // a quantity over two knobs
	drawCurves                     // time, power and energy over one knob
	drawStudyMap                   // energy over two clocks, as an energy study found it
	drawStudyCurves                // latency and energy over one of them
	numDrawings
)

// quantities are those of a map, in their order.
var quantities = [...]optimize.Axis{optimize.Energy, optimize.Time, optimize.Power}

// pairs are the knobs across and upward of a map.
var pairs = [...][2]tegra.Knob{
	{tegra.KnobCPU, tegra.KnobGPU},
	{tegra.KnobCPU, tegra.KnobCores},
	{tegra.KnobCPU, tegra.KnobEMC},
	{tegra.KnobGPU, tegra.KnobEMC},
	{tegra.KnobGPU, tegra.KnobCores},
	{tegra.KnobCores, tegra.KnobEMC},
}

// over are the knobs of the curves.
var over = [...]tegra.Knob{tegra.KnobGPU, tegra.KnobCPU, tegra.KnobEMC, tegra.KnobCores}

// figure is the map or the curves, the other knobs as in the mode under the cursor.
func (p *Page) figure() figure.Figure {
	v := p.read.Outlook()
	here := v.Known[p.cursor].Mode
	if p.drawn == drawCurves {
		return v.Curves(over[p.over], here, p.read.Limit(), true)
	}
	pair := pairs[p.pair]
	return v.HeatMap(quantities[p.of], pair[0], pair[1], here, true)
}

// drawnText says what is drawn.
func (p *Page) drawnText() string {
	if p.drawn == drawCurves {
		return "over " + over[p.over].String()
	}
	return fmt.Sprintf("%s over %s and %s", quantities[p.of], pairs[p.pair][0], pairs[p.pair][1])
}

// turn takes the next knobs of what is drawn.
func (p *Page) turn() {
	if p.drawn == drawCurves {
		p.over = (p.over + 1) % len(over)
	} else {
		p.pair = (p.pair + 1) % len(pairs)
	}
}

// step moves the cursor along a knob of what is drawn: across, or upward in a map. Where the
// board has no such mode it stays.
func (p *Page) step(upward bool, by int) page.Intent {
	k := over[p.over]
	switch {
	case p.drawn == drawCurves && upward:
		return nil
	case p.drawn == drawMap && upward:
		k = pairs[p.pair][1]
	case p.drawn == drawMap:
		k = pairs[p.pair][0]
	}
	v := p.read.Outlook()
	values, mode := p.read.Space().Values(k), v.Known[p.cursor].Mode
	for i, value := range values {
		if value == mode.Value(k) && i+by >= 0 && i+by < len(values) {
			next := mode.Values()
			next[k] = int64(values[i+by])
			if at, ok := v.Index(tegra.ModeOfValues(next)); ok {
				p.goTo(at)
			}
			break
		}
	}
	return nil
}
