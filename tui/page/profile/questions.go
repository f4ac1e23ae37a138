package profile

import (
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session/measure"
	"jtune/tui/session/savedanswers"
	"jtune/tui/session/task"
)

// The list is one of questions: a search is one row with its answer. Its further campaigns follow while the row is
// unfolded.

// entries returns the rows of the list. A frame needs them several times, and there may be thousands.
func (p *Page) entries() []*task.Listed {
	all := p.read.Campaigns()
	if p.deleted {
		all = p.read.Deleted()
	}
	out := make([]*task.Listed, 0, len(all))
	for i := range all {
		l := &all[i]
		if l.Part != "" {
			continue
		}
		if out = append(out, l); p.unfolded[l.Dir] {
			out = append(out, parts(all, l.Dir)...)
		}
	}
	return out
}

// parts returns the further campaigns of a search, oldest first.
func parts(all []task.Listed, dir string) (out []*task.Listed) {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Part == dir {
			out = append(out, &all[i])
		}
	}
	return out
}

// fold shows or hides the parts of the row under the cursor.
func (p *Page) fold(l task.Listed, open bool) page.Intent {
	dir := l.Dir
	if l.Part != "" {
		dir = l.Part
	}
	if len(parts(p.read.Campaigns(), dir)) == 0 {
		return page.Say("this row is one campaign")
	}
	if p.unfolded == nil {
		p.unfolded = map[string]bool{}
	}
	p.unfolded[dir], p.chosen = open, dir
	return nil
}

// keptCard holds what the card of an earlier search also shows.
type keptCard struct {
	worked bool
	better []tegra.Val[tegra.Setting] // by answer: a mode that is better by now
}

// reopen shows a search as at its end: its card.
func (p *Page) reopen(j *page.Task, l task.Listed) {
	p.kept = keptCard{}
	if l.Answer == nil {
		return
	}
	k, err := savedanswers.Answer(l.Campaign)
	if err != nil || k == nil {
		return
	}
	p.kept.worked = k.Worked
	all := p.read.Measured()
	for i := range k.Answers {
		at, ok := savedanswers.Since(all, l.Campaign, k, i)
		p.kept.better = append(p.kept.better, tegra.Val[tegra.Setting]{V: at, OK: ok})
		j.Limits = append(j.Limits, k.Answers[i].Limit)
	}
	j.Kind, j.Load = task.Tuning, k.Load
	result := measure.TuneResult{Answers: savedanswers.Now(all, l.Campaign, k), Took: k.Answers[0].Took, Dir: l.Dir,
		Home: l.Dir}
	result.Warnings = k.Warnings
	j.Tuned = &result
}

// recall opens the newest answer of a workload.
func (p *Page) recall(workload string) page.Intent {
	p.shown() // first let a new task be shown, so that it does not replace this
	l, ok := p.read.Answered(workload)
	if !ok {
		return page.Sayf("no search of %s has answered on this board: %s begins one", workload,
			p.read.Keys().Tune.Label())
	}
	p.deleted, p.chosen, p.left = false, l.Dir, nil
	return p.show(l)
}
