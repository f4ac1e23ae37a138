package page

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"jtune/optimize/mix"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/models"
	"jtune/tui/session/pair"
	"jtune/tui/session/remote"
	"jtune/tui/session/search"
	"jtune/tui/session/task"
)

// Intent is what a page wants to happen: one of the types below, or nil for
// nothing. The shell carries it out.
type Intent interface{ intent() }

type (
	// All are several intents, in their order.
	All []Intent
	// Say shows a text in the line for messages.
	Say string
	// Fail shows an error there; nil shows nothing.
	Fail struct {
		What string
		Err  error
	}
	// Run does something that takes a while on a goroutine of its own. What it gives
	// comes to Update of all pages; ctx ends with the program.
	Run func(ctx context.Context) tea.Msg
	// Compute is Run for what keeps processors busy.
	Compute func(ctx context.Context) tea.Msg
	// Open shows another page.
	Open Name
	// Ask asks a question over the page and does Then at a yes.
	Ask struct {
		Do, Not string // what yes and no do: "delete", "leave it"
		Why     string
		Then    Intent
	}
	// ShowBoard hands the terminal to the screens of another board.
	ShowBoard string
	// BeBoard ends these screens for those of another virtual board.
	BeBoard string
	// NewCampaign opens the dialog that begins one.
	NewCampaign struct{}
	// AskTune opens the dialog that begins a search: of a workload, within a limit; both may be "".
	AskTune struct{ Workload, Limit string }
	// AskMeasure opens the dialog that measures a mode, or the preset of a name.
	AskMeasure struct{ Mode string }
	// AskSoak opens the dialog that proves that a mode holds; Mode "" is the one that is set, Workload "" the one under
	// the cursor; Batch 0 its own batch size.
	AskSoak struct {
		Workload, Mode string
		Batch          int
	}
	// Rename opens the dialog that gives a campaign or a model another name.
	Rename struct {
		What, Name string // "campaign", and its present name
		Note       string // what another name means
		To         func(name string) error
	}
	// Export writes files of one name below the data directory.
	Export struct {
		Name  string
		Files []File
	}
)

type (
	// Start begins a task.
	Start struct {
		Task *task.Task
		Fast bool // a virtual board's clock runs at full speed then
		// Again goes on with what was begun, at its rate: that of the task before, or after a restart full speed.
		Again bool
	}
	// Stop ends the running task once the user has said yes; it restores the board.
	Stop struct{}
	// Pause holds the running task after the mode in progress, or lets it go on.
	Pause struct{}
	// Join reads a workload's job that runs already: From is the number of its process or the path of its log;
	// empty, jtune starts one again.
	Join struct{ Workload, From string }
	// Order gives an order to the program whose task is followed, once the user has said yes.
	Order struct{ Do remote.Order }
	// ListModels looks through the models of the data directory; ModelsListed
	// brings them.
	ListModels struct{}
	// Recall opens the card of the newest search of a workload on Profile.
	Recall struct{ Workload string }
	// Load shows the predictions of a model.
	Load struct{ Model models.Info }
	// Size shows the model's batch size that many places further in its list.
	Size int
	// Remember keeps how the Tune dialog was answered.
	Remember search.Form
	// ShowMixes shows what a pair's jobs do in each mode on Front.
	ShowMixes struct{ *pair.Mixes }
	// Choose chooses by another goal; LimitSet says that it is in force.
	Choose mix.Goal
)

type (
	// Apply asks for a mode to be set, as the board's preset of that id where one is
	// named: its difference is shown first, unless it is to be set at once.
	Apply struct {
		Mode   tegra.Mode
		Preset tegra.Val[int]
		AtOnce bool
	}
	// SetMode sets a mode through the guard; ModeSet says how it went.
	SetMode struct{ tegra.Request }
	// KeepMode makes the mode that was set the found state; ModeKept.
	KeepMode struct{}
	// Revert restores the state before the last mode; ModeReverted. Settle makes it
	// the found state too, so that quitting does not bring the mode again.
	Revert struct {
		Why    string
		Settle bool
	}
	// PlanBoot prepares the unit that applies a mode at every boot; BootPlanned
	// brings it.
	PlanBoot struct {
		Mode tegra.Mode
		Free bool // its clocks
	}
	// ChangeBoot changes what happens at boot; Undo takes the last change back.
	ChangeBoot struct {
		Unit *session.BootUnit
		Do   func() error
		Done string // what to say then
		Undo bool
	}
)

func (Ask) intent()         {}
func (All) intent()         {}
func (Say) intent()         {}
func (ShowBoard) intent()   {}
func (BeBoard) intent()     {}
func (NewCampaign) intent() {}
func (AskTune) intent()     {}
func (AskMeasure) intent()  {}
func (AskSoak) intent()     {}
func (Rename) intent()      {}
func (Fail) intent()        {}
func (Run) intent()         {}
func (Compute) intent()     {}
func (Open) intent()        {}
func (Export) intent()      {}
func (Start) intent()       {}
func (Stop) intent()        {}
func (Pause) intent()       {}
func (Order) intent()       {}
func (Join) intent()        {}
func (ListModels) intent()  {}
func (Load) intent()        {}
func (Recall) intent()      {}
func (Size) intent()        {}
func (ShowMixes) intent()   {}
func (Choose) intent()      {}
func (Remember) intent()    {}
func (Apply) intent()       {}
func (SetMode) intent()     {}
func (KeepMode) intent()    {}
func (Revert) intent()      {}
func (PlanBoot) intent()    {}
func (ChangeBoot) intent()  {}

// Sayf is Say with a format.
func Sayf(format string, args ...any) Say { return Say(fmt.Sprintf(format, args...)) }

// Manage renames, deletes or restores a campaign or a model, which may fit a model again; do returns
// what was done, in words.
func Manage(what string, do func() (said string, err error)) Compute {
	return func(context.Context) tea.Msg {
		said, err := do()
		return Managed{what, said, err}
	}
}

// Managed says how renaming, deleting or restoring a campaign or a model went.
type Managed struct {
	What string // "campaign", "model"
	Said string // what was done
	Err  error
}
