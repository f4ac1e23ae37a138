package modes

import (
	"fmt"
	"math"
	"strings"

	"jtune/optimize/outlook"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// comparer compares modes side by side with the first one.
type comparer struct {
	modes  []tegra.Mode
	cursor int // index of the mode that apply takes
	left   int // index of the first visible mode
	heads  []string
	rows   []compareRow
}

// compareRow is one property of all the modes.
type compareRow struct {
	name  string
	cells []string
	need  int // 0: always shown; if there are too few rows, the highest are dropped first
}

// compareRows lists the rows besides the knobs, for a model of the workload.
func compareRows(w workload.Workload) []compareRow {
	time, energy := page.Heads(w)
	return []compareRow{
		{name: "pred. " + time},
		{name: " 95 %", need: 3},
		{name: "pred. W"},
		{name: " 95 %", need: 3},
		{name: "pred. " + energy, need: 2},
		{name: "meas. " + time, need: 1},
		{name: "meas. W", need: 1},
		{name: "time vs A"},
		{name: "power vs A", need: 1},
		{name: "energy vs A", need: 2},
	}
}

func newComparer(read page.Reader, modes []tegra.Mode) *comparer {
	c := &comparer{modes: modes}
	for k := range tegra.NumKnobs {
		c.rows = append(c.rows, compareRow{name: k.String()})
	}
	v := read.Outlook()
	if v != nil {
		c.rows = append(c.rows, compareRows(page.Job(read))...)
	}
	for i, m := range modes {
		c.heads = append(c.heads, compareHead(read, i, m))
		at, nan := v.About(m), math.NaN()
		pred, meas := page.FiguresIn(at.Predicted), page.FiguresOf(at.Reading.Measured)
		if at.Fitted {
			pred = page.FiguresOf(tegra.Measured{})
		}
		off := outlook.Difference{TimePct: nan, PowerPct: nan, EnergyPct: nan}
		if i > 0 {
			off = outlook.Against(at.Best(), v.About(modes[0]).Best())
		}
		var cells []string
		for k := range tegra.NumKnobs {
			cells = append(cells, page.KnobText(m, k))
		}
		cells = append(cells, pred.MS, pred.BandMS, pred.W, pred.BandW, pred.J, meas.MS, meas.W,
			widget.SignedPct(off.TimePct), widget.SignedPct(off.PowerPct), widget.SignedPct(off.EnergyPct))
		for r := range c.rows {
			c.rows[r].cells = append(c.rows[r].cells, cells[r])
		}
	}
	return c
}

func letter(i int) string { return string(rune('A' + i%26)) }

// compareHead names a mode by its preset, otherwise by a letter, and marks the present mode.
func compareHead(read page.Reader, i int, m tegra.Mode) string {
	text := letter(i)
	if name := read.NameOf(m); name != "" {
		text += " " + name
	}
	if now := read.Present(); now.OK && now.V == m {
		text += " now"
	}
	return text
}

// Widths of columns.
const (
	compareName = 13
	compareCell = 14
)

// Render draws the comparison in w×h cells.
func (c *comparer) Render(w, h int) string {
	n := max(1, (w-compareName)/compareCell)
	c.left = max(0, min(c.left, c.cursor, len(c.modes)-n))
	c.left = max(c.left, c.cursor-n+1)
	end := min(len(c.modes), c.left+n)
	heads := widget.Cut("", compareName)
	for i := c.left; i < end; i++ {
		text := widget.Right(c.heads[i], compareCell-1)
		if i == c.cursor {
			text = widget.StyleCursor.Render("▸" + widget.Right(c.heads[i], compareCell-2))
		}
		heads += " " + text
	}
	lines := []string{heads}
	for _, r := range c.fitting(h - 1) {
		line := widget.Cut(r.name, compareName)
		for i := c.left; i < end; i++ {
			line += " " + widget.Right(r.cells[i], compareCell-1)
		}
		lines = append(lines, line)
	}
	return widget.Fit(strings.Join(lines, "\n"), w, h)
}

// fitting drops the least needed rows until they fit; rows of equal need are dropped together.
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

// note returns the number of modes, and whether more are off screen.
func (c *comparer) note(w int) string {
	if n := max(1, (w-compareName)/compareCell); n < len(c.modes) {
		return fmt.Sprintf("%d of %d show", n, len(c.modes))
	}
	return ""
}

// text returns the comparison for the clipboard, with tabs between columns.
func (c *comparer) text() string {
	lines := []string{"\t" + strings.Join(c.heads, "\t")}
	for _, r := range c.rows {
		if r.name != "" {
			lines = append(lines, strings.TrimSpace(r.name)+"\t"+strings.Join(r.cells, "\t"))
		}
	}
	return strings.Join(lines, "\n") + "\n"
}
