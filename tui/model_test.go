package tui

import (
	"errors"
	"math"
	"testing"
	"time"
)

func TestSixKeysTakeANewcomerFromStartToAnAppliedMeasuredMode(t *testing.T) {
	d := drive(t)
	found := d.board.mode()
	tuneKeys := []string{"t", "enter", "enter", "enter"}
	d.press(tuneKeys...)
	d.sees("tuning resnet18", "power ≤ 30 W")
	d.until("the front shows the answer", func() bool { return d.r.active == pageFront })
	d.sees("measured", "within the limit")
	if got := d.board.mode(); got != found {
		t.Fatalf("tuning left the board in %v, found it in %v", got, found)
	}
	applyKeys := []string{"a", "a"}
	d.press(applyKeys...)
	d.settle()
	if n := len(tuneKeys) + len(applyKeys); n > 6 {
		t.Errorf("%d keys from start to an applied mode, want 6 at most", n)
	}
	answer := d.r.sh.job.tuned.Mode
	if got := d.board.mode(); got != answer || got == found {
		t.Errorf("board runs in %v, want the tuned answer %v", got, answer)
	}
	_, watts := law(answer)
	if watts > 30 {
		t.Errorf("answer draws %.1f W, limit was 30 W", watts)
	}
	d.sees("keep? y / n")
	d.press("y")
	d.settle()
	d.sees("kept")
	d.board.Close()
	if got := d.board.mode(); got != answer {
		t.Errorf("after quitting the board runs in %v, kept was %v", got, answer)
	}
}

func TestFiveKeysTakeTheDefaultsAndKeepTheAnswer(t *testing.T) {
	d := drive(t)
	typed := []string{"t", "t"}
	d.press(typed...)
	d.until("the front shows the answer", func() bool { return d.r.active == pageFront })
	typed = append(typed, "a", "a")
	d.press("a", "a")
	d.settle()
	typed = append(typed, "y")
	d.press("y")
	d.settle()
	if d.board.keeps != 1 || len(typed) > 6 {
		t.Errorf("%d keys kept %d modes, want one mode in six keys at most", len(typed), d.board.keeps)
	}
}

func TestFrontEffortMapsAndVerifies(t *testing.T) {
	d := drive(t)
	d.press("t", "down", "down", "right", "enter")
	d.until("the front shows the answer", func() bool { return d.r.active == pageFront })
	j := d.r.sh.job
	if j.tuned == nil || !j.tuned.Verified || !j.tuned.Feasible {
		t.Fatalf("outcome %+v, error %v: want a verified mode within the limit", j.tuned, j.err)
	}
	if _, ok := d.r.sh.view.measured[j.tuned.Mode]; !ok {
		t.Error("the answer is not marked as measured")
	}
}

func TestTuningRunsAVirtualClockAtFullSpeedAndPutsItBack(t *testing.T) {
	d := drive(t, func(b *fakeBoard, _ *deps) { b.wait = make(chan struct{}) })
	d.press("t", "t")
	if got := d.board.Speed(); !math.IsInf(got, 1) {
		t.Errorf("speed while tuning is %g, want max", got)
	}
	close(d.board.wait)
	d.until("tuning has ended", func() bool { return d.r.sh.job.done })
	if got := d.board.Speed(); got != 60 {
		t.Errorf("speed after tuning is %g, want the former 60", got)
	}
}

func TestOneAShowsTheDifferenceAndWritesNothing(t *testing.T) {
	d := drive(t).withView()
	d.press("5", "a")
	d.sees("knob", "now", "then", "no reboot needed")
	d.press("esc")
	if n := d.board.applied(); n != 0 {
		t.Errorf("%d modes applied, want none before the second a", n)
	}
	d.sees("the answer to the limit")
}

func TestAPresetThatNeedsARebootSaysSo(t *testing.T) {
	d := drive(t)
	d.press("6", "p", "down", "a")
	d.sees("MODE_15W", "reboot needed")
}

func TestAnswersToTheKeepQuestion(t *testing.T) {
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
			d.send(countdownMsg{d.r.apply.serial})
		}, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := drive(t).withView()
			found := d.board.mode()
			d.press("5", "a", "a")
			d.settle()
			c.answer(d)
			d.settle()
			if d.board.reverts != c.reverts {
				t.Errorf("%d reverts, want %d", d.board.reverts, c.reverts)
			}
			d.board.Close()
			if stays := d.board.mode() != found; stays != c.stays {
				t.Errorf("mode stays after the end: %v, want %v", stays, c.stays)
			}
		})
	}
}

func TestAnEarlierCountdownDoesNotRevertALaterMode(t *testing.T) {
	d := drive(t).withView()
	d.press("5", "a", "a")
	d.settle()
	old := d.r.apply.serial
	d.press("y")
	d.settle()
	d.press("right", "a", "a")
	d.settle()
	d.now = d.now.Add(time.Minute)
	d.send(countdownMsg{old})
	if d.r.apply.stage != applyKeeping {
		t.Error("the first mode's countdown ended the second mode's question")
	}
}

func TestUndoAfterKeepBringsTheFormerModeBackForGood(t *testing.T) {
	d := drive(t).withView()
	found := d.board.mode()
	d.press("5", "a", "a")
	d.settle()
	d.press("y")
	d.settle()
	d.press("u")
	d.settle()
	d.board.Close()
	if got := d.board.mode(); got != found {
		t.Errorf("after undo and quitting the board runs in %v, want %v", got, found)
	}
	d.press("u")
	d.sees("nothing to undo")
}

func TestARefusedModeIsToldAndAsksNothing(t *testing.T) {
	d := drive(t, func(b *fakeBoard, _ *deps) { b.refuse = errors.New("gpu max_freq: device or resource busy") }).withView()
	d.press("5", "a", "a")
	d.settle()
	d.sees("not applied", "device or resource busy")
	if d.r.apply.stage != applyIdle {
		t.Error("asks to keep a mode that was not applied")
	}
}

func TestAModeThatReadsBackDifferentlyIsTakenBack(t *testing.T) {
	d := drive(t, func(b *fakeBoard, _ *deps) { b.stuck = true }).withView()
	d.press("5", "a", "a")
	d.settle()
	d.sees("reads back")
	if d.board.reverts != 1 {
		t.Errorf("%d reverts, want 1", d.board.reverts)
	}
}

func TestReadOnlySaysWhyNothingIsApplied(t *testing.T) {
	d := drive(t, func(b *fakeBoard, d *deps) { b.readOnly, d.readOnly = true, true }).withView()
	d.press("5")
	d.sees("READ-ONLY", "a apply (read-only)")
	d.press("a", "a")
	d.press("t")
	if d.r.tune != nil || d.board.applied() != 0 {
		t.Error("read-only still tunes or applies")
	}
	d.sees("read-only")
}

func TestQuitAsksOnlyWhenSomethingWouldBeLost(t *testing.T) {
	t.Run("at once on an untouched board", func(t *testing.T) {
		d := drive(t)
		d.press("q")
		d.until("the program ends", func() bool { return d.quit })
	})
	t.Run("asks for a mode that was not kept", func(t *testing.T) {
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
		d := drive(t, func(b *fakeBoard, _ *deps) { b.wait = make(chan struct{}) })
		d.press("t", "t", "q")
		d.sees("quit? y / n", "tuning goes on")
		d.press("n")
		d.press("q", "y")
		d.until("the program ends", func() bool { return d.quit })
		if !d.r.sh.job.done {
			t.Error("quit before the campaign had put the board back")
		}
	})
}

func TestPauseHoldsTheCampaignBetweenTwoModes(t *testing.T) {
	d := drive(t, func(b *fakeBoard, _ *deps) { b.wait = make(chan struct{}, 20) })
	d.press("t", "t")
	d.board.wait <- struct{}{}
	d.until("a mode was measured", func() bool { return len(d.r.sh.job.rows) == 1 })
	d.press("space")
	d.sees("pausing after this mode")
	for range 15 {
		d.board.wait <- struct{}{}
	}
	pauseFor(d.ctx, 300*time.Millisecond)
	d.send(pulseMsg{})
	if n := len(d.r.sh.job.rows); n > 2 {
		t.Errorf("%d modes measured while paused, want 2 at most", n)
	}
	d.press("3")
	d.sees("paused: nothing is measured")
	d.press("space")
	d.until("the campaign ends", func() bool { return d.r.sh.job.done })
}

func TestStopEndsTheCampaignAndSaysTheBoardIsBack(t *testing.T) {
	d := drive(t, func(b *fakeBoard, _ *deps) { b.wait = make(chan struct{}) })
	d.press("t", "t", "x")
	d.until("the campaign ends", func() bool { return d.r.sh.job.done })
	d.sees("stopped", "back as it was found")
}

func TestAFailingTuneIsToldInOneLine(t *testing.T) {
	d := drive(t, func(b *fakeBoard, _ *deps) { b.tuneErr = errors.New("harness resnet18 died: exit status 1") })
	d.press("t", "t")
	d.until("the campaign ends", func() bool { return d.r.sh.job.done })
	d.sees("harness resnet18 died")
}
