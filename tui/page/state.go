package page

import (
	"context"
	"slices"
	"time"

	"jtune/internal/document"
	"jtune/internal/figure"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry"
	"jtune/tui/session"
	"jtune/tui/session/control"
	"jtune/tui/session/measure"
	"jtune/tui/session/pair"
	"jtune/tui/session/search"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
	"jtune/tui/widget"
)

// State is what all pages read. Only the shell writes it; pages get a Reader.
type State struct {
	Device   Device
	Readings Readings
	Work     Work
	Tasks    Tasks
	// Goal is what modes are chosen by. For inference it holds the configured load unless another was given.
	Goal    metric.Question
	LoadErr error             // why no mode can be chosen under its load
	Served  *serving.LoadView // predictions under the load; nil: no load, or not computed yet
	Outlook *outlook.Outlook  // the shown one; nil without a model
	// LoadedLast reports whether a page that opened without an outlook has begun to load the newest kept model.
	LoadedLast bool
	Mixes      *pair.Mixes     // of the newest pair, shown by Front; nil: none
	Applied    session.Applied // what this program has done to the board
	Look       Look
	Keys       *Keys
	Moment     Moment
}

// NewState returns what is known of a device before it is read: the built-in keys, and the limit that its presets
// suggest.
func NewState(d tegra.Device, s Session, clock tegra.Clock) State {
	return State{
		Device: Device{Board: d.Board(), Space: d.Space(), Presets: d.Presets(), Session: s},
		Work:   Work{Choice: search.DefaultForm(d.Presets())},
		Goal:   metric.Question{Limit: metric.Watts(outlook.DefaultPowerW(d.Presets()))},
		Keys:   DefaultKeys(),
		Moment: Moment{Now: time.Now, Clock: clock},
	}
}

// Device describes the parts of the board that do not change, except that the guard completes space and presets.
type Device struct {
	Board    tegra.Board
	Space    *tegra.Space
	Presets  []tegra.Preset
	ReadOnly bool
	Rate     task.SpeedSetter // nil on real hardware
	Paced    bool             // the command line gives the rate
	// Block writes a mode as the vendor's POWER_MODEL block, in a command; nil if that is not possible.
	Block   func(m tegra.Mode, name string) (string, error)
	Session Session
}

// Session is what pages request from a session, in commands that they give to the shell.
type Session interface {
	// Blocked returns why a workload cannot run on this board, or "".
	Blocked(w workload.Workload) string
	// Refusal is Blocked as a sentence.
	Refusal(w workload.Workload) string
	// RunsAs describes in a word how a workload runs on this board, or why it does not.
	RunsAs(w workload.Workload) string
	SaveModel(name string, m *learn.Model) (path string, err error)
	// ModelRepeats plots the scatter of the readings behind a model.
	ModelRepeats(m *learn.Model) (figure.Figure, error)
	// Planned returns what a request would measure.
	Planned(r measure.ProfileRequest) (measure.Planned, error)
	// Expects estimates how long modes of a workload take; it is slow.
	Expects(ctx context.Context, m measure.Measuring) *measure.Expectation
	// CampaignShelf and ModelShelf manage the campaigns and models of the data directory.
	CampaignShelf() Shelf
	ModelShelf() Shelf
	// TypedJob makes a workload of a typed command line.
	TypedJob(line string, as workloads.Typed) (workload.Workload, error)
	// KeepJob adds such a job to the known workloads until the session ends; SaveJob saves it in the configuration
	// under a name.
	KeepJob(w workload.Workload) error
	SaveJob(name string, w workload.Workload) (path string, err error)
	// Report builds the report of a campaign.
	Report(campaign string) (document.Document, error)
	// TrainLog returns the path of the log of a training run's job.
	TrainLog() string
}

// Readings is what the board does now and did over the last two minutes.
type Readings struct {
	Sample  telemetry.Sample // the shown one
	OK      bool             // there is a sample
	History []telemetry.Sample
	EnergyJ float64 // since the program started
	Since   time.Time
	Cost    telemetry.Cost // of this program
	Disk    telemetry.DiskRates
	GPU     telemetry.GPUUse
	Before  tegra.Signals   // when the program started
	Peaks   telemetry.Peaks // since the program started
	Left    string          // that the board has left its kept mode, in words; "" while it is in it
}

// Take adds what a watch has read since the last call.
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
	if r.Before == nil {
		r.Before = last.Reading.Signals
	}
	r.Sample, r.OK = last, true
}

// chartSpan is the length of the history.
const chartSpan = 2 * time.Minute

// Work is the known workloads, and what they can be run with.
type Work struct {
	List      []workload.Workload
	Pointed   string // the one under the cursor while a dialog opens; "": none
	Preferred string // preselected if the cursor is on none; "": none
	Suggested string // preselected if none was chosen
	Sizes     []int  // requested batch sizes, or those of a replay; nil: not several
	// Fixed maps a workload's name to the reason why its batch size cannot be chosen.
	Fixed  map[string]string
	Choice search.Form // last answers of the Tune dialog
	Jobs   *Jobs       // nil: every workload can run
}

// Find returns the workload with a name or alias.
func (k Work) Find(name string) (w workload.Workload, known bool) {
	w, err := workload.Find(k.List, name)
	return w, err == nil
}

// First returns the index of the workload to preselect: the one under the cursor, the preferred one, the last choice,
// or the suggested one; of those that can run, if any can.
func (k Work) First() int {
	for _, name := range []string{k.Pointed, k.Preferred, k.Choice.Workload, k.Suggested} {
		if w, known := k.Find(name); known && (k.ready(w) || !k.anyReady()) {
			return slices.IndexFunc(k.List, func(l workload.Workload) bool { return l.Name == w.Name })
		}
	}
	return max(0, slices.IndexFunc(k.List, k.ready))
}

// Tasks are the tasks that the pages show.
type Tasks struct {
	Own         *Task             // running, or the last one; nil before the first
	Searched    *Task             // the newest search before Own; nil: none
	Drop        *Task             // of the mode that waits to be kept, or the last one; nil: its job does not run
	Followed    *Task             // a campaign of another process; nil: none
	Interrupted *task.Interrupted // the newest campaign that can be resumed; nil: none
	Campaigns   []task.Listed     // of this board, newest first; nil before they are listed
	Deleted     []task.Listed     // can be restored, newest first
}

// Task is a task of the session, or a campaign of another process.
type Task struct {
	task.Spec
	task.Snapshot                   // the newest one received
	Follows       *control.Followed // nil: a task of this process
	Preview       outlook.Preview
	Bands         []float64 // median band of time along the Pareto front in each preview, %
}

// SpaceOr returns the space of the task's modes; own is this board's.
func (t *Task) SpaceOr(own *tegra.Space) *tegra.Space {
	if t.Follows != nil {
		return t.Follows.Space
	}
	return own
}

// Look is how pages are drawn.
type Look struct {
	Shown      Name // the shown page
	Narrow     bool // the window is too narrow for frames
	Frozen     bool
	Glyphs     widget.Glyphs
	Colourless bool
}

// Moment is valid while a key is handled.
type Moment struct {
	Now    func() time.Time // the user's time
	Clock  tegra.Clock      // the board's
	Rushed bool             // the key came too soon after the previous one
	Asking bool             // the question whether to keep a mode is open
}
