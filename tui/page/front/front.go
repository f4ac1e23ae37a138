// Package front is the page of all modes as far as they are known, their Pareto
// front, and the choice under the limit.
package front

import (
	"math"
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/axis"
	"jtune/internal/figure"
	"jtune/tegra"
	"jtune/tui/export"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/widget"
)

// Page shows all modes as far as they are known, the front, and the choice
// under the limit; from here a mode goes onto the board.
type Page struct {
	read   page.Reader
	plane  int             // of trades
	linear map[string]bool // by the key of a quantity: drawn linearly or not, against its custom
	load   load
	study  study
	cloud  widget.Cloud
	top    int  // first row of the cloud on the page
	cursor int  // index of the space
	asTab  bool // the plot's table twin
	drawn  drawing
	of     int // of a map: of quantities
	pair   int // of pairs
	over   int // of curves: of over
	large  bool
	group  int // 0: none; else knob group-1, the modes that share the cursor's setting
	kept   int // models in the data directory
	tab    widget.Table
	filter filter
	rivals rivals
	mixes  mixes
	// answered is the last answer that was worked out.
	answered struct {
		of answerKey
		at int
	}
}

// columnIs is the last column of the table.
const columnIs = 8

// frontStrides is in how many long steps one walks the whole front.
const frontStrides = 20

var _ page.Page = (*Page)(nil)

// New draws the outlook that is read.
func New(read page.Reader) *Page {
	p := &Page{read: read, linear: map[string]bool{}, asTab: read.Look().Glyphs == widget.GlyphsASCII}
	p.tab = widget.Table{Keys: read.Keys().ListKeys(), Cols: []widget.Column{
		{Title: "front mode", Width: 20, Whole: true},
		{Title: "", Width: 1}, // where it stands
		{Title: "ms/mb", Width: 7, Right: true},
		{Title: "95 %", Width: 15, Drop: 4},
		{Title: "W", Width: 5, Right: true},
		{Title: "95 %", Width: 13, Drop: 5},
		{Title: "J/mb", Width: 6, Right: true, Drop: 1},
		{Title: "state", Width: 13, Drop: 2},
		{Title: "is", Width: 10, Drop: 3},
	}}
	return p
}

// Name is page.Page's.
func (p *Page) Name() page.Name { return page.Front }

// Update is page.Page's.
func (p *Page) Update(msg tea.Msg) page.Intent {
	switch m := msg.(type) {
	case tea.PasteMsg:
		switch {
		case p.load.line.Typing():
			p.load.line.Update(m)
		case p.Typing():
			p.filter.input.Update(m)
		}
	case page.ModelsListed:
		p.kept, p.rivals.models = len(m.List), m.List
		if p.rivals.on && p.read.Outlook() != nil {
			return p.findRivals()
		}
	case studyMsg:
		p.takeStudy(m)
	case rivalsMsg:
		return p.take(m)
	case page.LimitSet:
		if p.read.Outlook() != nil {
			p.load.seek = true
			p.goTo(p.answer())
		}
	case page.ServedShown:
		return p.served()
	case page.OutlookShown:
		p.load.seek = p.load.seek || !m.Same
		if !m.Same && p.onStudy() { // of another workload
			p.drawn = drawCloud
		}
		if !m.Same || p.cursor == m.Before.Answer(p.read.Limit()) { // a mode off the answer stays under the cursor
			p.goTo(p.answer())
		}
		if p.rivals.on && p.read.Outlook() != nil {
			return p.findRivals()
		}
	}
	return nil
}

// goTo puts the cursor on a mode; the part that shows goes with it.
func (p *Page) goTo(i int) {
	p.cursor = i
	if p.cloud.Zoom.Steps > 0 {
		p.cloud.Zoom = p.cloud.Zoom.Follow(p.points().Share(i))
	}
}

// front lists the members of the front as drawn, left to right.
func (p *Page) front() []int {
	if p.filtered() != nil {
		return p.filter.front
	}
	return p.trade().Front(nil)
}

// Key is page.Page's.
func (p *Page) Key(k tea.KeyPressMsg) (page.Intent, bool) {
	if m := p.mixed(); m != nil {
		p.filter.input = nil
		return p.mixKey(k, m)
	}
	keys := p.read.Keys()
	v := p.read.Outlook()
	if v == nil {
		p.filter.input = nil
		p.load.line.Close()
		return p.studyKey(k)
	}
	if p.load.line.Typing() {
		return p.load.line.Key(k, p.read), true
	}
	if p.Typing() {
		p.typeFilter(k)
		return nil, true
	}
	if p.onStudy() {
		return p.studyKey(k)
	}
	for _, pair := range []struct {
		less, more widget.Action
		do         func(by int) page.Intent
	}{
		{keys.Left, keys.Right, p.along},
		{keys.Up, keys.Down, p.off},
		{keys.PageUp, keys.PageDown, p.stride},
		{keys.HalfUp, keys.HalfDown, p.halfStride},
		{keys.Home, keys.End, p.toEnd},
		{keys.Lower, keys.Higher, p.moveLimit},
		{keys.SizeBefore, keys.Size, p.toSize},
		{keys.ZoomOut, keys.ZoomIn, p.zoomBy},
	} {
		switch {
		case pair.less.Matches(k):
			return pair.do(-1), true
		case pair.more.Matches(k):
			return pair.do(1), true
		}
	}
	switch {
	case keys.Answer.Matches(k):
		return p.toAnswer(), true
	case keys.Limits.Matches(k):
		p.load.line.Open(p.read)
	case keys.Rivals.Matches(k):
		return p.turnRivals(), true
	case keys.Filter.Matches(k):
		p.filter.input = widget.NewInput(p.filter.text, "", widget.MostFilter)
	case keys.Verify.Matches(k):
		return p.verify(), true
	default:
		if does, yes := keys.Applies(k); yes {
			does.Mode = v.Known[p.cursor].Mode
			return does, true
		}
		return p.viewKey(k)
	}
	return nil, true
}

// viewKey takes the keys that change what is drawn, not where one is.
func (p *Page) viewKey(k tea.KeyPressMsg) (page.Intent, bool) {
	keys := p.read.Keys()
	switch {
	case keys.Picture.Matches(k):
		return p.nextPicture(), true
	case keys.Axes.Matches(k) && p.drawn == drawMap:
		p.of = (p.of + 1) % len(quantities)
	case keys.Axes.Matches(k) && p.drawn == drawCurves:
		return page.Say("axes: curves show time, power and energy; " + keys.Group.Label() + " takes another knob"), true
	case keys.Group.Matches(k) && p.drawn != drawCloud:
		p.turn()
	case keys.Table.Matches(k) && p.drawn != drawCloud:
		p.drawn, p.asTab = drawCloud, true
	case keys.Back.Matches(k) && p.drawn != drawCloud && !p.large:
		p.drawn = drawCloud
	case keys.Axes.Matches(k):
		p.plane = (p.plane + 1) % len(p.trades())
		p.goTo(p.cursor)
	case keys.Log.Matches(k):
		says := p.nextLog()
		p.goTo(p.cursor)
		return says, true
	case keys.Whole.Matches(k):
		p.cloud.Zoom = widget.Zoom{}
	case keys.Group.Matches(k):
		p.group = (p.group + 1) % (int(tegra.NumKnobs) + 1)
	case keys.Table.Matches(k):
		p.asTab = !p.asTab
	case keys.Enlarge.Matches(k):
		p.large = !p.large
	case keys.Back.Matches(k) && p.large:
		p.large = false
	case keys.Back.Matches(k) && p.cloud.Zoom.Steps > 0:
		p.cloud.Zoom = widget.Zoom{}
	case keys.Back.Matches(k) && p.rivals.on:
		p.rivals.on = false
	case keys.Back.Matches(k) && p.filter.text != "":
		p.filter.text = ""
		p.goTo(p.answer())
	default:
		return nil, false
	}
	return nil, true
}

func (p *Page) zoomBy(steps int) page.Intent {
	x, y := p.points().Share(p.cursor)
	p.cloud.Zoom = p.cloud.Zoom.By(steps, x, y)
	return nil
}

// toSize shows the next batch size, or the one before, where there are several.
func (p *Page) toSize(by int) page.Intent {
	if p.read.Outlook().Batches() == nil {
		return nil
	}
	p.load.atBest = p.cursor == p.answer()
	return page.Size(by)
}

// listed is the front with the cursor's mode in its place, also where that is
// off the front, and that place.
func (p *Page) listed() (list []int, at int) {
	f := p.front()
	if at = slices.Index(f, p.cursor); at >= 0 {
		return f, at
	}
	xs, _ := p.columns()
	if at = slices.IndexFunc(f, func(m int) bool { return xs[m] > xs[p.cursor] }); at < 0 {
		at = len(f)
	}
	return slices.Insert(slices.Clone(f), at, p.cursor), at
}

// along walks the front: to its neighbour, or from a mode off the front to
// the member nearest across. The table lists that mode too.
func (p *Page) along(by int) page.Intent {
	if p.drawn != drawCloud {
		return p.step(false, by)
	}
	list, at := p.front(), 0
	switch {
	case len(list) == 0:
		return nil
	case p.asTab:
		list, at = p.listed()
	case slices.Contains(list, p.cursor):
		at = slices.Index(list, p.cursor)
	default:
		by, at = 0, p.nearOnFront(list)
	}
	p.goTo(list[min(max(0, at+by), len(list)-1)])
	return nil
}

// stride walks a twentieth of the front.
func (p *Page) stride(by int) page.Intent { return p.along(by * max(1, len(p.front())/frontStrides)) }

// halfStride walks half as far.
func (p *Page) halfStride(by int) page.Intent {
	return p.along(by * max(1, len(p.front())/frontStrides/2))
}

// toEnd goes to the first member of the front, or to the last.
func (p *Page) toEnd(by int) page.Intent {
	switch f := p.front(); {
	case len(f) == 0:
	case by > 0:
		p.goTo(f[len(f)-1])
	default:
		p.goTo(f[0])
	}
	return nil
}

// nearOnFront returns the place in a front of the member nearest across to the
// cursor's mode.
func (p *Page) nearOnFront(f []int) int {
	xs, _ := p.columns()
	x := math.Log(xs[p.cursor])
	at, least := 0, math.Inf(1)
	for i, m := range f {
		if d := math.Abs(math.Log(xs[m]) - x); d < least {
			at, least = i, d
		}
	}
	return at
}

// off walks to the nearest mode above (by < 0) or below in the plot.
func (p *Page) off(by int) page.Intent {
	if p.drawn != drawCloud {
		return p.step(true, -by)
	}
	if p.asTab {
		return p.along(by)
	}
	xs, ys := p.columns()
	x0, y0 := math.Log(xs[p.cursor]), ys[p.cursor]
	drawn := axis.Finite(x0)
	best, least := -1, math.Inf(1)
	for _, i := range p.shown() {
		dy := (ys[i] - y0) / y0
		if float64(by)*dy >= 0 {
			continue
		}
		dx := math.Log(xs[i]) - x0
		if !drawn { // from a mode whose queue only grows
			dx = 0
		}
		if d := math.Abs(dy) + 4*math.Abs(dx); d < least {
			best, least = i, d
		}
	}
	if best >= 0 {
		p.goTo(best)
	}
	return nil
}

// shown lists the modes that pass the filter.
func (p *Page) shown() []int {
	if pass := p.filtered(); pass != nil {
		return pass
	}
	out := make([]int, len(p.read.Outlook().Known))
	for i := range out {
		out[i] = i
	}
	return out
}

// mayVerify returns the reason why the cursor's mode cannot be measured, or "".
func (p *Page) mayVerify() string {
	if p.read.Outlook() == nil {
		return "no model"
	}
	return p.read.MayMeasure()
}

// verify measures the mode under the cursor and restores the board.
func (p *Page) verify() page.Intent {
	if why := p.mayVerify(); why != "" {
		return page.Say("verify: not now, " + why)
	}
	v := p.read.Outlook()
	w, known := p.read.Work().Find(v.Workload)
	if !known {
		return page.Sayf("verify: workload %s is not known here", v.Workload)
	}
	return page.Start{Task: session.VerifyTask(w, v.Known[p.cursor].Mode, v.Batch), Fast: true}
}

// Hints is page.Page's.
func (p *Page) Hints() []widget.Action {
	if p.mixed() != nil {
		return p.mixHints()
	} else if p.Typing() {
		return p.typingHints()
	}
	keys := p.read.Keys()
	why := ""
	if p.read.Outlook() == nil {
		why = "no model"
	} else if r := p.read.MayWrite(); r != "" {
		why = r
	}
	apply := keys.Apply.Unless(why)
	if p.onStudy() {
		return p.studyHints(keys.Apply.Unless(p.read.MayWrite()))
	}
	if p.read.Outlook() == nil {
		if _, any := p.studied(); any {
			return []widget.Action{apply, keys.Picture.As("energy study")}
		}
		return []widget.Action{apply}
	}
	other := keys.Table.As("table").Doing("the front as a table")
	if p.asTab && p.drawn == drawCloud {
		other = keys.Table.As("plot").Doing("the table as a plot")
	}
	out := []widget.Action{
		apply,
		keys.Left.With(keys.Right, "along").Doing("walk along the front"),
		keys.Lower.With(keys.Higher, "limit").Doing("move the limit and go to its answer"),
		keys.Verify.Unless(p.mayVerify()),
	}
	if p.drawn != drawCloud {
		out[1] = keys.Left.With(keys.Right, "knob").Doing("the next value of the knob across")
	}
	if p.read.Outlook().Batches() != nil {
		size := keys.SizeBefore.With(keys.Size, "size")
		out = append(out, size.Doing("the model's batch size before, the next one"))
	}
	return append(out, other, keys.Picture,
		keys.Axes, keys.Log, keys.ZoomIn, keys.ZoomOut, keys.Whole,
		keys.Up.With(keys.Down, "off it").Doing("to the next mode above or below"),
		keys.PageUp.As("far left").Doing("along the front by a twentieth of it"),
		keys.PageDown.As("far right").Doing("the other way"),
		keys.Limits, keys.Rivals, keys.Filter.Doing("keep modes such as cores<=8: their front, their answer"),
		keys.HalfUp, keys.HalfDown, keys.Home, keys.End, keys.Answer, keys.Group, keys.AtOnce.Unless(why))
}

// Copied is the mode under the cursor.
func (p *Page) Copied() string {
	if m := p.mixed(); m != nil {
		return m.Setting(p.mixes.walk[p.mixes.at], p.read.Space())
	}
	if p.onStudy() {
		if r := p.study.report; r != nil && r.Least.OK {
			return p.read.ModeText(r.Least.V.Mode)
		}
		return ""
	}
	if v := p.read.Outlook(); v != nil {
		return p.read.ModeText(v.Known[p.cursor].Mode)
	}
	return ""
}

// Files are the front as it is drawn, and its members.
func (p *Page) Files() ([]page.File, error) {
	if m := p.mixed(); m != nil {
		return p.mixFiles(m)
	}
	v := p.read.Outlook()
	if p.onStudy() {
		return p.studyFiles()
	}
	if v == nil {
		return nil, nil
	}
	if p.drawn != drawCloud {
		svg, list, doc, err := export.FigureFiles(p.figure())
		return []page.File{{Ending: "svg", Text: svg}, {Ending: "csv", Text: list}, {Ending: "json", Text: doc}}, err
	}
	if s := p.read.Served(); s != nil {
		return p.servedFiles(s)
	}
	points := export.Points{Known: v.Known, Standings: v.Standings(p.read.Limit()), Virtual: v.Model.Provenance.Virtual}
	c := export.NewCloud(points, p.front())
	f := v.CloudOf(p.trade())
	x, y := p.scales()
	f.X.Part, f.Panels[0].Axis.Part = &x, &y
	xs, ys := p.columns()
	mark := func(at int, name string) {
		f.Panels[0].Marks = append(f.Panels[0].Marks, figure.Mark{Point: figure.At(xs[at], ys[at]), Name: name})
	}
	for _, m := range p.marks() {
		mark(m.At, m.Name)
	}
	mark(p.cursor, p.read.ModeText(v.Known[p.cursor].Mode))
	list, doc, err := c.Tables()
	return []page.File{
		{Ending: "svg", Text: export.FigureSVG(f)},
		{Ending: "csv", Text: list},
		{Ending: "json", Text: doc},
	}, err
}
