package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/page/dialog"
	"jtune/tui/session/search"
)

// do carries out an intent of a page or dialog.
func (r *root) do(i page.Intent) tea.Cmd {
	sh := r.sh
	switch i := i.(type) {
	case nil:
	case page.All:
		var cmds []tea.Cmd
		for _, one := range i {
			cmds = append(cmds, r.do(one))
		}
		return tea.Batch(cmds...)
	case tea.Cmd:
		return i
	case page.Then:
		return r.do(i())
	case page.Say:
		sh.say("%s", i)
	case page.Fail:
		sh.fail(i.What, i.Err)
	case page.Run:
		return sh.run(i)
	case page.Compute:
		return sh.computed(sh.run(i))
	case page.Close:
		r.forms = r.forms[:len(r.forms)-1]
	case page.Open:
		r.open(page.Name(i))
	case page.Ask:
		r.asks = &question{do: i.Do, not: i.Not, why: func() string { return i.Why },
			yes: func() tea.Cmd { return r.do(i.Then) }}
	case page.BeBoard:
		be := func() tea.Cmd { r.chosen = string(i); return r.quit() }
		if r.reasonToStay() == "" {
			return be()
		}
		r.asks = &question{do: "change the board", not: "stay", why: r.reasonToStay, yes: be}
	case page.ShowBoard:
		return r.showBoard(string(i))
	case page.Question:
		r.over(i)
	case page.AskTune:
		r.asking(i.Workload, func(read page.Reader) { r.over(dialog.NewTune(read).Within(i.Limit)) })
	case page.AskMeasure:
		r.asking("", func(read page.Reader) { r.over(dialog.NewMeasure(read, i.Mode)) })
	case page.AskSoak:
		r.asking(i.Workload, func(read page.Reader) { r.over(dialog.NewSoak(read, i)) })
	case page.NewCampaign:
		var d *dialog.Campaign
		r.asking("", func(read page.Reader) { d = dialog.NewCampaign(read) })
		r.over(d)
		return r.do(d.Learn())
	case page.Export:
		return sh.export(i)
	case page.Recall:
		r.open(page.Profile)
		return r.broadcast(page.Recalled(i))
	case page.Load:
		return sh.load(i.Model)
	case page.Size:
		return sh.toSize(int(i))
	case page.Remember:
		sh.Work.Choice = search.Form(i)
		return sh.remember(sh.Work.Choice)
	case page.ShowMixes:
		again := *i.Mixes
		sh.Mixes = &again
		r.open(page.Front)
	case page.Choose:
		sh.Goal, sh.LoadErr = metric.Question(i), nil
		return tea.Batch(sh.serve(), r.broadcast(page.LimitSet{}))
	case page.ListModels:
		return listModels(sh.host)
	default:
		return r.doOnBoard(i)
	}
	return nil
}

// remember saves the answers of the Tune dialog.
func (sh *shared) remember(c search.Form) tea.Cmd {
	keep := sh.remembered
	if keep == nil {
		return nil
	}
	return func() tea.Msg {
		_ = keep(c) // if they cannot be saved, the dialog starts with the defaults again
		return nil
	}
}

// run runs a page's command.
func (sh *shared) run(work func(ctx context.Context) tea.Msg) func() tea.Msg {
	ctx := sh.ctx
	return func() tea.Msg { return work(ctx) }
}

// doOnBoard carries out intents that concern the board: tasks, modes, boot.
func (r *root) doOnBoard(i page.Intent) tea.Cmd {
	sh := r.sh
	switch i := i.(type) {
	case page.Start:
		return sh.begin(i)
	case page.Stop:
		r.askToStop()
	case page.Order:
		r.askOther(i.Do)
	case page.Join:
		return sh.join(i)
	case page.Pause:
		sh.task.pause()
	case page.Apply:
		return r.do(r.apply.Ask(i))
	case page.SetMode:
		return sh.setMode(i)
	case page.KeepMode:
		sh.dropped.stop()
		return sh.keepMode()
	case page.Revert:
		sh.dropped.stop()
		return sh.revert(i)
	case page.PlanBoot:
		return sh.planBoot(i)
	case page.ChangeBoot:
		return func() tea.Msg {
			err := i.Do()
			return then(func(*root) tea.Cmd { sh.bootChanged(i, err); return nil })
		}
	default:
		panic(fmt.Sprintf("nobody carries out %T", i))
	}
	return nil
}

// broadcast passes a message to all pages.
func (r *root) broadcast(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range r.pages {
		cmds = append(cmds, r.do(p.Update(msg)))
	}
	return tea.Batch(cmds...)
}
