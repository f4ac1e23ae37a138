package page

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/control"
	"jtune/tui/session/models"
	"jtune/tui/session/pair"
	"jtune/tui/session/search"
	"jtune/tui/session/task"
)

// Intent is an action that a page requests: a Question, one of the types below, or nil for nothing. Its type says
// which, as with a message. The shell carries it out.
type Intent any

type (
	// All is several intents, in order.
	All []Intent
	// Say shows a text in the line for messages.
	Say string
	// Fail shows an error there; nil does nothing.
	Fail struct {
		What string
		Err  error
	}
	// Run runs slow work on its own goroutine. All pages get its result in Update, unless it is a Then; ctx ends with
	// the program.
	Run func(ctx context.Context) tea.Msg
	// Then is a result that concerns only the page that asked: it is called before the next message, and what it
	// returns is carried out.
	Then func() Intent
	// Compute is Run for CPU-bound work.
	Compute func(ctx context.Context) tea.Msg
	// Close closes what is open over the page.
	Close struct{}
	// Open shows another page.
	Open Name
	// Ask asks a question over the page and does Then after yes.
	Ask struct {
		Do, Not string // labels of yes and no: "delete", "leave it"
		Why     string
		Then    Intent
	}
	// ShowBoard hands the terminal to the screens of another board.
	ShowBoard string
	// BeBoard closes these screens and opens another virtual board's.
	BeBoard string
	// NewCampaign opens the dialog for a new campaign.
	NewCampaign struct{}
	// AskTune opens the dialog for a search, with a workload and a limit; both may be "".
	AskTune struct{ Workload, Limit string }
	// AskMeasure opens the dialog that measures a mode, or a preset by name.
	AskMeasure struct{ Mode string }
	// AskSoak opens the dialog for a soak test. Mode "" is the present one, Workload "" the one under the cursor, Batch
	// 0 the workload's default.
	AskSoak struct {
		Workload, Mode string
		Batch          int
		Limits         string // typed into the form; "": the board's own
	}
	// Export writes files with one base name below the data directory.
	Export struct {
		Name  string
		Files []File
	}
)

type (
	// Start begins a task.
	Start struct {
		Task  *task.Task
		Speed float64 // rate of a virtual board's clock during it; 0: unchanged
		// Again marks a resumed campaign: it keeps the clock rate of the task before, if any.
		Again bool
	}
	// Stop asks, then ends the running task, which restores the board.
	Stop struct{}
	// Pause pauses the running task after the mode in progress, or resumes it.
	Pause struct{}
	// Join reads a running job of a workload: From is its process ID or the path of its log; if "", jtune starts the
	// job again.
	Join struct{ Workload, From string }
	// Order asks, then sends an order to the program whose task is followed.
	Order struct{ Do control.Order }
	// ListModels lists the models of the data directory; the answer is ModelsListed.
	ListModels struct{}
	// Recall opens the card of the newest search of a workload on Profile.
	Recall struct{ Workload string }
	// Load shows the predictions of a model.
	Load struct{ Model models.Info }
	// Size moves that many places in the model's list of batch sizes.
	Size int
	// Remember saves the answers of the Tune dialog.
	Remember search.Form
	// ShowMixes shows on Front what a pair's jobs do in each mode.
	ShowMixes struct{ *pair.Mixes }
	// Choose changes the goal; the answer is LimitSet.
	Choose metric.Question
)

type (
	// Apply requests a mode, or the board's preset with an ID. The difference is shown first unless AtOnce.
	Apply struct {
		Mode   tegra.Mode
		Preset tegra.Val[int]
		AtOnce bool
		Asked  *Asked // what the mode answers; nil: no job belongs to it
	}
	// SetMode sets a mode through the guard.
	SetMode struct {
		tegra.Request
		Asked *Asked
	}
	// KeepMode keeps the set mode: it becomes the state to restore.
	KeepMode struct{}
	// Revert restores the state before the last mode. With Settle, that state also becomes the one to restore, so that
	// quitting does not bring the mode back.
	Revert struct {
		Why    string
		Settle bool
	}
	// PlanBoot prepares the unit that applies a mode at every boot; the answer is BootPlanned.
	PlanBoot struct {
		Mode tegra.Mode
		Free bool // with free clocks
	}
	// ChangeBoot changes what happens at boot; Undo reverses the last change.
	ChangeBoot struct {
		Unit *session.BootUnit
		Do   func() error
		Done string // message on success
		Undo bool
	}
)

// After waits for a time in the user's clock, then does what follows.
func After(d time.Duration, follows Then) Run {
	return func(ctx context.Context) tea.Msg {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
		return follows
	}
}

// Sayf is Say with a format string.
func Sayf(format string, args ...any) Say { return Say(fmt.Sprintf(format, args...)) }

// Manage renames, deletes or restores a campaign or a model, which may refit a model; do returns a description of what
// was done.
func Manage(what string, do func() (said string, err error)) Compute {
	return func(context.Context) tea.Msg {
		said, err := do()
		return Managed{what, said, err}
	}
}

// Managed reports the result of renaming, deleting or restoring a campaign or a model.
type Managed struct {
	What string // "campaign", "model"
	Said string // what was done
	Err  error
}
