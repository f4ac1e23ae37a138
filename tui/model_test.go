package tui

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra/virtual"
	"jtune/tui/page/dialog"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/task"
)

func TestTuneThenApplyTakesSixKeys(t *testing.T) {
	t.Parallel()
	d := drive(t)
	found := d.board.Mode()
	tuneKeys := []string{"t", "enter", "enter"}
	d.press(tuneKeys...)
	d.sees("tuning resnet18", "power ≤ 30 W")
	d.answered()
	d.sees("✓ measured within, mean of 2")
	if got := d.board.Mode(); got != found {
		t.Fatalf("tuning left the board in %v, found it in %v", got, found)
	}
	applyKeys := []string{"a", "a"}
	d.press(applyKeys...)
	d.settle()
	if n := len(tuneKeys) + len(applyKeys); n > 6 {
		t.Errorf("%d keys from start to an applied mode, want 6 at most", n)
	}
	answer := d.r.sh.task.Tuned.Answers[0].Mode
	if got := d.board.Mode(); got != answer || got == found {
		t.Errorf("board runs in %v, want the tuned answer %v", got, answer)
	}
	_, watts := pagetest.Law(answer)
	if watts > 30 {
		t.Errorf("answer draws %.1f W, limit was 30 W", watts)
	}
	d.sees("keep? y / n")
	d.press("y")
	d.settle()
	d.sees("kept")
	d.board.Close()
	must.Equal(t, d.board.Mode(), answer)
}

func TestTuneDialogAsksForTheWholeFront(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("t", "pgdown", "down", "right", "enter")
	d.toFront()
	j := d.r.sh.task
	if j.Tuned == nil || !j.Tuned.Answers[0].Verified || !j.Tuned.Answers[0].Feasible {
		t.Fatalf("outcome %+v, error %v: want a verified mode within the limit", j.Tuned, j.Err)
	}
	if r := d.board.Asked; r.Coverage != campaigns.CoverFront || !r.Keep || j.Kind != task.FrontSearch {
		t.Errorf("asked for %+v as %s, want the whole front", r, j.Kind)
	}
	if !d.r.sh.Outlook.About(j.Tuned.Answers[0].Mode).Measured() {
		t.Error("the answer is not marked as measured")
	}
}

func TestTuneRunsAVirtualClockAtTheChosenRateAndRestoresIt(t *testing.T) {
	t.Parallel()
	d := drive(t, func(b *fakeHost, _ *deps) { b.Wait = make(chan struct{}) })
	d.press("t", "down", "right")
	d.sees("×10: fast, but can be watched")
	d.press("t")
	must.Equal(t, d.board.Speed(), 10)
	close(d.board.Wait)
	d.until("tuning has ended", func() bool { return d.r.sh.task.Done() })
	must.Equal(t, d.board.Speed(), 60)
}

func TestApplyShowsTheDifferenceFirstAndWritesNothing(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	d.press("5", "a")
	d.sees("now", "then", "no reboot needed")
	d.press("esc")
	must.Equal(t, d.board.Applies(), 0)
	d.sees("best within the limit")
}

func TestApplyTakesAnswersToTheKeepQuestion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		answer  func(d *driver)
		reverts int
		stays   bool
	}{
		{"y keeps the mode", func(d *driver) { d.press("y") }, 0, true},
		{"n takes it back", func(d *driver) { d.press("n") }, 1, false},
		{"u takes it back", func(d *driver) { d.press("u") }, 1, false},
		{"silence takes it back", func(d *driver) {
			d.now = d.now.Add(31 * time.Second)
			d.until("the countdown ends", func() bool { return d.r.apply.Stage() != dialog.Keeping })
		}, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := drive(t).withView()
			found := d.board.Mode()
			d.press("5", "a", "a")
			d.settle()
			c.answer(d)
			d.settle()
			must.Equal(t, d.board.Reverts, c.reverts)
			d.board.Close()
			must.Equal(t, d.board.Mode() != found, c.stays)
		})
	}
}

func TestUndoGoesBackStepByStepToTheStateFound(t *testing.T) {
	t.Parallel()
	d := drive(t).withView()
	found := d.board.Mode()
	keep := func() {
		d.press("a", "a")
		d.settle()
		d.press("y")
		d.settle()
	}
	d.press("6", "p", "down")
	keep()
	first := d.board.Mode()
	d.sees("undo to MAXN")
	d.press("down")
	keep()
	d.press("u")
	d.settle()
	must.Equal(t, d.board.Mode(), first)
	d.sees("undo to MAXN")
	d.press("u")
	d.settle()
	d.board.Close()
	must.Equal(t, d.board.Mode(), found)
	must.Lack(t, d.screen(), "u undo")
	d.press("u")
	d.sees("nothing to undo: the board is as this session found it")
}

func TestApplyTellsARejectedModeAndAsksNothing(t *testing.T) {
	t.Parallel()
	d := drive(t,
		func(b *fakeHost, _ *deps) { b.Refuse = errors.New("gpu max_freq: device or resource busy") }).withView()
	d.press("5", "a", "a")
	d.settle()
	d.sees("not applied", "device or resource")
	must.Equal(t, d.r.apply.Stage(), dialog.Idle, "asks to keep a mode that was not applied")
}

func TestApplyRevertsAModeThatReadsBackDifferently(t *testing.T) {
	t.Parallel()
	d := drive(t, func(b *fakeHost, _ *deps) { b.Stuck = true }).withView()
	d.press("5", "a", "a")
	d.settle()
	d.sees("not applied, previous state restored", "back 1300500000") // "reads" ends the line before
	must.Equal(t, d.board.Reverts, 1)
}

func TestApplySaysWhyNotWhenReadOnly(t *testing.T) {
	t.Parallel()
	d := drive(t, func(b *fakeHost, d *deps) { b.ReadOnly, d.state.Device.ReadOnly = true, true }).withView()
	d.press("5")
	d.sees("READ-ONLY", "a apply (read-only)")
	d.press("a", "a")
	d.press("t")
	must.Equal(t, d.r.top(), nil)
	must.Equal(t, d.board.Applies(), 0)
	d.sees("read-only")
}

func TestQuitAsksOnlyWhenSomethingWouldBeLost(t *testing.T) {
	t.Parallel()
	t.Run("at once on an untouched board", func(t *testing.T) {
		t.Parallel()
		d := drive(t)
		d.press("q")
		d.until("the program ends", func() bool { return d.quit })
	})
	t.Run("asks for a mode that was not kept", func(t *testing.T) {
		t.Parallel()
		d := drive(t).withView()
		d.press("5", "a", "a")
		d.settle()
		d.press("q")
		d.sees("quit? y / n", "not kept")
		d.press("esc")
		if d.quit {
			t.Fatal("esc quits")
		}
		d.press("q", "y")
		d.until("the program ends", func() bool { return d.quit })
	})
	t.Run("stops a campaign, and waits until the board is back", func(t *testing.T) {
		t.Parallel()
		d := drive(t, func(b *fakeHost, _ *deps) { b.Wait = make(chan struct{}) })
		d.press("t", "t", "q")
		d.sees("quit? y / n", "tuning is in progress")
		d.press("n")
		d.press("q", "y")
		d.until("the program ends", func() bool { return d.quit })
		if !d.r.sh.task.Done() {
			t.Error("quit before the campaign had put the board back")
		}
	})
}

func TestTaskPausesBetweenTwoModes(t *testing.T) {
	t.Parallel()
	d := drive(t, func(b *fakeHost, _ *deps) { b.Wait = make(chan struct{}, 20) })
	d.press("t", "t")
	d.board.Wait <- struct{}{}
	d.until("a mode was measured", func() bool { return len(d.r.sh.task.Rows) == 1 })
	d.press("space")
	d.sees("pausing after this mode")
	for range 15 {
		d.board.Wait <- struct{}{}
	}
	d.until("it holds", func() bool { return d.r.sh.task.State == task.Paused })
	if n := len(d.r.sh.task.Rows); n > 2 {
		t.Errorf("%d modes measured while paused, want 2 at most", n)
	}
	d.press("3")
	d.sees("paused: nothing is measured")
	d.press("space")
	d.until("the campaign ends", func() bool { return d.r.sh.task.Done() })
}

func TestTaskStopsAndSaysTheBoardIsBack(t *testing.T) {
	t.Parallel()
	d := drive(t, func(b *fakeHost, _ *deps) { b.Wait = make(chan struct{}) })
	d.press("t", "t", "x", "y")
	d.until("the campaign ends", func() bool { return d.r.sh.task.Done() })
	d.sees("stopped", "the board is restored")
}

func TestTaskThatFailsIsToldInOneLine(t *testing.T) {
	t.Parallel()
	d := drive(t, func(b *fakeHost, _ *deps) { b.TuneErr = errors.New("harness resnet18 died: exit status 1") })
	d.press("t", "t")
	d.until("the campaign ends", func() bool { return d.r.sh.task.Done() })
	d.sees("harness resnet18 died")
}

func TestHeaderKeepsTheBoardsNameWhereNothingMayBeWritten(t *testing.T) {
	t.Parallel()
	d := drive(t, func(_ *fakeHost, d *deps) { d.state.Device.ReadOnly = true })
	d.board.SetSpeed(1)
	d.size(80, 24)
	d.sees("6 Modes  AGX Orin VIRTUAL ×1 READ-ONLY")
}

// The narrowest window with pages shows the name of each virtual board beside its kind.
func TestHeaderNamesEveryBoardInANarrowWindow(t *testing.T) {
	t.Parallel()
	for _, name := range virtual.Names() {
		b := must.Get(virtual.New(virtual.Options{Name: name}))(t)
		device := must.Get(b.Open())(t)
		board := device.Board().Name
		device.Close()
		for _, readOnly := range []bool{false, true} {
			d := drive(t, func(_ *fakeHost, d *deps) {
				d.state.Device.Board.Name, d.state.Device.ReadOnly = board, readOnly
			})
			d.board.SetSpeed(math.Inf(1))
			d.size(40, 12)
			for page := range d.r.pages {
				d.press(fmt.Sprint(page + 1))
				d.sees(board + " VIRTUAL")
				if readOnly {
					d.sees("READ-ONLY")
				}
			}
		}
	}
}
