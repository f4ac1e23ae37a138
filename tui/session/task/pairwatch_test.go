package task

import (
	"context"
	"testing"

	"jtune/internal/must"
	"jtune/optimize/mix"
	"jtune/profiles/harness"
	"jtune/profiles/harness/turns"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session/measure"
	"jtune/tui/session/pair"
	"jtune/tui/session/sessiontest"
)

// heard reports the events of a pair.
type heard struct {
	Board
	tell func(measure.Event)
}

func (h heard) Pair(ctx context.Context, r pair.Request, observe func(measure.Event)) (pair.Answer, error) {
	return h.Board.Pair(ctx, r, func(e measure.Event) { h.tell(e); observe(e) })
}

// A pair that runs as a task shows its stages, its turns and what it does against its limits, and leaves its answer.
func TestPairTaskShowsTurnsAndLimits(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	r := pairOf(t, s)
	at := tegra.Setting{Mode: s.Device.Space().Max(), Batch: 16}
	r.At, r.Policy, r.Limit.Limits = &at, mix.Strict, metric.Power.Max(100)
	task := Pair(r)
	must.Equal(t, task.Subject(), "resnet18 + mobilenet-infer")
	seen, parts := map[string]int{}, map[turns.Part]bool{}
	var watch PairWatch
	tasks := Tasks{Clock: s.Clock, On: heard{Board{Session: s}, func(e measure.Event) {
		watch.add(e)
		p, _ := e.(measure.ProgressEvent)
		if n := len(watch.Turns); n > 0 && p.Progress.Event != nil {
			seen[watch.Turns[n-1].Job]++
		}
		if watch.Now != nil {
			parts[watch.Now.Part] = true
		}
	}}}
	must.NoError(t, tasks.Start(t.Context(), task))
	<-task.Ended()
	now := task.Now()
	if now.Err != nil || now.Paired == nil || now.Paired.Row.Setting != at || !now.Paired.Feasible {
		t.Fatalf("ended with %v, %+v", now.Err, now.Paired)
	}
	if len(now.Watch.Rows) != 2 || len(now.Watch.Probes) != 1 || len(now.Watch.Turns) == 0 {
		t.Errorf("%d rows, %d pairs, %d turns", len(now.Watch.Rows), len(now.Watch.Probes), len(now.Watch.Turns))
	}
	must.Contain(t, now.IfStopped(task.Spec), "after 2 measurements")
	if seen[harness.JobTrain] == 0 || seen[harness.JobInfer] == 0 || len(seen) != 2 {
		t.Errorf("turns of %v", seen)
	}
	for _, part := range []turns.Part{turns.TrainAlone, turns.ServeAlone, turns.Together, turns.ServeLoad} {
		if !parts[part] {
			t.Errorf("no event named the part %d, %q", part, measure.PairPart(part))
		}
	}
	for _, turn := range now.Watch.Turns { // what is compared last is the inference alone
		if turn.Job != harness.JobInfer || turn.MS <= 0 || turn.GapMS < 0 || len(now.Watch.Turns) > pair.MostTurns {
			t.Errorf("turn %+v of %d", turn, len(now.Watch.Turns))
		}
	}
	if p, ok := now.Watch.Probe(0); !ok || p.Row.Pair.Policy != mix.Strict {
		t.Errorf("the first row: %+v, %t", p, ok)
	}
	if _, ok := now.Watch.Probe(1); ok { // the inference alone
		t.Error("a row to compare counts as a pair that was searched")
	}
	for _, l := range pair.PairLimits(now.Paired.Ask, *now.Paired.Row.Pair) {
		if held := l.Held(); !held.OK || !held.V {
			t.Errorf("limit %+v", l)
		}
	}
	must.Equal(t, len(pair.PairLimits(now.Paired.Ask, record.Pair{})), 2,
		"a pair has limits of power and latency before it runs, too")
}
