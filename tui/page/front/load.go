package front

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jtune/optimize"
	"jtune/tui/export"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/widget"
)

// load is what the page knows of the load under which modes of inference are chosen.
type load struct {
	line   page.LimitLine
	seek   bool // the cursor goes to the answer, and the page to its batch size, once that is worked out
	atBest bool // the cursor was on the best of a batch size when another was asked for
	trades struct {
		of   tradesOf
		list []session.Trade
	}
}

// tradesOf is what trades depend on.
type tradesOf struct {
	view   *session.Outlook
	served *session.Served
	limit  optimize.Limit
	infers bool
}

// trades are what the axes can show.
func (p *Page) trades() []session.Trade {
	v, w, s := p.read.Outlook(), p.job(), p.read.Served()
	if of := (tradesOf{v, s, p.read.Limit(), w.Infers()}); p.load.trades.of != of {
		p.load.trades.of, p.load.trades.list = of, v.Trades(w, of.limit, s)
	}
	return p.load.trades.list
}

// trade is what they show now.
func (p *Page) trade() session.Trade {
	list := p.trades()
	return list[p.plane%len(list)]
}

// served takes what was worked out under the load: the cursor goes to the answer, in its batch size.
func (p *Page) served() page.Intent {
	s, at := p.read.Served(), &p.load
	switch {
	case s == nil:
	case at.seek:
		if by := p.sizesTo(s.Best.Batch); by != 0 {
			return page.Size(by)
		}
		at.seek = false
		p.goTo(p.answer())
	case at.atBest:
		at.atBest = false
		p.goTo(p.answer())
	}
	return nil
}

// sizesTo is how many batch sizes further one is.
func (p *Page) sizesTo(batch int) int {
	all := p.read.Outlook().Batches()
	if at := slices.Index(all, batch); at >= 0 {
		return at - slices.Index(all, p.read.Outlook().Batch)
	}
	return 0
}

// toAnswer goes to the answer; under a load also to its batch size.
func (p *Page) toAnswer() page.Intent {
	if s := p.read.Served(); s != nil && p.filtered() == nil {
		if by := p.sizesTo(s.Best.Batch); by != 0 {
			p.load.seek = true
			return page.Size(by)
		}
	}
	p.goTo(p.answer())
	return nil
}

// moveLimit shifts the power limit by a watt (or the time limit by 5 %) and
// takes the cursor to the new answer.
func (p *Page) moveLimit(steps int) page.Intent {
	by := float64(steps)
	l := p.read.Limit()
	if v, loaded := p.read.Load(); loaded && v.LatencyMS > 0 {
		v.LatencyMS = max(0.01, v.LatencyMS*math.Pow(1.05, by))
		return page.Limits{Limit: l, Serving: &v}
	}
	switch {
	case l.TimeMS > 0:
		l.TimeMS = max(0.01, l.TimeMS*math.Pow(1.05, by)) // up and down again is where it was
	case l.PowerW > 0:
		l.PowerW = max(1, math.Round(l.PowerW)+by)
	default:
		l = optimize.Limit{PowerW: max(1, math.Round(p.read.Outlook().Known[p.cursor].PowerW)+by)}
	}
	return page.Limit(l)
}

// pending reports whether it is being worked out what modes do under the load.
func (p *Page) pending() bool {
	_, loaded := p.read.Load()
	return loaded && p.read.Served() == nil
}

// loadTitle is what the page says of the load beside the workload's name; "" for training.
func (p *Page) loadTitle() string {
	switch s := p.read.Served(); {
	case !p.job().Infers():
		return ""
	case s != nil:
		return ", " + s.Title()
	case p.pending():
		return ", working out the load …"
	}
	return ", closed loop"
}

// bestTitle says what the cursor's mode is under a load; "" where it is not the best of its batch size.
func (p *Page) bestTitle(s *session.Served) string {
	n := p.read.Outlook().Batch
	switch {
	case p.cursor != p.answer():
		return ""
	case s.Best.Mode == p.read.Outlook().Known[p.cursor].Mode && p.sizesTo(s.Best.Batch) == 0:
		if s.None != nil {
			return "nearest to the limits"
		}
		return "the answer under the load"
	case p.standing(p.cursor).Within():
		return fmt.Sprintf("best of batch %d", n)
	}
	return fmt.Sprintf("nearest of batch %d", n)
}

// loadLines are those of the card about the load; nil without one.
func (p *Page) loadLines(short bool) []string {
	s := p.read.Served()
	if s == nil {
		return nil
	}
	o := s.AtMode(p.cursor)
	late := "the queue only grows"
	if ms := widget.MS(o.LatencyMS); o.Rho <= 1 && ms != widget.Dash {
		late = fmt.Sprintf("%7s ms %s", ms, session.QuantileText(s.Quantile))
	}
	lines := []string{late}
	if short {
		return lines
	}
	if s.Load.Open() {
		lines = append(lines, fmt.Sprintf("%7.0f %% busy", 100*min(o.Rho, 1)))
	}
	if per := s.UnitsPerRequest(p.job()); o.JPerUnit > 0 && s.Load.Open() { // else it is that of a batch, below
		lines = append(lines, fmt.Sprintf("%7s/%s with waiting", session.UnitEnergyText(o.JPerUnit/per),
			p.job().UnitName()))
	}
	if by := p.sizesTo(s.Best.Batch); by != 0 {
		lines = append(lines, widget.StyleDim.Render(fmt.Sprintf("batch %d is better: %s shows it", s.Best.Batch,
			p.read.Keys().Answer.Label())))
	}
	return lines
}

// lineUnderLoad is the load's part of the card in one line; "" without one.
func (p *Page) lineUnderLoad() string {
	return strings.Join(strings.Fields(strings.Join(p.loadLines(true), " ")), " ")
}

// servedFiles are the front under the load as it is drawn, and its members.
func (p *Page) servedFiles(s *session.Served) ([]page.File, error) {
	virtual, energy := p.read.Outlook().Model.Provenance.Virtual, p.trade().Up.Word == "energy"
	list := s.Front(energy)
	standings := make([]optimize.Standing, len(list))
	for i := range list {
		standings[i] = s.Standing(list[i].Setting)
	}
	var table strings.Builder
	err := export.ServedCSV(&table, s.Ask, list, standings, virtual)
	return []page.File{{Ending: "svg", Text: export.FigureSVG(s.Figure(list, energy))},
		{Ending: "csv", Text: table.String()}}, err
}
