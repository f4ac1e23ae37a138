package tui

import (
	"context"
	"errors"
	"math"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"jtune/optimize"
	"jtune/profiles"
	"jtune/tegra"
)

// frontPage shows all predicted modes, the front, and the choice under the
// limit; from here a mode goes onto the board.
type frontPage struct {
	sh     *shared
	apply  *applyFlow
	axis   optimize.Axis
	cursor int  // index of the space
	asTab  bool // the plot's table twin
	large  bool
	group  int // 0: none; else knob group-1, the modes that share the cursor's setting
	tab    table
}

func newFrontPage(sh *shared, apply *applyFlow) *frontPage {
	p := &frontPage{sh: sh, apply: apply, asTab: sh.glyphs == GlyphsASCII}
	p.tab = table{cols: []column{
		{title: "front mode", width: 24}, {title: "ms/mb", width: 7, right: true}, {title: "95 %", width: 15, drop: 3},
		{title: "W", width: 5, right: true}, {title: "95 %", width: 13, drop: 4}, {title: "J/mb", width: 6, right: true, drop: 1},
		{title: "is", width: 10, drop: 2}}}
	return p
}

func (p *frontPage) title() string { return "Front" }

func (p *frontPage) update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case jobDoneMsg:
		if m.view != nil {
			p.cursor = p.sh.view.answer(p.sh.limit)
			if m.tuned != nil {
				if i, ok := p.sh.view.at(m.tuned.Mode); ok {
					p.cursor = i
				}
			}
		}
	case modelLoadedMsg:
		p.cursor = m.view.answer(p.sh.limit)
	}
	return nil
}

// front lists the members of the front as drawn, fastest first.
func (p *frontPage) front() []int {
	f := slices.Clone(p.sh.view.fronts[p.axis])
	slices.Reverse(f)
	return f
}

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
	case key.Matches(k, keys.Home):
		p.cursor = p.front()[0]
	case key.Matches(k, keys.End):
		p.cursor = v.fronts[p.axis][0]
	case key.Matches(k, keys.Lower):
		p.moveLimit(-1)
	case key.Matches(k, keys.Higher):
		p.moveLimit(1)
	case key.Matches(k, keys.Answer):
		p.cursor = v.answer(p.sh.limit)
	case key.Matches(k, keys.Axes):
		p.axis = 1 - p.axis
	case key.Matches(k, keys.Group):
		p.group = (p.group + 1) % (int(tegra.NumKnobs) + 1)
	case key.Matches(k, keys.Table):
		p.asTab = !p.asTab
	case key.Matches(k, keys.Enlarge):
		p.large = !p.large
	case key.Matches(k, keys.Back) && p.large:
		p.large = false
	case key.Matches(k, keys.Verify):
		return p.verify(), true
	case key.Matches(k, keys.Apply):
		p.apply.ask(v.points[p.cursor].Mode)
	default:
		return nil, false
	}
	return nil, true
}

// along walks the front: to its neighbour, or from a mode off the front to
// the member nearest in time.
func (p *frontPage) along(by int) {
	f := p.front()
	if len(f) == 0 {
		return
	}
	if !slices.Contains(f, p.cursor) {
		by = 0
	}
	p.cursor = f[min(max(0, p.nearOnFront(f)+by), len(f)-1)]
}

// nearOnFront gives the place in a front of the cursor's mode, or of the
// member nearest to it in time.
func (p *frontPage) nearOnFront(f []int) int {
	if at := slices.Index(f, p.cursor); at >= 0 {
		return at
	}
	t := math.Log(p.sh.view.points[p.cursor].TimeMS)
	at, least := 0, math.Inf(1)
	for i, m := range f {
		if d := math.Abs(math.Log(p.sh.view.points[m].TimeMS) - t); d < least {
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
	v := p.sh.view
	here := v.points[p.cursor]
	x0, y0 := math.Log(here.TimeMS), v.y(p.cursor, p.axis)
	best, least := -1, math.Inf(1)
	for i := range v.points {
		dy := (v.y(i, p.axis) - y0) / y0
		if float64(by)*dy >= 0 {
			continue
		}
		dx := math.Log(v.points[i].TimeMS) - x0
		if d := math.Abs(dy) + 4*math.Abs(dx); d < least {
			best, least = i, d
		}
	}
	if best >= 0 {
		p.cursor = best
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
	p.cursor = p.sh.view.answer(*l)
}

// verify measures the mode under the cursor and puts the board back.
func (p *frontPage) verify() tea.Cmd {
	sh, v := p.sh, p.sh.view
	if why := sh.mayWrite(); why != "" {
		sh.say("verify: not now, %s", why)
		return nil
	}
	if p.apply.stage != applyIdle {
		return nil
	}
	w, ok := workloadNamed(sh.workloads, v.workload)
	if !ok {
		sh.say("verify: workload %s is not known here", v.workload)
		return nil
	}
	h, mode := sh.host, v.points[p.cursor].Mode
	return sh.withGuard(func() tea.Cmd {
		return sh.launch(&job{kind: jobVerify, workload: w, planned: 1}, true, func(ctx context.Context, j *job) jobDoneMsg {
			row, err := h.Verify(ctx, w, mode, j.observe)
			if err == nil && !row.Status.Usable() {
				err = errors.New(string(row.Status) + ": " + row.Why)
			}
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
	return []hint{{Binding: both(keys.Left, keys.Right, "along")}, apply, {Binding: both(keys.Lower, keys.Higher, "limit")}, unless(keys.Verify, p.sh.mayWrite()), {Binding: other},
		{Binding: keys.Axes}, {Binding: both(keys.Up, keys.Down, "off it")}, {Binding: keys.Answer}, {Binding: keys.Group}}
}

func (p *frontPage) copied() string {
	if v := p.sh.view; v != nil {
		return p.sh.mode(v.points[p.cursor].Mode)
	}
	return ""
}
