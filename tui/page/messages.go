package page

import (
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/models"
)

// Messages that pages get in Update. The State already contains what they report.
type (
	// Sampled says that there are new readings.
	Sampled struct{}
	// WorkloadsListed says that the workloads are listed.
	WorkloadsListed struct{}
	// TaskChanged says that a task has made progress.
	TaskChanged struct{ Task *Task }
	// TaskDone says that a task has ended and the board is restored.
	TaskDone struct{ Task *Task }
	// SpaceCompleted says that modes were added to the board's.
	SpaceCompleted struct{}
	// OutlookShown says that another outlook is shown. Before may be nil; Same means the same model, for another batch
	// size or with more readings.
	OutlookShown struct {
		Before *outlook.Outlook
		Same   bool
	}
	// LimitSet says that the goal has changed.
	LimitSet struct{}
	// ServedShown says that the predictions under the load are ready.
	ServedShown struct{}
	// Recalled asks for the card of the newest search of a workload.
	Recalled struct{ Workload string }
	// ModelsListed carries the models of the data directory.
	ModelsListed struct {
		List    []models.Info
		Deleted []models.Info // that can be restored
		Err     error
	}
)

// BootPlanned carries the unit that sets a mode at boot; with an error there is none, or it cannot be written.
type BootPlanned struct {
	Mode tegra.Mode
	Unit *session.BootUnit
	Err  error
}
