package tui

import (
	"cmp"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

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

func (m modelLoadedMsg) fold(r *root) (told []tea.Msg, cmd tea.Cmd) {
	r.sh.say("loaded %s: Front and Modes show its predictions", m.name)
	return r.sh.show(page.ReaderOf(&r.sh.State).Finding(m.view), false)
}

// sizedMsg carries the outlook of another batch size.
type sizedMsg struct{ view *outlook.Outlook }

func (m sizedMsg) fold(r *root) (told []tea.Msg, cmd tea.Cmd) {
	if !r.sh.asked(m.view) {
		return nil, nil
	}
	return r.sh.show(page.ReaderOf(&r.sh.State).Finding(m.view), true)
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
	if !shows || sh.Outlook != nil || sh.Mixes != nil || sh.LoadedLast || sh.Busy() {
		return nil
	}
	for _, info := range sh.kept {
		if info.Model == nil || models.Foreign(info.Model, sh.Device.Space) != "" {
			continue
		}
		sh.LoadedLast = true
		if l, ok := page.ReaderOf(&sh.State).Answered(info.Workload()); ok {
			sh.Goal, sh.LoadErr = l.Answer.Goal, nil
		}
		return sh.load(info)
	}
	return nil
}

// renewedMsg carries the outlook of a later model of the same pool, or of more modes.
type renewedMsg struct {
	old, view *outlook.Outlook
	list      []models.Info
}

func (m renewedMsg) fold(r *root) (told []tea.Msg, cmd tea.Cmd) {
	if r.sh.Outlook.Model == m.old.Model {
		return r.sh.show(page.ReaderOf(&r.sh.State).Finding(m.view), true)
	}
	return nil, r.sh.renew(m.list) // the shown outlook is another one by now
}

// renew computes the shown outlook again if its model has been refitted since, as after a verification. A command reads
// the new model.
func (sh *shared) renew(list []models.Info) tea.Cmd {
	old := sh.Outlook
	if old == nil {
		return nil
	}
	m, ok := models.Renewal(old, list)
	if !ok {
		return nil
	}
	return sh.computed(func() tea.Msg { return renewedMsg{old, old.Renewed(m, sh.device.Space()), list} })
}

// toSize requests the next batch size of the model, or the previous one.
func (sh *shared) toSize(by int) tea.Cmd {
	v := sh.Outlook
	all := v.Batches()
	next := all[(slices.Index(all, cmp.Or(sh.askedBatch, v.Batch))+by+len(all))%len(all)]
	sh.askedBatch = next
	if known := sh.outlooks.Get(sh.subject(v.Workload), next); known != nil {
		return func() tea.Msg { return sizedMsg{known} }
	}
	return sh.computed(func() tea.Msg { return sizedMsg{v.AtBatch(next)} })
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
		return sh.computed(func() tea.Msg { return renewedMsg{v, v.Renewed(v.Model.Whole(), space), nil} })
	}
	sh.Device.Space = space
	return r.broadcast(page.SpaceCompleted{})
}

// show makes an outlook the one that all pages read; same means the same model with other numbers.
func (sh *shared) show(v *outlook.Outlook, same bool) (told []tea.Msg, cmd tea.Cmd) {
	before := sh.Outlook
	if !same { // Front shows it instead
		sh.Mixes = nil
	}
	sh.Outlook, sh.askedBatch = sh.outlooks.Put(sh.subject(v.Workload), v), 0
	sh.Device.Space = v.Space() // until complete
	return []tea.Msg{page.OutlookShown{Before: before, Same: same}}, sh.serve()
}

// servedMsg carries the predictions of modes under a load.
type servedMsg struct {
	of     servedOf
	served *serving.LoadView
	err    error
}

// serve predicts how the shown modes serve the load; it clears the predictions if there is no load.
func (sh *shared) serve() tea.Cmd {
	goal := page.ReaderOf(&sh.State).Goal()
	if !goal.Load.Any() {
		sh.Served, sh.serving = nil, servedOf{}
		return nil
	}
	of := servedOf{sh.Outlook, goal, sh.campaignsAt}
	if of == sh.serving {
		return nil
	}
	sh.serving = of
	before, seed, list := sh.Served, sh.seed, page.ReaderOf(&sh.State).Measured()
	return sh.computed(func() tea.Msg {
		ask, err := mix.AskOf(goal, seed)
		if err != nil {
			return servedMsg{of: of, err: err}
		}
		ask = savedanswers.Known(list, of.view.Model.Provenance, goal, ask)
		served, err := serving.ViewUnder(of.view, ask, before)
		return servedMsg{of, served, err}
	})
}

func (m servedMsg) fold(r *root) (told []tea.Msg, cmd tea.Cmd) {
	sh := r.sh
	if m.of != sh.serving {
		return nil, nil
	}
	sh.Served, sh.LoadErr = m.served, m.err
	sh.fail("the load", m.err)
	return []tea.Msg{page.ServedShown{}}, nil
}

// previewMsg carries the preview of a task.
type previewMsg struct {
	task    *shownTask
	preview outlook.Preview
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
	return sh.computed(func() tea.Msg { return previewMsg{j, outlook.NewPreview(ctx, samples, space)} })
}

// previewOwn previews the running campaign from its rows so far.
func (sh *shared) previewOwn() tea.Cmd {
	if sh.task == nil || sh.task.Whole || sh.task.Kind == task.Pairing {
		return nil
	}
	return sh.previewNext(sh.task)
}

// fold stores the preview and begins the next one.
func (m previewMsg) fold(r *root) (told []tea.Msg, cmd tea.Cmd) {
	j := m.task
	j.Preview, j.previewing = m.preview, false
	if len(j.Preview.TimeMS) > 0 {
		j.Bands = append(j.Bands, j.Preview.TimePct)
	}
	return nil, r.sh.previewNext(j)
}
