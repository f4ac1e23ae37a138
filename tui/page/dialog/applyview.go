package dialog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// Banner renders the question whether to keep the mode in w columns, on a screen of h lines; "" if there is none. In a
// narrow line it drops the numbers first, then the keys, which the footer shows too.
func (f *Apply) Banner(w, h int) string {
	switch f.stage {
	case Working:
		return widget.StyleAsk.Render("applying " + f.name() + " …")
	case Ending:
		return widget.StyleAsk.Render("writing …")
	case Keeping:
		left := max(0, int(f.deadline.Sub(f.read.Now()).Round(time.Second).Seconds()))
		keys := f.read.Keys()
		question := fmt.Sprintf("keep? %s / %s  %d s", keys.Yes.Label(), keys.No.Label(), left)
		numbers := f.idleNow()
		if f.predicted != nil {
			numbers += fmt.Sprintf("  predicted %.1f W", f.predicted.PowerW)
		}
		if f.measured != nil {
			numbers += fmt.Sprintf(", measured %.1f W", f.measured.PowerW)
		}
		short, large := fmt.Sprintf("keep? %d s", left), ""
		if now, ok := f.dropping(); ok {
			large, numbers = f.needle(now, w, h)
			proof := "  " + cmp.Or(f.proof(), "measuring "+f.asked.Workload.Name)
			return large + widget.First(w,
				widget.StyleAsk.Render(question)+"  "+f.name()+numbers+proof,
				widget.StyleAsk.Render(question)+numbers+proof,
				widget.StyleAsk.Render(short)+numbers+proof,
				widget.StyleAsk.Render(short)+numbers,
				widget.StyleAsk.Render(short)+nowText(now),
				widget.StyleAsk.Render(short))
		}
		return widget.First(w,
			widget.StyleAsk.Render(question)+"  "+f.name()+numbers,
			widget.StyleAsk.Render(question)+"  "+f.name(),
			widget.StyleAsk.Render(short)+"  "+f.name(),
			widget.StyleAsk.Render(short)+"  "+f.read.ModeText(f.ask.Mode),
			widget.StyleAsk.Render(short))
	}
	return ""
}

// mostApply is the maximum width of the dialog.
const mostApply = 50

// Render draws the difference knob by knob before a mode is applied. If there are too few rows it drops the blank ones,
// then the idle power, then the keys, which the footer shows too.
func (f *Apply) Render(w, h int) string {
	lines := append(f.difference(), "")
	switch {
	case f.reboot:
		lines = append(lines, widget.StyleWarn.Render("reboot needed for its GPU power gating:"),
			widget.StyleWarn.Render("here only its clocks are set"))
	case f.ask.Preset.OK:
		lines = append(lines, fmt.Sprintf("set as nvpmodel's preset %d, also at boot", f.ask.Preset.V))
	default:
		lines = append(lines, "no reboot needed")
	}
	if p := f.predicted; p != nil {
		lines = append(lines, "predicted "+page.Takes(page.Job(f.read), p.Measured))
	}
	if m := f.measured; m != nil {
		lines = append(lines, "measured  "+page.Takes(page.Job(f.read), *m))
	}
	if s := f.standing; s.Limited && s.State != standing.Unknown {
		asked, stands := "limit     "+page.GoalText(f.read.Goal()), page.StandingText(s)
		if widget.Width(asked+"  "+stands) <= min(w, mostApply)-4 {
			lines = append(lines, asked+"  "+stands)
		} else {
			lines = append(lines, asked, "          "+stands)
		}
	}
	keys := f.read.Keys()
	lock := "sets limits only: clocks free below them"
	if f.ask.DVFS {
		lock = "lock the clocks"
	}
	lines = append(lines, "", widget.Press(keys.Lock)+" "+lock,
		widget.Press(keys.Apply)+" apply   "+widget.Press(keys.Back)+" leave it unchanged")
	if len(lines) > h-2 {
		lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	}
	if len(lines) > h-2 {
		lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "idle ") })
	}
	if len(lines) > h-2 {
		lines = lines[:len(lines)-1]
	}
	return widget.Box("Apply "+f.title(), "", strings.Join(lines, "\n"), min(w, mostApply), min(h, len(lines)+2))
}

// difference shows each knob before and after the change.
func (f *Apply) difference() []string {
	lines := []string{fmt.Sprintf("%-6s %12s   %s", "", "now", "then")}
	for k := range tegra.NumKnobs {
		now, note := widget.Dash, ""
		if from := f.from.Mode; from.OK {
			now = page.KnobText(from.V, k)
			if from.V.Value(k) == f.ask.Mode.Value(k) {
				note = "  same"
			}
		}
		then := page.KnobText(f.ask.Mode, k) + widget.StyleDim.Render(note)
		lines = append(lines, fmt.Sprintf("%-6s %12s → %s", k, now, then))
	}
	locked, then, note := f.from.Locked, tegra.Some(!f.ask.DVFS), ""
	if locked == then {
		note = "  same"
	}
	lines = append(lines, fmt.Sprintf("%-6s %12s → %s", "clocks", f.from.Clocks(), tegra.Setup{Locked: then}.Clocks())+
		widget.StyleDim.Render(note))
	done, before := f.read.Applied(), widget.Dash
	if f.from.IdleW.OK {
		before = fmt.Sprintf("%.1f W", f.from.IdleW.V)
	}
	after := widget.StyleDim.Render("measured once applied")
	if w := done.IdleW(f.ask.Mode, then.V); w.OK {
		after = fmt.Sprintf("%.1f W", w.V) + widget.StyleDim.Render("  when last in it")
	}
	lines = append(lines, fmt.Sprintf("%-6s %12s → %s", "idle", before, after))
	if !f.from.Mode.OK {
		lines = append(lines, widget.StyleDim.Render("now: custom (matches no power mode)"))
	}
	return lines
}

// idleNow compares the idle power with the previous one, once it is known.
func (f *Apply) idleNow() string {
	done := f.read.Applied()
	after := done.IdleW(f.ask.Mode, !f.ask.DVFS)
	if !f.from.IdleW.OK || !after.OK {
		return ""
	}
	return fmt.Sprintf("  idle %.1f → %.1f W", f.from.IdleW.V, after.V)
}
