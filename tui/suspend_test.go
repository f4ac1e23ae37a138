package tui

import (
	"testing"

	"jtune/internal/must"
	"jtune/tui/session/task"
)

func TestSuspendSaysWhatTheBoardDoes(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	says := func(want string) {
		t.Helper()
		board, why := d.r.sh.read.Leaves()
		must.Contain(t, board+why, want)
	}
	says("nothing was changed")
	d.press("5", "a", "a")
	d.settle()
	says("answer keep first")
	d.press("y")
	d.settle()
	d.until("its job has ended", func() bool { return !d.r.sh.read.Dropping() })
	says("in the mode that was kept")
	d.shows(runningJob(d.board, task.Tuning))
	d.press("ctrl+z")
	d.sees("suspend: not now, tuning runs: a stopped program cannot measure")
}
