package profile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jtune/internal/report"
	"jtune/optimize/advice"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session/answers"
	"jtune/tui/widget"
)

// sentences renders what an answer says, most important first.
func sentences(p *Page, a answers.Answer, s answers.Sheet, w int) (out []string) {
	style := widget.StyleGood.Bold(true)
	switch {
	case !a.Feasible:
		style = widget.StyleBad
	case !a.Standing.Within():
		style = widget.StyleWarn.Bold(true)
	}
	add := func(part string) { // to the last line if there is room
		if last := len(out) - 1; widget.Width(out[last])+widget.Width(part)+2 <= w {
			out[last] += "  " + part
		} else if part != "" {
			out = append(out, widget.Wrap(part, w))
		}
	}
	out = widget.WrapIn(style, upper(s.Fits), w)
	add(widget.StyleBold.Render(p.read.ModeText(a.Mode)) + page.BatchText(a.Batch))
	if w < narrowW {
		f := page.FiguresOf(a.Best())
		out = append(out, fmt.Sprintf("%s ms  %s W  %s J", f.MS, f.W, f.J), page.StandingText(a.Standing))
	} else if s.Keeps != "" {
		add(s.Keeps)
	}
	if holds(p, a) {
		out = append(out, widget.StyleGood.Render("kept: the board is in this mode now"))
	}
	if s.Takes != "" {
		out = append(out, widget.Wrap(s.Takes, w))
	}
	gain := widget.StyleBold
	if g := a.Gain; g != nil && g.ToldApart && g.Better() && a.Baseline() != nil {
		gain = widget.StyleGood
	}
	out = append(out, widget.WrapIn(gain, s.Gain, w)...)
	out = append(out, widget.WrapIn(widget.StyleWarn, s.Named, w)...)
	if s.Exchange != "" {
		out = append(out, widget.Wrap(s.Exchange+"; "+p.read.Keys().Higher.Label()+" shows it", w))
	}
	return out
}

// upper puts the verb of what an answer says in capitals: "FITS 30 W".
func upper(fits string) string {
	at := strings.IndexAny(fits, "0123456789")
	if at < 0 {
		return strings.ToUpper(fits)
	}
	return strings.ToUpper(fits[:at]) + fits[at:]
}

// holds reports whether the board was set to an answer and kept in it.
func holds(p *Page, a answers.Answer) bool {
	now := p.read.Present()
	return now.OK && now.V == a.Mode && p.today(a) == answers.Then && !p.read.Asking()
}

// today is the word for the mode before the search: another one once the board is in another mode.
func (p *Page) today(a answers.Answer) string {
	was, now := tegra.Mode{}, p.read.Present()
	switch {
	case a.Before != nil:
		was = a.Before.Mode
	case a.Versus.Present != nil:
		was = a.Versus.Present.Other.Mode
	}
	if unknown := was == (tegra.Mode{}) && a.Before == nil; p.read.Busy() || !now.OK || unknown || now.V == was {
		return answers.Today
	}
	return answers.Then
}

// Widths of the table of modes in cells.
const (
	pictureW  = 66  // minimum width for bars
	allW      = 100 // minimum width for all modes
	mostNamed = 14
	valueW    = 7
	mostBar   = 30
)

// picture draws time, power and energy of each mode, as bars if there is room: ● measured, ○ predicted, ✓ within the
// limit, ✗ over it. In narrow windows it has only the modes that the answer is compared with.
func picture(a answers.Answer, rows []answers.Row, w int) []string {
	if w < allW {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r answers.Row) bool { return !r.Compared })
	}
	if len(rows) < 2 {
		return nil
	}
	each := 0
	if w >= pictureW {
		each = min(mostBar, (w-mostNamed-4)/3-valueW-2)
	}
	type x = answers.Row
	columns := report.Table[x]{{Width: 1, Whole: true, Text: func(r x) string {
		return strings.TrimRight(widget.Cut(strings.TrimPrefix(answers.Short(r.Name), "the "), mostNamed), " ")
	}}}
	for _, v := range []struct {
		head, unit   string
		digits, drop int
		of           func(tegra.Measured) float64
	}{
		{timeOf(a), "ms", 1, 0, func(m tegra.Measured) float64 { return m.TimeMS }},
		{"power", "W", 1, 0, func(m tegra.Measured) float64 { return m.PowerW }},
		{"energy", "J", 2, 1, tegra.Measured.EnergyJ},
	} {
		most := 0.0
		for _, r := range rows {
			most = max(most, v.of(r.Measured))
		}
		columns = append(columns, report.Table[x]{
			{Title: v.head, Width: each, Whole: true, Text: func(r x) string {
				drawn := strings.Repeat("█", length(v.of(r.Measured)/most, each))
				return barStyle(r.Name == rows[len(rows)-1].Name, drawn)
			}},
			{Width: valueW, Right: true, Drop: v.drop, Text: func(r x) string {
				digits := v.digits
				if v.of(r.Measured) >= 1000 {
					digits = 0
				}
				return widget.Number(v.of(r.Measured), digits) + " " + v.unit
			}},
		}...)
	}
	columns = append(columns, report.Column[x]{Width: 3, Whole: true,
		Text: func(r x) string { return answers.Marks(r.Read, r.Fits) }})
	lines := widget.Grid(columns, rows, w)
	if each == 0 {
		return lines[1:]
	}
	return lines
}

// timeOf names the time of an answer: under a load, which limits the latency, it says "batch".
func timeOf(a answers.Answer) string {
	if a.Served != nil {
		return "batch time"
	}
	return "time"
}

// length returns a bar's length for a share of the longest one.
func length(share float64, most int) int {
	if !(share > 0) || most == 0 {
		return 0
	}
	return max(1, int(math.Round(min(1, share)*float64(most))))
}

// barStyle colours a bar; the answer's stands out.
func barStyle(answer bool, drawn string) string {
	if answer {
		return widget.StyleGood.Render(drawn)
	}
	return widget.StyleDim.Render(drawn)
}

// whole states the total of a training, or of a day under the load, for the answer and for the mode before it; "" if
// unknown.
func whole(a answers.Answer, w workload.Workload, today string) string {
	if a.Served != nil {
		mean := a.Served.MeanW
		if a.Trial != nil && a.Trial.MeanW.OK {
			mean = a.Trial.MeanW.V
		}
		if !(mean > 0) {
			return ""
		}
		return fmt.Sprintf("a day under this load: %s", advice.Energy(24*mean/1000))
	}
	training := func(m tegra.Measured) advice.Training {
		return advice.TrainingOf(m, w.AtBatch(m.Batch).MinibatchesPerEpoch()*w.Epochs)
	}
	here := training(a.Best())
	if w.Infers() || here.Time == 0 {
		return ""
	}
	out := "a whole training: " + here.String()
	if a.Before != nil && a.Before.Setting != a.Setting {
		out += "; " + today + " " + training(a.Before.Measured).String()
	}
	return out
}
