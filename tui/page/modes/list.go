package modes

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"jtune/internal/sorted"
	"jtune/optimize/serving"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/session/workloads"
	"jtune/tui/widget"
)

// build filters and sorts the space again. While a typed filter is not valid, the rows do not change.
func (p *Page) build() {
	p.built, p.view, p.served = true, p.read.Outlook(), p.read.Served()
	p.listing = serving.Listing{}
	if p.view != nil {
		unit := workloads.UnitOf(page.Job(p.read), p.view.Batch)
		p.listing = serving.ListingOf(p.view, unit, p.read.Limit(), p.served)
	}
	f, err := p.read.Space().ParseFilter(p.filter.Value(), p.listing.FilterKeys()...)
	p.filter.Wrong = ""
	if err != nil {
		p.filter.Wrong = err.Error()
		if p.order != nil {
			return
		}
		f = tegra.Filter{}
	}
	p.order = []int{}
	for i := p.read.Space().Len() - 1; i >= 0; i-- { // largest first: MAXN is on top
		if p.listing.Passes(f, i, p.row(i, p.read.Space().At(i))) {
			p.order = append(p.order, i)
		}
	}
	now, can := p.by(p.sortBy)
	switch {
	case !p.sorted && p.read.Outlook() != nil:
		p.sortBy, p.falling = byState, false
	case !p.sorted, !can, now.lacks != "":
		p.sortBy, p.falling = byMode, true
	}
	by, _ := p.by(p.sortBy)
	if by.values == nil {
		if !p.falling {
			slices.Reverse(p.order)
		}
		return
	}
	value := by.values()
	sorted.Stable(p.order, func(a, b int) int {
		if p.falling {
			a, b = b, a
		}
		return cmp.Compare(value[a], value[b])
	})
}

// row returns what is known of mode i: measured, otherwise predicted, otherwise empty.
func (p *Page) row(i int, m tegra.Mode) tegra.Measured {
	if p.read.Outlook() != nil && i < len(p.read.Outlook().Known) {
		return p.read.Outlook().Known[i].Measured
	}
	return tegra.Measured{Setting: tegra.Setting{Mode: m}}
}

// byState ranks the modes by how they keep the limit, best first: the answer, the modes that keep it in the order of
// what the limit asks for, the doubtful ones, the rest.
func (p *Page) byState() []float64 {
	l, goal := p.read.Limit(), p.listing.Time.Values
	switch {
	case l.Aim() == metric.Energy || l.Limits == l.Limits.Only(metric.Energy) && l.Limited():
		goal = p.listing.Energy.Values
	case p.served != nil || l.Aim() == metric.Power:
		goal = p.listing.Power.Values
	}
	ranks := [...]float64{standing.Doubtful: 1, standing.Over: 2, standing.Unknown: 3}
	out := make([]float64, p.read.Space().Len())
	for i := range out {
		rank := ranks[p.read.Standing(p.read.Space().At(i)).State]
		if v := goal[i]; v > 0 && !math.IsInf(v, 1) {
			out[i] = rank + v/(1+v) // within a rank, for any unit
		} else {
			out[i] = rank + 1
		}
	}
	if at := p.answer(); at >= 0 && at < len(out) {
		out[at] = -1
	}
	return out
}

// answer returns the index of the best mode within the limit.
func (p *Page) answer() int {
	return serving.AnswerAmong(p.view, p.read.Limit(), p.served, nil)
}

// sort sorts by a column; selecting the present column again reverses the order. Knobs start with the largest value,
// time, power and energy with the least.
func (p *Page) sort(by column) {
	if by.letter == p.sortBy {
		p.falling = !p.falling
	} else {
		p.falling = by.falls
	}
	p.sorted = true
	p.sortBy, p.list, p.built, p.tab.Cursor = by.letter, listAll, false, 0
}

// sortText says what the rows are sorted by.
func (p *Page) sortText() string {
	by, _ := p.by(p.sortBy)
	if by.letter == "t" && p.served != nil {
		by.name = serving.QuantileText(p.served.Quantile)
	}
	if p.falling {
		return "by " + by.name + " ▾"
	}
	return "by " + by.name + " ▴"
}

// sortLine lists the letters of the columns.
func (p *Page) sortLine() string {
	var out []string
	for _, c := range p.columns() {
		if c.letter != "" && c.lacks == "" {
			out = append(out, widget.StyleKey.Render(c.letter)+" "+c.name)
		}
	}
	return widget.StyleAsk.Render(" sort by: ") + strings.Join(out, "  ") +
		widget.StyleDim.Render("   the same again: the other way round")
}
