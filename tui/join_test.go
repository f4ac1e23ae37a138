package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/must"
	"jtune/tui/session"
)

// A running job is named in the settings of a workload; runs and the Tune dialog then use it.
func TestJoinedJobIsTakenByRunsAndSearches(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("2", "C", "down", "down")
	d.sees("▸job        ‹ jtune starts it ›", "process number")
	d.press("4", "3", "2", "1", "enter")
	d.until("the job is joined", func() bool { return d.r.sh.Work.List[0].Elsewhere != nil })
	d.sees("resnet18: process 4321 is read")
	w := d.r.sh.Work.List[0]
	if w.Elsewhere == nil || w.Elsewhere.PID != 4321 || !w.Attached || d.r.sh.Work.List[1].Elsewhere != nil {
		t.Errorf("the list has %+v", d.r.sh.Work.List[:2])
	}
	d.press("t")
	d.sees("resnet18: process 4321")
	d.press("esc", "enter")
	if w := d.r.sh.task.Workload; w.Elsewhere == nil || w.Elsewhere.PID != 4321 || w.Batch != 16 {
		t.Errorf("the run has %+v", w)
	}
	d.press("x", "y")
	d.until("the run ends", func() bool { return d.r.sh.task.Done() })
	d.press("C", "down", "down", "backspace", "backspace", "backspace", "backspace", "enter")
	d.until("jtune starts it", func() bool { return d.r.sh.Work.List[0].Elsewhere == nil })
	d.sees("resnet18: jtune starts its job")
	if w := d.r.sh.Work.List[0]; w.Elsewhere != nil || w.Attached {
		t.Errorf("still joined: %+v", w)
	}
}

// The log of a job that jtune did not start is really read, beside a virtual board.
func TestJoinedJobIsReadFromItsLog(t *testing.T) {
	t.Parallel()
	d, _ := driveSession(t, session.Options{Device: "virtual:agx-orin", Seed: 1})
	log := filepath.Join(t.TempDir(), "train.log")
	f := must.Get(os.Create(log))(t)
	defer f.Close()
	join := func(path string) {
		d.press("C", "down", "down")
		d.send(tea.PasteMsg{Content: path})
		d.press("enter")
	}
	d.press("2")
	join(log + ".absent")
	d.until("an absent log is refused", func() bool { return strings.Contains(d.screen(), "no such file") })
	must.Equal(t, d.r.sh.Work.List[0].Elsewhere, nil, "an absent log was joined")
	join(log)
	d.until("the job is joined", func() bool { return d.r.sh.Work.List[0].Elsewhere != nil })
	d.sees("joined")
	d.running.Go(func() { // the job
		for n := 0; d.ctx.Err() == nil; n++ {
			fmt.Fprintf(f, `{"event":"minibatch","epoch":0,"batch":%d,"time_ms":50}`+"\n", n)
			time.Sleep(20 * time.Millisecond)
		}
	})
	d.press("enter")
	d.until("its minibatches come", func() bool { return len(d.r.sh.task.Times) > 5 })
	d.press("x", "y")
	d.until("the run ends", func() bool { return d.r.sh.task.Done() })
	must.NoError(t, d.r.sh.task.Err)
}

// A renamed campaign or a saved job lists the workloads again.
func TestJoinedJobStaysJoinedWhenWorkloadsAreListedAgain(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("2", "C", "down", "down", "4", "3", "2", "1", "enter")
	d.until("the job is joined", func() bool { return d.r.sh.Work.List[0].Elsewhere != nil })
	d.r.sh.Work.Fixed["resnet18"] = "the job runs"
	d.send(d.r.sh.listWorkloads())
	w := d.r.sh.Work.List[0]
	if w.Elsewhere == nil || w.Elsewhere.PID != 4321 || !w.Attached || d.r.sh.Work.Fixed["resnet18"] != "the job runs" {
		t.Errorf("it became %+v, batch size fixed: %v", w, d.r.sh.Work.Fixed)
	}
	must.Equal(t, d.r.sh.Work.List[1].Elsewhere, nil)
}
