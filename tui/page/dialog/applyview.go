package dialog

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/widget"
)

// Banner is the line that asks to keep; "" when nothing is asked.
func (f *Apply) Banner() string {
	switch f.stage {
	case Working:
		return widget.StyleAsk.Render("applying " + f.read.ModeText(f.mode) + " …")
	case Ending:
		return widget.StyleAsk.Render("writing …")
	case Keeping:
		left := max(0, int(f.deadline.Sub(f.read.Now()).Round(time.Second).Seconds()))
		keys := f.read.Keys()
		question := fmt.Sprintf("keep? %s / %s  %d s", keys.Yes.Label(), keys.No.Label(), left)
		text := widget.StyleAsk.Render(question) + "  " + f.read.ModeText(f.mode)
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
func (f *Apply) Render(w, h int) string {
	lines := append(f.difference(), "")
	if f.reboot {
		lines = append(lines, widget.StyleWarn.Render("reboot needed for its GPU power gating:"),
			widget.StyleWarn.Render("here only its clocks are set"))
	} else {
		lines = append(lines, "no reboot needed")
	}
	if p := f.predicted; p != nil {
		lines = append(lines, "predicted "+page.Takes(p.Measured))
	}
	if m := f.measured; m != nil {
		lines = append(lines, "measured  "+page.Takes(*m))
	}
	if s := f.standing; s.Limited && s.State != optimize.Unknown {
		lines = append(lines, "limit     "+page.LimitText(f.read.Limit())+"  "+page.StandingText(s))
	}
	keys := f.read.Keys()
	lines = append(lines, "", widget.Press(keys.Apply)+" apply   "+widget.Press(keys.Back)+" leave as it is")
	if len(lines) > h-2 {
		lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	}
	if len(lines) > h-2 {
		lines = lines[:len(lines)-1]
	}
	return widget.Box("Apply "+f.title(), "", strings.Join(lines, "\n"), min(w, 50), min(h, len(lines)+2))
}

// difference shows each knob as it is and as it would be.
func (f *Apply) difference() []string {
	lines := []string{fmt.Sprintf("%-6s %12s   %s", "knob", "now", "then")}
	for k := range tegra.NumKnobs {
		now, note := widget.Dash, ""
		if f.from.OK {
			now = page.KnobText(f.from.V, k)
			if f.from.V.Value(k) == f.mode.Value(k) {
				note = "  same"
			}
		}
		then := page.KnobText(f.mode, k) + widget.StyleDim.Render(note)
		lines = append(lines, fmt.Sprintf("%-6s %12s → %s", k, now, then))
	}
	locked, note := f.read.Locked(), ""
	if locked.V {
		note = "  same"
	}
	lines = append(lines, fmt.Sprintf("%-6s %12s → locked", "clocks", session.LockText(locked))+
		widget.StyleDim.Render(note))
	if !f.from.OK {
		lines = append(lines, widget.StyleDim.Render("now: custom (matches no power mode)"))
	}
	return lines
}

func (f *Apply) title() string {
	if name := f.read.NameOf(f.mode); name != "" {
		return name + " " + f.read.ModeText(f.mode)
	}
	return f.read.ModeText(f.mode)
}
