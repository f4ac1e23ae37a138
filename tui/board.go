package tui

import (
	"context"
	"time"

	"jtune/internal/document"
	"jtune/internal/figure"
	"jtune/learn"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/session/handover"
	"jtune/tui/session/kept"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
	"jtune/tui/session/plots"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
)

// board implements host on an open session. It decides nothing: each method calls the function that the command of the
// same name calls.
type board struct {
	task.Board
	commands handover.Commands // commands that a report offers to copy
}

var _ host = board{}

// Workloads lists the workloads of the board.
func (b board) Workloads() ([]workload.Workload, error) { return workloads.List(b.Session) }

// Suggested returns the workload to preselect when none was chosen.
func (b board) Suggested(list []workload.Workload) string {
	return workloads.Suggested(b.Session, list)
}

// JoinFrom makes a workload of a running job.
func (b board) JoinFrom(w workload.Workload, from string) (workload.Workload, error) {
	return workloads.JoinFrom(b.Session, w, from)
}

// Blocked returns why a workload cannot run on the board, or "".
func (b board) Blocked(w workload.Workload) string { return workloads.Blocked(b.Session, w) }

// Refusal is Blocked as a sentence.
func (b board) Refusal(w workload.Workload) string { return workloads.Refusal(b.Session, w) }

// RunsAs describes in a word how a workload runs on the board, or why it does not.
func (b board) RunsAs(w workload.Workload) string { return workloads.RunsAs(b.Session, w) }

// Planned returns what a request would measure.
func (b board) Planned(r measure.ProfileRequest) (measure.Planned, error) {
	return measure.PlanOf(b.Session, r)
}

// Expects estimates how long modes of a workload take.
func (b board) Expects(ctx context.Context, m measure.Measuring) *measure.Expectation {
	return measure.Expects(ctx, b.Session, m)
}

// Models lists the kept models.
func (b board) Models() ([]models.Info, error) { return models.List(b.Session.Options) }

// DeletedModels lists the deleted models that can be restored.
func (b board) DeletedModels() ([]models.Info, error) { return models.Deleted(b.Session.Options.Paths) }

// SaveModel saves a model under a name.
func (b board) SaveModel(name string, m *learn.Model) (string, error) {
	return models.Save(b.Session, name, m)
}

// ModelRepeats plots the scatter of the readings behind a model.
func (b board) ModelRepeats(m *learn.Model) (figure.Figure, error) {
	return plots.ModelRepeats(b.Session.Options.Paths, m)
}

// CampaignShelf manages the campaigns.
func (b board) CampaignShelf() page.Shelf { return models.CampaignShelf(b.Session.Options) }

// ModelShelf manages the models.
func (b board) ModelShelf() page.Shelf { return models.Shelf(b.Session.Options.Paths) }

// PlanBoot prepares the unit that sets a mode at boot.
func (b board) PlanBoot(m tegra.Mode, flags ...string) (*session.BootUnit, error) {
	return session.PlanBoot(b.Session, m, flags...)
}

// Report builds the report of a campaign.
func (b board) Report(campaign string) (document.Document, error) {
	r, err := handover.Of(b.Session.Options, campaign, b.commands, time.Now())
	if err != nil {
		return document.Document{}, err
	}
	return r.Document(), nil
}

// RememberKept records which mode is kept; if that fails, verify uses the newest search.
func (b board) RememberKept(m tegra.Val[tegra.Mode], free bool) {
	_ = kept.Remember(b.Session, m, free)
}

// LeftKept says that the board has left its kept mode, and since when.
func (b board) LeftKept(r tegra.Reading, since tegra.Val[time.Time]) string {
	return kept.Left(b.Session, r, since)
}
