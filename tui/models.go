package tui

import (
	"context"
	"errors"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"jtune/learn"
	"jtune/tui/session"
)

// modelsPage lists what has been learnt and how far it can be trusted.
type modelsPage struct {
	sh      *shared
	list    []session.ModelInfo
	tab     table
	fitting string // the model that is being fitted now; ""
	stopFit context.CancelFunc
	large   int // 1: the plot, 2: the description fills the page
	view    modelPlot
	fit     *fitDialog              // nil: closed
	marked  modelID                 // zero: none
	studies map[modelID]*study      // nil value: being worked out
	curves  map[modelID]*curveStudy // the same
	versus  *comparison
	listed  bool // the folder was looked at
}

// modelID is one state of one model's file: a list read anew holds other
// pointers to the same models.
type modelID struct {
	name     string
	modified time.Time
}

func idOf(info session.ModelInfo) modelID { return modelID{info.Name, info.Modified} }

// modelPlot is what the panel beside a model's description shows.
type modelPlot int

const (
	plotTime modelPlot = iota
	plotPower
	plotRegions
	plotCurve
	plotCompare
	numModelPlots
)

var plotTitles = [...]string{"Time, predicted against measured", "Power, predicted against measured", "Error by region, of modes left out", "Learning curve", "Compared"}

// modelsMsg brings the models of the data directory.
type modelsMsg struct {
	list []session.ModelInfo
	err  error
}

// modelLoadedMsg brings the predictions of a model.
type modelLoadedMsg struct {
	view *mapView
	name string
}

func listModels(h host) tea.Cmd {
	return func() tea.Msg {
		list, err := h.Models()
		return modelsMsg{list, err}
	}
}

func newModelsPage(sh *shared) *modelsPage {
	p := &modelsPage{sh: sh, studies: map[modelID]*study{}, curves: map[modelID]*curveStudy{}}
	p.tab = table{empty: "no model yet: " + keys.Tune.Help().Key + " tunes a workload and keeps what it learnt here", cols: []column{
		{title: "model", width: 17}, {title: "method", width: 10, drop: 3}, {title: "modes", width: 5, right: true},
		{title: "time", width: 7, right: true}, {title: "power", width: 7, right: true},
		{title: "age", width: 7, right: true, drop: 2}, {title: "device", width: 12, drop: 4}}}
	return p
}

func (p *modelsPage) title() string { return "Models" }

func (p *modelsPage) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case modelsMsg:
		p.sh.fail("models", msg.err)
		p.list, p.tab.rows, p.listed = msg.list, len(msg.list), true
		return p.look()
	case studyMsg:
		p.studies[msg.of] = &msg.study
	case curveMsg:
		p.curves[msg.of] = &msg.curve
	case comparisonMsg:
		p.versus = msg.c
	case refitMsg:
		p.fitting = ""
		p.stopFit()
		switch {
		case errors.Is(msg.err, context.Canceled):
			p.sh.say("fit stopped: %s is not kept", msg.name)
		case msg.err != nil:
			p.sh.fail("fit", msg.err)
		default:
			p.sh.say("fitted: %s", msg.name)
			return listModels(p.sh.host)
		}
	case modelLoadedMsg:
		p.sh.view = msg.view
		p.sh.say("loaded %s: Front and Modes show its predictions", msg.name)
	}
	return nil
}

func (p *modelsPage) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	if p.fit != nil {
		return p.dialogKey(k), true
	}
	switch {
	case p.tab.key(k):
	case key.Matches(k, keys.Enlarge):
		p.large = (p.large + 1) % 3
	case key.Matches(k, keys.Back) && p.large > 0:
		p.large = 0
	case key.Matches(k, keys.Load):
		return p.load(), true
	case key.Matches(k, keys.Refit):
		p.refit()
	case key.Matches(k, keys.NextPlot):
		p.view = (p.view + 1) % numModelPlots
	case key.Matches(k, keys.Mark):
		p.mark()
	default:
		return nil, false
	}
	return p.look(), true
}

// typing tells whether all keys go to the dialog.
func (p *modelsPage) typing() bool { return p.fit != nil }

func (p *modelsPage) dialogKey(k tea.KeyPressMsg) tea.Cmd {
	closed, fit := p.fit.key(k)
	d := p.fit
	if closed {
		p.fit = nil
	}
	if !fit {
		return nil
	}
	var ctx context.Context
	p.fitting = d.name()
	ctx, p.stopFit = context.WithCancel(p.sh.ctx)
	return p.sh.computed(d.fit(ctx, p.sh.host))
}

// refit asks how to fit the chosen model again, or stops the fit that goes on.
func (p *modelsPage) refit() {
	info, ok := p.chosen()
	switch {
	case p.fitting != "":
		p.sh.say("stopping the fit of %s …", p.fitting)
		p.stopFit()
	case !ok || info.Model == nil:
	default:
		p.fit = newFitDialog(info, p.list)
	}
}

// mark remembers the chosen model as the one to compare others with; once more
// forgets it.
func (p *modelsPage) mark() {
	info, ok := p.chosen()
	switch {
	case !ok || info.Model == nil:
	case p.marked == idOf(info):
		p.marked = modelID{}
	default:
		p.marked, p.view = idOf(info), plotCompare
		p.sh.say("marked %s: move to another model to compare", info.Name)
	}
}

// look begins to work out what the plot in view needs, once.
func (p *modelsPage) look() tea.Cmd {
	info, ok := p.chosen()
	if !ok || info.Model == nil {
		return nil
	}
	var cmds []tea.Cmd
	id := idOf(info)
	if _, known := p.studies[id]; !known {
		p.studies[id] = nil
		cmds = append(cmds, p.sh.computed(studyOf(p.sh.ctx, info)))
	}
	switch p.view {
	case plotCurve:
		if _, known := p.curves[id]; !known && slowToStudy(info.Model) == "" {
			p.curves[id] = nil
			cmds = append(cmds, p.sh.computed(curveOf(p.sh.ctx, info)))
		}
	case plotCompare:
		other, ok := p.markedInfo()
		if ok && p.marked != id && !p.versus.of(other, info) && p.foreign(info.Model)+p.foreign(other.Model) == "" {
			cmds = append(cmds, p.sh.computed(compareModels(other, info, p.sh.space, p.sh.limit)))
		}
	}
	return tea.Batch(cmds...)
}

func (p *modelsPage) markedInfo() (session.ModelInfo, bool) {
	for _, info := range p.list {
		if info.Model != nil && idOf(info) == p.marked {
			return info, true
		}
	}
	return session.ModelInfo{}, false
}

func (p *modelsPage) load() tea.Cmd {
	info, ok := p.chosen()
	if !ok {
		return nil
	}
	if info.Model == nil {
		p.sh.fail("model "+info.Name, info.Err)
		return nil
	}
	space, m := p.sh.space, info.Model
	if why := p.foreign(m); why != "" {
		p.sh.say("not loaded: %s", why)
		return nil
	}
	return p.sh.computed(func() tea.Msg { return modelLoadedMsg{newMapView(workloadOf(info), m, space), info.Name} })
}

// refitMsg says how fitting by another method went.
type refitMsg struct {
	name string
	err  error
}

// foreign says why a model cannot be laid over this board's modes, or "".
func (p *modelsPage) foreign(m *learn.Model) string {
	if m.Space != nil && m.Space.Max() != p.sh.space.Max() {
		return "the model is of another board (" + m.Provenance.Device + ")"
	}
	if !m.HasPower() {
		return "the model knows time alone; fronts and limits need power"
	}
	return ""
}

func workloadOf(info session.ModelInfo) string {
	if info.Model != nil && info.Model.Provenance.Workload != "" {
		return info.Model.Provenance.Workload
	}
	return info.Name
}

func (p *modelsPage) chosen() (session.ModelInfo, bool) {
	if p.tab.cursor >= len(p.list) {
		return session.ModelInfo{}, false
	}
	return p.list[p.tab.cursor], true
}

func (p *modelsPage) hints() []hint {
	if p.fit != nil {
		return p.fit.hints()
	}
	why := ""
	if len(p.list) == 0 {
		why = "no model"
	}
	fit := unless(keys.Refit, why)
	if p.fitting != "" {
		fit = hint{Binding: named(keys.Refit, "stop the fit")}
	}
	mark := why
	if len(p.list) == 1 {
		mark = "no other model"
	}
	return append(valid(both(keys.Up, keys.Down, "choose")), unless(keys.Load, why), unless(keys.NextPlot, why), fit, unless(keys.Mark, mark), hint{Binding: keys.Enlarge})
}

func (p *modelsPage) copied() string {
	info, _ := p.chosen()
	return info.Path
}
