package tui

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/export"
)

// build filters and sorts the space again. While a filter is typed, what
// cannot be read yet leaves the rows as they are.
func (p *modesPage) build() {
	p.built, p.view = true, p.sh.view
	expr := p.filter
	if p.edit {
		expr = p.typed
	}
	f, err := tegra.ParseFilter(expr)
	p.problem = ""
	if err != nil {
		p.problem = err.Error()
		if p.order != nil {
			return
		}
		f = tegra.Filter{}
	}
	p.order = []int{}
	for i := p.sh.space.Len() - 1; i >= 0; i-- { // the largest first: MAXN is on top
		if f.Match(p.row(i, p.sh.space.At(i))) {
			p.order = append(p.order, i)
		}
	}
	if !p.hasColumn(p.sortBy) {
		p.sortBy, p.falling = columnMode, true
	}
	if p.sortBy == columnMode {
		if !p.falling {
			slices.Reverse(p.order)
		}
		return
	}
	value := p.values(p.sortBy)
	slices.SortStableFunc(p.order, func(a, b int) int {
		if p.falling {
			a, b = b, a
		}
		return cmp.Compare(value[a], value[b])
	})
}

// row is what is known of mode i: measured before predicted before nothing.
func (p *modesPage) row(i int, m tegra.Mode) tegra.Measured {
	if p.sh.view != nil && i < len(p.sh.view.known) {
		return p.sh.view.known[i].Measured()
	}
	return tegra.Measured{Mode: m}
}

// hasColumn tells whether a column can be sorted by.
func (p *modesPage) hasColumn(c modesColumn) bool {
	switch {
	case c >= columnMode && c <= columnEMC:
		return true
	case c == columnTime, c == columnPower, c == columnEnergy:
		return p.sh.view != nil
	}
	return false
}

// values are what a column sorts by, by index of the space.
func (p *modesPage) values(c modesColumn) []float64 {
	switch c {
	case columnTime:
		return p.view.values[optimize.Time]
	case columnPower:
		return p.view.values[optimize.Power]
	case columnEnergy:
		return p.view.values[optimize.Energy]
	}
	out := make([]float64, p.sh.space.Len())
	for i := range out {
		out[i] = p.sh.space.At(i).Value(tegra.Knob(c - columnCores))
	}
	return out
}

// sort goes to the next column: knobs begin with the largest, what a minibatch
// costs with the least.
func (p *modesPage) sort() {
	for p.sortBy++; p.sortBy <= columnEnergy && !p.hasColumn(p.sortBy); p.sortBy++ {
	}
	if p.sortBy > columnEnergy {
		p.sortBy = columnMode
	}
	p.falling = p.sortBy < columnTime
	p.list, p.built, p.tab.cursor = listAll, false, 0
}

// sortText says what the rows are sorted by.
func (p *modesPage) sortText() string {
	name := strings.ToLower(p.tab.cols[p.sortBy].title)
	switch p.sortBy {
	case columnMode:
		name = "mode"
	case columnCPU, columnGPU, columnEMC:
		name = p.tab.cols[p.sortBy].title
	case columnTime:
		name = "time"
	case columnPower:
		name = "power"
	case columnEnergy:
		name = "energy"
	}
	if p.falling {
		return "by " + name + " ▾"
	}
	return "by " + name + " ▴"
}

// shown lists the modes of the rows, or of the comparison.
func (p *modesPage) shown() []tegra.Mode {
	p.fill()
	if p.compared != nil {
		return p.compared.modes
	}
	at := p.tab.cursor
	defer func() { p.tab.cursor = at }()
	var out []tegra.Mode
	for p.tab.cursor = 0; p.tab.cursor < p.tab.rows; p.tab.cursor++ {
		if m, ok := p.chosen(); ok {
			out = append(out, m)
		}
	}
	return out
}

// files are the rows that show.
func (p *modesPage) files() ([]exportFile, error) {
	var preds []learn.Prediction
	var samples []tegra.Measured
	nan := math.NaN()
	for _, m := range p.shown() {
		pr := learn.Prediction{Mode: m, TimeMS: nan, TimeLoMS: nan, TimeHiMS: nan, PowerW: nan, PowerLoW: nan, PowerHiW: nan}
		if v := p.sh.view; v != nil {
			if i, ok := v.at(m); ok {
				pr = v.preds[i]
			}
			if got, ok := v.measured[m]; ok {
				samples = append(samples, got)
			}
		}
		preds = append(preds, pr)
	}
	c := export.Predicted(preds, samples)
	for i := range preds {
		c.Front = append(c.Front, i) // the list as it is, no front
	}
	var list, doc strings.Builder
	err := errors.Join(c.WriteCSV(&list), export.WriteJSON(&doc, c.FrontPoints()))
	return []exportFile{{"csv", list.String()}, {"json", doc.String()}}, err
}
