package modes

import (
	"slices"

	"jtune/internal/report"
	"jtune/optimize/serving"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// entry is a row of the table: a mode, and what it is.
type entry struct {
	tegra.Mode
	is string
}

// column is a column of the table. A letter sorts by it.
type column struct {
	report.Column[entry]
	letter, name string
	lacks        string           // why the rows cannot be sorted by it now; "": they can
	falls        bool             // sorted with the largest first
	values       func() []float64 // sort keys by index of the space; nil: the order of the modes
}

// columns returns the columns, left to right.
func (p *Page) columns() []column {
	type c = report.Column[entry]
	v, w, unknown, units := p.read.Outlook(), page.Job(p.read), "", ""
	if v == nil {
		unknown = "not now, no model is loaded"
	}
	time, energy := page.ListHeads(w, p.served)
	speed, perUnit := page.UnitHeads(w, p.listing)
	if speed != "" {
		energy = perUnit
	} else if units = unknown; units == "" {
		units = "only for inference"
	}
	knob := func(letter string, k tegra.Knob, width int) column {
		return column{letter: letter, name: k.String(), falls: true,
			Column: c{Title: k.String(), Width: width, Right: true, Drop: 4,
				Text: func(e entry) string { return page.KnobText(e.Mode, k) }},
			values: func() []float64 {
				out := make([]float64, p.read.Space().Len())
				for i := range out {
					out[i] = p.read.Space().At(i).Value(k)
				}
				return out
			}}
	}
	figure := func(of func(page.Figures) string) func(entry) string {
		return func(e entry) string { return of(p.figures(e.Mode)) }
	}
	perUnitOf := func(q *serving.Quantity, usual func(page.Figures) string) func(entry) string {
		return func(e entry) string {
			if i, ok := p.read.Space().Index(e.Mode); ok && q != nil && i < len(q.Values) {
				return widget.MS(q.Values[i])
			}
			return usual(p.figures(e.Mode))
		}
	}
	values := func(q *serving.Quantity) func() []float64 { return func() []float64 { return q.Values } }
	named, state := 3, 1
	if p.list == listMarked { // their names tell them apart
		named, state = state, named
	}
	list := []column{
		{Column: c{Title: " ", Width: 1, Text: p.markOf}},
		{letter: "m", name: "mode", falls: true, Column: c{Title: "cores/CPU/GPU/EMC", Width: 20, Whole: true,
			Text: func(e entry) string { return p.read.ModeText(e.Mode) }}},
		knob("c", tegra.KnobCores, 6), knob("p", tegra.KnobCPU, 10), knob("g", tegra.KnobGPU, 10),
		knob("e", tegra.KnobEMC, 10),
		{letter: "t", name: "time", lacks: unknown, values: values(p.listing.Time),
			Column: c{Title: time, Width: 7, Right: true, Text: p.timeText}},
		{Column: c{Title: "95 %", Width: 15, Drop: 5, Off: v == nil || p.served != nil,
			Text: figure(func(f page.Figures) string { return f.BandMS })}},
		{letter: "u", name: "units/s", lacks: units, falls: true, values: values(p.listing.Speed),
			Column: c{Title: speed, Width: 6, Right: true, Drop: 2, Off: p.few || speed == "",
				Text: perUnitOf(p.listing.Speed, func(page.Figures) string { return widget.Dash })}},
		{letter: "w", name: "power", lacks: unknown, values: values(p.listing.Power),
			Column: c{Title: "W", Width: 5, Right: true, Text: figure(func(f page.Figures) string { return f.W })}},
		{Column: c{Title: "95 %", Width: 11, Drop: 5, Off: v == nil,
			Text: figure(func(f page.Figures) string { return f.BandW })}},
		{letter: "j", name: "energy", lacks: unknown, values: values(p.listing.Energy),
			Column: c{Title: energy, Width: 6, Right: true, Drop: 2, Off: p.few,
				Text: perUnitOf(p.unitEnergy(), func(f page.Figures) string { return f.J })}},
		{letter: byState, name: "state", lacks: unknown, values: p.byState,
			Column: c{Title: "state", Width: 13, Drop: state,
				Text: func(e entry) string { return p.read.Standing(e.Mode).Brief() }}},
		{Column: c{Title: "name", Width: 9, Drop: named, Text: func(e entry) string { return e.is }}},
	}
	if p.list == listMarked {
		for _, c := range p.against(p.marked) {
			list = append(list, column{Column: c})
		}
	}
	return list
}

// table returns the columns as the table draws them.
func (p *Page) table() (out report.Table[entry]) {
	for _, c := range p.columns() {
		out = append(out, c.Column)
	}
	return out
}

// Letters of the columns that the rows are sorted by at first.
const (
	byMode  = "m"
	byState = "s"
)

// by returns the column with a letter.
func (p *Page) by(letter string) (c column, ok bool) {
	list := p.columns()
	i := slices.IndexFunc(list, func(c column) bool { return c.letter == letter && letter != "" })
	if i < 0 {
		return column{}, false
	}
	return list[i], true
}

// unitEnergy returns the energy of a unit of inference; nil for a training job.
func (p *Page) unitEnergy() *serving.Quantity {
	if p.listing.Speed == nil {
		return nil
	}
	return p.listing.Energy
}

// figures returns what is known of a mode; dashes where nothing is.
func (p *Page) figures(m tegra.Mode) page.Figures {
	i, ok := p.read.Space().Index(m)
	if v := p.read.Outlook(); ok && v != nil && i < len(v.Known) {
		return page.FiguresIn(v.Known[i])
	}
	return page.FiguresOf(tegra.Measured{})
}

// timeText formats the time of a mode, or its latency under the load.
func (p *Page) timeText(e entry) string {
	i, ok := p.read.Space().Index(e.Mode)
	if speed := p.listing.Speed; ok && p.served != nil && speed != nil && i < len(speed.Values) {
		m, here := p.chosen()
		return page.LatencyCell(p.served, i, here && m == e.Mode)
	}
	return p.figures(e.Mode).MS
}

func (p *Page) markOf(e entry) string {
	switch at := slices.Index(p.marked, e.Mode); {
	case at < 0:
		return " "
	case p.list == listMarked:
		return letter(at)
	}
	return "●"
}
