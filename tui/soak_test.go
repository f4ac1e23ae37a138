package tui

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra/metric"
	"jtune/telemetry/hold"
	"jtune/tui/session"
	"jtune/tui/session/soak"
)

func TestSOnLiveSoaksThePresentMode(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("1", "S")
	d.sees("Prove that a mode holds", "today's, unchanged", "45 min")
	d.press("down", "down", "down", "5", "0", " ", "Q")
	d.press("enter")
	d.sees("Prove that a mode holds", "want clauses such as") // invalid limits keep the dialog open
	for range 2 {
		d.press("backspace")
	}
	d.press("W", "enter")
	d.until("the soak ends", func() bool { return d.r.sh.task != nil && d.r.sh.task.Done() })
	if r := d.board.AskedSoak; r.Mode != nil || r.For != soak.Usual || r.Limits != metric.Power.Max(50) ||
		r.Workload.Name != "resnet18" {
		t.Errorf("asked for %+v", r)
	}
	d.sees("soak of resnet18", "holds: held for 45 min", "5.90 A", "limit 50 W", "hottest zone", "S soak again")
}

func TestCardKeySoaksItsAnswer(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.shows(searchedJob(d.board, 30))
	answer := d.r.sh.task.Tuned.Answers[0].Mode
	d.press("3", "S")
	d.sees(d.r.sh.read.ModeText(answer))
	d.press("enter")
	d.until("the soak ends", func() bool { return d.r.sh.task.Proof != nil && d.r.sh.task.Done() })
	must.Equal(t, d.board.AskedSoak.Mode.Mode, answer)
	d.sees("soak of resnet18 in", "holds")
}

// The text typed at lasts is the time of the load, never a limit.
func TestSoakLastsAsLongAsIsTyped(t *testing.T) {
	t.Parallel()
	d := drive(t)
	d.press("1", "S", "down", "down", "0", "enter")
	d.sees("Prove that a mode holds", "must be positive", "the board's own")
	d.press("backspace", "2", "x", "enter")
	d.sees("Prove that a mode holds", "want a time, such as")
	d.press("backspace", "0", " ", "m", "i", "n", "enter")
	d.until("the soak ends", func() bool { return d.r.sh.task != nil && d.r.sh.task.Done() })
	if r := d.board.AskedSoak; r.For != 20*time.Minute || r.UntilSteady || r.Limits != (metric.Limits{}) {
		t.Errorf("asked for %+v", r)
	}
}

// A running soak cannot be paused, only stopped; then the board is restored, and r repeats it.
func TestSoakIsStoppedAndGoesOn(t *testing.T) {
	t.Parallel()
	d, s := driveSession(t, session.Options{Device: "virtual:agx-orin", Speed: 30, Seed: 1})
	found := s.Setup()
	d.press("1", "S", "down")
	for _, c := range "8c/1.73C/0.62G/3.20M" {
		d.press(string(c))
	}
	d.press("enter")
	d.until("it rests", func() bool { return d.r.sh.task != nil && d.r.sh.task.Soak != nil })
	s.Virtual.Clock().SetSpeed(30) // to watch it
	d.until("its load runs", func() bool {
		return d.r.sh.task.Soak.Now.Phase == soak.Loading && len(d.r.sh.task.Soak.Curves.Points) > 3
	})
	d.sees("soak of resnet18 in 8c/1.73C/0.62G/3.20M", "holds so far", "limit", "x stop and restore")
	d.press("space")
	if d.r.sh.task.Done() || strings.Contains(d.screen(), "pausing") {
		t.Errorf("a soak was paused:\n%s", d.screen())
	}
	d.press("x", "y")
	d.until("it is stopped", func() bool { return d.r.sh.task.Done() })
	if now := s.Setup(); now.Mode != found.Mode || now.Locked != found.Locked {
		t.Errorf("the board is in %+v, it was in %+v", now, found)
	}
	proof := d.r.sh.task.Proof
	if proof == nil || proof.Verdict != hold.NotSeen || !strings.Contains(proof.Reason, "interrupted") {
		t.Fatalf("stopped: %+v", proof)
	}
	d.until("it can go on", func() bool { return d.r.sh.Tasks.Interrupted != nil })
	s.Virtual.Clock().SetSpeed(math.Inf(1))
	d.press("r")
	d.until("it ends", func() bool {
		return d.r.sh.task.Done() && d.r.sh.task.Proof != nil && d.r.sh.task.Proof != proof
	})
	p, want, says := d.r.sh.task.Proof, hold.Holds, "in 2 parts"
	missed := func(e hold.Event) bool { return strings.HasPrefix(e.What, "nothing was seen for") }
	if slices.ContainsFunc(p.Events, missed) {
		want, says = hold.NotSeen, "not seen: the board for" // a machine without a sample in a third of a second
	}
	if p.Verdict != want || p.Dir != proof.Dir || p.DurationS < 2700 || p.DurationS > 2702 {
		t.Errorf("continued: %+v", p)
	}
	d.sees("soak of resnet18 in 8c/1.73C/0.62G/3.20M", says)
	d.until("it is listed", func() bool {
		return len(d.r.sh.Tasks.Campaigns) > 0 && d.r.sh.Tasks.Campaigns[0].State == "finished"
	})
	d.press("esc", "enter") // as opened from the list
	d.until("its samples are read", func() bool { return strings.Contains(d.screen(), "hottest zone") })
	d.sees("soak of resnet18 in 8c/1.73C/0.62G/3.20M", "hottest zone")
}

// R on the card writes the report and says where.
func TestCardKeyWritesTheReport(t *testing.T) {
	t.Parallel()
	d, s := driveSession(t, session.Options{Device: "virtual:orin-nano", Speed: math.Inf(1), Seed: 1})
	d.press("t", "t")
	d.until("the search ends", func() bool { return d.r.sh.task != nil && d.r.sh.task.Done() })
	d.press("3", "R")
	d.until("the report is written", func() bool { return strings.Contains(d.screen(), "written: ") })
	files, err := filepath.Glob(filepath.Join(s.DataPath(), "exports", "*-tune.html"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	text := must.Read(t, files[0])
	must.Contain(t, string(text), "SIMULATED", "The answer")
}
