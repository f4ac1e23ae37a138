package live

import (
	"fmt"
	"slices"
	"strings"

	"jtune/tui/page"
	"jtune/tui/widget"
)

// summand marks a rail that is the total or a part of it.
func (p *Page) summand(rail string) string {
	rule := p.read.Board().TotalRule
	parts, isSum := strings.CutPrefix(rule, "SUM:")
	switch {
	case isSum && slices.Contains(strings.Split(parts, ","), rail):
		return "+ "
	case rail == rule:
		return "= "
	}
	return "  "
}

// supplyLines returns voltage and current of the supply rail, now and at their extremes since the program started, in
// at most h lines.
func (p *Page) supplyLines(w, h int) (lines []string) {
	all := p.read.Readings()
	most := all.Peaks.Supply(p.read.Board())
	if most == nil {
		return nil
	}
	for _, r := range all.Sample.Reading.Rails {
		if r.Name == most.Name {
			lines = append(lines, widget.Row(r.Name, page.Num(r.Volts, 2)+" V "+page.Num(r.Amperes, 2)+" A", w))
		}
	}
	text := fmt.Sprintf("since %s: %s A peak, %s V low", all.Since.Format("15:04"), page.Num(most.Amperes, 2),
		page.Num(most.LeastV, 2))
	if all.Peaks.PowerW.OK {
		text += ", " + page.Num(all.Peaks.PowerW, 1) + " W peak"
	}
	lines = append(lines, widget.StyleDim.Render(widget.CutClause(text, w)))
	return lines[:min(h, len(lines))]
}
