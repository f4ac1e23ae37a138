package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"jtune/learn"
	"jtune/tui/chart"
	"jtune/tui/session"
)

// modelsPage lists what has been learnt and how far it can be trusted.
type modelsPage struct {
	sh      *shared
	list    []session.ModelInfo
	tab     table
	fitting bool // by another method, right now
	wide    bool // the predicted-against-measured plot fills the page
}

// modelsMsg brings the models of the data directory.
type modelsMsg struct {
	list []session.ModelInfo
	err  error
}

// modelLoadedMsg brings the predictions of a model.
type modelLoadedMsg struct{ view *mapView }

func listModels(h host) tea.Cmd {
	return func() tea.Msg {
		list, err := h.Models()
		return modelsMsg{list, err}
	}
}

func newModelsPage(sh *shared) *modelsPage {
	p := &modelsPage{sh: sh}
	p.tab = table{empty: "no model yet: t tunes a workload and keeps what it learnt here", cols: []column{
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
		p.list = msg.list
	case refitMsg:
		p.fitting = false
		if msg.err != nil {
			p.sh.fail("fit", msg.err)
			return nil
		}
		p.sh.say("fitted: %s", msg.name)
		return listModels(p.sh.host)
	case modelLoadedMsg:
		p.sh.view = msg.view
		p.sh.say("loaded %s: Front and Modes show its predictions", msg.view.workload)
	}
	return nil
}

func (p *modelsPage) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	switch {
	case key.Matches(k, keys.Up):
		p.tab.move(-1)
	case key.Matches(k, keys.Down):
		p.tab.move(1)
	case key.Matches(k, keys.Enlarge):
		p.wide = !p.wide
	case key.Matches(k, keys.Back) && p.wide:
		p.wide = false
	case key.Matches(k, keys.Load):
		return p.load(), true
	case key.Matches(k, keys.Refit):
		return p.refit(), true
	default:
		return nil, false
	}
	return nil, true
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
	return func() tea.Msg { return modelLoadedMsg{newMapView(workloadOf(info), m, space)} }
}

// refitMethods are the methods that need nothing but the samples, in the order
// in which they are tried: the network takes longest.
var refitMethods = []learn.Method{learn.GP, learn.Linear, learn.NN}

// refit fits the chosen model's own modes by the next method and keeps the
// result beside it.
func (p *modelsPage) refit() tea.Cmd {
	info, ok := p.chosen()
	if !ok || info.Model == nil || p.fitting {
		return nil
	}
	at := slices.Index(refitMethods, info.Model.Method)
	method := refitMethods[(at+1)%len(refitMethods)]
	base, _, _ := strings.Cut(info.Name, "-by-")
	p.fitting = true
	p.sh.say("fitting %s by %s …", base, method)
	h, old, name := p.sh.host, info.Model, base+"-by-"+string(method)
	return func() tea.Msg {
		m, err := learn.Fit(old.Samples, learn.Options{Method: method, Space: old.Space, Seed: old.Seed, Provenance: old.Provenance})
		if err == nil {
			_, err = h.SaveModel(name, m)
		}
		return refitMsg{name, err}
	}
}

// refitMsg says how fitting by another method went.
type refitMsg struct {
	name string
	err  error
}

// foreign says why a model does not speak of this board, or "".
func (p *modelsPage) foreign(m *learn.Model) string {
	if m.Space != nil && m.Space.Max() != p.sh.space.Max() {
		return "the model is of another board (" + m.Provenance.Device + ")"
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
	why := ""
	if len(p.list) == 0 {
		why = "no model"
	}
	return append(valid(named(keys.Down, "choose")), unless(keys.Load, why), unless(keys.Refit, why), hint{Binding: keys.Enlarge})
}

func (p *modelsPage) copied() string {
	info, _ := p.chosen()
	return info.Path
}

// Render draws the page.
func (p *modelsPage) Render(w, h int) string {
	p.tab.rows, p.tab.cell = len(p.list), p.cell
	list := panel{"Models", "cross-validated errors", p.tab.Render, p.sh.narrow}
	about := panel{"About", "", p.about, p.sh.narrow}
	plot := panel{"Predicted against measured", "", p.plot, p.sh.narrow}
	top := min(max(4, len(p.list)+3), h/2)
	rest := h - top
	switch {
	case p.wide:
		return plot.Render(w, h)
	case rest < 3:
		return list.Render(w, h)
	case w < 70 || rest < 8:
		return under(list.Render(w, top), about.Render(w, rest))
	}
	left := w / 2
	return under(list.Render(w, top), beside(about.Render(left, rest), plot.Render(w-left, rest)))
}

func (p *modelsPage) cell(row, col int) string {
	info := p.list[row]
	m := info.Model
	if m == nil {
		return [...]string{info.Name, "unreadable", dash, dash, dash, age(p.sh.now().Sub(info.Modified)), dash}[col]
	}
	switch col {
	case 0:
		return info.Name
	case 1:
		return string(m.Method)
	case 2:
		return fmt.Sprint(len(m.Samples))
	case 3:
		return errorText(m.CV.TimeMAPEPct)
	case 4:
		return errorText(m.CV.PowerMAPEPct)
	case 5:
		return age(p.sh.now().Sub(info.Modified))
	}
	return m.Provenance.Device
}

func errorText(pct float64) string {
	if math.IsNaN(pct) || pct <= 0 {
		return dash
	}
	return fmt.Sprintf("±%.1f %%", pct)
}

// about tells where the chosen model comes from, what to be wary of, and what
// each knob does to this workload.
func (p *modelsPage) about(w, h int) string {
	info, ok := p.chosen()
	if !ok {
		return "a model predicts time and power of every mode from a few measured ones"
	}
	if info.Model == nil {
		return styleWarn.Render(wrap(fmt.Sprint(info.Err), w))
	}
	m := info.Model
	lines := []string{fmt.Sprintf("%s, from %d modes on %s", workloadOf(info), len(m.Samples), m.Provenance.Device)}
	if from := m.Provenance; from.Virtual && !strings.Contains(strings.Join(m.Warnings, " "), "virtual") {
		text := styleBadge.Render("VIRTUAL") + ": learnt from a simulation, not from measurements"
		if from.Replay != "" {
			text = styleBadge.Render("REPLAY") + ": learnt from modes " + from.Origin()
		}
		lines = append(lines, wrap(text, w))
	}
	if m.CV.How != "" {
		lines = append(lines, styleDim.Render("errors: "+m.CV.How))
	}
	for _, text := range m.Warnings {
		lines = append(lines, styleWarn.Render(wrap("! "+text, w)))
	}
	if len(m.Samples) < 8 {
		lines = append(lines, styleWarn.Render("! too few modes to say how large the error is"))
	}
	for _, mode := range m.Suspicious {
		lines = append(lines, styleWarn.Render("! measure again: "+p.sh.mode(mode)))
	}
	if v := p.sh.view; v != nil && v.model == m || v != nil && v.workload == workloadOf(info) {
		lines = append(lines, "", knobBars(v, w))
	} else {
		lines = append(lines, "", styleKey.Render("enter")+" loads it: knob bars, Front, Modes")
	}
	return fit(strings.Join(lines, "\n"), w, h)
}

// knobBars draws how much each knob alone changes time and power, the others
// at their largest, and what the workload waits for there.
func knobBars(v *mapView, w int) string {
	most := 1.01
	for _, e := range v.effects {
		most = max(most, e.TimeX, e.PowerX)
	}
	room := min(max(4, (w-24)/2), 20)
	lines := []string{styleDim.Render(cut("knob", 7) + cut("time ×", room+8) + "power ×")}
	for _, e := range v.effects {
		part := func(x float64) string {
			return cut(fmt.Sprintf("%5.1f ", x)+chart.Bar(math.Log(max(x, 1))/math.Log(most), room), room+8)
		}
		lines = append(lines, cut(e.Knob.String(), 7)+part(e.TimeX)+part(e.PowerX))
	}
	if v.bound != "" {
		lines = append(lines, wrap("at their largest: "+v.bound, w))
	}
	return strings.Join(lines, "\n")
}

// plot draws predicted over measured time of the model's own samples.
func (p *modelsPage) plot(w, h int) string {
	info, ok := p.chosen()
	if !ok || info.Model == nil || len(info.Model.Samples) == 0 {
		return ""
	}
	v := p.sh.view
	if v == nil || v.workload != workloadOf(info) {
		return wrap("enter loads the model and draws its predictions here", w)
	}
	var xs, ys []float64
	for _, s := range info.Model.Samples {
		if i, ok := v.at(s.Mode); ok {
			xs, ys = append(xs, s.TimeMS), append(ys, v.preds[i].TimeMS)
		}
	}
	scale := chart.NewScale(append(append([]float64{}, xs...), ys...), true)
	plot := chart.Plot{X: scale, Y: scale, XName: "measured ms", YName: "ms"}
	plot.Line([]float64{scale.Lo, scale.Hi}, []float64{scale.Lo, scale.Hi}, chart.InkAxis)
	for i := range xs {
		plot.Mark(xs[i], ys[i], '●', chart.InkMeasured)
	}
	return plot.Render(w, h, paint)
}
