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
