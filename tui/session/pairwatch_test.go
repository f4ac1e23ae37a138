package session

import (
	"context"
	"strings"
	"testing"

	"jtune/internal/usage"
	"jtune/optimize"
	"jtune/profiles/harness"
	"jtune/profiles/harness/turns"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
)

// heard tells of the events of a pair.
type heard struct {
	Board
	tell func(Event)
}

func (h heard) Pair(ctx context.Context, r PairSearch, observe func(Event)) (PairFound, error) {
	return h.Board.Pair(ctx, r, func(e Event) { h.tell(e); observe(e) })
}

// A pair that runs as a task shows its stages, its turns and what it does against its limits, and leaves its answer.
func TestPairTaskShowsTurnsAndLimits(t *testing.T) {
	t.Parallel()
	s := fast(t)
	r := pairOf(t, s)
	at := tegra.Setting{Mode: s.Device.Space().Max(), Batch: 16}
	r.At, r.Policy, r.Limit.PowerW = &at, optimize.Strict, 100
	task := PairTask(r)
	if got := task.Subject(); got != "resnet18 + mobilenet-infer" {
		t.Errorf("subject %q", got)
	}
	seen, parts := map[string]int{}, map[turns.Part]bool{}
	var watch PairWatch
	tasks := Tasks{Clock: s.Clock, On: heard{Board{s}, func(e Event) {
		watch.add(e)
		p, _ := e.(ProgressEvent)
		if n := len(watch.Turns); n > 0 && p.Progress.Event != nil {
			seen[watch.Turns[n-1].Job]++
		}
		if watch.Now != nil {
			parts[watch.Now.Part] = true
		}
	}}}
	if err := tasks.Start(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	<-task.Ended()
	now := task.Now()
	if now.Err != nil || now.Paired == nil || now.Paired.Row.Setting != at || !now.Paired.Feasible {
		t.Fatalf("ended with %v, %+v", now.Err, now.Paired)
	}
	if len(now.Watch.Rows) != 2 || len(now.Watch.Probes) != 1 || len(now.Watch.Turns) == 0 {
		t.Errorf("%d rows, %d pairs, %d turns", len(now.Watch.Rows), len(now.Watch.Probes), len(now.Watch.Turns))
	}
	if why := now.IfStopped(task.TaskSpec); !strings.Contains(why, "after 2 measurements") {
		t.Errorf("stopping it says %q", why)
	}
	if seen[harness.JobTrain] == 0 || seen[harness.JobInfer] == 0 || len(seen) != 2 {
		t.Errorf("turns of %v", seen)
	}
	for _, part := range []turns.Part{turns.TrainAlone, turns.ServeAlone, turns.Together, turns.ServeLoad} {
		if !parts[part] {
			t.Errorf("nothing was told of the part %d, %q", part, PairPart(part))
		}
	}
	for _, turn := range now.Watch.Turns { // what is compared last is the inference alone
		if turn.Job != harness.JobInfer || turn.MS <= 0 || turn.GapMS < 0 || len(now.Watch.Turns) > mostTurns {
			t.Errorf("turn %+v of %d", turn, len(now.Watch.Turns))
		}
	}
	if p, ok := now.Watch.Probe(0); !ok || p.Row.Pair.Policy != string(optimize.Strict) {
		t.Errorf("the first row: %+v, %t", p, ok)
	}
	if _, ok := now.Watch.Probe(1); ok { // the inference alone
		t.Error("a row to compare counts as a pair that was searched")
	}
	for _, l := range PairLimits(now.Paired.Ask, *now.Paired.Row.Pair) {
		if held := l.Held(); !held.OK || !held.V {
			t.Errorf("limit %+v", l)
		}
	}
	if len(PairLimits(now.Paired.Ask, record.Pair{})) != 2 {
		t.Error("a pair has limits of power and latency before it runs, too")
	}
}

func TestParsePairTakesTwoJobsInEitherOrder(t *testing.T) {
	t.Parallel()
	list, err := workload.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"resnet18 + mobilenet-infer", "mobilenet-infer+resnet18",
		" RESNET18 +mobilenet-infer "} {
		p, err := ParsePair(list, line)
		if err != nil || PairName(p.Train.Name, p.Infer.Name) != "resnet18 + mobilenet-infer" {
			t.Errorf("%q: %s + %s, %v", line, p.Train.Name, p.Infer.Name, err)
		}
	}
	for line, want := range map[string]string{
		"resnet18": "want two workloads",
		"resnet18 + mobilenet-infer + bert-infer": "want two workloads",
		"resnet18 + ":                              `"" is no workload`,
		"resnet18 + resnet99":                      `"resnet99" is no workload`,
		"resnet18 + mobilenet":                     "two training jobs",
		"resnet18-infer + mobilenet-infer":         "two inference jobs",
		"resnet18 + " + strings.Repeat("long", 99): "is no workload",
	} {
		if _, err := ParsePair(list, line); !usage.Is(err) || !strings.Contains(err.Error(), want) ||
			len(err.Error()) > 200 {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}

func TestPairPartnersCanShareAGPU(t *testing.T) {
	t.Parallel()
	list, err := workload.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"resnet18", "mobilenet-infer"} {
		w, err := workload.Find(list, name)
		if err != nil {
			t.Fatal(err)
		}
		partners := PairPartners(list, w)
		if len(partners) < 5 {
			t.Errorf("%s has %d partners", name, len(partners))
		}
		for _, other := range partners {
			if _, err := ParsePair(list, PairName(name, other.Name)); err != nil {
				t.Error(err)
			}
		}
	}
}
