package profile

import (
	"strings"
	"testing"

	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/session"
)

func TestProfileShowsTheBatchSizeOfEachRow(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Task(d.Board, session.Tuning)
	for i := range j.Rows {
		j.Rows[i].Batch = []int{8, 32}[i%2]
	}
	d.State.Tasks.Own = j
	for _, s := range pagetest.Sizes {
		d.Size(s[0], s[1])
		d.Sees(" bs ", "  8 ", " 32 ")
	}
	j.State = session.Done
	d.Press("R")
	if start, ok := d.Want().(page.Start); !ok || start.Task.Kind != session.Redoing {
		t.Errorf("R starts %+v", start)
	}
	j.Rows = pagetest.Task(d.Board, session.Tuning).Rows
	if strings.Contains(d.Screen(), " bs ") {
		t.Error("a column of sizes where there is one")
	}
}

func TestProfileTellsWhyThereAreNoBandsYet(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Task(d.Board, session.Tuning)
	j.Bands, d.State.Tasks.Own = nil, j
	d.Sees("bands: computing")
	j.Rows = j.Rows[:3]
	d.Sees("bands from 4 modes on")
}

func TestProfileNumbersAThousandModes(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Task(d.Board, session.Tuning)
	for len(j.Rows) < 1234 {
		j.Rows = append(j.Rows, j.Rows[0])
	}
	d.State.Tasks.Own = j
	d.Sees("▸1234 ", " 1233 ", " ok ")
}

func TestProfileEndsWithACardOfTheSaving(t *testing.T) {
	d, p := pagetest.Drive(t, New)
	j := pagetest.Searched(d.Board, 20, 30)
	d.State.Tasks.Own = j
	d.Sees("▸ 20 W", "  30 W", "energy per minibatch", "against MAXN = present", "predicted", "a apply, then keep")
	d.Press("down", "enter")
	if want, _ := d.Want().(page.Open); page.Name(want) != page.Front || d.State.Limit.PowerW != 30 {
		t.Errorf("enter opens %q for %v, want the front of the second answer", want, d.State.Limit)
	}
	d.Press("a")
	if want, _ := d.Want().(page.Apply); want.Mode != j.Answers[1].Mode {
		t.Errorf("a applies %v, want %v", want.Mode, j.Answers[1].Mode)
	}
	d.Press("esc")
	if strings.Contains(d.Screen(), "against MAXN") {
		t.Error("esc does not leave the card")
	}
	d.Sees("measured, newest first")
	verifying := pagetest.Task(d.Board, session.Verifying)
	verifying.State = session.Done
	d.State.Tasks.Own, d.State.Tasks.Searched = verifying, j
	if p.shown() != j {
		t.Error("after a verification the search is gone")
	}
}

func TestProfileCardSaysWhenThereIsNothingToSave(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Searched(d.Board, 30)
	d.State.Tasks.Own = j
	j.Answers[0].Versus.Present.Other.Mode = j.Answers[0].Mode
	d.Sees("the board is in the best mode already")
	j.Answers[0].Feasible = false
	d.Sees("no measured mode keeps 30 W; the nearest:")
	j.Answers[0].Feasible, j.Answers[0].Versus = true, session.Versus{}
	d.Sees("the answer")
}

func TestProfileSaysTheBestSoFarAndWhyTheNext(t *testing.T) {
	d, _ := pagetest.Drive(t, New)
	j := pagetest.Task(d.Board, session.Tuning)
	d.State.Tasks.Own = j
	d.Sees("best so far 141.2 ms, 27.6 W: -26…-15 % energy against MAXN (predicted)",
		"why this one: expected gain 3.1 %, 92 % sure to keep 30 W", "◉")
	j.Best.MaxN.Measured = true
	d.Sees("27.6 W: -21 % energy against MAXN")
	j.Best.N = 0
	d.Sees("best so far none keeps 30 W yet")
}
