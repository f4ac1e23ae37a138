package modes

import (
	"jtune/internal/text"
	"jtune/optimize/serving"
	"jtune/profiles/workload"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// job returns the workload that the modes are listed for; its name is "" if there is none.
func (p *Page) job() workload.Workload { return page.Job(p.read) }

// head sets the titles of the columns of time, speed and energy.
func (p *Page) head() {
	w, cols := p.job(), p.tab.Cols
	cols[columnTime].Title, cols[columnEnergy].Title = page.Heads(w)
	speed, energy := page.UnitHeads(w, p.listing)
	cols[columnSpeed].Off = speed == ""
	if speed != "" {
		cols[columnSpeed].Title, cols[columnEnergy].Title = speed, energy
	}
	unknown := p.read.Outlook() == nil // no model and no readings
	cols[columnTimeBand].Off, cols[columnPowerBand].Off = unknown || p.served != nil, unknown
	if p.served != nil {
		cols[columnTime].Title = page.LatencyHead(p.served)
	}
}

// unitCell renders a column of inference that differs from minibatches; false for other columns.
func (p *Page) unitCell(i int, col modesColumn) (cell string, is bool) {
	var q *serving.Quantity
	switch {
	case p.listing.Speed == nil || i >= len(p.listing.Speed.Values):
		return "", false
	case col == columnTime && p.served != nil:
		return page.LatencyCell(p.served, i, i == p.cursorMode()), true
	case col == columnSpeed:
		q = p.listing.Speed
	case col == columnEnergy:
		q = p.listing.Energy
	default:
		return "", false
	}
	if v := q.Values[i]; v > 0 {
		return text.Of(v), true
	}
	return widget.Dash, true
}

// cursorMode returns the index of the mode under the cursor; -1 if there is none.
func (p *Page) cursorMode() int {
	if m, ok := p.chosen(); ok {
		if i, known := p.read.Space().Index(m); known {
			return i
		}
	}
	return -1
}

// loadText describes the load for the title; "" if there is none.
func (p *Page) loadText() string {
	switch {
	case p.served != nil:
		return ", " + p.served.Title()
	case p.read.Goal().Loaded():
		return ", working out the load …"
	}
	return ""
}
