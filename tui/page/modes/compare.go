package modes

import (
	"cmp"
	"slices"
	"strings"

	"jtune/internal/report"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tui/widget"
)

// against are the columns that compare a mode with the first of a list, as measured where that is known; none without a
// model.
func (p *Page) against(list []tegra.Mode) (out report.Table[entry]) {
	v := p.read.Outlook()
	if v == nil || len(list) == 0 {
		return nil
	}
	for _, c := range []struct {
		title string
		of    func(outlook.Difference) float64
	}{
		{"time vs A", func(d outlook.Difference) float64 { return d.TimePct }},
		{"W vs A", func(d outlook.Difference) float64 { return d.PowerPct }},
		{"J vs A", func(d outlook.Difference) float64 { return d.EnergyPct }},
	} {
		text := func(e entry) string {
			if e.Mode == list[0] {
				return widget.Dash
			}
			return widget.SignedPct(c.of(outlook.Against(v.About(e.Mode).Best(), v.About(list[0]).Best())))
		}
		out = append(out, report.Column[entry]{Title: c.title, Width: len(c.title), Right: true, Text: text})
	}
	return out
}

func letter(i int) string { return string(rune('A' + i%26)) }

// beside compares the mode under the cursor with those that one would use otherwise: MAXN and the present mode.
func (p *Page) beside(w, h int) string {
	list := []tegra.Mode{p.read.Space().Max()}
	if now := p.read.Present(); now.OK && now.V != list[0] {
		list = append(list, now.V)
	}
	if m, _ := p.chosen(); !slices.Contains(list, m) {
		list = append(list, m)
	}
	var rows []entry
	columns := report.Table[entry]{{Width: 20, Whole: true, Text: func(e entry) string { return e.is }}}
	for i, m := range list {
		rows = append(rows, entry{m, letter(i) + " " + cmp.Or(p.isWhat(m), p.read.ModeText(m))})
	}
	for _, by := range []string{"t", "w", "j"} {
		c, _ := p.by(by)
		columns = append(columns, c.Column)
	}
	return widget.Fit(strings.Join(widget.Grid(append(columns, p.against(list)...), rows, w), "\n"), w, h)
}
