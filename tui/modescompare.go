package tui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"jtune/learn"
	"jtune/tegra"
)

// comparer sets modes side by side: the others against the first one.
type comparer struct {
	modes  []tegra.Mode
	cursor int // the one that apply takes
	left   int // the first one that shows
	heads  []string
	rows   []compareRow
}

// compareRow is one thing told of all the modes.
type compareRow struct {
	name  string
	cells []string
	need  int // 0: always told; higher ones go first where rows are short
}

// toCompare are the marked modes and the one under the cursor.
func (p *modesPage) toCompare() []tegra.Mode {
	list := slices.Clone(p.marked)
	if m, ok := p.chosen(); ok && !slices.Contains(list, m) && len(p.marked) < 2 {
		list = append(list, m)
	}
	return list
}

// compare opens the comparison.
func (p *modesPage) compare() {
	list := p.toCompare()
	if len(list) < 2 {
		p.sh.say("compare: mark modes with %s first; one mark and the cursor are enough", keys.Mark.Help().Key)
		return
	}
	p.compared = newComparer(p.sh, list)
}

func newComparer(sh *shared, modes []tegra.Mode) *comparer {
	c := &comparer{modes: modes}
	row := func(need int, name string, cell func(m tegra.Mode, at compared) string) {
		r := compareRow{name: name, need: need}
		for _, m := range modes {
			r.cells = append(r.cells, cell(m, sh.compared(m)))
		}
		c.rows = append(c.rows, r)
	}
	for i, m := range modes {
		c.heads = append(c.heads, sh.compareHead(i, m))
	}
	for k := range tegra.NumKnobs {
		row(0, k.String(), func(m tegra.Mode, _ compared) string { return knobText(m, k) })
	}
	if sh.view == nil {
		return c
	}
	pred := func(need int, name string, of func(p learn.Prediction) string) {
		row(need, name, func(_ tegra.Mode, at compared) string {
			if at.fitted {
				return dash
			}
			return of(at.pr)
		})
	}
	pred(0, "pred. ms/mb", func(p learn.Prediction) string { return ms(p.TimeMS) })
	pred(3, " 95 %", func(p learn.Prediction) string { return between(ms(p.TimeLoMS), ms(p.TimeHiMS)) })
	pred(0, "pred. W", func(p learn.Prediction) string { return positive(p.PowerW, 1) })
	pred(3, " 95 %", func(p learn.Prediction) string { return between(positive(p.PowerLoW, 1), positive(p.PowerHiW, 1)) })
	pred(2, "pred. J/mb", func(p learn.Prediction) string { return positive(p.EnergyJ(), 2) })
	row(1, "meas. ms/mb", func(_ tegra.Mode, at compared) string { return ms(at.got.TimeMS) })
	row(1, "meas. W", func(_ tegra.Mode, at compared) string { return positive(at.got.PowerW, 1) })
	base := sh.compared(modes[0]).best()
	off := func(of func(tegra.Measured) float64) func(m tegra.Mode, at compared) string {
		return func(m tegra.Mode, at compared) string {
			if m == modes[0] {
				return dash
			}
			return signedPct(100 * (of(at.best())/of(base) - 1))
		}
	}
	row(0, "time to A", off(func(m tegra.Measured) float64 { return m.TimeMS }))
	row(1, "power to A", off(func(m tegra.Measured) float64 { return m.PowerW }))
	row(2, "energy to A", off(func(m tegra.Measured) float64 { return m.EnergyJ() }))
	return c
}

// compared is what is known of a mode.
type compared struct {
	pr     learn.Prediction
	fitted bool           // pr is no prediction: the model has learned from this mode
	got    tegra.Measured // zero: not measured
}

// best is the measurement, else the prediction.
func (c compared) best() tegra.Measured {
	if c.got.TimeMS > 0 {
		return c.got
	}
	return c.pr.Measured()
}

func (sh *shared) compared(m tegra.Mode) compared {
	var c compared
	if v := sh.view; v != nil {
		if i, ok := v.at(m); ok {
			c.pr, c.fitted = v.expected(i)
		}
		c.got = v.measured[m]
	}
	return c
}

func letter(i int) string { return string(rune('A' + i%26)) }

// compareHead calls a mode by its preset, else by a letter; the board's own
// present mode is said.
func (sh *shared) compareHead(i int, m tegra.Mode) string {
	text := letter(i)
	if name := sh.nameOf(m); name != "" {
		text += " " + name
	}
	if now := sh.present(); now.OK && now.V == m {
		text += " now"
	}
	return text
}

func (p *modesPage) compareKey(k tea.KeyPressMsg) bool {
	c := p.compared
	switch {
	case key.Matches(k, keys.Back), key.Matches(k, keys.Compare):
		p.compared = nil
	case key.Matches(k, keys.Left):
		c.cursor = max(0, c.cursor-1)
	case key.Matches(k, keys.Right):
		c.cursor = min(len(c.modes)-1, c.cursor+1)
	case key.Matches(k, keys.Apply):
		p.apply.ask(c.modes[c.cursor])
	case key.Matches(k, keys.Mark):
		p.unmark()
	default:
		return false
	}
	return true
}

// unmark takes the mode under the cursor out of the comparison.
func (p *modesPage) unmark() {
	at := p.compared.cursor
	rest := slices.Delete(slices.Clone(p.compared.modes), at, at+1)
	p.marked, p.compared = rest, nil
	if len(rest) > 1 {
		p.compared = newComparer(p.sh, rest)
		p.compared.cursor = min(at, len(rest)-1)
	}
}

func (c *comparer) hints(sh *shared) []hint {
	return []hint{unless(named(keys.Apply, "apply "+letter(c.cursor)), sh.mayWrite()), {Binding: both(keys.Left, keys.Right, "choose")},
		{Binding: named(keys.Mark, "take out")}, {Binding: named(keys.Back, "close")}}
}

// Widths of the comparison's columns.
const (
	compareName = 11
	compareCell = 14
)

// Render draws the comparison in w×h cells.
func (c *comparer) Render(w, h int) string {
	n := max(1, (w-compareName)/compareCell)
	c.left = max(0, min(c.left, c.cursor, len(c.modes)-n))
	c.left = max(c.left, c.cursor-n+1)
	end := min(len(c.modes), c.left+n)
	heads := cut("", compareName)
	for i := c.left; i < end; i++ {
		text := right(c.heads[i], compareCell-1)
		if i == c.cursor {
			text = styleCursor.Render("▸" + right(c.heads[i], compareCell-2))
		}
		heads += " " + text
	}
	lines := []string{heads}
	for _, r := range c.fitting(h - 1) {
		line := cut(r.name, compareName)
		for i := c.left; i < end; i++ {
			line += " " + right(r.cells[i], compareCell-1)
		}
		lines = append(lines, line)
	}
	return fit(strings.Join(lines, "\n"), w, h)
}

// fitting leaves out the least needed rows, those of equal need together.
func (c *comparer) fitting(h int) []compareRow {
	for need := 3; ; need-- {
		var out []compareRow
		for _, r := range c.rows {
			if r.need <= need {
				out = append(out, r)
			}
		}
		if len(out) <= h || need == 0 {
			return out
		}
	}
}

// note says how many modes there are, and that more are to the side.
func (c *comparer) note(w int) string {
	if n := max(1, (w-compareName)/compareCell); n < len(c.modes) {
		return fmt.Sprintf("%d of %d show", n, len(c.modes))
	}
	return ""
}

// text is the comparison for the clipboard, columns parted by tabs.
func (c *comparer) text() string {
	lines := []string{"\t" + strings.Join(c.heads, "\t")}
	for _, r := range c.rows {
		if r.name != "" {
			lines = append(lines, strings.TrimSpace(r.name)+"\t"+strings.Join(r.cells, "\t"))
		}
	}
	return strings.Join(lines, "\n") + "\n"
}
