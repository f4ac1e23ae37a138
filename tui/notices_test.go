package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/session/task"
)

func TestNoticeGoesAfterSixSecondsAndStaysInTheLog(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("m")
	d.sees("15:09:26 mouse on")
	d.now = d.now.Add(noticeFor - 2*rush)
	if d.r.frame = ""; !strings.Contains(d.screen(), "mouse on") {
		t.Error("it goes before its time")
	}
	d.now = d.now.Add(2 * rush)
	if d.r.frame = ""; strings.Contains(d.screen(), "mouse on") {
		t.Error("it stays")
	}
	d.press("m", "esc") // dismissed by hand
	must.Lack(t, d.screen(), "mouse off")
	d.press("!")
	d.sees("Messages, newest first", "15:09:26 mouse on", "15:09:32 mouse off")
	if d.press("esc"); strings.Contains(d.screen(), "newest first") {
		t.Error("the log stays open")
	}
}

func TestNoticeLogScrollsAndKeepsTheNewest(t *testing.T) {
	t.Parallel()
	d := drive(t)
	for i := range mostNotices + 10 {
		d.r.sh.say("message %d.", i)
	}
	d.press("!")
	if d.sees(fmt.Sprintf("message %d.", mostNotices+9)); len(d.r.sh.notices.list) != mostNotices {
		t.Errorf("%d are kept", len(d.r.sh.notices.list))
	}
	d.r.sh.notices.hush()
	d.press("down", "down")
	must.Lack(t, d.screen(), fmt.Sprintf("message %d.", mostNotices+9))
}

func TestNoticeOfATaskThatEndedDoesNotStandOverTheNextOne(t *testing.T) {
	t.Parallel()
	d := drive(t)
	first, second := runningJob(d.board, task.Training), runningJob(d.board, task.Tuning)
	d.shows(second)
	d.send(taskDoneMsg{task: first, now: task.Snapshot{State: task.Done, Stopped: true}})
	must.Equal(t, d.r.sh.notices.showing(d.now).text, "")
	d.press("!")
	d.sees("training resnet18 stopped")
}

func TestNoticeOfAModeComesWithAReadingMadeAfterIt(t *testing.T) {
	t.Parallel()
	d := drive(t)
	m := d.r.sh.Device.Space.At(7)
	after := telemetry.Sample{Reading: tegra.Reading{T: d.r.sh.Readings.Sample.T + time.Second, Mode: tegra.Some(m)}}
	after.T = d.r.sh.Readings.Sample.T + time.Second
	d.send(rereadMsg{after, page.Then(func() page.Intent { return d.r.apply.Reverted("answered no", nil) })})
	must.Equal(t, d.r.sh.Readings.Sample.Reading.Mode.V, m)
	d.sees("reverted (answered no)")
}

func TestQuestionsBreakBetweenWords(t *testing.T) {
	t.Parallel()
	text := "quit? y / n  tuning goes on: quitting stops it and restores the board; 3 campaigns of other programs go on"
	for w := 12; w < 120; w++ {
		must.Equal(t, strings.Fields(wrapped(text, w, 20)), strings.Fields(text), w)
	}
}

func TestFarewellSaysWhatIsLeft(t *testing.T) {
	t.Parallel()
	d := drive(t)
	m := d.r.sh.Device.Space.At(7)
	kept := session.Applied{Mode: tegra.Some(m), Kept: true}
	for name, c := range map[string]struct {
		applied session.Applied
		cut     *task.Interrupted
		want    string
	}{
		"nothing was done": {session.Applied{}, nil, ""},
		"a mode was kept":  {kept, nil, "kept " + m.String()},
		"a mode was not":   {session.Applied{Mode: tegra.Some(m)}, nil, m.String() + " was not kept"},
		"a profile was cut off": {
			session.Applied{},
			&task.Interrupted{Of: 25, Workload: workload.Workload{Name: "lstm"}},
			"cut off: 0 of 25 measured with lstm (",
		},
	} {
		got := task.Farewell(c.applied, c.cut, d.board)
		if c.cut != nil && !strings.HasSuffix(got, "; to continue: jtune, then 3 and r") {
			t.Errorf("%s: %q does not say how to continue", name, got)
		}
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestFrozenViewShowsWhatTheUserDoes(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("m", "f")
	d.sees("FROZEN")
	m := d.r.sh.Device.Space.At(7)
	after := telemetry.Sample{Reading: tegra.Reading{T: d.r.sh.Readings.Sample.T + time.Second, Mode: tegra.Some(m)}}
	after.T = d.r.sh.Readings.Sample.T + time.Second
	d.send(rereadMsg{after, page.Then(func() page.Intent { return d.r.apply.Reverted("answered no", nil) })})
	must.Equal(t, d.r.sh.Readings.Sample.Reading.Mode.V, m)
	d.sees("reverted (answered no)")
	d.now = d.now.Add(noticeFor)
	d.r.frame = ""
	d.sees("FROZEN")
}
