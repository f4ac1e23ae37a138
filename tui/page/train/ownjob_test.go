package train

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/harness"
	"jtune/profiles/harness/detect"
	"jtune/profiles/workload"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/measure"
	"jtune/tui/session/task"
)

// tried opens the dialog with a running command that has printed told's lines.
func tried(t *testing.T, told measure.ToldEvent) (*pagetest.Driver, *page.Task) {
	t.Helper()
	d, _ := pagetest.Drive(t, New)
	d.Press("n")
	d.Sees("Your own job", "type a command")
	d.Type("python3 train.py --lr 0.1")
	d.Press("enter")
	start, ok := d.Want().(page.Start)
	if !ok || !slices.Equal(start.Task.Workload.Command, []string{"python3", "train.py", "--lr", "0.1"}) {
		t.Fatalf("wants %#v", start)
	}
	j := &page.Task{Spec: start.Task.Spec}
	j.State, j.Told = task.Running, &told
	d.State.Tasks.Own = j
	return d, j
}

var twoReadings = measure.ToldEvent{Lines: []string{"loading", "\x1b[31mEpoch 0\x1b[0m: 40/40"},
	Reading: &detect.Reading{Form: "tqdm", What: "Epoch", Unit: detect.Step, Steps: 76, TimeMS: 50.2,
		LeftOut: []detect.LeftOut{{What: "validation", Count: 2, S: 0.8}}},
	Candidates: []detect.Candidate{{Form: "tqdm", What: "Epoch", Share: 0.88, TimeMS: 50.2, Pattern: "tqdm"},
		{Form: "step", What: "iter", Share: 0.9, TimeMS: 2000, Pattern: `iter (?P<batch>\d+)`}}}

func TestOwnJobShowsItsLinesBesideHowTheyAreRead(t *testing.T) {
	t.Parallel()
	d, _ := tried(t, twoReadings)
	for _, size := range [][2]int{{80, 22}, {120, 33}, {40, 24}} {
		d.Size(size[0], size[1])
		d.Sees("train prints", "What jtune reads", "Epoch 0: 40/40", `tqdm "Epoch"`, "76 steps, 50.2 ms a minibatch",
			"left out: validation (2, 0.8 s)", "▸  88 % 50.2 ms", "90 % 2000 ms step iter", "t tune", "s save")
	}
}

func TestOwnJobIsReadInAnotherWayOnceItHasEnded(t *testing.T) {
	t.Parallel()
	d, j := tried(t, twoReadings)
	for _, want := range []string{`iter (?P<batch>\d+)`, ""} {
		d.Press("X")
		if d.Want() != nil {
			t.Fatal("a second job is started beside the first one")
		}
		j.State = task.Done
		d.Send(page.TaskDone{Task: j})
		start, ok := d.Want().(page.Start)
		if !ok || start.Task.Workload.Pattern != want {
			t.Fatalf("starts %#v, want pattern %q", start, want)
		}
		j.State = task.Running
	}
}

func TestOwnJobIsSavedByAName(t *testing.T) {
	t.Parallel()
	d, _ := tried(t, twoReadings)
	d.Press("s")
	d.Sees("Save your own job", "train_")
	d.Type("-2")
	d.Press("enter")
	d.Until("it is saved", func() bool { return slices.Contains(d.Board.Acted(), "save job train-2") })
}

func TestOwnJobThatIsNotReadIsNeitherSavedNorTuned(t *testing.T) {
	t.Parallel()
	unread := measure.ToldEvent{Lines: []string{"hello"}, Why: errors.New("none of the 1 lines counts steps")}
	d, j := tried(t, unread)
	d.Press("t")
	must.Equal(t, d.Want(), nil)
	must.Contain(t, d.Notice, "each run is one reading")
	d.Press("s")
	if !strings.HasPrefix(d.Notice, "save: not now") || strings.Contains(d.Screen(), "Save your own job") {
		t.Errorf("says %q", d.Notice)
	}
	j.State, j.Err = task.Done, errors.New("exit status 2")
	d.Press("t")
	offered := strings.Contains(d.Screen(), "can be tuned")
	if d.Want() != nil || !strings.Contains(d.Notice, "the job failed") || offered {
		t.Errorf("says %q, offered: %v", d.Notice, offered)
	}
	j.Err = nil // ended by itself: one run is one reading
	d.Press("s")
	d.Sees("Save your own job")
	d.Press("enter")
	d.Until("it is saved", func() bool { return slices.Contains(d.Board.Acted(), "save job train") })
}

func TestOwnJobIsEndedListedAndThenTuned(t *testing.T) {
	t.Parallel()
	d, j := tried(t, twoReadings)
	d.Press("t")
	if d.Want() != nil || len(d.Board.Acted()) > 0 {
		t.Fatal("it is tuned while it runs")
	}
	j.State, j.Stopped = task.Done, true
	d.Send(page.TaskDone{Task: j})
	d.Until("it is known", func() bool { return slices.Contains(d.Board.Acted(), "keep job train") })
	d.State.Work.List = append([]workload.Workload{j.Workload}, d.State.Work.List...)
	d.Send(page.WorkloadsListed{})
	must.Equal(t, d.Want(), page.Intent(page.AskTune{Workload: "train"}))
	d.Sees("Workloads", "resnet18")
}

func TestOwnJobAsksAgainForBatchAndUnitAndRefusesAShellsLine(t *testing.T) {
	t.Parallel()
	d, j := tried(t, twoReadings)
	j.State = task.Done
	d.Press("C", "down")
	d.Type("32")
	d.Press("down", "right", "right", "enter")
	start, ok := d.Want().(page.Start)
	if !ok || start.Task.Workload.Batch != 32 || start.Task.Workload.Unit != workload.UnitToken {
		t.Errorf("starts %#v", start)
	}
	d.Press("C")
	d.Type(" | tee log")
	d.Sees("is for a shell")
	d.Press("enter")
	must.Equal(t, d.Want(), nil, "a line for a shell is run")
	d.Press("esc", "esc")
	d.Sees("Workloads")
}

func TestOwnJobIsNotRunByAPastedText(t *testing.T) {
	t.Parallel()
	d, _ := pagetest.Drive(t, New)
	d.State.Moment.Rushed = true
	d.Press("n")
	d.Type("reboot")
	d.Press("enter", "enter")
	must.Equal(t, d.Want(), nil)
	must.Contain(t, d.Notice, "two keys at once")
	d.State.Moment.Rushed = false
	d.Press("enter")
	if start, ok := d.Want().(page.Start); !ok || start.Task.Workload.Command[0] != "reboot" {
		t.Errorf("wants %#v", start)
	}
}

func TestEnterOnAJobThatCannotBeReadShowsItsLines(t *testing.T) {
	t.Parallel()
	d, _ := pagetest.Drive(t, New)
	mine := workload.Own("mine", []string{"sh", "-c", "echo 'hello you'"})
	d.State.Work.List = append([]workload.Workload{mine}, d.State.Work.List...)
	d.Press("enter")
	start, ok := d.Want().(page.Start)
	if !ok || start.Task.Try {
		t.Fatalf("wants %#v", start)
	}
	j := &page.Task{Spec: start.Task.Spec}
	j.Told = &measure.ToldEvent{Lines: []string{"hello you"}, Why: errors.New("none of the 1 lines counts steps")}
	j.State, d.State.Tasks.Own = task.Running, j
	d.Sees("enter its lines")
	d.Press("enter") // while it runs
	d.Sees("mine prints", "hello you", "none of the 1 lines counts steps")
	if d.Press("esc"); d.Want() != nil {
		t.Errorf("leaving wants %#v: the job began before", d.Want())
	}
	d.Press("enter")
	if d.Press("x"); d.Want() != (page.Stop{}) {
		t.Errorf("x wants %#v", d.Want())
	}
	d.Press("esc")
	j.State, j.Err = task.Done, errors.Join(harness.ErrNotUnderstood)
	d.State.Tasks.Own = j
	d.Send(page.TaskDone{Task: j})
	d.Press("enter")
	d.Sees("mine prints", "hello you", "none of the 1 lines counts steps")
	d.Press("C")
	d.Sees(`sh -c 'echo '\''hello you'\'''`)
}
