package tui

import (
	"cmp"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/learn"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session/models"
	"jtune/tui/session/savedanswers"
	"jtune/tui/session/task"
)

// modelLoadedMsg carries the predictions of a model.
type modelLoadedMsg struct {
	view *outlook.Outlook
	name string
}

func (m modelLoadedMsg) fold(r *root) tea.Cmd {
	r.sh.say("loaded %s: Front and Modes show its predictions", m.name)
	return r.show(m.view, false)
}

// listModels lists the models of the data directory.
func listModels(h host) tea.Cmd {
	return func() tea.Msg {
		list, err := h.Models()
		deleted, asideErr := h.DeletedModels()
		return page.ModelsListed{List: list, Deleted: deleted, Err: errors.Join(err, asideErr)}
	}
}

// load computes the predictions of a model.
func (sh *shared) load(info models.Info) tea.Cmd {
	space := sh.device.Space()
	return sh.computed(func() tea.Msg {
		return modelLoadedMsg{outlook.New(info.Workload(), info.Model, space), info.Name}
	})
}

// loadLast shows the newest kept model, with the goal of the newest search of its workload, if Front or Modes opens
// without one; nil otherwise.
func (sh *shared) loadLast() tea.Cmd {
	shows := sh.Look.Shown == page.Front || sh.Look.Shown == page.Modes
	if !shows || sh.Outlook != nil || sh.Mixes != nil || sh.LoadedLast || sh.read.Busy() {
		return nil
	}
	for _, info := range sh.kept {
		if info.Model == nil || models.Foreign(info.Model, sh.Device.Space) != "" {
			continue
		}
		sh.LoadedLast = true
		if l, ok := sh.read.Answered(info.Workload()); ok {
			sh.Goal, sh.LoadErr = l.Answer.Goal, nil
		}
		return sh.load(info)
	}
	return nil
}

// renew computes the shown outlook again if its model has been refitted since, as after a verification. A command reads
// the new model.
func (sh *shared) renew(list []models.Info) tea.Cmd {
	if sh.Outlook == nil {
		return nil
	}
	m, ok := models.Renewal(sh.Outlook, list)
	if !ok {
		return nil
	}
	return sh.renewed(m, list)
}

// renewed shows the outlook of a later model of the same pool, or of more modes, unless another one is shown by then.
func (sh *shared) renewed(m *learn.Model, list []models.Info) tea.Cmd {
	old := sh.Outlook
	return sh.computed(func() tea.Msg {
		view := old.Renewed(m, sh.device.Space())
		return then(func(r *root) tea.Cmd {
			if sh.Outlook.Model == old.Model {
				return r.show(view, true)
			}
			return sh.renew(list)
		})
	})
}

// toSize requests the next batch size of the model, or the previous one.
func (sh *shared) toSize(by int) tea.Cmd {
	v := sh.Outlook
	all := v.Batches()
	next := all[(slices.Index(all, cmp.Or(sh.askedBatch, v.Batch))+by+len(all))%len(all)]
	sh.askedBatch = next
	known := sh.outlooks.Get(sh.subject(v.Workload), next)
	sized := func() tea.Msg {
		view := known
		if view == nil {
			view = v.AtBatch(next)
		}
		return then(func(r *root) tea.Cmd {
			if !sh.asked(view) {
				return nil
			}
			return r.show(view, true)
		})
	}
	if known != nil {
		return sized
	}
	return sh.computed(sized)
}

// asked reports whether toSize requested this outlook last.
func (sh *shared) asked(v *outlook.Outlook) bool {
	return sh.Outlook != nil && v.Model.Whole() == sh.Outlook.Model.Whole() && v.Batch == sh.askedBatch
}

// hand adds readings to the outlook of their workload, even if another one is shown.
func (sh *shared) hand(workload string, readings ...tegra.Measured) {
	sh.outlooks.Add(sh.subject(workload), readings...)
	if v := sh.Outlook; v != nil {
		sh.Outlook = sh.outlooks.Get(sh.subject(v.Workload), v.Batch)
	}
}

// complete shows modes and presets that the guard has read; modes of a model, once they are predicted.
func (r *root) complete() tea.Cmd {
	sh, space, v := r.sh, r.sh.device.Space(), r.sh.Outlook
	sh.Device.Presets = sh.device.Presets()
	switch {
	case sh.Device.Space.Equal(space) || v != nil && v == sh.completing:
		return nil
	case v != nil:
		sh.completing = v
		return sh.renewed(v.Model.Whole(), nil)
	}
	sh.Device.Space = space
	return r.broadcast(page.SpaceCompleted{})
}

// show makes an outlook, with what searches have found, the one that all pages read; same means the same model with
// other numbers.
func (r *root) show(v *outlook.Outlook, same bool) tea.Cmd {
	sh, before := r.sh, r.sh.Outlook
	v = sh.read.Finding(v)
	if !same { // Front shows it instead
		sh.Mixes = nil
	}
	sh.Outlook, sh.askedBatch = sh.outlooks.Put(sh.subject(v.Workload), v), 0
	sh.Device.Space = v.Space() // until complete
	return tea.Batch(sh.serve(), r.broadcast(page.OutlookShown{Before: before, Same: same}))
}

// serve predicts how the shown modes serve the load; it clears the predictions if there is no load.
func (sh *shared) serve() tea.Cmd {
	goal := sh.read.Goal()
	if !goal.Load.Any() {
		sh.Served, sh.serving = nil, servedOf{}
		return nil
	}
	of := servedOf{sh.Outlook, goal, sh.campaignsAt}
	if of == sh.serving {
		return nil
	}
	sh.serving = of
	before, seed, list := sh.Served, sh.seed, sh.read.Measured()
	return sh.computed(func() tea.Msg {
		var served *serving.LoadView
		ask, err := mix.AskOf(goal, seed)
		if err == nil {
			ask = savedanswers.Known(list, of.view.Model.Provenance, goal, ask)
			served, err = serving.ViewUnder(of.view, ask, before)
		}
		return then(func(r *root) tea.Cmd {
			if of != sh.serving {
				return nil
			}
			sh.Served, sh.LoadErr = served, err
			sh.fail("the load", err)
			return r.broadcast(page.ServedShown{})
		})
	})
}

// previewNext computes the next preview of a task in a command, one at a time. It returns nil if there is nothing new
// or the page is not shown: a preview takes a tenth of a second of a core that the campaign could use.
func (sh *shared) previewNext(j *shownTask) tea.Cmd {
	if j == nil || j.previewing || sh.Look.Shown != page.Profile {
		return nil
	}
	samples, space := j.Measured(), j.SpaceOr(sh.Device.Space)
	if len(samples) < outlook.LeastPreview || j.Preview.Modes == len(samples) {
		return nil
	}
	j.previewing = true
	ctx := sh.ctx
	return sh.computed(func() tea.Msg {
		preview := outlook.NewPreview(ctx, samples, space)
		return then(func(*root) tea.Cmd {
			j.Preview, j.previewing = preview, false
			if len(preview.TimeMS) > 0 {
				j.Bands = append(j.Bands, preview.TimePct)
			}
			return sh.previewNext(j)
		})
	})
}

// previewOwn previews the running campaign from its rows so far.
func (sh *shared) previewOwn() tea.Cmd {
	if sh.task == nil || sh.task.Whole || sh.task.Kind == task.Pairing {
		return nil
	}
	return sh.previewNext(sh.task)
}
