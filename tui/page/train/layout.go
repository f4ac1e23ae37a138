package train

import (
	"strings"

	"jtune/profiles/workload"
	"jtune/tui/page"
	"jtune/tui/session/workloads"
	"jtune/tui/widget"
)

// Render draws the page.
func (p *Page) Render(w, h int) string {
	if p.job != nil {
		return p.job.view(w, h)
	}
	if j := p.pair(); j != nil {
		return p.pairPage(j, w, h)
	}
	p.arrange()
	j := p.shown()
	list := p.read.Panel("Workloads", p.tab.Search.Note(), p.tab.Render)
	switch {
	case j == nil && h >= 14:
		return widget.Under(list.Render(w, h-4), widget.Fit(p.advice(w), w, 4))
	case j == nil:
		return list.Render(w, h)
	case p.large == trainTimes:
		return p.times(j).Render(w, h)
	case p.large == trainLog:
		return p.read.Panel("Log of "+j.Workload.Name, p.log.Note(), p.log.Render).Render(w, h)
	case j.Done() && h >= 20: // keep the list of workloads in view
		top := min(len(p.list)+3, h/4+1)
		return widget.Under(list.Render(w, top), p.run(j, w, h-top))
	}
	return p.run(j, w, h)
}

// advice says what can be done with the workload under the cursor, or why it cannot run and how to fix that.
func (p *Page) advice(w int) string {
	keys := p.read.Keys()
	if chosen, ok := p.chosen(); ok {
		if why := p.read.Session().Refusal(chosen); why != "" {
			return "\n" + widget.Wrap(page.Words(why), w)
		}
		if what, _ := p.read.Work().Lacks(chosen); what != "" {
			return "\n" + widget.Wrap(chosen.Name+" cannot run here, missing: "+page.Words(what)+
				"; jtune doctor says more, "+keys.OwnJob.Label()+" runs a command of yours", w)
		}
	}
	rough := ""
	if chosen, ok := p.chosen(); ok && p.read.Session().RunsAs(chosen) == workloads.Estimated {
		rough = "estimated: simulated, but not from measurements of such a board. "
	}
	return "\n" + widget.Wrap(rough+keys.Start.Label()+" runs the workload in the mode the board is in now and "+
		"changes nothing; "+keys.Tune.Label()+" finds its best mode, and "+keys.StartBest.Label()+
		" runs it in that mode.", w)
}

// runs says whether a workload runs here.
func (p *Page) runs(w workload.Workload) string {
	what, known := p.read.Work().Lacks(w)
	switch as := p.read.Session().RunsAs(w); {
	case as != workloads.Runs:
		return as
	case !known:
		return "checking"
	case strings.Contains(what, " "): // a sentence, which the line below the list says
		return "no"
	case what != "":
		return "no " + what
	}
	return workloads.Runs
}
