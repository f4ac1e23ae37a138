package tui

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"jtune/optimize"
	"jtune/profiles"
	"jtune/tegra"
	"jtune/tui/export"
)

// frontPage shows all modes as far as they are known, the front, and the choice
// under the limit; from here a mode goes onto the board.
type frontPage struct {
	sh     *shared
	apply  *applyFlow
	plane  int           // of planes
	log    [numAxes]bool // by axis: drawn by its logarithm
	zoom   zoom
	cursor int  // index of the space
	asTab  bool // the plot's table twin
	large  bool
	group  int // 0: none; else knob group-1, the modes that share the cursor's setting
	tab    table
	base   cloudBase
	place  plotPlace
	// answered is the last answer that was worked out.
	answered struct {
		of answerKey
		at int
	}
}

// frontStrides is in how many long steps one walks the whole front.
const frontStrides = 20

func newFrontPage(sh *shared, apply *applyFlow) *frontPage {
	p := &frontPage{sh: sh, apply: apply, asTab: sh.glyphs == GlyphsASCII}
	p.log[optimize.Time], p.log[optimize.Energy] = true, true
	p.tab = table{cols: []column{
		{title: "front mode", width: 22}, {title: "ms/mb", width: 7, right: true}, {title: "95 %", width: 15, drop: 3},
		{title: "W", width: 5, right: true}, {title: "95 %", width: 13, drop: 4}, {title: "J/mb", width: 6, right: true, drop: 1},
		{title: "is", width: 10, drop: 2}}}
	return p
}

func (p *frontPage) title() string { return "Front" }

func (p *frontPage) update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case jobDoneMsg:
		if m.view != nil {
			p.goTo(p.answer())
		}
	case modelLoadedMsg:
		p.goTo(m.view.answer(p.sh.limit))
	case sizedMsg:
		if p.sh.view == nil {
			break
		}
		if answered := p.cursor == p.answer(); p.sh.show(m.view) && answered {
			p.goTo(p.answer())
		}
	}
	return nil
}

// goTo puts the cursor on a mode; the part that shows goes with it.
func (p *frontPage) goTo(i int) {
	p.cursor = i
	if p.zoom.steps > 0 {
		p.zoom = p.zoom.follow(p.share(i))
	}
}

// front lists the members of the front as drawn, left to right.
func (p *frontPage) front() []int { return p.sh.view.fronts[p.plane] }

func (p *frontPage) key(k tea.KeyPressMsg) (tea.Cmd, bool) {
	v := p.sh.view
	if v == nil {
		return nil, false
	}
	switch {
	case key.Matches(k, keys.Left):
		p.along(-1)
	case key.Matches(k, keys.Right):
		p.along(1)
	case key.Matches(k, keys.Up):
		p.off(-1)
	case key.Matches(k, keys.Down):
		p.off(1)
	case key.Matches(k, keys.PageUp):
		p.along(-max(1, len(p.front())/frontStrides))
	case key.Matches(k, keys.PageDown):
		p.along(max(1, len(p.front())/frontStrides))
	case key.Matches(k, keys.Home), key.Matches(k, keys.End):
		p.toEnd(key.Matches(k, keys.End))
	case key.Matches(k, keys.Lower):
		p.moveLimit(-1)
	case key.Matches(k, keys.Higher):
		p.moveLimit(1)
	case key.Matches(k, keys.Answer):
		p.goTo(p.answer())
	case key.Matches(k, keys.Verify):
		return p.verify(), true
	case key.Matches(k, keys.Size) && v.sizes() != nil:
		return p.sh.toSize(1), true
	case key.Matches(k, keys.SizeBefore) && v.sizes() != nil:
		return p.sh.toSize(-1), true
	case key.Matches(k, keys.Apply):
		p.apply.ask(v.points[p.cursor].Mode)
	default:
		return nil, p.viewKey(k)
	}
	return nil, true
}

// viewKey takes the keys that change what is drawn, not where one is.
func (p *frontPage) viewKey(k tea.KeyPressMsg) bool {
	switch {
	case key.Matches(k, keys.Axes):
		p.plane = (p.plane + 1) % len(planes)
		p.goTo(p.cursor)
	case key.Matches(k, keys.Log):
		p.nextLog()
		p.goTo(p.cursor)
	case key.Matches(k, keys.ZoomIn):
		p.zoomBy(1)
	case key.Matches(k, keys.ZoomOut):
		p.zoomBy(-1)
	case key.Matches(k, keys.Whole):
		p.zoom = zoom{}
	case key.Matches(k, keys.Group):
		p.group = (p.group + 1) % (int(tegra.NumKnobs) + 1)
	case key.Matches(k, keys.Table):
		p.asTab = !p.asTab
	case key.Matches(k, keys.Enlarge):
		p.large = !p.large
	case key.Matches(k, keys.Back) && p.large:
		p.large = false
	case key.Matches(k, keys.Back) && p.zoom.steps > 0:
		p.zoom = zoom{}
	default:
		return false
	}
	return true
}

// nextLog takes the next of the four ways to draw the two axes.
func (p *frontPage) nextLog() {
	pl := planes[p.plane]
	p.log[pl.across] = !p.log[pl.across]
	if p.log[pl.across] {
		p.log[pl.up] = !p.log[pl.up]
	}
	p.sh.say("across: %s; up: %s", p.axisText(pl.across), p.axisText(pl.up))
}

// axisText says what an axis shows and how.
func (p *frontPage) axisText(a optimize.Axis) string {
	if p.log[a] {
		return a.String() + ", logarithmic"
	}
	return a.String() + ", linear"
}

func (p *frontPage) zoomBy(steps int) {
	x, y := p.share(p.cursor)
	p.zoom = p.zoom.by(steps, x, y)
}

// listed is the front with the cursor's mode in its place, also where that is
// off the front, and that place.
func (p *frontPage) listed() (list []int, at int) {
	f := p.front()
	if at = slices.Index(f, p.cursor); at >= 0 {
		return f, at
	}
	xs := p.sh.view.values[planes[p.plane].across]
	if at = slices.IndexFunc(f, func(m int) bool { return xs[m] > xs[p.cursor] }); at < 0 {
		at = len(f)
	}
	return slices.Insert(slices.Clone(f), at, p.cursor), at
}

// along walks the front: to its neighbour, or from a mode off the front to
// the member nearest across. The table lists that mode too.
func (p *frontPage) along(by int) {
	f := p.front()
	if len(f) == 0 {
		return
	}
	if p.asTab {
		list, at := p.listed()
		p.goTo(list[min(max(0, at+by), len(list)-1)])
		return
	}
	if !slices.Contains(f, p.cursor) {
		by = 0
	}
	p.goTo(f[min(max(0, p.nearOnFront(f)+by), len(f)-1)])
}

// toEnd goes to the first member of the front, or to the last.
func (p *frontPage) toEnd(last bool) {
	switch f := p.front(); {
	case len(f) == 0:
	case last:
		p.goTo(f[len(f)-1])
	default:
		p.goTo(f[0])
	}
}

// nearOnFront gives the place in a front of the cursor's mode, or of the
// member nearest to it across.
func (p *frontPage) nearOnFront(f []int) int {
	if at := slices.Index(f, p.cursor); at >= 0 {
		return at
	}
	xs := p.sh.view.values[planes[p.plane].across]
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
func (p *frontPage) off(by int) {
	if p.asTab {
		p.along(by)
		return
	}
	xs, ys := p.columns()
	x0, y0 := math.Log(xs[p.cursor]), ys[p.cursor]
	best, least := -1, math.Inf(1)
	for i := range xs {
		dy := (ys[i] - y0) / y0
		if float64(by)*dy >= 0 {
			continue
		}
		dx := math.Log(xs[i]) - x0
		if d := math.Abs(dy) + 4*math.Abs(dx); d < least {
			best, least = i, d
		}
	}
	if best >= 0 {
		p.goTo(best)
	}
}

// moveLimit shifts the power limit by a watt (or the time limit by 5 %) and
// takes the cursor to the new answer.
func (p *frontPage) moveLimit(by float64) {
	l := &p.sh.limit
	switch {
	case l.TimeMS > 0:
		l.TimeMS = max(0.01, l.TimeMS*(1+0.05*by))
	case l.PowerW > 0:
		l.PowerW = max(1, math.Round(l.PowerW)+by)
	default:
		*l = optimize.Limit{PowerW: max(1, math.Round(p.sh.view.points[p.cursor].PowerW)+by)}
	}
	p.goTo(p.answer())
}

// mayVerify gives the reason why the cursor's mode cannot be measured, or "".
func (p *frontPage) mayVerify() string {
	switch {
	case p.sh.view == nil:
		return "no model"
	case p.apply.stage != applyIdle:
		return "answer keep first"
	}
	return p.sh.mayWrite()
}

// verify measures the mode under the cursor and puts the board back.
func (p *frontPage) verify() tea.Cmd {
	sh, v := p.sh, p.sh.view
	if why := p.mayVerify(); why != "" {
		sh.say("verify: not now, %s", why)
		return nil
	}
	w, ok := workloadNamed(sh.workloads, v.workload)
	if !ok {
		sh.say("verify: workload %s is not known here", v.workload)
		return nil
	}
	if v.size() > 0 {
		w.Batch = v.size()
	}
	h, mode, size := sh.host, v.points[p.cursor].Mode, v.size()
	return sh.withGuard(func() tea.Cmd {
		return sh.launch(&job{kind: jobVerify, workload: w, planned: 1}, true, func(ctx context.Context, j *job) jobDoneMsg {
			row, err := h.Verify(ctx, w, mode, j.observe)
			if err == nil && !row.Status.Usable() {
				err = errors.New(string(row.Status) + ": " + row.Why)
			}
			row.Batch = size
			return jobDoneMsg{err: err, row: &row}
		})
	})
}

func workloadNamed(list []profiles.Workload, name string) (profiles.Workload, bool) {
	for _, w := range list {
		if w.Name == name || slices.Contains(w.Aliases, name) {
			return w, true
		}
	}
	return profiles.Workload{Name: name}, false
}

func (p *frontPage) hints() []hint {
	why := ""
	if p.sh.view == nil {
		why = "no model"
	} else if r := p.sh.mayWrite(); r != "" {
		why = r
	}
	apply := unless(keys.Apply, why)
	if p.sh.view == nil {
		return []hint{apply}
	}
	other := named(keys.Table, "table")
	if p.asTab {
		other = named(keys.Table, "plot")
	}
	out := []hint{apply, {Binding: both(keys.Left, keys.Right, "along")}, {Binding: both(keys.Lower, keys.Higher, "limit")}, unless(keys.Verify, p.mayVerify())}
	if p.sh.view.sizes() != nil {
		out = append(out, hint{Binding: both(keys.SizeBefore, keys.Size, "size")})
	}
	return append(out, []hint{{Binding: other},
		{Binding: keys.Axes}, {Binding: keys.Log}, {Binding: keys.ZoomIn}, {Binding: keys.ZoomOut}, {Binding: keys.Whole},
		{Binding: both(keys.Up, keys.Down, "off it")}, {Binding: named(keys.PageUp, "far left")}, {Binding: named(keys.PageDown, "far right")}, {Binding: keys.Home}, {Binding: keys.End}, {Binding: keys.Answer}, {Binding: keys.Group}}...)
}

func (p *frontPage) copied() string {
	if v := p.sh.view; v != nil {
		return p.sh.mode(v.points[p.cursor].Mode)
	}
	return ""
}

// files are the front as it is drawn, and its members.
func (p *frontPage) files() ([]exportFile, error) {
	v := p.sh.view
	if v == nil {
		return nil, nil
	}
	title := "predicted: " + v.workload + batchText(v.size()) + " on " + p.sh.board.Name
	if o := p.sh.board.Origin(); o != "" {
		title += "  (VIRTUAL: " + o + ")"
	}
	c := v.cloud(planes[p.plane], title)
	x, y := p.scales()
	c.Across, c.Up, c.Limit = &x, &y, p.sh.limit
	for _, m := range p.marks() {
		c.Marks = append(c.Marks, export.Mark{At: m.at, Name: m.name})
	}
	c.Marks = append(c.Marks, export.Mark{At: p.cursor, Name: p.sh.mode(v.points[p.cursor].Mode)})
	var list, doc strings.Builder
	err := errors.Join(c.WriteCSV(&list), export.WriteJSON(&doc, c.FrontPoints()))
	return []exportFile{{"svg", c.SVG()}, {"csv", list.String()}, {"json", doc.String()}}, err
}
