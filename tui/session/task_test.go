package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
)

// steps measures one mode of a campaign for each value that it receives.
type steps chan bool

func (s steps) Tune(context.Context, TuneRequest, func(Event)) (TuneResult, error) {
	return TuneResult{}, optimize.ErrInfeasible
}

func (s steps) Profile(ctx context.Context, r ProfileRequest, observe func(Event)) (res ProfileResult, err error) {
	for i, at := range r.List {
		if err := r.Gate(ctx); err != nil {
			return res, err
		}
		<-s
		row := record.Row{Measured: tegra.Measured{Setting: at, TimeMS: float64(i + 1), PowerW: 10}, Status: record.OK}
		observe(ProgressEvent{Progress: profiles.Progress{Phase: profiles.Finished, Row: &row}})
		res.Rows = append(res.Rows, row)
	}
	return res, nil
}

func (s steps) Verify(context.Context, workload.Workload, tegra.Mode, func(Event)) (record.Row, error) {
	return record.Row{Status: record.TimedOut, Why: "too slow"}, nil
}

func (s steps) Pair(context.Context, PairSearch, func(Event)) (PairFound, error) {
	return PairFound{}, nil
}

func (s steps) Run(context.Context, RunRequest, func(Event)) (RunResult, error) {
	return RunResult{}, nil
}

// redo is a task over three failed modes.
func redo() *Task {
	var rows []record.Row
	for n := range 3 {
		rows = append(rows, record.Row{Measured: tegra.Measured{Setting: tegra.Setting{Mode: tegra.Mode{Cores: n + 1}}},
			Status: record.TimedOut})
	}
	return RedoTask(TaskSpec{Workload: workload.Workload{Name: "lstm"}}, Snapshot{Rows: rows})
}

// await waits until a task is as wanted.
func await(t *testing.T, task *Task, what string, is func(s Snapshot) bool) Snapshot {
	t.Helper()
	for s, ok := task.Now(), true; ok; s, ok = task.Subscribe().Next(t.Context(), 0) {
		if is(s) {
			return s
		}
	}
	t.Fatalf("the task ended before: %s; %+v", what, task.Now())
	return Snapshot{}
}

func TestTaskPausesBetweenTwoModesAndGoesOn(t *testing.T) {
	t.Parallel()
	on := make(steps)
	q := Tasks{On: on, Clock: fast(t).Clock}
	task := redo()
	if s := task.Now(); s.State != Queued || task.Planned != 6 {
		t.Errorf("before its start: state %d, %d planned", s.State, task.Planned)
	}
	if err := q.Start(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	if err := q.Start(t.Context(), redo()); !errors.Is(err, ErrBusy) {
		t.Errorf("a second task on the board: %v, want ErrBusy", err)
	}
	on <- true
	await(t, task, "a mode is measured", func(s Snapshot) bool { return len(s.Rows) == 4 })
	task.Pause(true)
	held := task.Now()
	for ; held.State != Paused; held = task.Now() {
		select {
		case on <- true: // the mode in progress, if the pause came too late to hold before it
		case <-time.After(5 * time.Millisecond):
		}
	}
	if len(held.Rows) > 5 {
		t.Errorf("%d rows while paused, want 5 at most", len(held.Rows))
	}
	task.Pause(false)
	for range 6 - len(held.Rows) {
		on <- true
	}
	<-task.Ended()
	end := task.Now()
	if !held.OlderThan(end) || end.OlderThan(end) {
		t.Error("the last snapshot is not the newest")
	}
	if !end.Done() || end.Err != nil || len(end.Readings) != 3 || len(end.Rows) != 6 || len(Failed(end.Rows)) != 0 {
		t.Errorf("at the end %+v", end)
	}
	last := RunTask(RunRequest{Log: filepath.Join(t.TempDir(), "log")})
	if err := q.Start(t.Context(), last); err != nil {
		t.Fatalf("after the end of the one before: %v", err)
	}
	<-last.Ended() // it writes its log until then
}

func TestTaskThatIsStoppedEndsWithoutAnError(t *testing.T) {
	t.Parallel()
	on := make(steps, 3)
	q := Tasks{On: on, Clock: fast(t).Clock}
	task := redo()
	if err := q.Start(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	task.Stop()
	on <- true // the mode in progress
	<-task.Ended()
	if s := task.Now(); !s.Done() || !s.Stopped || s.Err != nil || len(s.Rows) > 4 {
		t.Errorf("stopped: %+v", s)
	}
}

func TestTaskTellsWhyItGaveNoValue(t *testing.T) {
	t.Parallel()
	q := Tasks{On: make(steps), Clock: fast(t).Clock}
	for name, task := range map[string]*Task{
		"timeout: too slow":            VerifyTask(workload.Workload{}, tegra.Mode{}, 8),
		optimize.ErrInfeasible.Error(): TuneTask(TuneRequest{}),
	} {
		if err := q.Start(t.Context(), task); err != nil {
			t.Fatal(err)
		}
		<-task.Ended()
		if s := task.Now(); s.Err == nil || s.Err.Error() != name || s.Readings != nil || s.Tuned != nil {
			t.Errorf("%s: error %v, readings %v", task.Kind, s.Err, s.Readings)
		}
	}
}

func TestCampaignsFindTheInterruptedOneOfThisBoard(t *testing.T) {
	t.Parallel()
	s := fast(t)
	c := s.Campaigns()
	c.Held = nil
	w, err := s.Workload("lstm")
	if err != nil {
		t.Fatal(err)
	}
	campaign := func(name, kind string, planned, rows int, change func(h *record.Header)) string {
		h := s.header(w, record.PlanHeader{Kind: kind, Modes: planned}, nil, record.Settings{})
		change(&h)
		dir := filepath.Join(c.Dir, name)
		rec, err := record.Create(dir, h)
		if err != nil {
			t.Fatal(err)
		}
		defer rec.Close()
		for _, m := range s.Device.Space().Sample(rows, 1) {
			at := tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 50, PowerW: 20}
			row := record.Row{Measured: at, Applied: m, Status: record.OK, TookS: 20, When: time.Now()}
			if err := rec.Append(row); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	same := func(*record.Header) {}
	search := func(l optimize.Limit) func(h *record.Header) {
		return func(h *record.Header) { h.Search = searchHeader(TuneRequest{Limit: l}) }
	}
	campaign("2026-1", "modes", 8, 4, same)
	front := &record.SearchHeader{Coverage: CoverFront.String()}
	want := campaign("2026-2", "modes", 9, 3, func(h *record.Header) {
		h.Search = front
		h.Workload.Batch, h.Workload.Command = 32, []string{"rm", "-r", "x"}
	})
	campaign("2026-3", "modes", 4, 4, same)
	campaign("2026-4", "list", 8, 4, same)
	campaign("2026-5", "modes", 8, 4, func(h *record.Header) { h.Device.Virtual = false })
	unknown := campaign("2026-6", "modes", 8, 4, func(h *record.Header) { h.Workload.Name = "nobodys" })
	u := c.Interrupted()
	if u == nil || !strings.Contains(u.Differs, "nobodys is not known here") {
		t.Fatalf("found %+v, want the one of an unknown workload, which says so", u)
	}
	c.Held = func() []record.Running { return []record.Running{{Dir: unknown, PID: 1}} }
	if u = c.Interrupted(); u == nil || u.Dir != want || len(u.Rows) != 3 || u.Of != 9 || u.Workload.Batch != 32 {
		t.Fatalf("found %+v, want the one in %s", u, want)
	}
	if !strings.Contains(u.Differs, `command "rm -r x" (here none)`) {
		t.Errorf("the folder names another command; it says %q", u.Differs)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the folder's command would run unasked")
			}
		}()
		u.Task(optimize.Limit{PowerW: 30}, false)
	}()
	if task := u.Task(optimize.Limit{PowerW: 30}, true); task.Kind != FrontSearch || task.Planned != 10 ||
		len(task.Now().Rows) != 3 {
		t.Errorf("goes on as %+v", task.TaskSpec)
	}
	c.Held = func() []record.Running { return []record.Running{{Dir: unknown}, {Dir: want, PID: 1}} }
	if u = c.Interrupted(); u == nil || filepath.Base(u.Dir) != "2026-1" {
		t.Errorf("found %+v, want the one that nobody runs", u)
	}
	limit := optimize.Limit{PowerW: 27}
	campaign("2026-7", tuneKind, 0, 2, search(limit))
	if u = c.Interrupted(); u == nil || filepath.Base(u.Dir) != "2026-7" || u.Of != 0 {
		t.Fatalf("found %+v, want the search for a limit", u)
	}
	if got, want := u.String(), "search of lstm (fastest, power ≤ 27 W), 2 modes measured"; got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
	if task := u.Task(optimize.Limit{PowerW: 30}, false); task.Kind != Tuning || task.Limit != limit ||
		u.search.Resume || u.search.Fresh || !u.search.Before.IsZero() {
		t.Errorf("goes on as %+v by %+v", task.TaskSpec, u.search)
	}
	early := campaign("2026-75", tuneKind, 0, 0, search(limit))
	if u = c.Interrupted(); u == nil || u.Dir != early ||
		u.String() != "search of lstm (fastest, power ≤ 27 W), 0 modes measured" {
		t.Errorf("found %v, want the search that was cut off before its first mode", u)
	}
	if err := os.WriteFile(filepath.Join(early, "end.txt"), []byte("broken\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if u = c.Interrupted(); u == nil || filepath.Base(u.Dir) != "2026-7" {
		t.Errorf("found %v, want the search that could measure", u)
	}
	done := campaign("2026-8", tuneKind, 0, 2, search(optimize.Limit{PowerW: 20}))
	if err := os.WriteFile(filepath.Join(done, "end.txt"), []byte("complete\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if u = c.Interrupted(); u == nil || filepath.Base(u.Dir) != "2026-1" {
		t.Errorf("found %+v although a later search has ended", u)
	}
	c.Held = func() []record.Running { return []record.Running{{Dir: want, PID: 1}} }
	f := c.Follow(nil)
	if f == nil || f.Dir != want || len(f.Rows) != 3 || f.Ended {
		t.Fatalf("follows %+v, want the one in %s", f, want)
	}
	head, rows, err := record.Read(want)
	if err != nil {
		t.Fatal(err)
	}
	strange := filepath.Join(t.TempDir(), "other")
	rec, err := record.Create(strange, head)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(rec.Append(rows[0]), rec.Close()); err != nil {
		t.Fatal(err)
	}
	c.Held = func() []record.Running { return []record.Running{{Dir: strange, PID: 2}} }
	if other := c.Follow(nil); other != nil {
		t.Errorf("follows %+v, the virtual board of another data directory", other)
	}
	c.Held = func() []record.Running { return nil }
	if f = c.Follow(f); f == nil || !f.Ended || c.Follow(f) != nil {
		t.Errorf("its end is %+v", f)
	}
}
