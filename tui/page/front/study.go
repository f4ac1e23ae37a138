package front

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/figure"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tui/export"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/widget"
)

// study is the newest energy study of the workload that shows, or of any where no model is loaded.
type study struct {
	dir      string // that was read, or is being read
	rows     int
	report   *session.EnergyReport // nil: it is being read
	err      error
	findings []string
	heat     figure.Figure
	curves   [2]figure.Figure // over the GPU's clock, over the CPU's
	over     int
}

// studyMsg brings it.
type studyMsg struct{ study }

// studied is the study in the list of campaigns; false without one.
func (p *Page) studied() (session.Listed, bool) {
	name := ""
	if v := p.read.Outlook(); v != nil {
		name = v.Workload
	}
	return session.NewestEnergy(p.read.Campaigns(), name)
}

// onStudy reports whether a study is drawn.
func (p *Page) onStudy() bool { return p.drawn >= drawStudyMap }

// nextPicture draws the next picture: those of a study where there is one, of which alone where there is no model.
func (p *Page) nextPicture() page.Intent {
	l, any := p.studied()
	if p.drawn++; p.drawn == numDrawings || p.drawn == drawStudyMap && !any {
		p.drawn = drawCloud
	}
	if p.read.Outlook() == nil && any && !p.onStudy() {
		p.drawn = drawStudyMap
	}
	if !p.onStudy() || p.study.dir == l.Dir && p.study.rows == len(l.Rows) {
		return nil
	}
	p.study = study{dir: l.Dir, rows: len(l.Rows), over: p.study.over}
	return page.Compute(func(context.Context) tea.Msg { return studyMsg{readStudy(l)} })
}

// readStudy reads what a study found.
func readStudy(l session.Listed) study {
	r, err := l.Energy()
	s := study{dir: l.Dir, rows: len(l.Rows), report: &r, err: err}
	if err == nil {
		s.findings, s.heat = r.Findings(), r.HeatMap()
		s.curves = [...]figure.Figure{r.Curves(tegra.KnobGPU), r.Curves(tegra.KnobCPU)}
	}
	return s
}

// takeStudy takes what was read, if it is what shows.
func (p *Page) takeStudy(m studyMsg) {
	if m.dir == p.study.dir && m.rows == p.study.rows {
		m.study.over = p.study.over
		p.study = m.study
	}
}

// studyKey takes a key while a study is drawn, or while there is no model.
func (p *Page) studyKey(k tea.KeyPressMsg) (page.Intent, bool) {
	keys := p.read.Keys()
	_, any := p.studied()
	does, applies := keys.Applies(k)
	switch {
	case keys.Picture.Matches(k) && (any || p.onStudy()):
		return p.nextPicture(), true
	case !p.onStudy():
		return nil, false
	case keys.Back.Matches(k):
		p.drawn = drawCloud
	case keys.Table.Matches(k):
		p.drawn, p.asTab = drawCloud, true
	case keys.Group.Matches(k):
		p.study.over = 1 - p.study.over
		p.drawn = drawStudyCurves
	case applies && p.study.report != nil && p.study.report.Least.OK:
		does.Mode = p.study.report.Least.V.Mode
		return does, true
	default:
		return nil, false
	}
	return nil, true
}

// studyFigure is what is drawn of the study.
func (p *Page) studyFigure() figure.Figure {
	if p.drawn == drawStudyCurves {
		return p.study.curves[p.study.over]
	}
	return p.study.heat
}

// renderStudy draws the study, and what it found where there is room.
func (p *Page) renderStudy(w, h int) string {
	s := p.study
	switch {
	case s.report == nil:
		return widget.Fit("\n reading the energy study …", w, h)
	case s.err != nil:
		return widget.Fit("\n"+widget.Wrap("the energy study: "+s.err.Error(), w), w, h)
	}
	f := p.studyFigure()
	head := widget.Cut(" "+widget.StyleBold.Render(f.Title), w)
	found := func(w, h int) string {
		note := fmt.Sprintf("%d of %s measured", s.report.Measured(), text.Count(len(s.report.Points), "setting"))
		words := widget.Wrap(strings.Join(s.findings, "\n"), w-4)
		return widget.Fit(widget.Box("what it found", note, words, w, min(h, strings.Count(words, "\n")+3)), w, h)
	}
	if w < 110 {
		if low := h / 3; h >= 30 {
			return widget.Under(head, widget.Figure(f, w, h-1-low, widget.Paint), found(w, low))
		}
		return widget.Under(head, widget.Figure(f, w, h-1, widget.Paint))
	}
	side := w * 2 / 5
	return widget.Under(head, widget.Beside(widget.Figure(f, w-side-1, h-1, widget.Paint), widget.Fit("", 1, h-1),
		found(side, h-1)))
}

// studyHints are the keys while a study is drawn.
func (p *Page) studyHints(apply widget.Action) []widget.Action {
	keys := p.read.Keys()
	return []widget.Action{apply.Doing("apply the mode of least energy"), keys.Picture.As("map, curves"),
		keys.Group.As("other clock").Doing("curves over the other clock"), keys.Back}
}

// studyFiles are what is drawn.
func (p *Page) studyFiles() ([]page.File, error) {
	if p.study.report == nil || p.study.err != nil {
		return nil, p.study.err
	}
	svg, list, doc, err := export.FigureFiles(p.studyFigure())
	return []page.File{{Ending: "svg", Text: svg}, {Ending: "csv", Text: list}, {Ending: "json", Text: doc}}, err
}
