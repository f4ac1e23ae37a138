package profile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jtune/internal/text"
	"jtune/optimize/advice"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session/answers"
	"jtune/tui/widget"
)

// headline states the gain of an answer. It is large only if both values were measured and differ by more than their
// errors, and green only if it is a gain.
func (p *Page) headline(a answers.Answer, w int, big bool) []string {
	g := a.Gain
	switch {
	case !a.Feasible:
		return append(styled(widget.StyleBad, a.Headline(), w), "")
	case g == nil:
		return []string{widget.StyleBold.Render("the answer"), ""}
	}
	sentence := p.now(a.Headline())
	if g.Measured && !g.ToldApart && a.Before != nil && a.Before.Setting == a.Setting {
		return []string{widget.StyleGood.Render(sentence + ": " + p.now(a.Before.Name)), ""}
	}
	style := widget.StyleBold
	switch {
	case !fair(a):
	case g.Better():
		style = widget.StyleGood.Bold(true)
	default:
		style = widget.StyleWarn.Bold(true)
	}
	beside, number, words := p.now(a.Changes()), "", ""
	if fair(a) {
		number, words = g.Words()
		words = p.now(words)
	}
	big = big && allFair(p.answers())
	if !big || !fair(a) || p.read.Look().Glyphs == widget.GlyphsASCII {
		if w < narrowW && fair(a) {
			sentence = number + " " + words + ", measured"
		}
		out := styled(style, sentence, w)
		if beside != "" && w >= narrowW {
			out = append(out, beside)
		}
		return append(out, "")
	}
	drawn := widget.Big(number)
	if drawn == "" {
		return []string{style.Render(sentence), beside, ""}
	}
	says := []string{words, "measured: " + g.Band() + " " + string(g.Quantity), ""}
	if b, _ := a.Baseline(); b != nil {
		says[2] = fmt.Sprintf("at %s W against %s W", widget.Number(a.Reading.PowerW, 1), widget.Number(b.PowerW, 1))
	}
	out := []string{""}
	for i, line := range strings.Split(drawn, "\n") {
		say := says[i]
		if i == 0 {
			say = widget.StyleBold.Render(say)
		}
		out = append(out, " "+style.Render(line)+"   "+say)
	}
	if beside != "" {
		out = append(out, beside)
	}
	return append(out, "")
}

// styled wraps a sentence to styled lines.
func styled(style widget.Style, sentence string, w int) []string {
	out := strings.Split(widget.Wrap(sentence, w), "\n")
	for i := range out {
		out[i] = style.Render(out[i])
	}
	return out
}

// allFair reports whether all answers of a card are fair: the large number must not come and go as the cursor moves.
func allFair(list []answers.Answer) bool {
	return !slices.ContainsFunc(list, func(a answers.Answer) bool { return a.Gain == nil || !fair(a) })
}

// now replaces "present" in a text about the mode before the search, once another mode is set.
func (p *Page) now(text string) string {
	a, now := p.answer(), p.read.Present()
	was := tegra.Mode{}
	switch {
	case a.Before != nil:
		was = a.Before.Mode
	case a.Versus.Present != nil:
		was = a.Versus.Present.Other.Mode
	}
	if unknown := was == (tegra.Mode{}) && a.Before == nil; p.read.Busy() || !now.OK || unknown || now.V == was {
		return text
	}
	return strings.NewReplacer("the present mode", "the mode before", "against present, locked",
		"against the mode before", "against present", "against the mode before", "than present, locked",
		"than the mode before", "than present", "than the mode before", "present, locked", "before, locked",
		"present", "before").Replace(text)
}

// fair reports whether a gain compares like with like: the other mode was measured, keeps the limit too, and differs by
// more than the errors of both readings.
func fair(a answers.Answer) bool {
	b, _ := a.Baseline()
	return a.Gain.ToldApart && b != nil && a.Limit.Met(b.Measured)
}

// Widths of the before-and-after picture in cells.
const (
	pictureW   = 66 // minimum width for drawing it
	namedW     = 9
	valueW     = 9
	mostBar    = 30
	pictureGap = 2
)

// bar is a row of that picture.
type bar struct {
	name     string
	of       tegra.Measured
	measured bool
}

// picture draws time, power and energy of the present mode, the best preset and the answer as bars: ● measured, ○
// predicted. It returns nil if there is nothing to compare with, or no room. present is the name of the first.
func picture(a answers.Answer, present string, w int) []string {
	rows := compared(a, present)
	if rows == nil || w < pictureW {
		return nil
	}
	values := []struct {
		head, unit string
		digits     int
		of         func(tegra.Measured) float64
	}{
		{timeOf(a), "ms", 1, func(m tegra.Measured) float64 { return m.TimeMS }},
		{"power", "W", 1, func(m tegra.Measured) float64 { return m.PowerW }},
		{"energy", "J", 2, tegra.Measured.EnergyJ},
	}
	each := min(mostBar, (w-namedW-2-len(values)*(valueW+pictureGap))/len(values))
	lines := make([]string, len(rows)+1)
	lines[0] = strings.Repeat(" ", namedW+1)
	for i, r := range rows {
		lines[i+1] = fmt.Sprintf("%-*s ", namedW, widget.Cut(r.name, namedW))
	}
	for _, v := range values {
		most := 0.0
		for _, r := range rows {
			most = max(most, v.of(r.of))
		}
		lines[0] += fmt.Sprintf("%-*s", each+valueW+pictureGap, v.head)
		for i, r := range rows {
			drawn := strings.Repeat("█", length(v.of(r.of)/most, each))
			digits := v.digits
			if v.of(r.of) >= 1000 {
				digits = 0
			}
			text := widget.Number(v.of(r.of), digits) + " " + v.unit
			lines[i+1] += barStyle(i == len(rows)-1, drawn) + strings.Repeat(" ", each-widget.Width(drawn)) +
				fmt.Sprintf("%*s", valueW, text) + strings.Repeat(" ", pictureGap)
		}
	}
	for i, r := range rows {
		mark := "○"
		if r.measured {
			mark = "●"
		}
		lines[i+1] = strings.TrimRight(lines[i+1], " ") + " " + mark
	}
	return append([]string{widget.StyleDim.Render(lines[0])}, lines[1:]...)
}

// compared returns the present mode, the best preset and the answer; nil if there is only the answer.
func compared(a answers.Answer, present string) []bar {
	var rows []bar
	switch c := a.Versus.Present; {
	case a.Before != nil:
		rows = append(rows, bar{present, a.Before.Measured, true})
	case c != nil && c.Other.TimeMS > 0:
		rows = append(rows, bar{present, c.Other.Measured, c.Measured})
	}
	if b := a.Preset; b != nil && (len(rows) == 0 || b.Setting != rows[0].of.Setting) {
		rows = append(rows, bar{strings.TrimSuffix(b.Name, "'s clocks"), b.Measured, true})
	}
	if len(rows) == 0 || rows[len(rows)-1].of.Setting == a.Setting && len(rows) == 1 {
		return nil
	}
	found := "answer"
	if !a.Feasible {
		found = "nearest"
	}
	return append(rows, bar{found, a.Best(), a.Measured()})
}

// timeOf names the time of an answer: under a load, which limits the latency, it says "batch".
func timeOf(a answers.Answer) string {
	if a.Served != nil {
		return "batch time"
	}
	return "time"
}

// inPicture reports whether the picture includes a mode.
func inPicture(a answers.Answer, m tegra.Mode) bool {
	return a.Before != nil && a.Before.Mode == m || a.Preset != nil && a.Preset.Mode == m ||
		a.Before == nil && a.Versus.Present != nil && a.Versus.Present.Other.Mode == m
}

// length returns a bar's length for a share of the longest one.
func length(share float64, most int) int {
	if !(share > 0) {
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

// whole states the total of a training, or of a day under the load, for the answer and for the present mode; "" if
// unknown.
func whole(a answers.Answer, w workload.Workload) string {
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
	n := w.MinibatchesPerEpoch() * w.Epochs
	if w.Infers() || n == 0 || a.Batch > 0 {
		return ""
	}
	here := advice.TrainingOf(a.Best(), n)
	out := "a whole training: " + here.String()
	if a.Before != nil && a.Before.Setting != a.Setting {
		out += "; " + advice.Against(here, advice.TrainingOf(a.Before.Measured, n)) + " now"
	}
	return out
}

// trialText describes an answer's trial with real requests, most important first.
func trialText(a answers.Answer) string {
	t, out := a.Trial, "measured"
	if t.LatencyMS.OK {
		out += fmt.Sprintf(": p%.4g %s ms", 100*a.Ask.Quantile, widget.MS(t.LatencyMS.V))
	}
	if t.MeanW.OK {
		out += fmt.Sprintf(", %s W mean", widget.Number(t.MeanW.V, 1))
	}
	if remark := t.Remark(); remark != "" {
		out += "; " + remark
	}
	out += fmt.Sprintf("; %s requests", text.Thousands(t.Serving.Requests))
	if a.Ask.Load.Open() {
		out += " at " + a.Ask.Load.String()
	}
	return out
}
