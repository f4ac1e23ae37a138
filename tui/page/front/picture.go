package front

import (
	"fmt"
	"math"

	"jtune/internal/figure"
	"jtune/optimize/outlook"
	"jtune/optimize/pareto"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/plots"
	"jtune/tui/session/task"
)

// drawing is a kind of picture of the modes.
type drawing int

const (
	drawCloud  drawing = iota // or its table twin
	drawMap                   // a quantity over two knobs
	drawCurves                // time, power and energy over one knob
	numDrawings
)

// quantities lists the quantities of a map in their order.
var quantities = [...]pareto.Axis{pareto.Energy, pareto.Time, pareto.Power}

// pairs lists the knobs across and upward of a map.
var pairs = [...][2]tegra.Knob{
	{tegra.KnobCPU, tegra.KnobGPU},
	{tegra.KnobCPU, tegra.KnobCores},
	{tegra.KnobCPU, tegra.KnobEMC},
	{tegra.KnobGPU, tegra.KnobEMC},
	{tegra.KnobGPU, tegra.KnobCores},
	{tegra.KnobCores, tegra.KnobEMC},
}

// over lists the knobs of the curves.
var over = [...]tegra.Knob{tegra.KnobGPU, tegra.KnobCPU, tegra.KnobEMC, tegra.KnobCores}

// picture selects how the modes are drawn: as a cloud, or over their knobs.
type picture struct {
	drawn drawing
	of    int // of a map: index into quantities
	pair  int // of a map: index into pairs
	over  int // of curves: index into over
}

// figure returns the map or the curves; the other knobs keep the values of here.
func (p *picture) figure(v *outlook.Outlook, here tegra.Mode, limit metric.Goal) figure.Figure {
	if p.drawn == drawCurves {
		return plots.Curves(v, over[p.over], here, limit, true)
	}
	pair := pairs[p.pair]
	return plots.HeatMap(v, quantities[p.of], pair[0], pair[1], here, true)
}

// pathGlyphs number the modes that a search measured.
const pathGlyphs = "123456789abcdefghijklmnopqrstuvwxyz"

// path marks on a map, in order, what this program's newest search of the workload measured. The other knobs of these
// modes may differ from the map's.
func (c *cloudView) path(f *figure.Figure) {
	j := c.read.Task()
	if j == nil || j.Kind != task.Tuning {
		j = c.read.Searched()
	}
	if j == nil || j.Workload.Name != c.read.Outlook().Workload || len(f.Panels) == 0 {
		return
	}
	pair, name := pairs[c.picture.pair], "… the search's path"
	var marks []figure.Mark
	for i, row := range j.Rows {
		if i == len(pathGlyphs) {
			break
		}
		at := figure.Cell(plots.KnobValue(row.Mode, pair[0]), plots.KnobValue(row.Mode, pair[1]), math.NaN())
		marks = append(marks, figure.Mark{Point: at, Glyph: rune(pathGlyphs[i]), Name: name})
		name = ""
	}
	f.Panels[0].Marks = append(marks, f.Panels[0].Marks...) // the least and the present mode are drawn over the path
}

// text describes the map or the curves.
func (p *picture) text() string {
	if p.drawn == drawCurves {
		return "over " + over[p.over].String()
	}
	return fmt.Sprintf("%s over %s and %s", quantities[p.of], pairs[p.pair][0], pairs[p.pair][1])
}

// next selects the next picture; false: after the last one the cloud is drawn.
func (p *picture) next() bool {
	p.drawn = (p.drawn + 1) % numDrawings
	return p.drawn != drawCloud
}

// nextQuantity selects the next quantity of a map.
func (p *picture) nextQuantity() { p.of = (p.of + 1) % len(quantities) }

// nextKnobs selects the next knobs of the picture.
func (p *picture) nextKnobs() {
	if p.drawn == drawCurves {
		p.over = (p.over + 1) % len(over)
	} else {
		p.pair = (p.pair + 1) % len(pairs)
	}
}

// knob returns the knob drawn across, or upward in a map; curves have none upward.
func (p *picture) knob(upward bool) (k tegra.Knob, any bool) {
	switch {
	case p.drawn == drawCurves:
		return over[p.over], !upward
	case upward:
		return pairs[p.pair][1], true
	}
	return pairs[p.pair][0], true
}
