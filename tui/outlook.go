package tui

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session"
)

// modelLoadedMsg brings the predictions of a model.
type modelLoadedMsg struct {
	view *session.Outlook
	name string
}

// sizedMsg brings the outlook of another batch size.
type sizedMsg struct{ view *session.Outlook }

// listModels looks through the models of the data directory.
func listModels(h host) tea.Cmd {
	return func() tea.Msg {
		list, err := h.Models()
		deleted, asideErr := h.DeletedModels()
		return page.ModelsListed{List: list, Deleted: deleted, Err: errors.Join(err, asideErr)}
	}
}

// load works out what a model predicts.
func (sh *shared) load(info session.ModelInfo) tea.Cmd {
	space := sh.Device.Space
	return sh.computed(func() tea.Msg {
		return modelLoadedMsg{session.NewOutlook(info.Workload(), info.Model, space), info.Name}
	})
}

// renewedMsg brings the outlook by a later model of the same pool.
type renewedMsg struct {
	old, view *session.Outlook
	list      []session.ModelInfo
}

// renew works out the shown outlook again when its model has been fitted again since, as
// after a verification: a command reads the new one.
func (sh *shared) renew(list []session.ModelInfo) tea.Cmd {
	old := sh.Outlook
	if old == nil {
		return nil
	}
	m, ok := old.Renewal(list)
	if !ok {
		return nil
	}
	return sh.computed(func() tea.Msg { return renewedMsg{old, old.Renewed(m), list} })
}

// toSize asks for the next batch size of the model, or the one before.
func (sh *shared) toSize(by int) tea.Cmd {
	v := sh.Outlook
	all, from := v.Batches(), v.Batch
	if sh.askedBatch != 0 {
		from = sh.askedBatch
	}
	next := all[(slices.Index(all, from)+by+len(all))%len(all)]
	sh.askedBatch = next
	if known := sh.outlooks.Get(sh.subject(v.Workload), next); known != nil {
		return func() tea.Msg { return sizedMsg{known} }
	}
	return sh.computed(func() tea.Msg { return sizedMsg{v.AtBatch(next)} })
}

// asked reports whether this outlook is the one that toSize asked for last.
func (sh *shared) asked(v *session.Outlook) bool {
	return sh.Outlook != nil && v.Model.Whole() == sh.Outlook.Model.Whole() && v.Batch == sh.askedBatch
}

// hand passes readings on to the outlook of their workload, whatever shows now.
func (sh *shared) hand(workload string, readings ...tegra.Measured) {
	sh.outlooks.Add(sh.subject(workload), readings...)
	if v := sh.Outlook; v != nil {
		sh.Outlook = sh.outlooks.Get(sh.subject(v.Workload), v.Batch)
	}
}

// show makes an outlook the one that all pages read; same: of the model that showed, with
// other numbers.
func (r *root) show(v *session.Outlook, same bool) tea.Cmd {
	sh := r.sh
	before := sh.Outlook
	if !same { // it is what Front shows
		sh.Mixes = nil
	}
	sh.Outlook, sh.askedBatch = sh.outlooks.Put(sh.subject(v.Workload), v), 0
	return tea.Batch(sh.serve(), r.broadcast(page.OutlookShown{Before: before, Same: same}))
}
