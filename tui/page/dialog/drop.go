package dialog

import (
	"fmt"
	"strconv"
	"strings"

	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/optimize/standing"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/widget"
)

// The needle drop: while the question waits whether to keep an answer, its job runs, and the question shows power and
// time of a step before and now. The readings until then verify the answer.

// dropping returns the present power and time of a step of the job; ok is false before the first step.
func (f *Apply) dropping() (now tegra.Measured, ok bool) {
	j := f.read.Drop()
	if j == nil || f.asked == nil {
		return now, false
	}
	if now.PowerW = j.Progress.PowerW.V; !j.Progress.PowerW.OK && len(j.Rows) > 0 { // between two readings
		now.PowerW = j.Rows[len(j.Rows)-1].PowerW
	}
	now.TimeMS = stats.Median(j.Times[max(0, len(j.Times)-recent):])
	return now, now.TimeMS > 0 && now.HasPower()
}

// recent is how many steps the shown time is the median of: a single one may hiccup.
const recent = 9

// before returns what is known of the job in the mode before; the second result says whether it was measured.
func (f *Apply) before() (m tegra.Measured, measured bool) {
	v := f.read.Outlook()
	if v == nil || !f.from.Mode.OK || v.Workload != f.asked.Workload.Name {
		return m, false
	}
	about := v.About(f.from.Mode.V)
	return about.Best(), about.Measured()
}

// proof says how the readings so far stand against the limit; "" before the first.
func (f *Apply) proof() string {
	j := f.read.Drop()
	if j == nil || f.asked == nil {
		return ""
	}
	list := record.Usable(j.Rows)
	v := standing.VerdictOf(f.asked.Limit, list)
	switch {
	case len(list) == 0:
		return ""
	case v == standing.NoVerdict:
		return "measured in " + text.Count(len(list), "reading")
	}
	if v != standing.AtLimit {
		v += standing.Verdict(" " + f.asked.Limit.Brief())
	}
	return fmt.Sprintf("%s in %s", v, text.Count(len(list), "reading"))
}

// leastLarge is the least height of a screen with large figures.
const leastLarge = 20

// nowText is the present power and time of a step in a line.
func nowText(now tegra.Measured) string {
	return "  " + text.Of(now.PowerW) + " W  " + text.Of(now.TimeMS) + " ms"
}

// needle draws power and time of a step before and now: in large figures above the question if they fit on the screen,
// else in its line.
func (f *Apply) needle(now tegra.Measured, w, h int) (large, line string) {
	digits := func(v float64) [widget.LargeRows]string { // whole from 100 on, to fit 80 columns
		if v >= 100 {
			return widget.Large(strconv.FormatFloat(v, 'f', 0, 64))
		}
		return widget.Large(text.Of(v))
	}
	watts := [][widget.LargeRows]string{digits(now.PowerW), {"W", "now"}}
	ms := [][widget.LargeRows]string{digits(now.TimeMS), {"ms"}}
	line = nowText(now)
	if was, measured := f.before(); was.HasPower() && was.TimeMS > 0 {
		word, about := "before", text.Of
		if !measured {
			word, about = "predicted", text.About
		}
		old := func(v float64) [widget.LargeRows]string {
			if measured {
				return digits(v)
			}
			return widget.Abreast([widget.LargeRows]string{1: "~"}, digits(v))
		}
		watts = append([][widget.LargeRows]string{old(was.PowerW), {"W", word, "→"}}, watts...)
		ms = append([][widget.LargeRows]string{old(was.TimeMS), {"", "→"}}, ms...)
		line = fmt.Sprintf("  %s → %s W  %s → %s ms", about(was.PowerW), text.Of(now.PowerW), about(was.TimeMS),
			text.Of(now.TimeMS))
	}
	rows := widget.Abreast(append(append(watts, [widget.LargeRows]string{" "}), ms...)...)
	if h >= leastLarge && widget.Width(rows[0]) <= w && f.read.Look().Glyphs != widget.GlyphsASCII {
		large, line = strings.Join(rows[:], "\n")+"\n", ""
	}
	return large, line
}
