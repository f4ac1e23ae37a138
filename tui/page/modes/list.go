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
	"jtune/tui/session/workloads"
	"jtune/tui/widget"
)

// build filters and sorts the space again. While a typed filter is not valid, the rows do not change.
func (p *Page) build() {
	p.built, p.view, p.served = true, p.read.Outlook(), p.read.Served()
	p.listing = serving.Listing{}
	if p.view != nil {
		p.listing = serving.ListingOf(p.view, workloads.UnitOf(p.job(), p.view.Batch), p.read.Limit(), p.served)
	}
	p.head()
	expr := p.filter
	if p.input != nil {
		expr = p.input.Value()
	}
	f, err := p.read.Space().ParseFilter(expr, p.listing.FilterKeys()...)
	p.problem = ""
	if err != nil {
		p.problem = err.Error()
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
	switch {
	case !p.sorted && p.hasColumn(columnState):
		p.sortBy, p.falling = columnState, false
	case !p.sorted, !p.hasColumn(p.sortBy):
		p.sortBy, p.falling = columnMode, true
	}
	if p.sortBy == columnMode {
		if !p.falling {
			slices.Reverse(p.order)
		}
		return
	}
	value := p.values(p.sortBy)
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

// hasColumn reports whether the rows can be sorted by a column.
func (p *Page) hasColumn(c modesColumn) bool {
	switch {
	case c >= columnMode && c <= columnEMC:
		return true
	case c == columnTime, c == columnPower, c == columnEnergy, c == columnState:
		return p.read.Outlook() != nil
	case c == columnSpeed:
		return p.read.Outlook() != nil && p.job().Infers()
	}
	return false
}

// values returns a column's sort keys by index of the space.
func (p *Page) values(c modesColumn) []float64 {
	switch c {
	case columnTime:
		return p.listing.Time.Values
	case columnSpeed:
		return p.listing.Speed.Values
	case columnPower:
		return p.listing.Power.Values
	case columnEnergy:
		return p.listing.Energy.Values
	case columnState:
		return p.byState()
	}
	out := make([]float64, p.read.Space().Len())
	for i := range out {
		out[i] = p.read.Space().At(i).Value(tegra.Knob(c - columnCores))
	}
	return out
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
		rank := ranks[p.standing(p.read.Space().At(i)).State]
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
	if p.served != nil {
		return p.served.AnswerAmong(nil)
	}
	return p.view.AnswerAmong(p.read.Limit(), nil)
}

// sortColumn is a column that can be sorted by.
type sortColumn struct {
	letter, name string
	column       modesColumn
}

// sortColumns lists the columns that can be sorted by, with the letter that selects each.
var sortColumns = []sortColumn{
	{"m", "mode", columnMode},
	{"c", "cores", columnCores},
	{"p", "CPU", columnCPU},
	{"g", "GPU", columnGPU},
	{"e", "EMC", columnEMC},
	{"t", "time", columnTime},
	{"u", "units/s", columnSpeed},
	{"w", "power", columnPower},
	{"j", "energy", columnEnergy},
	{"s", "state", columnState},
}

// sort sorts by a column; selecting the present column again reverses the order. Knobs start with the largest value,
// time, power and energy with the least.
func (p *Page) sort(by modesColumn) {
	if by == p.sortBy {
		p.falling = !p.falling
	} else {
		p.falling = by < columnTime || by == columnSpeed
	}
	p.sorted = true
	p.sortBy, p.list, p.built, p.tab.Cursor = by, listAll, false, 0
}

// sortText says what the rows are sorted by.
func (p *Page) sortText() string {
	at := slices.IndexFunc(sortColumns, func(c sortColumn) bool { return c.column == p.sortBy })
	name := sortColumns[at].name
	if p.sortBy == columnTime && p.served != nil {
		name = serving.QuantileText(p.served.Quantile)
	}
	if p.falling {
		return "by " + name + " ▾"
	}
	return "by " + name + " ▴"
}

// sortLine lists the letters of the columns.
func (p *Page) sortLine() string {
	var out []string
	for _, c := range sortColumns {
		if p.hasColumn(c.column) {
			out = append(out, widget.StyleKey.Render(c.letter)+" "+c.name)
		}
	}
	return widget.StyleAsk.Render(" sort by: ") + strings.Join(out, "  ") +
		widget.StyleDim.Render("   the same again: the other way round")
}

// standing compares a mode with the limit.
func (p *Page) standing(m tegra.Mode) standing.Standing {
	return p.read.Standing(m)
}
