package handover

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jtune/internal/document"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tui/session/answers"
	"jtune/tui/session/further"
)

// Parts returns the parts of a page about an answer, below its setting: whether it fits and what it costs, its mode
// beside those it is weighed against, and what else is known. noun is what a time is of, and today the word for the
// mode before the search. The table has modes in the notation of space; nil: only their names. later is what is known
// besides the search.
func Parts(a answers.Answer, noun, today string, space *tegra.Space,
	later document.Facts) (parts []document.Part) {
	tone := document.Plain
	switch {
	case !a.Feasible:
		tone = document.Bad
	case a.Gain != nil && a.Gain.ToldApart && a.Gain.Better():
		tone = document.Good
	}
	sheet := a.Sheet(today)
	for i, line := range sheet.Lines() {
		if i == 0 {
			parts = append(parts, document.Claim{Text: line, Tone: tone})
		} else {
			parts = append(parts, document.Line(line))
		}
	}
	known := facts(a, today)
	if m := a.Best(); m.PerSampleMS().OK {
		known = append(known, [2]string{"per minibatch", fmt.Sprintf("%s ms, %s J (%s samples per second)",
			text.Of(m.TimeMS), text.Of(m.EnergyJ()), text.Of(1000/m.SampleMS()))})
	}
	return append(parts, beside(a, sheet, a.Per(noun), space), append(known, later...))
}

// beside returns a table of the answer and the modes it is weighed against, each in its own numbers, for a noun. Beside
// a reading, a prediction from before it says nothing about that mode.
func beside(a answers.Answer, s answers.Sheet, noun string, space *tegra.Space) document.Table {
	t := document.Table{Head: []string{"", "", "ms per " + noun, "W", "J per " + noun}, Numbers: 2}
	if space != nil {
		t.Head, t.Numbers = slices.Insert(t.Head, 1, "mode"), t.Numbers+1
	}
	row := func(name string, p answers.Row, how string) {
		of := p.SampleMS() / p.TimeMS
		ms, watts := text.Of(p.SampleMS()), text.Of(p.PowerW)
		if !p.Read {
			how, ms = "○ predicted", ms+between(p.TimeLoMS*of, p.TimeHiMS*of)
			watts += between(p.PowerLoW, p.PowerHiW)
		}
		how = strings.TrimSpace(how + " " + answers.Mark(p.Fits))
		cells := []string{name, how, ms, watts, text.Of(p.SampleJ())}
		switch {
		case space == nil:
		case p.Mode == (tegra.Mode{}):
			cells = slices.Insert(cells, 1, "matches no power mode")
		default:
			cells = slices.Insert(cells, 1, space.Setting(p.Setting))
		}
		t.Rows = append(t.Rows, cells)
	}
	for i, p := range s.Rows {
		how := "● measured"
		if a.Doubted.OK && i == len(s.Rows)-1 {
			how += ", in doubt"
		}
		row(answers.Short(p.Name), p, how)
	}
	if p := a.Predicted; p.TimeMS > 0 && a.Read().OK && (a.Fitted || a.Doubted.OK) {
		row(s.Rows[len(s.Rows)-1].Name, answers.Row{Prediction: p, Fits: answers.Fits(a.Limit, p.Measured)}, "")
	}
	return t
}

// facts are what is known of an answer besides its time, power and energy.
func facts(a answers.Answer, today string) (list document.Facts) {
	add := func(name, value string) { list = append(list, [2]string{name, value}) }
	list = append(list, further.Facts(further.Of(a.Limit, a.Predicted, a.True, a.Read()))...)
	list = append(list, a.Serving.Facts()...)
	list = append(list, a.UnderLoad()...)
	if a.Standing.Limited {
		add("the limit", a.Standing.String())
	}
	for _, c := range a.Versus.Distinct() {
		if c.Other.Mode == a.Mode {
			add("this is", answers.Said(c.Name, today))
		}
	}
	return list
}

// between formats a 95 % band; "" if there is none.
func between(lo, hi float64) string {
	if math.IsNaN(lo) || math.IsNaN(hi) || !(hi > lo) {
		return ""
	}
	return fmt.Sprintf(" (%s–%s)", text.Of(lo), text.Of(hi))
}
