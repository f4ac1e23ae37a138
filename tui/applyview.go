package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"jtune/tegra"
)

// banner is the line that asks to keep; "" when nothing is asked.
func (f *applyFlow) banner() string {
	switch f.stage {
	case applyWorking:
		return styleAsk.Render("applying " + f.sh.mode(f.mode) + " …")
	case applyEnding:
		return styleAsk.Render("writing …")
	case applyKeeping:
		left := max(0, int(f.deadline.Sub(f.sh.now()).Round(time.Second).Seconds()))
		text := styleAsk.Render(fmt.Sprintf("keep? %s / %s  %d s", keys.Yes.Help().Key, keys.No.Help().Key, left)) + "  " + f.sh.mode(f.mode)
		if f.predicted != nil {
			text += fmt.Sprintf("  predicted %.1f W", f.predicted.PowerW)
		}
		if f.measured != nil {
			text += fmt.Sprintf(", measured %.1f W", f.measured.PowerW)
		}
		return text
	}
	return ""
}

// Render draws the difference knob by knob, for the moment before applying.
// Where rows are short the blank ones go, then the keys, which the last line
// tells too.
func (f *applyFlow) Render(w, h int) string {
	lines := append(f.difference(), "")
	if f.reboot {
		lines = append(lines, styleWarn.Render("reboot needed for its GPU power gating:"), styleWarn.Render("here only its clocks are set"))
	} else {
		lines = append(lines, "no reboot needed")
	}
	if p := f.predicted; p != nil {
		lines = append(lines, fmt.Sprintf("predicted %s ms/mb, %.1f W", ms(p.TimeMS), p.PowerW))
	}
	if m := f.measured; m != nil {
		lines = append(lines, fmt.Sprintf("measured  %s ms/mb, %.1f W", ms(m.TimeMS), m.PowerW))
	}
	lines = append(lines, "", press(keys.Apply)+" apply   "+press(keys.Back)+" leave as it is")
	if len(lines) > h-2 {
		lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	}
	if len(lines) > h-2 {
		lines = lines[:len(lines)-1]
	}
	return box("Apply "+f.title(), "", strings.Join(lines, "\n"), min(w, 50), min(h, len(lines)+2))
}

// difference tells each knob as it is and as it would be.
func (f *applyFlow) difference() []string {
	lines := []string{fmt.Sprintf("%-6s %12s   %s", "knob", "now", "then")}
	for k := range tegra.NumKnobs {
		now, note := dash, ""
		if f.from.OK {
			now = knobText(f.from.V, k)
			if f.from.V.Value(k) == f.mode.Value(k) {
				note = "  same"
			}
		}
		lines = append(lines, fmt.Sprintf("%-6s %12s → %s%s", k, now, knobText(f.mode, k), styleDim.Render(note)))
	}
	if !f.from.OK {
		lines = append(lines, styleDim.Render("now: a free state that no mode expresses"))
	}
	return lines
}

func (f *applyFlow) title() string {
	if name := f.sh.nameOf(f.mode); name != "" {
		return name + " " + f.sh.mode(f.mode)
	}
	return f.sh.mode(f.mode)
}

func knobText(m tegra.Mode, k tegra.Knob) string {
	switch {
	case k == tegra.KnobCores:
		return fmt.Sprintf("%d", m.Cores)
	case m.Value(k) == 0: // not known without root
		return dash
	}
	return ghz(tegra.Some(tegra.Freq(m.Value(k)))) + " GHz"
}
