package tui

import (
	"testing"

	"jtune/internal/must"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tui/page"
	"jtune/tui/session/task"
)

func TestTrainSettingsCountForTheRunAndNotForTuning(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("2", "C")
	d.sees("Settings of resnet18", "▸batch size ‹ 16 samples ›", "workers      4 loader")
	d.press("right", "down", "left", "left", "left", "left", "left")
	d.sees("batch size   32 samples", "workers    ‹ 0 loader", "waits for it")
	d.press("enter", "enter")
	if w := d.r.sh.task.Workload; w.Batch != 32 || w.Workers != 0 {
		t.Errorf("runs with batch %d and %d workers, want 32 and 0", w.Batch, w.Workers)
	}
	if w := d.r.sh.Work.List[0]; w.Batch != 16 || w.Workers != 4 {
		t.Errorf("tuning would take batch %d and %d workers, want the listed 16 and 4", w.Batch, w.Workers)
	}
	d.press("x", "y")
	d.until("the run ends", func() bool { return d.r.sh.task.Done() })
}

func TestTrainSettingsStayAfterEsc(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("2", "C", "right", "esc")
	d.press("C")
	d.sees("batch size ‹ 16 samples ›")
}

func TestTrainSettingsOfAReplayAreFixedAndSaySo(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.r.sh.Device.Board.Replay = "sweep.csv"
	d.press("2", "C")
	d.sees("a replay holds one batch size")
}

func TestTrainShowsARunsStagesEpochsAndWhatTheyMean(t *testing.T) {
	t.Parallel()
	d := drive(t, func(b *fakeHost, _ *deps) { b.Says = character() })
	d.press("2", "enter")
	d.until("minibatches come", func() bool { return d.r.sh.task.Character != nil })
	d.sees("epoch 1 ░", "later", "stall 20 %", "14 + 50 + 6 ms", "GPU-bound: GPU busy 81 %",
		"jtune lab experiment",
		"100 % of the data")
	must.Lack(t, d.screen(), "mobilenet")
	d.send(d.reading()) // the log is written with it
	d.press("o")
	d.sees("Log of resnet18", "jtune: resnet18 begins", "jtune: epoch 1: 3125 minibatches", "jtune: epoch 2", "scroll")
	d.press("/", "q", "esc") // q is typed, and does not quit
	if d.quit {
		t.Fatal("a letter typed into the search quits")
	}
	d.press("o", "x", "y")
	d.until("it has stopped", func() bool { return d.r.sh.task.Done() })
	d.sees("ended", "Workloads", "enter start")
	files := must.Get(d.r.shown().(page.Exporter).Files())(t)
	must.Equal(t, len(files), 1)
	must.Contain(t, files[0].Text, "epoch,minibatches,span_s,time_ms,stall_ms")
	d.press("o", "enter", "C", "n") // the log hides the list: keys that act on its row do nothing
	d.sees("Log of resnet18")
	if !d.r.sh.task.Done() {
		t.Error("enter started the row that the log hides")
	}
}

func TestTrainDoesNotDrawPartsThatAJobDoesNotTell(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.shows(runningJob(d.board, task.Training))
	d.r.sh.task.Last = &harness.Event{TimeMS: 60}
	d.press("2")
	d.sees("newest  the job does not report its parts")
	d.r.sh.task.Character, d.r.frame = &record.Character{All: record.Part{Minibatches: 3, TimeMS: 60}}, ""
	d.sees("the job reports too little")
}
