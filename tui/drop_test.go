package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tui/page/dialog"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/task"
)

// dropping searches on a virtual board, applies the answer, and waits until its job has shown steps for a while.
func dropping(t *testing.T) (*driver, *session.Session) {
	t.Helper()
	d, s := driveSession(t, session.Options{Device: "virtual:orin-nano", Speed: math.Inf(1), Seed: 1})
	d.size(80, 24)
	d.press("t", "t")
	d.answered()
	d.r.sh.Device.Rate.SetSpeed(30) // six readings would be over at once
	d.press("A")
	d.settle()
	d.until("the answer is read once", func() bool { return d.r.sh.dropped != nil && len(d.r.sh.dropped.Rows) > 0 })
	return d, s
}

// ended waits for the end of the question's job, and checks the board, the lists and the readings.
func ended(t *testing.T, d *driver, s *session.Session, in tegra.Mode) {
	t.Helper()
	d.settle()
	d.until("the job has ended", func() bool { return len(d.r.sh.dropped.Readings) > 0 })
	must.Equal(t, s.Setup().Mode.V, in)
	list, err := campaigns.List(s.Options.Paths)
	if err != nil || len(list) != 2 || list[1].Header.Plan.Kind != campaigns.VerifyKind || list[1].Usable != 1 ||
		list[1].Readings < 1 || list[1].Verdict == "" || list[1].State(nil) != campaigns.CampaignFinished {
		t.Fatalf("the list holds %+v, %v; want the search and a verification", list, err)
	}
	d.until("the list shows its end", func() bool {
		return slices.ContainsFunc(d.r.sh.Tasks.Campaigns, func(l task.Listed) bool {
			return l.Header.Plan.Kind == campaigns.VerifyKind && l.State == campaigns.CampaignFinished
		})
	})
}

// The answer's job runs while the question waits: its readings are a verification, shown before y and in the list.
func TestDropVerifiesTheAnswerBeforeItIsKept(t *testing.T) {
	t.Parallel()
	d, s := dropping(t)
	answer := d.r.sh.task.Tuned.Answers[0].Mode
	d.sees(" before ", " now ", "▀▀▀", "keep? y / n", " in ", "reading", "a apply", "FITS 15 W")
	d.press("t")
	d.sees("keep? y / n")
	must.Equal(t, d.r.top(), nil, "t opens a dialog while the question waits")
	d.press("y")
	ended(t, d, s, answer)
	if d.r.sh.Applied.Unkept() || !strings.Contains(d.screen(), " in ") || !strings.Contains(d.screen(), "kept ") {
		t.Errorf("the answer is not kept, or its readings are not told:\n%s", d.screen())
	}
	n := d.r.sh.Outlook.About(answer).Reading.N
	if n < 3 {
		t.Errorf("the answer has %d readings, want those of the search and of the question", n)
	}
	d.sees(fmt.Sprintf("%d readings)", n)) // the card too
	d.press("esc", "esc")
	d.sees("verification: ")
}

// However the question ends without y, the board is reverted and the job ended; what was read stays.
func TestDropEndsWithTheQuestion(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]func(d *driver){
		"no":        func(d *driver) { d.press("n") },
		"no answer": func(d *driver) { d.now = d.now.Add(dialog.KeepWithin) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s := dropping(t)
			ends(d)
			d.until("the question is over", func() bool { return d.r.apply.Stage() == dialog.Idle })
			ended(t, d, s, s.Device.Space().Max())
			d.sees("reverted (")
		})
	}
}

// Quitting, as after a lost terminal, waits for the end of the job.
func TestDropEndsWithTheProgram(t *testing.T) {
	t.Parallel()
	d, s := dropping(t)
	d.r.end()
	if j := d.r.sh.dropped.run.Now(); !j.Done() || len(j.Readings) == 0 {
		t.Errorf("the job is %v with %d readings", j.State, len(j.Readings))
	}
	must.NoError(t, s.Close())
	if now, err := s.Device.Read(); now.Mode.V != s.Device.Space().Max() {
		t.Errorf("the board is left in %v (%v), found was MAXN", now.Mode, err)
	}
}

// If no job belongs to the mode, nothing runs, and the question looks as without one.
func TestDropNeedsAJobOfTheMode(t *testing.T) {
	t.Parallel()
	d, _ := driveSession(t, session.Options{Device: "virtual:agx-orin", Seed: 1})
	d.press("6", "p", "down", "a", "a")
	d.settle()
	d.until("a second passes", func() bool { d.now = d.now.Add(time.Millisecond); return d.r.sh.Readings.OK })
	if d.sees("keep? y / n"); d.r.sh.Tasks.Drop != nil || strings.Contains(d.screen(), "measuring") {
		t.Errorf("a preset has a job:\n%s", d.screen())
	}
}
