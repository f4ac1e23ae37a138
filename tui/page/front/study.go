package front

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/figure"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/study"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// studyView shows the newest energy study of the shown workload, or of any workload without a model: energy over two
// clocks, then latency and energy over one of them.
type studyView struct {
	*shared
	on     bool // the view is shown
	curves bool // instead of the map
	over   int  // of curves: over the GPU's clock, or the CPU's
	findings
}

var _ view = (*studyView)(nil)

// findings are the results of a study.
type findings struct {
	dir    string // folder read, or being read
	rows   int
	report *study.EnergyReport // nil: being read
	err    error
	words  []string
	heat   figure.Figure
	lines  [2]figure.Figure // over the GPU's clock, over the CPU's
}

// newest returns the newest study of the shown workload, or of any workload without a model; false if there is none.
// Campaigns are listed newest first.
func (s *studyView) newest() (task.Listed, bool) {
	name := ""
	if v := s.read.Outlook(); v != nil {
		name = v.Workload
	}
	for _, l := range s.read.Campaigns() {
		named := name == "" || l.Header.Workload.Name == name
		if named && l.Err == nil && campaigns.OfEnergy(l.Header.Plan) && l.Readings > 0 {
			return l, true
		}
	}
	return task.Nothing, false
}

// open shows the map of the newest study; without one it does nothing.
func (s *studyView) open() page.Intent {
	l, any := s.newest()
	if s.on, s.curves = any, false; !any {
		return nil
	}
	return s.load(l)
}

// close closes the study.
func (s *studyView) close() { s.on = false }

// next shows the curves after the map, then closes the study; without a model it starts again with the map.
func (s *studyView) next() page.Intent {
	if s.curves {
		s.close()
		if s.read.Outlook() == nil {
			return s.open()
		}
		return nil
	}
	s.curves = true
	l, _ := s.newest()
	return s.load(l)
}

// load reads a study unless it is read already.
func (s *studyView) load(l task.Listed) page.Intent {
	if s.dir == l.Dir && s.rows == l.Readings {
		return nil
	}
	s.findings = findings{dir: l.Dir, rows: l.Readings}
	return page.Compute(func(context.Context) tea.Msg {
		f := findingsOf(l)
		return page.Then(func() page.Intent { return s.take(f) })
	})
}

// findingsOf reads the results of a study.
func findingsOf(l task.Listed) findings {
	r, err := study.Energy(l.Campaign)
	f := findings{dir: l.Dir, rows: l.Readings, report: r, err: err}
	if err == nil {
		f.words, f.heat = r.Findings(), r.HeatMap()
		f.lines = [...]figure.Figure{r.Curves(tegra.KnobGPU), r.Curves(tegra.KnobCPU)}
	}
	return f
}

// take stores the findings if they belong to the shown study.
func (s *studyView) take(f findings) page.Intent {
	if f.dir == s.dir && f.rows == s.rows {
		s.findings = f
	}
	return nil
}

// Acts returns what the keys do.
func (s *studyView) Acts() page.Acts {
	keys := s.read.Keys()
	apply, now := page.Shown(keys.Apply.Unless(s.read.MayWrite())), page.Shown(keys.AtOnce)
	if s.report != nil && s.report.Least.OK {
		apply, now = page.Applying(s.read, page.Apply{Mode: s.report.Least.V.Mode})
	}
	apply.Action = apply.Doing("apply the mode of least energy")
	return page.Acts{apply, page.On(keys.Picture.As("map, curves"), s.next),
		page.On(keys.Group.As("other clock").Doing("curves over the other clock"),
			func() { s.over, s.curves = 1-s.over, true }),
		page.On(keys.Back, s.close),
		page.Quiet(keys.Table, true, func() { s.close(); s.asTab = true }), now.Unnamed()}
}

// Copied returns the mode of least energy.
func (s *studyView) Copied() string {
	if r := s.report; r != nil && r.Least.OK {
		return s.read.ModeText(r.Least.V.Mode)
	}
	return ""
}

// Files exports the drawn figure.
func (s *studyView) Files() ([]page.File, error) {
	if s.report == nil || s.err != nil {
		return nil, s.err
	}
	return page.FigureFiles(s.figure())
}

// figure returns the drawn figure.
func (s *studyView) figure() figure.Figure {
	if s.curves {
		return s.lines[s.over]
	}
	return s.heat
}

// Render draws the study, and its findings if there is room.
func (s *studyView) Render(w, h int) string {
	switch {
	case s.err != nil:
		return widget.Fit("\n"+widget.Wrap("the energy study: "+page.Words(s.err.Error()), w), w, h)
	case s.report == nil:
		return widget.Fit("\n reading the energy study …", w, h)
	}
	f := s.figure()
	head := widget.Cut(" "+widget.StyleBold.Render(f.Title), w)
	if w < 110 {
		if low := h / 3; h >= 30 {
			return widget.Under(head, widget.Figure(f, w, h-1-low, widget.Paint), s.found(w, low))
		}
		return widget.Under(head, widget.Figure(f, w, h-1, widget.Paint))
	}
	side := w * 2 / 5
	return widget.Under(head, widget.Beside(widget.Figure(f, w-side-1, h-1, widget.Paint), widget.Fit("", 1, h-1),
		s.found(side, h-1)))
}

// found describes the findings in words.
func (s *studyView) found(w, h int) string {
	note := fmt.Sprintf("%d of %s measured", s.report.Measured(), text.Count(len(s.report.Points), "setting"))
	words := widget.Wrap(strings.Join(s.words, "\n"), w-4)
	return widget.Fit(widget.Box("what it found", note, words, w, min(h, strings.Count(words, "\n")+3)), w, h)
}
