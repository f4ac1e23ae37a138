package profile

import (
	"fmt"
	"slices"
	"strings"

	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/session/answers"
	"jtune/tui/session/savedanswers"
	"jtune/tui/widget"
)

// answers returns the answers on the closing card, as Front knows them now; nil without a card. The card shows the end
// of this program's search until the user leaves it.
func (p *Page) answers() []answers.Answer {
	j := p.shown()
	if j == nil || j.Follows != nil || !j.Done() || j.Stopped || p.left == j || j.Tuned == nil {
		return nil
	}
	return p.now(j.Tuned.Answers)
}

// now returns answers with what was read since the search, if Front shows their workload.
func (p *Page) now(list []answers.Answer) []answers.Answer {
	v := p.read.Outlook()
	if v == nil || v.Workload != p.shown().Workload.Name {
		return list
	}
	out := slices.Clone(list)
	for i, a := range out {
		if _, stands := v.Found[metric.Question{Limit: a.Limit, Load: p.shown().Load}]; !stands && a.Batch == v.Batch {
			out[i] = savedanswers.Renewed(a, v.About(a.Mode).Reading)
		}
	}
	return out
}

// answer returns the answer chosen on the card.
func (p *Page) answer() answers.Answer {
	list := p.answers()
	return list[min(p.at, len(list)-1)]
}

// goal returns the goal of the chosen answer.
func (p *Page) goal() page.Choose {
	return page.Choose{Limit: p.answer().Limit, Load: p.shown().Load}
}

// asked returns what an answer answers; nil if its job cannot be measured here as the search did.
func (p *Page) asked(a answers.Answer) *page.Asked {
	w := p.shown().Workload.AtBatch(a.Batch)
	q := p.read.Asked(w.Name, a.Batch, metric.Question{Limit: a.Limit, Load: p.shown().Load})
	if q == nil || q.Workload.Fingerprint("") != w.Fingerprint("") {
		return nil
	}
	return q
}

// cardActs returns what the keys do with the chosen answer.
func (p *Page) cardActs() page.Acts {
	keys, a, last := p.read.Keys(), p.answer(), len(p.answers())-1
	apply, now := page.Applying(p.read, page.Apply{Mode: a.Mode, Asked: p.asked(a)})
	choose := func(c page.Choose) func() page.Intent {
		return func() page.Intent {
			p.race = nil
			return page.All{c, page.Open(page.Front)}
		}
	}
	soak := page.On(keys.Soak.Unless(p.read.MayRun()), func() page.Intent { return askSoak(p) })
	write := page.On(keys.Report, func() page.Intent { return writeReport(p.shown(), p.read.Session()) })
	look := page.On(keys.Look, choose(p.goal()))
	race := page.On(keys.Race.Unless(noRace(a)), func() page.Intent { return startRace(p) })
	word := "at once"
	if p.read.Look().Narrow {
		word = "now"
	}
	now = now.As(word)
	out := page.Acts{apply, now, soak, write, look, race,
		page.Quiet(keys.Back, racing(p) != nil, func() { p.race = nil }),
		page.On(keys.Back.As("its rows").Doing("the modes that this search measured"), func() { p.left = p.shown() }),
		page.Shown(keys.Verify.As("measure a mode").Unless(p.read.MayMeasure()))}
	if p.read.Look().Narrow {
		out[2], out[3], out[4] = look, soak, write
	}
	if a.Exchange != nil {
		out = append(out, page.Quiet(keys.Higher, true, choose(page.Choose{Limit: a.Exchange.Limit})))
	}
	if last > 0 {
		out = append(out, page.Both(keys.Up, keys.Down, func(by int) page.Intent {
			p.at = min(max(0, min(p.at, last)+by), last)
			return nil
		}).As("another limit", "")...)
	}
	return out
}

// card shows the result of a search: whether it fits, what it costs and gains, and each mode in its own numbers. If
// there is too little room it drops blank lines first, then whole lines from the last.
func (p *Page) card(w, h int) string {
	if r := racing(p); r != nil {
		return r.track(p, w, h)
	}
	list, a := p.answers(), p.answer()
	narrow := w < narrowW
	sheet := a.Sheet(p.today(a))
	blocks := p.limitBlocks(list, max(1, h-leastCard))
	blocks = append(blocks, sentences(p, a, sheet, w)...)
	if known := a.UnderLoad(); known != nil {
		newest := known[len(known)-1]
		blocks = append(blocks, newest[0]+": "+newest[1])
	}
	if whole := whole(a, p.shown().Workload, p.today(a)); whole != "" && !narrow {
		blocks = append(blocks, whole)
	}
	if drawn := picture(a, sheet.Rows, w); drawn != nil && h-len(blocks) >= len(drawn) {
		blocks = append(append(append(blocks, ""), drawn...), "")
	}
	if !narrow {
		blocks = append(blocks, page.StandingText(a.Standing))
	}
	blocks = append(blocks, p.remarks()...)
	cost := fmt.Sprintf("%s: %s", a.Ended, text.Count(len(a.Probes), "measurement"))
	if took := p.shown().Tuned.Took; took > 0 {
		cost += " in " + units.Span(took)
	}
	return widget.Fit(widget.Clauses(fitted(append(blocks, widget.StyleDim.Render(cost)), h), w), w, h)
}

// remarks returns the search's reservations about its answer, and later findings.
func (p *Page) remarks() (out []string) {
	if p.open != nil && p.kept.worked {
		out = append(out, widget.StyleDim.Render("worked out of its rows: an earlier version kept no answer"))
	}
	if better := p.better(); better.OK {
		out = append(out, "better mode found since: "+p.read.ModeText(better.V.Mode)+page.BatchText(better.V.Batch))
	}
	for _, warning := range p.shown().Tuned.Warnings {
		out = append(out, widget.StyleWarn.Render(warning))
	}
	return out
}

// better returns the mode that is better than the chosen answer by now: as Front chooses it, if the answer was measured
// again since its search.
func (p *Page) better() (better tegra.Val[tegra.Setting]) {
	if at := min(p.at, len(p.kept.better)-1); p.open != nil && at >= 0 {
		better = p.kept.better[at]
	}
	then, now, v := p.shown().Tuned.Answers, p.answer(), p.read.Outlook()
	if now.Reading.N == then[min(p.at, len(then)-1)].Reading.N {
		return better
	}
	if i, err := v.Choose(now.Limit); err == nil && v.Predicted[i].Mode != now.Mode {
		better = tegra.Some(v.Predicted[i].Setting)
	}
	return better
}

// leastCard is the number of lines for the answer of one limit.
const leastCard = 4

// limitBlocks returns at most that many answers, the chosen one among them.
func (p *Page) limitBlocks(list []answers.Answer, most int) (out []string) {
	if len(list) < 2 {
		return nil
	}
	widest, at := 0, min(p.at, len(list)-1)
	for _, one := range list {
		widest = max(widest, len(one.Limit.Brief()))
	}
	first := max(0, min(at-most/2, len(list)-most))
	for i, one := range list[first:min(len(list), first+most)] {
		mark := "  "
		if first+i == at {
			mark = "▸ "
		}
		f := page.FiguresOf(one.Best())
		out = append(out, mark+fmt.Sprintf("%-*s  %s ms  %s W", widest, one.Limit.Brief(), f.MS, f.W))
	}
	return append(out, "")
}

// fitted returns the lines of blocks that fit h lines: it drops blank ones first, then the last.
func fitted(blocks []string, h int) []string {
	rows := func() int { return strings.Count(strings.Join(blocks, "\n"), "\n") + 1 }
	for i := len(blocks) - 1; i >= 0 && rows() > h; i-- {
		if blocks[i] == "" {
			blocks = slices.Delete(blocks, i, i+1)
		}
	}
	for len(blocks) > 1 && rows() > h {
		blocks = blocks[:len(blocks)-1]
	}
	return strings.Split(strings.Join(blocks, "\n"), "\n")
}
