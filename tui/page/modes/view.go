package modes

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jtune/internal/text"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tui/export"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// Render draws the page.
func (p *Page) Render(w, h int) string {
	title, note := p.fill()
	drawn := func(w, h int) string {
		p.tab.Cols = p.table().At(p.entry)
		text := p.tab.Render(w, h)
		if p.boot != nil {
			text = widget.Over(text, p.boot.Render(w, h), w, h)
		}
		return text
	}
	if h < 4 {
		return drawn(w, h)
	}
	filter := p.filterLine(w)
	p.few = false
	list := p.read.Panel(title, note, drawn)
	rows := min(strings.Count(filter, "\n")+1, h/2)
	rest := h - rows
	about := p.read.Panel("the mode at the cursor", "limit "+page.GoalText(p.read.Goal()), p.about)
	last := widget.Fit(filter, w, rows)
	p.listed = rest
	switch {
	case !p.detailed() || rest-aboutRows < aboutRows:
		return widget.Under(list.Render(w, rest), last)
	case w >= briefW:
		p.listed -= aboutRows
		below := about.Render(w, aboutRows)
		if w >= besideFrom {
			below = widget.Beside(about.Render(w/2, aboutRows),
				p.read.Panel("side by side", "", p.beside).Render(w-w/2, aboutRows))
		}
		return widget.Under(list.Render(w, rest-aboutRows), below, last)
	}
	p.few = true
	p.listed = briefRows + 3
	return widget.Under(list.Render(w, p.listed), about.Render(w, rest-briefRows-3), last)
}

// Below the list aboutRows rows tell all that is known of the mode under the cursor, from besideFrom columns on beside
// other modes. In windows narrower than briefW the list has only briefRows modes with few numbers.
const (
	aboutRows  = 7
	besideFrom = 150
	briefW     = 100
	briefRows  = 10
)

// detailed reports whether the mode under the cursor is described below the list.
func (p *Page) detailed() bool {
	_, any := p.chosen()
	return any && !p.full && p.list == listAll && p.read.Outlook() != nil && p.boot == nil
}

// about says all that is known of the mode under the cursor.
func (p *Page) about(w, h int) string {
	m, _ := p.chosen()
	v := p.read.Outlook()
	lines := []string{p.isWhat(m), page.StandingText(p.read.Standing(m))}
	if i, known := v.Index(m); known {
		f := page.FiguresIn(v.Known[i])
		band := func(value, unit, band string) string {
			if band == widget.Dash {
				return value + " " + unit
			}
			return value + " " + unit + " (" + band + ")"
		}
		time, energy := page.Heads(page.Job(p.read))
		lines = append(lines, band(f.MS, time, f.BandMS)+"  "+band(f.W, "W", f.BandW)+"  "+f.J+" "+energy)
		if speed, unit := page.PerUnit(page.Job(p.read), v.Known[i].Measured, v.Batch); speed != "" {
			lines = append(lines, speed+"  "+unit)
		}
		if now, ok := v.Index(p.read.Present().V); ok && now != i {
			by := outlook.Against(v.Known[i].Measured, v.Known[now].Measured)
			lines = append(lines, fmt.Sprintf("against today's mode: %s time, %s power, %s energy",
				widget.SignedPct(by.TimePct), widget.SignedPct(by.PowerPct), widget.SignedPct(by.EnergyPct)))
		}
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	return widget.Fit(widget.Clauses(lines, w), w, h)
}

// fill connects the table to the shown list.
func (p *Page) fill() (title, note string) {
	if !p.built || p.view != p.read.Outlook() || p.served != p.read.Served() {
		p.build()
	}
	switch p.list {
	case listPresets:
		p.tab.Rows, p.tab.Empty = len(p.read.Presets()), "the board names no presets"
		p.entry = func(i int) entry { return entry{p.read.Presets()[i].Mode, presetText(p.read.Presets()[i])} }
		note := ""
		if n := len(p.read.Board().Unusable); n > 0 {
			note = text.Count(n, "other") + " cannot be set here: jtune device lists them"
		}
		return "Presets of this board", note
	case listHistory:
		hist := p.read.Applied().History
		p.tab.Rows, p.tab.Empty = len(hist), "nothing was applied yet"
		p.entry = func(i int) entry {
			c := hist[len(hist)-1-i]
			clocks := tegra.Setup{Locked: tegra.Some(c.Locked)}.Clocks()
			return entry{c.Mode, c.At.Format("15:04 ") + clocks + ", " + c.What}
		}
		return "Applied in this session, newest first", ""
	case listMarked:
		p.tab.Rows = len(p.marked)
		p.entry = func(i int) entry { return entry{p.marked[i], p.isWhat(p.marked[i])} }
		note = "vs A: measured where it is known, else predicted"
		if p.read.Outlook() == nil {
			note = noModel
		}
		return fmt.Sprintf("%d modes side by side", len(p.marked)), note
	}
	p.tab.Rows, p.tab.Empty = len(p.order), "no mode passes the filter"
	if p.read.Outlook() == nil {
		p.tab.Empty += "; without a model no mode has time, power or energy"
	}
	p.entry = func(i int) entry {
		m := p.read.Space().At(p.order[i])
		return entry{m, p.isWhat(m)}
	}
	title = text.Thousands(len(p.order)) + " of " + text.Count(p.read.Space().Len(), "mode")
	if n := len(p.marked); n > 0 {
		title += fmt.Sprintf(", %d marked", n)
	}
	switch {
	case p.read.Loading():
		return title, "its model is being read, " + p.sortText()
	case p.read.Outlook() == nil:
		return title, noModel + ", " + p.sortText()
	}
	of, serving := p.read.Outlook().Workload+page.BatchText(p.read.Outlook().Batch), page.LoadText(p.read)
	if l := p.read.Limit(); serving == "" && l.Limited() {
		of += " within " + l.Brief() // what the states are about
	}
	return title, "for " + of + serving + ", " + p.sortText()
}

// filterLine renders the filter, or a hint. An error is wrapped, because its end says what to do.
func (p *Page) filterLine(w int) string {
	switch {
	case p.filter.Typing():
		return p.filter.Render(p.read, w)
	case p.sorting:
		return p.sortLine()
	case p.filter.Wrong != "":
		return widget.StyleBad.Render(widget.Wrap(p.filter.Wrong, w))
	case p.list != listAll:
		return widget.StyleDim.Render(" " + p.read.Keys().Back.Label() + " shows all modes again")
	case p.filter.Filter != "":
		return p.filter.Render(p.read, w)
	}
	filter := p.read.Keys().Filter.Label()
	form := "cores>=8 power<30, gpu, cpu, mem, time"
	if page.Job(p.read).Infers() {
		form = "power<30 latency<50, cores, gpu, speed, unit"
	}
	return widget.StyleDim.Render(" " + filter + " filters: " + form)
}

const noModel = "no model: clocks and cores only"

// presetText returns a preset's name.
func presetText(pr tegra.Preset) string {
	if pr.NeedsReboot {
		return pr.Name + ", reboot"
	}
	return pr.Name
}

// Click moves the cursor to a row, or sorts by the column whose head it hits.
func (p *Page) Click(x, y int) bool {
	if !p.read.Look().Narrow {
		x -= 2 // the frame
	}
	if column, hit := p.tab.ColumnAt(x); hit && y == 1 && p.boot == nil {
		by := p.columns()[column]
		if by.letter == "" || by.lacks != "" {
			return false
		}
		p.sort(by)
		return true
	}
	row := p.tab.Top + y - 2 // minus the frame or title, and the table's head
	if p.boot != nil || y < 2 || row >= p.tab.Rows || y >= p.listed {
		return false
	}
	p.tab.Cursor = row
	return true
}

// Wheel leaves the wheel to the arrow keys.
func (p *Page) Wheel(_, _, _ int) bool { return false }

func (p *Page) isWhat(m tegra.Mode) string {
	var words []string
	name := p.read.NameOf(m)
	if now := p.read.Present(); now.OK && now.V == m {
		words = append(words, "now")
		name = p.read.NameAs(m, p.read.Locked())
	}
	if name != "" {
		words = append(words, name)
	}
	return strings.Join(words, " ")
}

// shown lists the modes of the rows.
func (p *Page) shown() []tegra.Mode {
	p.fill()
	at := p.tab.Cursor
	defer func() { p.tab.Cursor = at }()
	var out []tegra.Mode
	for p.tab.Cursor = 0; p.tab.Cursor < p.tab.Rows; p.tab.Cursor++ {
		if m, ok := p.chosen(); ok {
			out = append(out, m)
		}
	}
	return out
}

// Files exports the shown rows.
func (p *Page) Files() ([]page.File, error) {
	points := export.Points{Virtual: p.read.Board().Virtual}
	v, nan := p.read.Outlook(), math.NaN()
	if v != nil {
		points.Virtual = v.Model.Provenance.Virtual
	}
	for _, m := range p.shown() {
		pr := learn.Prediction{TimeLoMS: nan, TimeHiMS: nan, PowerLoW: nan, PowerHiW: nan}
		pr.Mode, pr.TimeMS, pr.PowerW = m, nan, nan
		if v != nil {
			if i, ok := v.Index(m); ok {
				pr = v.Known[i]
			}
		}
		points.Known, points.Standings = append(points.Known, pr), append(points.Standings, p.read.Standing(m))
	}
	list, doc, err := export.List(points).Tables()
	return []page.File{{Ending: "csv", Text: list}, {Ending: "json", Text: doc}}, err
}
