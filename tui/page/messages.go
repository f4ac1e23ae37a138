package page

import (
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/models"
)

// Messages that pages get by Update. Their reports are in the State already.
type (
	// Sampled says that there are new readings.
	Sampled struct{}
	// WorkloadsListed says that the workloads are known.
	WorkloadsListed struct{}
	// TaskChanged says that a task has made progress.
	TaskChanged struct{ Task *Task }
	// TaskDone says that a task has ended and the board is restored.
	TaskDone struct{ Task *Task }
	// OutlookShown says that another outlook shows than the one before, which may
	// be nil. Same: by the model that showed, for another batch size or with more readings.
	OutlookShown struct {
		Before *outlook.Outlook
		Same   bool
	}
	// LimitSet says that modes are chosen by another limit.
	LimitSet struct{}
	// ServedShown says that it was worked out what modes do under the load.
	ServedShown struct{}
	// Recalled asks for the card of the newest search of a workload.
	Recalled struct{ Workload string }
	// ModelsListed brings the models of the data directory.
	ModelsListed struct {
		List    []models.Info
		Deleted []models.Info // that can be restored
		Err     error
	}
)

// Responses to a page's or dialog's request to the guard.
type (
	// ModeSet says how setting a mode went.
	ModeSet struct {
		tegra.Request
		From tegra.Setup
		Err  error
	}
	// ModeKept says how keeping it went.
	ModeKept struct{ Err error }
	// ModeReverted says how restoring the state before it went.
	ModeReverted struct {
		Why string
		Err error
	}
	// BootPlanned brings the unit of a mode at boot; with an error it cannot be
	// written, or there is none.
	BootPlanned struct {
		Mode tegra.Mode
		Unit *session.BootUnit
		Err  error
	}
)
