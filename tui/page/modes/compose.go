package modes

import (
	"fmt"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget/chart"
)

// composeMode asks for a mode knob by knob, from the present one, or from the largest if that is unknown. It keeps the
// values that the board has when it opens.
func (p *Page) composeMode() page.Intent {
	space := p.read.Space()
	from := p.read.Present().Or(space.Max())
	var at [tegra.NumKnobs]int // indices of its values
	mode := func() tegra.Mode {
		return tegra.Mode{Cores: space.Cores[at[tegra.KnobCores]], CPU: space.CPU[at[tegra.KnobCPU]],
			GPU: space.GPU[at[tegra.KnobGPU]], EMC: space.EMC[at[tegra.KnobEMC]]}
	}
	var list []page.Field
	for k := range tegra.NumKnobs {
		values := space.Values(k)
		last := len(values) - 1
		for i, v := range values {
			if v <= from.Value(k) {
				at[k] = i
			}
		}
		list = append(list, page.Field{Name: k.String(),
			Text: func() string {
				share := float64(at[k]+1) / float64(last+1)
				return fmt.Sprintf("%9s  %s", page.KnobText(mode(), k), chart.Bar(share, 16))
			},
			Turn: func(by int) { at[k] = min(max(0, at[k]+by), last) }})
	}
	list[len(list)-1].Wrong = func() string {
		if !space.Contains(mode()) {
			return "this combination does not exist here"
		}
		return ""
	}
	return p.read.Question("", page.Form{Title: "Compose a mode", Verb: "apply", Width: 52, Fields: list,
		Note: func(int) []string { return []string{p.read.ModeText(mode()) + p.costs(mode())} },
	}, func() page.Intent { return page.Apply{Mode: mode()} })
}

// costs says what a mode takes, as measured or predicted; "" if nothing is known.
func (p *Page) costs(m tegra.Mode) string {
	switch known := p.read.Outlook().About(m); {
	case known.Measured():
		return "; measured " + page.Takes(page.Job(p.read), known.Reading.Measured)
	case known.Predicted.TimeMS > 0:
		return "; predicted " + page.Takes(page.Job(p.read), known.Predicted.Measured)
	}
	return ""
}
