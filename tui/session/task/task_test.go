package task

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/optimize"
	"jtune/optimize/ladder"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/config"
	"jtune/tui/session/measure"
	"jtune/tui/session/models"
	"jtune/tui/session/pair"
	"jtune/tui/session/search"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/soak"
	"jtune/tui/session/workloads"
)

// steps measures one mode of a campaign for each value that it receives.
type steps chan bool

func (s steps) Tune(context.Context, measure.TuneRequest, func(measure.Event)) (measure.TuneResult, error) {
	return measure.TuneResult{}, optimize.ErrInfeasible
}

func (s steps) Profile(ctx context.Context, r measure.ProfileRequest,
	observe func(measure.Event)) (res measure.ProfileResult, err error) {
	for i, at := range r.List {
		if err := r.Gate(ctx); err != nil {
			return res, err
		}
		<-s
		row := record.Row{Measured: tegra.Measured{Setting: at, TimeMS: float64(i + 1), PowerW: 10}, Status: record.OK}
		observe(measure.ProgressEvent{Progress: profiles.Progress{Phase: profiles.Finished, Row: &row}})
		res.Rows = append(res.Rows, row)
	}
	return res, nil
}

func (s steps) Verify(context.Context, measure.ModeRequest, func(measure.Event)) ([]record.Row, error) {
	return []record.Row{{Status: record.TimedOut, Why: "too slow"}}, nil
}

func (s steps) Pair(context.Context, pair.Request, func(measure.Event)) (pair.Answer, error) {
	return pair.Answer{}, nil
}

func (s steps) Soak(context.Context, soak.Request, func(soak.Status)) (soak.Result, error) {
	return soak.Result{}, nil
}

func (s steps) Run(context.Context, measure.RunRequest, func(measure.Event)) (measure.RunResult, error) {
	return measure.RunResult{}, nil
}

// redo is a task over three failed modes.
func redo() *Task {
	var rows []record.Row
	for n := range 3 {
		rows = append(rows, record.Row{Measured: tegra.Measured{Setting: tegra.Setting{Mode: tegra.Mode{Cores: n + 1}}},
			Status: record.TimedOut})
	}
	return Redo(Spec{Workload: workload.Workload{Name: "lstm"}}, Snapshot{Rows: rows})
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
	q := Tasks{On: on, Clock: sessiontest.Fast(t).Clock}
	task := redo()
	if s := task.Now(); s.State != Queued || task.Planned != 6 {
		t.Errorf("before its start: state %d, %d planned", s.State, task.Planned)
	}
	must.NoError(t, q.Start(t.Context(), task))
	if err := q.Start(t.Context(), redo()); !errors.Is(err, ErrBusy) {
		t.Errorf("a second task on the board: %v, want ErrBusy", err)
	}
	on <- true
	await(t, task, "a mode is measured", func(s Snapshot) bool { return len(s.Rows) == 4 })
	task.Pause(true, "")
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
	task.Pause(false, "")
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
	last := Run(measure.RunRequest{Log: filepath.Join(t.TempDir(), "log")})
	if err := q.Start(t.Context(), last); err != nil {
		t.Fatalf("after the end of the one before: %v", err)
	}
	<-last.Ended() // it writes its log until then
}

func TestTaskThatIsStoppedEndsWithoutAnError(t *testing.T) {
	t.Parallel()
	on := make(steps, 3)
	q := Tasks{On: on, Clock: sessiontest.Fast(t).Clock}
	task := redo()
	must.NoError(t, q.Start(t.Context(), task))
	task.Stop("")
	on <- true // the mode in progress
	<-task.Ended()
	if s := task.Now(); !s.Done() || !s.Stopped || s.Err != nil || len(s.Rows) > 4 {
		t.Errorf("stopped: %+v", s)
	}
}

func TestTaskTellsWhyItGaveNoValue(t *testing.T) {
	t.Parallel()
	q := Tasks{On: make(steps), Clock: sessiontest.Fast(t).Clock}
	for name, task := range map[string]*Task{
		"timeout: too slow":            Verify(measure.ModeRequest{}, 8),
		optimize.ErrInfeasible.Error(): Tune(measure.TuneRequest{Questions: metric.Question{}.List()}),
	} {
		must.NoError(t, q.Start(t.Context(), task))
		<-task.Ended()
		if s := task.Now(); s.Err == nil || s.Err.Error() != name || s.Readings != nil || s.Tuned != nil {
			t.Errorf("%s: error %v, readings %v", task.Kind, s.Err, s.Readings)
		}
	}
}

// rate is a virtual board's clock, and what it was set to.
type rate struct{ was []float64 }

func (r *rate) Speed() float64     { return r.was[len(r.was)-1] }
func (r *rate) SetSpeed(x float64) { r.was = append(r.was, x) }

// A job that really runs beside a virtual board keeps real time, also where the task was to be fast; the clock goes on
// at its own rate afterwards.
func TestTaskOfARealJobBesideAVirtualBoardKeepsRealTime(t *testing.T) {
	t.Parallel()
	simulated, really := workload.Workload{Name: "resnet18"}, workload.Workload{Name: "mine"}
	really.Torch.Beside = true
	for _, c := range []struct {
		w    workload.Workload
		with []workload.Workload
		rate float64
		want []float64
	}{
		{simulated, nil, 0, []float64{10}},
		{simulated, nil, math.Inf(1), []float64{10, math.Inf(1), 10}},
		{simulated, nil, 60, []float64{10, 60, 10}},
		{really, nil, math.Inf(1), []float64{10, 1, 10}},
		{really, nil, 0, []float64{10, 1, 10}},
		{simulated, []workload.Workload{really}, math.Inf(1), []float64{10, 1, 10}},
	} {
		clock := &rate{was: []float64{10}}
		q := Tasks{On: make(steps), Clock: sessiontest.Fast(t).Clock, Rate: clock}
		task := Verify(measure.ModeRequest{Workload: c.w}, 8)
		task.Speed, task.With = c.rate, c.with
		must.NoError(t, q.Start(t.Context(), task))
		<-task.Ended()
		must.Equal(t, clock.was, c.want, c.w.Name, c.rate)
	}
}

func TestTaskThatPanicsEndsWithItsPlace(t *testing.T) {
	t.Parallel()
	q := Tasks{On: make(steps), Clock: sessiontest.Fast(t).Clock}
	task := redo()
	restored := false
	task.work = func(context.Context, Measurer, *Task) (Outcome, error) {
		defer func() { restored = true }()
		var none []int
		return Outcome{}, fmt.Errorf("never: %d", none[len(none)])
	}
	must.NoError(t, q.Start(t.Context(), task))
	<-task.Ended()
	end := task.Now()
	if end.Err == nil || !strings.Contains(end.Err.Error(), "index out of range") ||
		!strings.Contains(end.Err.Error(), "task_test.go:") || !restored {
		t.Errorf("the task ended with %v, restored %v; want the panic, its place, and true", end.Err, restored)
	}
}

// A search that was refused before it measured says why, not what no measured mode does.
func TestEndingSaysWhyNothingWasMeasured(t *testing.T) {
	t.Parallel()
	spec := Spec{Kind: Tuning, Workload: workload.Workload{Name: "mine"}}
	now := Snapshot{Err: fmt.Errorf("%w: the idle board draws 7.5 W", optimize.ErrInfeasible)}
	if got := spec.Ending(now); !strings.Contains(got, "7.5 W") || strings.Contains(got, "measured") {
		t.Errorf("before a reading: %s", got)
	}
	now.Rows = make([]record.Row, 1)
	if got := spec.Ending(now); !strings.HasSuffix(got, ": no measured mode meets the limit") {
		t.Errorf("after a reading: %s", got)
	}
}

// TestMain keeps the tests away from the user's own files and jobs.
func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }

// What a search measures follows from what was known: a repetition knows as much, not
// what was measured since.
func TestRepeatedSearchStartsFromWhatWasKnownThen(t *testing.T) {
	if testing.Short() {
		t.Skip("tunes four times, one after another")
	}
	t.Parallel()
	s := sessiontest.Open(t, session.Options{Device: "virtual:agx-orin", Speed: math.Inf(1),
		Paths: config.Paths{DataDir: t.TempDir()}})
	w := must.Get(workloads.Find(s, "mobilenet"))(t)
	below := func(watts float64) measure.TuneResult {
		res := must.Get(search.Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
			Questions: metric.Question{Limit: metric.Watts(watts)}.List()}, nil))(t)
		return res
	}
	below(30)
	second := below(25)
	below(20)
	list := must.Get(campaigns.List(s.Options.Paths))(t)
	i := slices.IndexFunc(list, func(c campaigns.Campaign) bool { return c.Dir == second.Dir })
	again := must.Get(Repeat(s, list[i], false, nil))(t)
	pool, err := models.PoolOf(s, w, nil)
	then := pool.Before(again.Tune.Before)
	rows := then.Rows()
	must.NoError(t, err)
	must.Equal(t, len(tegra.OncePerSetting(rows)), second.Known)
}

// A task reports every step of a binary search at once and keeps it for the screens.
func TestBinarySearchTellsEachHalvingAsItIsMade(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	w := must.Get(workloads.Find(s, "lstm"))(t)
	var told []ladder.Halving
	var shown Snapshot
	probes, early := 0, 0
	res, err := search.Tune(t.Context(), s, measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
		Questions: metric.Question{Limit: metric.Watts(20)}.List(),
		Asked:     record.Asked{Strategy: optimize.Binary}}, func(e measure.Event) {
		shown.Fold(e)
		switch e := e.(type) {
		case measure.ProbeEvent:
			probes++
		case measure.HalvingEvent:
			told = append(told, e.Halving)
			early = max(early, probes)
		}
	})
	must.NoError(t, err)
	if !slices.Equal(told, res.Trace) || len(told) < 8 || early > len(res.Probes) {
		t.Errorf("%d steps were reported, %d made, the last one after %d probes", len(told), len(res.Trace), early)
	}
	if shown.Halved == nil || *shown.Halved != told[len(told)-1] ||
		!slices.Contains(shown.Notes, told[len(told)-1].String()) {
		t.Errorf("the task shows %v", shown.Halved)
	}
}
