package tui

import (
	"context"

	"jtune/internal/figure"
	"jtune/learn"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
)

// board answers the screens' questions by an open session. It decides nothing: each method calls the function that
// the command of the same name calls.
type board struct{ session.Board }

var _ host = board{}

// Workloads lists what can be run on the board.
func (b board) Workloads() ([]workload.Workload, error) { return b.Session.Workloads() }

// Suggested is the workload to begin with where none was chosen.
func (b board) Suggested(list []workload.Workload) string { return b.Session.Suggested(list) }

// JoinFrom makes a workload of a job that runs already.
func (b board) JoinFrom(w workload.Workload, from string) (workload.Workload, error) {
	return b.Session.JoinFrom(w, from)
}

// Blocked says why a workload cannot run on the board, or "".
func (b board) Blocked(w workload.Workload) string { return b.Session.Blocked(w) }

// Refusal says it in a sentence.
func (b board) Refusal(w workload.Workload) string { return b.Session.Refusal(w) }

// RunsAs says in a word how a workload runs on the board, or why it does not.
func (b board) RunsAs(w workload.Workload) string { return b.Session.RunsAs(w) }

// Planned is what a request would measure.
func (b board) Planned(r session.ProfileRequest) (session.Planned, error) {
	return b.Session.Planned(r)
}

// Expects is how long modes of a workload take.
func (b board) Expects(ctx context.Context, m session.Measuring) *session.Expectation {
	return b.Session.Expects(ctx, m)
}

// Models lists the models that are kept.
func (b board) Models() ([]session.ModelInfo, error) { return b.Session.Models() }

// DeletedModels lists the models that can be restored.
func (b board) DeletedModels() ([]session.ModelInfo, error) { return b.Session.DeletedModels() }

// SaveModel keeps a model under a name.
func (b board) SaveModel(name string, m *learn.Model) (string, error) {
	return b.Session.SaveModel(name, m)
}

// ModelRepeats draws how far the readings behind a model scatter.
func (b board) ModelRepeats(m *learn.Model) (figure.Figure, error) {
	return b.Session.Options.ModelRepeats(m)
}

// RenameCampaign renames a campaign.
func (b board) RenameCampaign(name, to string) error { return b.Session.RenameCampaign(name, to) }

// DeleteCampaign moves a campaign aside.
func (b board) DeleteCampaign(name string) (string, error) { return b.Session.DeleteCampaign(name) }

// RestoreCampaign brings a deleted campaign back.
func (b board) RestoreCampaign(name string) error { return b.Session.RestoreCampaign(name) }

// RenameModel renames a model.
func (b board) RenameModel(name, to string) error { return b.Session.RenameModel(name, to) }

// DeleteModel moves a model aside.
func (b board) DeleteModel(name string) (string, error) { return b.Session.DeleteModel(name) }

// RestoreModel brings a deleted model back.
func (b board) RestoreModel(name string) error { return b.Session.RestoreModel(name) }

// PlanBoot prepares a mode to be set at boot.
func (b board) PlanBoot(m tegra.Mode, flags ...string) (*session.BootUnit, error) {
	return b.Session.PlanBoot(m, flags...)
}
