package page

import (
	"context"
	"slices"
	"time"

	"jtune/internal/document"
	"jtune/internal/figure"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/pair"
	"jtune/tui/session/remote"
	"jtune/tui/session/search"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
	"jtune/tui/widget"
)

// State is what all pages look at. The shell alone writes it; pages get a Reader.
type State struct {
	Device   Device
	Readings Readings
	Work     Work
	Tasks    Tasks
	// Goal is what modes are chosen by; of inference without a load: under the configured one, if any.
	Goal    mix.Goal
	LoadErr error             // why none are chosen under its load
	Served  *serving.LoadView // what they do under it; nil: there is no load, or that is being worked out
	Outlook *outlook.Outlook  // the one that shows; nil without a model
	Mixes   *pair.Mixes       // of the newest pair, which Front shows then; nil without
	Applied session.Applied   // what this program has done to the board
	Look    Look
	Keys    *Keys
	Moment  Moment
}

// NewState is what is known of a device before it is read: the built-in keys, the
// limit that its presets suggest.
func NewState(d tegra.Device, s Session, clock tegra.Clock) State {
	return State{
		Device: Device{Board: d.Board(), Space: d.Space(), Presets: d.Presets(), Session: s},
		Work:   Work{Choice: search.DefaultForm(d.Presets())},
		Goal:   mix.Goal{Limit: optimize.Limit{PowerW: outlook.DefaultPowerW(d.Presets())}},
		Keys:   DefaultKeys(),
		Moment: Moment{Now: time.Now, Clock: clock},
	}
}

// Device is the board, as far as it never changes.
type Device struct {
	Board    tegra.Board
	Space    *tegra.Space
	Presets  []tegra.Preset
	ReadOnly bool
	Rate     task.SpeedSetter // nil on real hardware
	// Block writes a mode as the vendor's POWER_MODEL block, in a command; nil where
	// that cannot be done.
	Block   func(m tegra.Mode, name string) (string, error)
	Session Session
}

// Session is what pages ask a session for, in commands that they give to the
// shell.
type Session interface {
	// Blocked says why a workload cannot run on this board, or "".
	Blocked(w workload.Workload) string
	// Refusal says it in a sentence.
	Refusal(w workload.Workload) string
	// RunsAs says in a word how it runs on this board, or why it does not.
	RunsAs(w workload.Workload) string
	SaveModel(name string, m *learn.Model) (path string, err error)
	// ModelRepeats shows how far the readings behind a model scatter.
	ModelRepeats(m *learn.Model) (figure.Figure, error)
	// Planned is what a request would measure.
	Planned(r measure.ProfileRequest) (measure.Planned, error)
	// Expects is how long modes of a workload take, as far as that is known; it takes a while.
	Expects(ctx context.Context, m measure.Measuring) *measure.Expectation
	// RenameCampaign, DeleteCampaign and RestoreCampaign call a session's options.
	RenameCampaign(name, to string) error
	DeleteCampaign(name string) (aside string, err error)
	RestoreCampaign(name string) error
	// RenameModel, DeleteModel and RestoreModel call a session's options.
	RenameModel(name, to string) error
	DeleteModel(name string) (aside string, err error)
	RestoreModel(name string) error
	// TypedJob makes a workload of a command that was typed in a line.
	TypedJob(line string, as workloads.Typed) (workload.Workload, error)
	// KeepJob makes such a job known until the session ends; SaveJob writes it into the configuration by a name.
	KeepJob(w workload.Workload) error
	SaveJob(name string, w workload.Workload) (path string, err error)
	// Report is the page to hand over on a campaign.
	Report(campaign string) (document.Document, error)
	// TrainLog is the file that gets what the job of a training run says.
	TrainLog() string
}

// Readings is what the board does now and did in the last two minutes.
type Readings struct {
	Sample  telemetry.Sample // as shown
	OK      bool             // there is one
	History []telemetry.Sample
	EnergyJ float64 // since the program began
	Since   time.Time
	Cost    telemetry.Cost // of this program
	Disk    telemetry.DiskRates
	GPU     telemetry.GPUUse
	Before  tegra.Val[int64] // over-current events when the program began
	Peaks   telemetry.Peaks  // since then
}

// Take adds what a watch has read since the readings before.
func (r *Readings) Take(more telemetry.Readings) {
	last := more.Last
	r.History = append(r.History, more.Samples...)
	for _, s := range more.Samples {
		r.Peaks.Take(s.Reading)
	}
	for len(r.History) > 1 && (r.History[0].T < last.T-chartSpan || len(r.History) > telemetry.MaxReadings) {
		r.History = r.History[1:]
	}
	r.EnergyJ, r.Cost, r.Disk, r.GPU = more.EnergyJ, more.Cost, more.Disk, more.GPU
	if !r.Before.OK {
		r.Before = last.Reading.OverCurrents
	}
	r.Sample, r.OK = last, true
}

// chartSpan is how much of the past the readings hold.
const chartSpan = 2 * time.Minute

// Work is the workloads that are known, and what they may be run with.
type Work struct {
	List      []workload.Workload
	Pointed   string // the one under the cursor, while a dialog opens; "" for none
	Preferred string // the one to begin with where the cursor is on none; "" for none
	Suggested string // the one to begin with where none was chosen
	Sizes     []int  // batch sizes asked for, or that a replay has; nil where they are not several
	// Fixed says by a workload's name why its batch size cannot be chosen.
	Fixed  map[string]string
	Choice search.Form // how the Tune dialog was answered last
}

// Find gives the workload of a name or alias.
func (k Work) Find(name string) (w workload.Workload, known bool) {
	w, err := workload.Find(k.List, name)
	return w, err == nil
}

// First is the place in the list of the workload to begin with: the one that the cursor is on, the preferred one, the
// one that was chosen last, or the suggested one.
func (k Work) First() int {
	for _, name := range []string{k.Pointed, k.Preferred, k.Choice.Workload, k.Suggested} {
		if w, known := k.Find(name); known {
			return slices.IndexFunc(k.List, func(l workload.Workload) bool { return l.Name == w.Name })
		}
	}
	return 0
}

// Tasks are the tasks that show.
type Tasks struct {
	Own         *Task             // running, or the last one; nil before
	Searched    *Task             // the newest search before Own; nil: there was none
	Followed    *Task             // a campaign of another process; nil without
	Interrupted *task.Interrupted // the newest campaign that can go on; nil: there is none
	Campaigns   []task.Listed     // of this board, the newest first; nil before they are listed
	Deleted     []task.Listed     // that can be restored, the newest first
}

// Task is a task of the session, or what another process measures, as it shows.
type Task struct {
	task.Spec
	task.Snapshot                  // as received last
	Follows       *remote.Followed // nil: a task of this process
	Preview       outlook.Preview
	Bands         []float64 // of time along the Pareto front, as preview after preview found them, %
}

// SpaceOr is the space that the task's modes belong to.
func (t *Task) SpaceOr(own *tegra.Space) *tegra.Space {
	if t.Follows != nil {
		return t.Follows.Space
	}
	return own
}

// Look is how pages are drawn.
type Look struct {
	Shown      Name // the page that shows
	Narrow     bool // the window has no room for frames
	Frozen     bool
	Glyphs     widget.Glyphs
	Colourless bool
}

// Moment is what holds while a key is in hand.
type Moment struct {
	Now    func() time.Time // the user's time, for countdowns
	Clock  tegra.Clock      // the board's
	Rushed bool             // the key came too soon after the one before
	Asking bool             // a mode that was set waits to be kept
}
