package front

import (
	"fmt"
	"strings"

	"jtune/tui/session"
	"jtune/tui/widget"
)

// versus compares the cursor's mode with MAXN, the presets and the present, as jtune choose does.
func (p *Page) versus(w int) []string {
	v := p.read.Outlook()
	present := session.Standing{Mode: p.read.Present(), Locked: p.read.Locked()}
	rows := [][3]string{{"against", "time", "power"}}
	inTime, inPower := 10, 0
	for _, c := range v.Compare(p.cursor, p.read.Presets(), present).Distinct() {
		if c.Other.Mode == v.Known[p.cursor].Mode {
			continue
		}
		time, power := widget.SignedPct(c.TimePct), widget.SignedPct(c.PowerPct)
		if !c.Measured {
			time = widget.SignedRange(c.Lo.TimePct, c.Hi.TimePct)
			power = widget.SignedRange(c.Lo.PowerPct, c.Hi.PowerPct)
		}
		rows = append(rows, [3]string{c.Name, time, power})
		inTime, inPower = max(inTime, widget.Width(time)), max(inPower, widget.Width(power))
	}
	inPower = max(inPower, 20-inTime) // a wide range of time takes what power leaves
	const shortest = 4                // of a name
	name := max(shortest, min(24, w-inTime-inPower-2))
	var lines []string
	for _, r := range rows {
		lines = append(lines, fmt.Sprintf("%-*s %*s %*s", name, short(r[0], name), inTime, r[1], inPower, r[2]))
	}
	lines[0] = widget.StyleDim.Render(lines[0])
	return lines
}

// short makes the names of a mode fit w columns: first what all presets' names begin with goes,
// then the mode's other names.
func short(name string, w int) string {
	if widget.Width(name) > w {
		name = strings.ReplaceAll(name, "MODE_", "")
	}
	if widget.Width(name) > w {
		name, _, _ = strings.Cut(name, " = ")
	}
	return strings.TrimRight(widget.Cut(name, w), " ")
}
