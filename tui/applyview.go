package tui

import (
	"fmt"
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
func (f *applyFlow) Render(w, h int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-6s %12s   %s\n", "knob", "now", "then")
	for k := range tegra.NumKnobs {
		now, note := dash, ""
		if f.from.OK {
			now = knobText(f.from.V, k)
			if f.from.V.Value(k) == f.mode.Value(k) {
				note = "  same"
			}
		}
		fmt.Fprintf(&b, "%-6s %12s → %s%s\n", k, now, knobText(f.mode, k), styleDim.Render(note))
	}
	if !f.from.OK {
		b.WriteString(styleDim.Render("now: a free state that no mode expresses") + "\n")
	}
	b.WriteString("\n")
	if f.reboot {
		b.WriteString(styleWarn.Render("reboot needed for its GPU power gating:\nhere only its clocks are set") + "\n")
	} else {
		b.WriteString("no reboot needed\n")
	}
	if p := f.predicted; p != nil {
		fmt.Fprintf(&b, "predicted %s ms/mb, %.1f W\n", ms(p.TimeMS), p.PowerW)
	}
	if m := f.measured; m != nil {
		fmt.Fprintf(&b, "measured  %s ms/mb, %.1f W\n", ms(m.TimeMS), m.PowerW)
	}
	b.WriteString("\n" + press(keys.Apply) + " apply   " + press(keys.Back) + " leave as it is")
	text := b.String()
	return box("Apply "+f.title(), "", text, min(w, 50), min(h, strings.Count(text, "\n")+3))
}

func (f *applyFlow) title() string {
	if name := f.sh.nameOf(f.mode); name != "" {
		return name + " " + f.sh.mode(f.mode)
	}
	return f.sh.mode(f.mode)
}

func knobText(m tegra.Mode, k tegra.Knob) string {
	if k == tegra.KnobCores {
		return fmt.Sprintf("%d", m.Cores)
	}
	return tegra.Freq(m.Value(k)).String()
}
