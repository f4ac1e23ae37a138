package task

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"jtune/internal/cpubudget"
	"jtune/internal/latest"
	"jtune/optimize"
	"jtune/optimize/ladder"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/answers"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/pair"
	"jtune/tui/session/run"
	"jtune/tui/session/search"
	"jtune/tui/session/soak"
)

// jobs are the workloads that a task runs together.
func (s *Spec) jobs() []workload.Workload { return append(slices.Clip(s.With), s.Workload) }

// Subject names the workloads of a task.
func (s *Spec) Subject() string {
	var names []string
	for _, w := range s.jobs() {
		names = append(names, w.Name)
	}
	return strings.Join(names, " + ")
}

// TaskKind is the purpose of a task.
type TaskKind int

// Kinds of tasks.
const (
	Tuning      TaskKind = iota
	FrontSearch          // of the whole Pareto front
	Verifying
	Training
	Redoing
	Profiling
	Pairing
	Soaking
	Following // displays another process; never a task of this one
)

func (k TaskKind) String() string {
	return [...]string{"tuning", "front search", "verifying", "training", "redoing", "profiling", "pairing",
		"soaking", "following"}[k]
}

// TaskState is the state of a task:
//
//	queued ──► running ──► pausing ──► paused ──► running … ──► stopping ──► done
type TaskState int

// States of a task.
const (
	Queued   TaskState = iota
	Running            // measuring
	Pausing            // will pause after the mode in progress
	Paused             // paused between two modes
	Stopping           // cancelled; restoring the board
	Done               // the board is restored
)

func (s TaskState) String() string {
	return [...]string{"queued", "running", "pausing after this mode", "paused", "stopping", "done"}[s]
}

// Spec describes a task.
type Spec struct {
	Kind     TaskKind
	Workload workload.Workload
	metric.Questions
	Planned int                 // modes, approximately; for a search the maximum
	Plan    string              // description of what a profile measures
	With    []workload.Workload // of a pair, the training that runs with Workload
	Policy  string              // its turns; "": the better of strict and fill
	Present bool                // runs in the present mode and sets none
	Whole   bool                // a single load from start to end, which cannot be paused
	Try     bool                // runs a command to its end to see how its output is read
}

// Snapshot is the state of a task at one moment. Its lists are never modified afterwards.
type Snapshot struct {
	State     TaskState
	Began     time.Duration // device clock
	Progress  profiles.Progress
	Rows      []record.Row
	Probes    []optimize.Probe
	Step      *optimize.Step    // of a search: the measurement in progress and its reason; nil: unknown
	Best      *answers.Answer   // best so far in a search; nil before the first mode
	Halved    *ladder.Halving   // of a binary search: its last step
	Order     []tegra.Setting   // of a fixed plan
	redoes    int               // the failed ones among this many first rows are measured again
	paused    time.Duration     // device time spent in pauses
	pausedAt  time.Duration     // device clock, while State is Paused
	Times     []float64         // minibatch times of a run, newest last
	Last      *harness.Event    // the newest minibatch, with its parts
	Character *record.Character // of a run, so far
	Advice    []string          // conclusions from Character, as sentences
	Watch     PairWatch         // of a pair
	Soak      *soak.View        // nil before the board rests
	Notes     []string
	Told      *measure.ToldEvent // of a command's run: its output and how it is read; nil before
	Log       string             // output file of a run's job; "" for none

	Stopped bool   // cancelled
	By      string // who last paused, continued or stopped it from another program; "" for nobody
	Err     error
	Outcome

	changes int // number of changes before this moment
}

// OlderThan reports whether a snapshot is older than another one of the same task.
func (s *Snapshot) OlderThan(o Snapshot) bool { return s.changes < o.changes }

// Done reports whether the task has ended and the board is restored.
func (s *Snapshot) Done() bool { return s.State == Done }

// Sized reports whether the rows have their own batch sizes.
func (s *Snapshot) Sized() bool { return len(s.Rows) > 0 && s.Rows[0].Batch > 0 }

// Measured lists the usable results so far, in order.
func (s *Snapshot) Measured() []tegra.Measured { return record.Usable(s.Rows) }

// Coming returns the planned settings after the one in progress, in order, as far as they are known.
func (s *Snapshot) Coming() []tegra.Setting {
	done := map[tegra.Setting]int{s.Progress.Step.Setting: 1}
	if p := s.Progress; p.Phase == profiles.Finished { // its row counts already
		done = map[tegra.Setting]int{}
	}
	for i, r := range s.Rows {
		if r.Status.Usable() || i >= s.redoes {
			done[r.Setting]++
		}
	}
	return campaigns.ToCome(s.Order, done)
}

// Elapsed returns the device time since the task began, without pauses.
func (s *Snapshot) Elapsed(now time.Duration) time.Duration {
	if s.State == Paused {
		now = s.pausedAt
	}
	return now - s.Began - s.paused
}

const (
	// mostTimes caps the minibatch times that a run keeps for its chart.
	mostTimes = 600
	// mostNotes caps the notes that a task keeps.
	mostNotes = 100
)

// Fold applies an event to the snapshot.
func (s *Snapshot) Fold(e measure.Event) {
	switch e := e.(type) {
	case measure.ProgressEvent:
		s.advance(e)
	case measure.StepEvent:
		s.Step = &e.Step
	case measure.ProbeEvent:
		s.Step, s.Probes = nil, append(s.Probes, e.Probe)
		if e.Best != nil {
			s.Best = e.Best
		}
	case measure.HalvingEvent:
		s.Halved, s.Notes = &e.Halving, append(s.Notes, e.Halving.String())
	case measure.OrderEvent:
		s.Order = e.Settings
	case measure.CharacterEvent:
		s.Character, s.Advice = &e.Character, e.Advice
	case measure.ToldEvent:
		s.Told = &e
	case measure.NoteEvent:
		s.Notes = append(s.Notes, string(e))
	}
	s.Watch.add(e)
	s.Notes = newest(s.Notes, mostNotes)
}

// advance applies the bench's progress.
func (s *Snapshot) advance(e measure.ProgressEvent) {
	p := e.Progress
	s.Progress = p
	if p.Row != nil {
		s.Rows = append(s.Rows, *p.Row)
	} else if p.TimeMS > 0 {
		s.Times = newest(append(s.Times, p.TimeMS), mostTimes)
	}
	if p.Line != "" {
		s.Notes = append(s.Notes, p.Line)
	}
	if e.Minibatch != nil {
		s.Last = e.Minibatch
	}
}

func newest[T any](list []T, most int) []T { return list[max(0, len(list)-most):] }

// Task is one piece of work on a board: a search, a verification, a training run. It is safe for concurrent use.
type Task struct {
	Spec
	Speed float64 // rate of a virtual board's clock during it; 0: unchanged, +Inf: never sleeps
	work  work

	Clock   tegra.Clock // the device's; nil before the start
	updates *latest.Value[Snapshot]
	ended   chan struct{}
	pace    Pace // of the task's goroutine
	Cancel  context.CancelFunc

	mu   sync.Mutex
	now  Snapshot
	shut chan struct{} // closed when the pause ends; nil: no pause
}

// work is the function that a task runs on its goroutine.
type work func(ctx context.Context, on Measurer, t *Task) (Outcome, error)

// Outcome is the result of a task.
type Outcome struct {
	Tuned    *measure.TuneResult
	Ran      *measure.RunResult
	Paired   *pair.Answer
	Proof    *soak.Result
	Readings []tegra.Measured // of the task's workload, not included in a model of Tuned
}

func NewTask(spec Spec, work work) *Task {
	return &Task{Spec: spec, work: work, updates: latest.New[Snapshot](), ended: make(chan struct{}),
		Cancel: func() {}}
}

// Tune returns a search.
func Tune(r measure.TuneRequest) *Task {
	spec := Spec{Kind: Tuning, Workload: r.Workload, Questions: r.Questions, Planned: search.MostMeasured(r)}
	if r.Coverage == campaigns.CoverFront {
		spec.Kind, spec.Planned = FrontSearch, search.AboutFront
	}
	return NewTask(spec, func(ctx context.Context, on Measurer, t *Task) (Outcome, error) {
		r.Gate, r.Keep = t.Hold, true
		res, err := on.Tune(ctx, r, t.Observe)
		switch {
		case len(res.Probes) == 0:
			return Outcome{}, err
		case res.Fitted == nil:
			return Outcome{Tuned: &res, Readings: search.MeasuredOf(res.Probes)}, err
		}
		return Outcome{Tuned: &res}, err
	})
}

// Verify returns a task that measures one mode, at a batch size if the model has it as an input.
func Verify(r measure.ModeRequest, batch int) *Task {
	r.Workload.Batch = cmp.Or(batch, r.Workload.Batch)
	spec := Spec{Kind: Verifying, Workload: r.Workload, Questions: metric.Question{Limit: r.Limit}.List(), Planned: 1,
		Present: r.InForce, Whole: r.InForce}
	return NewTask(spec, func(ctx context.Context, on Measurer, t *Task) (out Outcome, err error) {
		rows, err := on.Verify(ctx, r, t.Observe)
		for _, row := range rows {
			if row.Batch, err = batch, search.Unusable(row); err == nil {
				out.Readings = append(out.Readings, row.Measured)
			}
		}
		return out, err
	})
}

// Run returns a task that runs a workload until it is stopped.
func Run(r measure.RunRequest) *Task {
	spec := Spec{Kind: Training, Workload: r.Workload, Present: !r.Mode.Sets(), Whole: true}
	return NewTask(spec, func(ctx context.Context, on Measurer, t *Task) (Outcome, error) {
		r.Log = run.NewLog(r.Log)
		t.Change(func(s *Snapshot) { s.Log = r.Log })
		res, err := on.Run(ctx, r, t.Observe)
		if ctx.Err() != nil {
			err = nil
		}
		return Outcome{Ran: &res}, err
	})
}

// Profile returns a task that measures what a request selects. planned is its plan, and rows the rows in the folder
// that it resumes.
func Profile(r measure.ProfileRequest, planned record.PlanHeader, rows []record.Row) *Task {
	spec := Spec{Kind: Profiling, Workload: r.Workload, Planned: planned.Readings(),
		Plan: campaigns.PlanText(planned, nil)}
	if r.RedoFailed {
		spec.Kind, spec.Planned = Redoing, len(rows)+len(Failed(rows))
	}
	t := NewTask(spec, func(ctx context.Context, on Measurer, t *Task) (Outcome, error) {
		r.Gate, r.Force = t.Hold, true // the screens show a warning instead
		_, err := on.Profile(ctx, r, t.Observe)
		if err == nil {
			err = ctx.Err()
		}
		return Outcome{}, err
	})
	if t.now.Rows = slices.Clone(rows); r.RedoFailed {
		t.now.redoes = len(rows)
	}
	return t
}

// Redo returns a task that repeats the failed modes of an ended task, with their rows after its own.
func Redo(spec Spec, old Snapshot) *Task {
	failed := Failed(old.Rows)
	spec.Kind, spec.Planned = Redoing, len(old.Rows)+len(failed)
	t := NewTask(spec, func(ctx context.Context, on Measurer, t *Task) (Outcome, error) {
		r := measure.ProfileRequest{Measuring: measure.Measuring{Workload: spec.Workload, Gate: t.Hold}, List: failed,
			ListName: "failed modes, once more", Force: true}
		res, err := on.Profile(ctx, r, t.Observe)
		if err == nil {
			err = ctx.Err()
		}
		return Outcome{Readings: record.Usable(res.Rows)}, err
	})
	t.now.Rows, t.now.Probes, t.now.redoes = slices.Clone(old.Rows), slices.Clone(old.Probes), len(old.Rows)
	return t
}

// Now returns the present state of the task.
func (t *Task) Now() Snapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now
}

// Subscribe returns the stream of states after each change; a slow subscriber gets only the latest. There can be one
// subscriber.
func (t *Task) Subscribe() *latest.Value[Snapshot] { return t.updates }

// Ended is closed when the task is done.
func (t *Task) Ended() <-chan struct{} { return t.ended }

// Change modifies the task's state and publishes it.
func (t *Task) Change(by func(s *Snapshot)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	by(&t.now)
	t.now.changes++
	now := t.now
	t.updates.Put(func(newest *Snapshot) { *newest = now })
}

// Observe applies an event on the task's goroutine.
func (t *Task) Observe(e measure.Event) {
	t.pace.Observe(e)
	t.Change(func(s *Snapshot) { s.Fold(e) })
}

// Stop cancels the task, which then restores the board. by names a user of another program; "" is the user of this one.
func (t *Task) Stop(by string) {
	t.Change(func(s *Snapshot) {
		if !s.Done() {
			s.State, s.Stopped, s.By = Stopping, true, by
		}
	})
	t.Cancel()
}

// Pause pauses the task after the mode in progress, or continues it. by names a user of another program; "" is the user
// of this one.
func (t *Task) Pause(hold bool, by string) {
	t.Change(func(s *Snapshot) {
		switch {
		case hold && s.State == Running:
			s.State, s.By, t.shut = Pausing, by, make(chan struct{})
		case !hold && (s.State == Pausing || s.State == Paused):
			close(t.shut)
			if s.State == Paused {
				s.paused += t.Clock.Now() - s.pausedAt
			}
			s.State, s.By, t.shut = Running, by, nil
		}
	})
}

// Hold is the task's gate between two modes: it returns when the task is not paused.
func (t *Task) Hold(ctx context.Context) error {
	var shut chan struct{}
	t.Change(func(s *Snapshot) {
		if s.State == Pausing {
			s.State, shut, s.pausedAt = Paused, t.shut, t.Clock.Now()
		}
	})
	if shut != nil {
		select {
		case <-shut:
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// SpeedSetter is a clock with an adjustable speed: a virtual board's.
type SpeedSetter interface {
	Speed() float64
	SetSpeed(x float64)
}

// Tasks runs the tasks of one board, one at a time.
type Tasks struct {
	On     Measurer
	Clock  tegra.Clock
	Rate   SpeedSetter       // nil on real hardware
	Top    float64           // rate of tasks that ask for one; 0: theirs
	Budget *cpubudget.Budget // nil: this process must not be limited
	last   *Task
}

// ErrBusy refuses a second task on a board.
var ErrBusy = errors.New("another task runs on this board")

// Start starts a task on a separate goroutine. Call it from one goroutine only.
func (q *Tasks) Start(ctx context.Context, t *Task) error {
	if q.last != nil && !q.last.Over() {
		return ErrBusy
	}
	q.last = t
	ctx, t.Cancel = context.WithCancel(ctx)
	t.Clock = q.Clock
	t.Change(func(s *Snapshot) { s.State, s.Began = Running, q.Clock.Now() })
	slower := q.pace(t)
	go func() {
		defer t.Cancel()
		t.pace = Pace{Budget: q.Budget}
		t.pace.Compute(!t.Whole)
		out, err := t.attempt(ctx, q.On)
		t.pace.Compute(false)
		slower()
		t.Finish(out, err)
	}()
	return nil
}

func (t *Task) Over() bool { s := t.Now(); return s.Done() }

// realTime reports whether a job of the task really runs while the board is virtual; its clock then keeps real time.
func (s Spec) realTime() bool {
	return slices.ContainsFunc(s.jobs(), func(w workload.Workload) bool { return w.Beside() })
}

// pace sets a virtual board's clock to the task's rate; before restores it.
func (q *Tasks) pace(t *Task) (before func()) {
	if q.Rate == nil || t.Speed == 0 && !t.realTime() {
		return func() {}
	}
	was, rate := q.Rate.Speed(), cmp.Or(q.Top, t.Speed)
	if t.realTime() {
		rate = 1
	}
	q.Rate.SetSpeed(rate)
	return func() {
		if q.Rate.Speed() == rate {
			q.Rate.SetSpeed(was)
		}
	}
}

// Finish records how the work ended.
func (t *Task) Finish(out Outcome, err error) {
	t.Change(func(s *Snapshot) {
		if s.Stopped && errors.Is(err, context.Canceled) {
			err = nil // as requested
		}
		s.State, s.Err, s.Outcome = Done, err, out
		if r := out.Ran; r != nil && r.Character.All.Minibatches > 0 {
			s.Character, s.Advice = &r.Character, r.Advice
		}
	})
	t.updates.Close()
	close(t.ended)
}
