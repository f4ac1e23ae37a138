package tui

import (
	"slices"
	"testing"

	"jtune/internal/must"
	"jtune/tui/session/task"
)

// otherLoaded returns the message of another workload's model, loaded while a job runs.
func (d *driver) otherLoaded() modelLoadedMsg {
	v := *d.board.Outlook()
	v.Workload = "bert"
	return modelLoadedMsg{&v, "bert"}
}

func TestOutlookOfAnotherWorkloadGetsNoReadingOfAVerification(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	d.press("5")
	before := d.r.sh.Outlook
	mode := before.Known[d.onFront()].Mode
	d.press("v")
	d.send(d.otherLoaded())
	d.until("the mode is measured", func() bool { return d.r.sh.task.Done() })
	if v := d.r.sh.Outlook; v.Workload != "bert" || v.About(mode).Measured() {
		t.Errorf("%s shows a reading of resnet18", v.Workload)
	}
	d.send(modelLoadedMsg{before, "resnet18"})
	if !d.r.sh.Outlook.About(mode).Measured() {
		t.Error("resnet18 has lost its reading")
	}
}

// A task continues while pages change, the view freezes and another model is shown: its rows reach its own workload's
// outlook, in order and once.
func TestTaskHandsItsRowsToItsOwnWorkload(t *testing.T) {
	t.Parallel()
	d := drive(t, func(b *fakeHost, _ *deps) { b.Wait = make(chan struct{}) })
	d.press("t", "t")
	for i := range d.board.Samples() {
		d.board.Wait <- struct{}{}
		d.press([]string{"1", "f", "4", "f", "6", "2", "?", "esc", "5"}[i%9])
		d.send(d.reading())
		if i == 4 {
			d.send(d.otherLoaded())
		}
	}
	d.send(d.otherLoaded())
	other := d.r.sh.Outlook
	learned := len(other.Measured())
	d.until("the search ends", func() bool { return d.r.sh.task.Done() })
	must.Equal(t, d.r.sh.task.Measured(), d.board.Samples())
	must.Equal(t, d.r.sh.Outlook.Workload, "resnet18")
	for _, m := range d.board.Samples() {
		if !d.r.sh.Outlook.About(m.Mode).Measured() {
			t.Errorf("%v was measured for resnet18, and its outlook does not know", m.Mode)
		}
	}
	must.Equal(t, len(other.Measured()), learned)
}

func TestOutlookThatWasLoadedMeanwhileStaysAfterRedo(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	before := d.r.sh.Outlook
	j := runningJob(d.board, task.Tuning)
	j.State = task.Done
	d.shows(j)
	failed := j.Rows[5].Mode
	d.press("3", "R")
	other := d.otherLoaded()
	d.send(other)
	d.until("it was measured", func() bool { return d.r.sh.task.Kind == task.Redoing && d.r.sh.task.Done() })
	must.Equal(t, d.r.sh.Outlook, other.view, d.r.sh.Outlook.Workload)
	d.send(modelLoadedMsg{before, "resnet18"})
	must.Equal(t, d.r.sh.Outlook.About(failed).Reading.N, 2)
}

func TestOutlookReachesThePagesInAnyOrder(t *testing.T) {
	t.Parallel()
	d := drive(t)
	slices.Reverse(d.r.pages)
	d.withView()
	d.press("2", "]", "[")
	at := d.onFront()
	d.press("home")
	d.send(d.otherLoaded())
	want := d.r.sh.Outlook.Answer(d.r.sh.Goal.Limit)
	must.Equal(t, d.onFront(), want)
	must.Equal(t, at, want)
	must.Equal(t, d.r.sh.Outlook.Workload, "bert")
}
